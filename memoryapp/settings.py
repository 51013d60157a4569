"""All settings, from environment variables only. The README's table says what each one means."""

from pathlib import Path
from typing import Any

from django.utils.csp import CSP

from memoryapp import env
from memoryapp.database.cluster import DATABASE, ROLE
from memoryapp.database.paths import SOCKET_PORT, Paths
from memoryapp.database.pool import check
from memoryapp.database.url import parse_database_url
from memoryapp.mail import mailers
from memoryapp.secret import SHORTEST, read_or_make_secret
from memoryapp.signin import oidc

BASE_DIR = Path(__file__).resolve().parent.parent
DEBUG = env.flag("DEBUG")

# --- the store

MEMORY_PATHS = Paths(env.folder("MEMORY_DATA_DIR", default="var", base=BASE_DIR))
MEMORY_POOL_SIZE = env.whole("MEMORY_POOL_SIZE", default=8, at_least=1, at_most=200)
MEMORY_POOL_TIMEOUT_SECONDS = env.number("MEMORY_POOL_TIMEOUT_SECONDS", default=2, at_least=0.1, at_most=60)

_DATABASE_URL = env.text("DATABASE_URL")
MEMORY_USES_EMBEDDED = not _DATABASE_URL
_database: dict[str, Any] = (
    {"NAME": DATABASE, "USER": ROLE, "HOST": str(MEMORY_PATHS.socket_folder), "PORT": str(SOCKET_PORT), "OPTIONS": {}}
    if MEMORY_USES_EMBEDDED
    else parse_database_url(_DATABASE_URL)
)
_database["ENGINE"] = "django.db.backends.postgresql"
# Parameters travel apart from the statement, which psycopg then prepares: PostgreSQL parses and plans it once.
_database["OPTIONS"]["server_side_binding"] = True
_database["OPTIONS"]["prepare_threshold"] = 5
_database["OPTIONS"]["pool"] = {
    "min_size": 1,
    "max_size": MEMORY_POOL_SIZE,
    "timeout": MEMORY_POOL_TIMEOUT_SECONDS,
    "check": check,
}
DATABASES = {"default": _database}

SECRET_KEY = env.text("SECRET_KEY")
if SECRET_KEY and len(SECRET_KEY) < SHORTEST:
    raise env.WrongSetting(f"SECRET_KEY must have at least {SHORTEST} characters.")
if not SECRET_KEY:
    if not MEMORY_USES_EMBEDDED:
        raise env.WrongSetting("SECRET_KEY must be set when DATABASE_URL is: the same random text for every process.")
    SECRET_KEY = read_or_make_secret(MEMORY_PATHS)

# --- the policies

MEMORY_FLOOR = env.number("MEMORY_FLOOR", default=0.3, at_least=0, at_most=1)
MEMORY_SCORER = env.choice("MEMORY_SCORER", ("blended", "lexical", "terms_overlap"), default="blended")
MEMORY_EMBEDDER = env.choice("MEMORY_EMBEDDER", ("minilm", "openai", "none"), default="minilm")
MEMORY_EMBEDDING_URL = env.text("MEMORY_EMBEDDING_URL", "https://api.openai.com/v1")
MEMORY_EMBEDDING_MODEL = env.text("MEMORY_EMBEDDING_MODEL", "text-embedding-3-small")
MEMORY_EMBEDDING_KEY = env.text("MEMORY_EMBEDDING_KEY")
MEMORY_EMBEDDING_DIMENSION = env.whole("MEMORY_EMBEDDING_DIMENSION", default=0, at_least=0, at_most=4_000)
MEMORY_EMBEDDING_TIMEOUT_SECONDS = env.number("MEMORY_EMBEDDING_TIMEOUT_SECONDS", default=2, at_least=0.05, at_most=60)
MEMORY_SEARCH_MEGABYTES = env.whole("MEMORY_SEARCH_MEGABYTES", default=256, at_least=0, at_most=65_536)
MEMORY_STALE_AFTER_DAYS = env.whole("MEMORY_STALE_AFTER_DAYS", default=90, at_least=1, at_most=36_500)
# Days from when a memory was last said, or a message stored; 0: as long as the person wants it.
MEMORY_KEPT_DAYS = {
    "preference": env.whole("MEMORY_PREFERENCE_DAYS", default=0, at_least=0, at_most=36_500),
    "fact": env.whole("MEMORY_FACT_DAYS", default=0, at_least=0, at_most=36_500),
    "decision": env.whole("MEMORY_DECISION_DAYS", default=0, at_least=0, at_most=36_500),
    "identifier": env.whole("MEMORY_IDENTIFIER_DAYS", default=0, at_least=0, at_most=36_500),
    "messages": env.whole("MEMORY_EPISODE_DAYS", default=365, at_least=0, at_most=36_500),
    "refused": env.whole("MEMORY_REFUSED_DAYS", default=365, at_least=0, at_most=36_500),
}
MEMORY_TRACE_MONTHS = env.whole("MEMORY_TRACE_MONTHS", default=12, at_least=1, at_most=1_200)
MEMORY_AUDIT_MONTHS = env.whole("MEMORY_AUDIT_MONTHS", default=60, at_least=1, at_most=1_200)
MEMORY_TRASH_DAYS = env.whole("MEMORY_TRASH_DAYS", default=30, at_least=0, at_most=3_650)

# --- what staff may see

MEMORY_SUPPORT_APPROVAL = env.flag("MEMORY_SUPPORT_APPROVAL")

# --- erasing

ERASURE_LEDGER = env.file("ERASURE_LEDGER", default=MEMORY_PATHS.erasures, base=BASE_DIR)
MEMORY_BACKUP_DAYS = env.whole("MEMORY_BACKUP_DAYS", default=30, at_least=0, at_most=3_650)

# --- who may come in, and how

ALLOWED_HOSTS = env.items("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
MEMORY_RATE_LIMIT_PER_MINUTE = env.whole("MEMORY_RATE_LIMIT_PER_MINUTE", default=0, at_least=0, at_most=1_000_000)
MEMORY_METRICS_TOKEN, MEMORY_METRICS_NETWORKS = env.token_or_networks("MEMORY_METRICS", default="127.0.0.0/8,::1")

MEMORY_TRUSTED_PROXY = env.flag("MEMORY_TRUSTED_PROXY")
if MEMORY_TRUSTED_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True

MEMORY_HTTPS = env.flag("MEMORY_HTTPS")
SECURE_SSL_REDIRECT = MEMORY_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # probes come from inside, past the proxy
SECURE_HSTS_SECONDS = env.whole(
    "MEMORY_HSTS_SECONDS", default=31_536_000 if MEMORY_HTTPS else 0, at_least=0, at_most=126_144_000
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("MEMORY_SECURE_COOKIES", default=MEMORY_HTTPS)
# Including subdomains and preloading bind hosts that are not ours: their owner decides.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True

AUTH_USER_MODEL = "accounts.User"

# --- sign-in: a code by e-mail, a passkey, a one-time link, or the operator's provider; no passwords

LOGIN_URL = LOGOUT_REDIRECT_URL = "/sign-in"
LOGIN_REDIRECT_URL = "/memories/"
MEMORY_SIGN_UP = env.choice("MEMORY_SIGN_UP", ("closed", "oidc", "open"), default="closed")
MAILERS = mailers(env.text("EMAIL_URL"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("EMAIL_FROM", "Memory <memory@localhost>")
# Attempts are counted over all workers.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "accounts_attempts",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
MEMORY_FRESH_SECONDS = ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ACCOUNT_ADAPTER = "memoryapp.signin.adapters.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = ACCOUNT_LOGIN_BY_CODE_SUPPORTS_RESEND = True
ACCOUNT_LOGIN_BY_CODE_TIMEOUT = ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 10 * 60
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ("code", "mfa")
ACCOUNT_SESSION_REMEMBER = True
ALLAUTH_TRUSTED_PROXY_COUNT = int(MEMORY_TRUSTED_PROXY)
MFA_ADAPTER = "memoryapp.signin.factors.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Memory"
MFA_TOTP_TOLERANCE = 1
# Browsers offer passkeys over https and on localhost only; the check of the origin has to allow the latter.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not MEMORY_HTTPS
USERSESSIONS_ADAPTER = "memoryapp.signin.adapters.SessionAdapter"
SOCIALACCOUNT_ADAPTER = "memoryapp.signin.adapters.ProviderAdapter"
SOCIALACCOUNT_FORMS = {"disconnect": "memoryapp.signin.forms.DisconnectForm"}
SOCIALACCOUNT_EMAIL_REQUIRED = False
SOCIALACCOUNT_PROVIDERS = oidc.providers()

# --- the application

INSTALLED_APPS = [
    "accounts",
    "memoryapp",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "pgtrigger",
]
if SOCIALACCOUNT_PROVIDERS:
    INSTALLED_APPS.append("allauth.socialaccount.providers.openid_connect")
MIDDLEWARE = [
    "memoryapp.api.edge.Edge",
    "django.middleware.security.SecurityMiddleware",
    "memoryapp.dashboard.middleware.CompressedPages",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memoryapp.dashboard.middleware.Pages",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "memoryapp.urls"
WSGI_APPLICATION = "memoryapp.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "memoryapp.dashboard.frame.frame",
            ],
            "libraries": {"pages": "memoryapp.dashboard.tags", "access": "memoryapp.dashboard.access_tags"},
        },
    }
]
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
USE_THOUSAND_SEPARATOR = True
NUMBER_GROUPING = 3
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ar", "العربية")]
LOCALE_PATHS = [BASE_DIR / "locale"]
CSRF_FAILURE_VIEW = "memoryapp.dashboard.failures.csrf_failure"
# What was just done is said once, on the server; a cookie would carry it through every log on the way.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

FILE_UPLOAD_HANDLERS = [
    "memoryapp.dashboard.uploading.Bounded",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "OAS_VERSION": "3.1.0",
    "TITLE": "Memory",
    "VERSION": "1",
    "DESCRIPTION": "A memory that people can see: propose memories, store turns, fetch context.",
    "PREPROCESSING_HOOKS": ["memoryapp.api.describing.only_agents_calls"],
    "POSTPROCESSING_HOOKS": ["memoryapp.api.describing.complete"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
}

# --- logs: what happened and where in the code, never an id, a query or a stored text

MEMORY_LOG_LEVEL = env.choice(
    "MEMORY_LOG_LEVEL", ("debug", "info", "warning", "error", "critical"), default="warning"
).upper()
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"()": "memoryapp.logs.DiscreetFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": MEMORY_LOG_LEVEL},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # Below an error these name paths and hosts that a caller chose.
        "django.request": {"handlers": [], "level": "ERROR", "propagate": True},
        "django.security": {"handlers": [], "level": "CRITICAL", "propagate": True},
        "django.db.backends": {"level": "INFO"},
        "memoryapp.access": {"level": "INFO"},
    },
}
