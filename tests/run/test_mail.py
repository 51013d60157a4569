import pytest

from memoryapp.env import WrongSetting
from memoryapp.mail import mailers
from memoryapp.signin import oidc


def test_it_writes_to_the_console_without_a_server():
    assert mailers("")["default"]["BACKEND"].endswith("console.EmailBackend")


@pytest.mark.parametrize(
    ("url", "options"),
    [
        (
            "smtp://mail.example.org",
            {"host": "mail.example.org", "port": 587, "username": "", "use_tls": True, "use_ssl": False},
        ),
        (
            "smtp://ada%40example.org:p%3Aw%2F@mail.example.org:2525",
            {"port": 2525, "username": "ada@example.org", "password": "p:w/", "use_tls": True},
        ),
        ("smtps://mail.example.org", {"port": 465, "use_tls": False, "use_ssl": True}),
        ("smtp+plain://localhost", {"port": 25, "use_tls": False, "use_ssl": False}),
    ],
)
def test_it_reads_a_server(url, options):
    found = mailers(url)["default"]
    assert found["BACKEND"].endswith("smtp.EmailBackend")
    assert {name: found["OPTIONS"][name] for name in options} == options


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.org",
        "http://mail.example.org",
        "smtp://",
        "smtp://u:hidden@h:port",
        "smtp://u:hidden@h/x",
        "smtp://h?tls=1",
    ],
)
def test_it_refuses_what_is_no_server_and_repeats_nothing(url):
    with pytest.raises(WrongSetting) as refused:
        mailers(url)
    assert "hidden" not in str(refused.value)


WHOLE = {
    "MEMORY_OIDC_SERVER_URL": "https://login.example.org/realm/",
    "MEMORY_OIDC_CLIENT_ID": "memory",
    "MEMORY_OIDC_CLIENT_SECRET": "s3cret-value",
}


def set_all(monkeypatch, values):
    for name in (*WHOLE, "MEMORY_OIDC_ID", "MEMORY_OIDC_NAME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)


def test_it_has_no_provider_unless_configured(monkeypatch):
    set_all(monkeypatch, {"MEMORY_OIDC_NAME": "Example"})
    assert oidc.providers() == {}


def test_it_reads_a_provider(monkeypatch):
    set_all(monkeypatch, WHOLE | {"MEMORY_OIDC_ID": "example", "MEMORY_OIDC_NAME": "Example"})
    (app,) = oidc.providers()["openid_connect"]["APPS"]
    assert (app["provider_id"], app["name"], app["client_id"], app["secret"]) == (
        "example",
        "Example",
        "memory",
        "s3cret-value",
    )
    assert app["settings"] == {"server_url": "https://login.example.org/realm", "oauth_pkce_enabled": True}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        *(pytest.param({name: ""}, name, id=f"without-{name}") for name in WHOLE),
        pytest.param({"MEMORY_OIDC_SERVER_URL": "http://login.example.org"}, "https://", id="not-https"),
        pytest.param({"MEMORY_OIDC_ID": "Mine!"}, "MEMORY_OIDC_ID", id="odd-id"),
    ],
)
def test_it_refuses_half_a_provider(monkeypatch, changes, named):
    set_all(monkeypatch, WHOLE | changes)
    with pytest.raises(WrongSetting) as refused:
        oidc.providers()
    assert named in str(refused.value)
    assert "s3cret-value" not in str(refused.value)
