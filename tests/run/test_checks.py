import pytest

from memoryapp.checks import check_combinations
from memoryapp.mail import mailers

RIGHT = {
    "MEMORY_HTTPS": True,
    "MEMORY_TRUSTED_PROXY": True,
    "SESSION_COOKIE_SECURE": True,
    "MEMORY_METRICS_NETWORKS": (),
    "ALLOWED_HOSTS": ["memory.example.org"],
    "DEBUG": False,
    "MAILERS": {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend"}},
}


@pytest.mark.parametrize(
    ("changes", "ids"),
    [
        pytest.param({}, [], id="right"),
        pytest.param({"MEMORY_TRUSTED_PROXY": False}, ["memoryapp.E001"], id="https-without-proxy"),
        pytest.param({"DEBUG": True}, ["memoryapp.E002"], id="debug-with-https"),
        pytest.param({"MEMORY_HTTPS": False}, ["memoryapp.W003"], id="secure-cookies-without-https"),
        pytest.param({"ALLOWED_HOSTS": ["*"]}, ["memoryapp.W004"], id="every-host"),
        pytest.param({"MAILERS": mailers("")}, ["memoryapp.W006"], id="mail-to-the-console"),
    ],
)
def test_it_finds_wrong_combinations(settings, changes, ids):
    for name, value in (RIGHT | changes).items():
        setattr(settings, name, value)
    assert [found.id for found in check_combinations(None)] == ids


def test_it_finds_metrics_open_to_the_proxy(settings):
    for name, value in RIGHT.items():
        setattr(settings, name, value)
    del settings.MEMORY_METRICS_NETWORKS
    from ipaddress import ip_network

    settings.MEMORY_METRICS_NETWORKS = (ip_network("127.0.0.0/8"),)
    assert [found.id for found in check_combinations(None)] == ["memoryapp.W005"]
