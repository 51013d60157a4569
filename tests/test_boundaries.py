"""The picture in the architecture: who may import whom, who may write, and what nobody may do."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("accounts", "memoryapp")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

LAYERS = {
    "memoryapp.policy": (),
    "memoryapp.client": (),
    "accounts": (),
    "memoryapp.refusal": (),
    "memoryapp.process": ("memoryapp.refusal",),
    "memoryapp.env": (),
    "memoryapp.database": ("memoryapp.refusal", "memoryapp.process", "memoryapp.env"),
    "memoryapp.embedding": ("memoryapp.policy",),
    "memoryapp.extraction": ("memoryapp.policy",),
    "memoryapp.models": ("accounts", "memoryapp.database", "memoryapp.policy"),
    "memoryapp.services": (
        "accounts", "memoryapp.database", "memoryapp.policy", "memoryapp.embedding", "memoryapp.extraction",
        "memoryapp.models", "memoryapp.tokens",
    ),
    "memoryapp.tokens": (),
}  # fmt: skip
"""Each layer, and what of ours it may import besides itself. Whatever is not named here is delivery or start-up."""

DELIVERY = ("memoryapp.api", "memoryapp.dashboard", "memoryapp.support", "memoryapp.mcp")
COMMANDS = "memoryapp.management"
WRITERS = ("memoryapp.services", COMMANDS)
WRITES = {
    "save", "create", "update", "delete", "bulk_create", "bulk_update", "get_or_create", "update_or_create",
    "asave", "acreate", "aupdate", "adelete", "abulk_create",
}  # fmt: skip


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree, module, is_package):
    """The absolute names of all modules that are imported, wherever in the file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                parts = parts[: len(parts) - node.level + is_package]
                base = ".".join([*parts, *([base] if base else [])])
            yield base
            # `from memoryapp import metrics` imports a module too.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def is_within(name, package):
    return name == package or name.startswith(f"{package}.")


@cache
def trees():
    """Parsed by who asks, and not by every worker that reads this file."""
    return [(path, module_of(path), ast.parse(path.read_text(encoding="utf-8"))) for path in FILES]


@cache
def imports():
    return [
        (module, name)
        for path, module, tree in trees()
        for name in imports_of(tree, module, path.name == "__init__.py")
        if "migrations" not in module.split(".")
    ]


def of(package):
    return [(module, name) for module, name in imports() if is_within(module, package)]


def ours(name):
    return any(is_within(name, package) for package in PACKAGES)


def test_it_reads_what_there_is():
    assert len(FILES) > 60
    assert ("memoryapp.services.propose", "memoryapp.policy.write") in imports()
    assert ("memoryapp.api.memories", "memoryapp.services.propose") in imports()
    relative = ast.parse("from . import a\nfrom ..b import c\nfrom .d import e")
    found = set(imports_of(relative, "one.two.three", False))
    assert {"one.two", "one.two.a", "one.b", "one.b.c", "one.two.d"} <= found
    assert "one.two.three.a" in set(imports_of(relative, "one.two.three", True))


@pytest.mark.parametrize("layer", LAYERS)
def test_arrows_point_one_way(layer):
    allowed = (layer, *LAYERS[layer])
    wrong = [
        (module, name)
        for module, name in of(layer)
        if ours(name) and name not in PACKAGES and not any(is_within(name, package) for package in allowed)
    ]
    assert wrong == []


def test_the_policies_need_the_standard_library_only():
    names = {name.split(".")[0] for _, name in of("memoryapp.policy")}
    assert "re" in names
    assert names - set(sys.stdlib_module_names) == {"memoryapp"}


def test_the_client_needs_no_django():
    """When there is one: it imports without Django and without anything of ours."""
    names = {name.split(".")[0] for _, name in of("memoryapp.client")}
    assert not names & {"django", "rest_framework", "accounts", "memoryapp"}


def test_people_need_django_only():
    names = {name.split(".")[0] for _, name in of("accounts")}
    assert "django" in names
    assert names - set(sys.stdlib_module_names) <= {"accounts", "django"}


@pytest.mark.parametrize("package", DELIVERY)
def test_deliveries_do_not_know_each_other(package):
    others = [other for other in DELIVERY if other != package]
    assert [(m, n) for m, n in of(package) if any(is_within(n, other) for other in others)] == []


def test_nothing_below_knows_the_request():
    below = [pair for layer in LAYERS for pair in of(layer)]
    names = {name for _, name in below}
    assert names
    forbidden = ("rest_framework", "django.http", "django.shortcuts", "django.views", "django.template")
    assert [n for n in names if any(is_within(n, package) for package in (*forbidden, *DELIVERY, COMMANDS))] == []


def writes_in(tree):
    """Calls that write rows: by method name on anything but what plainly is none of the database's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITES:
            receiver = ast.unparse(node.func.value)
            # A digest, a set and a dictionary are updated too.
            if node.func.attr == "update" and not re.search(r"\bobjects\b|\bfilter\b|queryset|rows", receiver):
                continue
            yield f"{receiver}.{node.func.attr}"


def test_only_services_and_commands_write():
    found = {module: sorted(writes_in(tree)) for _, module, tree in trees()}
    assert "run.save" in found["memoryapp.services.bulk"]
    # Django's own way to make an account, for `createsuperuser`.
    found["accounts.models"].remove("user.save")
    # The browser's session, and what a provider of identities said: no row of ours.
    found["memoryapp.dashboard.once"].remove("session.save")
    found["memoryapp.signin.adapters"].remove("account.save")
    allowed = (*WRITERS, "accounts.migrations", "memoryapp.migrations")
    assert {m: w for m, w in found.items() if w and not any(is_within(m, a) for a in allowed)} == {}


def test_only_services_put_rows_in_past_the_models():
    rows = {module for module, name in imports() if is_within(name, "memoryapp.services.rows")}
    assert "memoryapp.services.writing" in rows
    assert [module for module in rows if not is_within(module, "memoryapp.services")] == []


def test_deliveries_write_no_sql_of_their_own():
    """Reading is theirs; what changes a row goes through a service."""
    statement = re.compile(r"\b(insert into|update \w+ set|delete from|truncate)\b", re.IGNORECASE)
    for path, module, tree in trees():
        if any(is_within(module, package) for package in (*DELIVERY, "memoryapp.models", "accounts")):
            if "migrations" in module:
                continue
            texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            assert [text for text in texts if statement.search(text)] == [], path


def test_nothing_happens_by_signal_or_in_save():
    for path, module, tree in trees():
        names = {name for m, name in imports() if m == module}
        assert not any("signals" in name.split(".") or is_within(name, "django.dispatch") for name in names), path
        defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        if is_within(module, "memoryapp.models") or is_within(module, "accounts"):
            assert not defined & {"save", "delete", "full_clean"}, path


def test_no_setting_outlives_its_transaction():
    calls = []
    for path, _, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                calls += re.findall(r"set_config\(([^()]*)\)", text)
                assert not re.search(r"\bset\s+(session\s+)?app\.", text, re.IGNORECASE), path
    assert len(calls) >= 2
    assert [call for call in calls if not call.rstrip().endswith("true")] == []


def test_files_stay_small():
    """One idea a file: over 300 lines there is a seam."""
    long = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in FILES
        if "migrations" not in path.parts
    }
    assert {name: lines for name, lines in long.items() if lines > 300} == {}


def test_no_module_is_named_for_nothing():
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "base"}
    assert [module for _, module, _ in trees() if vague & set(module.split("."))] == []
