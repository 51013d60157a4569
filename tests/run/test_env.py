from ipaddress import ip_network
from pathlib import Path

import pytest

from memoryapp import env

NAME = "MEMORY_TRIED"


def read_whole():
    return env.whole(NAME, default=5, at_least=1, at_most=10)


def read_number():
    return env.number(NAME, default=0.3, at_least=0, at_most=1)


def read_flag():
    return env.flag(NAME)


def read_choice():
    return env.choice(NAME, ("lexical", "terms_overlap"), default="lexical")


def read_metrics():
    return env.token_or_networks(NAME, default="127.0.0.0/8")


def read_folder():
    return env.folder(NAME, default="var", base=Path("/srv/memory"))


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        pytest.param(read_whole, "", 5, id="whole-absent"),
        pytest.param(read_whole, " 10 ", 10, id="whole-upper-bound"),
        pytest.param(read_number, "", 0.3, id="number-absent"),
        pytest.param(read_number, "1", 1.0, id="number-upper-bound"),
        pytest.param(read_flag, "", False, id="flag-absent"),
        pytest.param(read_flag, "On", True, id="flag-on"),
        pytest.param(read_flag, "0", False, id="flag-off"),
        pytest.param(read_choice, "", "lexical", id="choice-absent"),
        pytest.param(read_choice, "Terms_Overlap", "terms_overlap", id="choice-in-any-case"),
        pytest.param(read_metrics, "", (None, (ip_network("127.0.0.0/8"),)), id="metrics-absent"),
        pytest.param(
            read_metrics, "::1, 10.1.2.3", (None, (ip_network("::1"), ip_network("10.1.2.3"))), id="addresses"
        ),
        pytest.param(read_metrics, "token:0123456789abcdef", ("0123456789abcdef", ()), id="token"),
        pytest.param(read_folder, "", Path("/srv/memory/var"), id="folder-absent"),
        pytest.param(read_folder, "../other", Path("/srv/other"), id="folder-relative"),
        pytest.param(read_folder, "/data", Path("/data"), id="folder-absolute"),
    ],
)
def test_it_reads(monkeypatch, read, value, expected):
    monkeypatch.setenv(NAME, value)
    assert read() == expected


@pytest.mark.parametrize(
    ("read", "value"),
    [
        pytest.param(read_whole, "0", id="whole-below"),
        pytest.param(read_whole, "11", id="whole-above"),
        pytest.param(read_whole, "5.0", id="whole-with-point"),
        pytest.param(read_whole, "٣", id="whole-in-other-digits"),
        pytest.param(read_number, "1.01", id="number-above"),
        pytest.param(read_number, "-0.1", id="number-below"),
        pytest.param(read_number, "nan", id="number-that-is-none"),
        pytest.param(read_number, "a lot", id="number-in-words"),
        pytest.param(read_flag, "maybe", id="flag"),
        pytest.param(read_choice, "vectors", id="choice"),
        pytest.param(read_metrics, "token:short", id="token-too-short"),
        pytest.param(read_metrics, "everybody", id="no-address"),
        pytest.param(read_folder, __file__, id="folder-that-is-a-file"),
    ],
)
def test_it_refuses_in_one_sentence_that_names_the_variable(monkeypatch, read, value):
    monkeypatch.setenv(NAME, value)
    with pytest.raises(SystemExit) as refused:
        read()
    assert str(refused.value.code).startswith(NAME)
    assert "\n" not in str(refused.value.code)
