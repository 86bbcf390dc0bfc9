"""Which layer knows which: by what a fresh process has loaded, and by what the source files import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "blockview"
DEMO = PACKAGE / "demo" / "session.jsonl"
HEAVY = ("textual", "rich", "mcp", "asyncio")


def loaded(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running `code`; what it prints is thrown away."""
    report = "\nimport sys; sys.stderr.write('\\n'.join(['', *sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code + report], cwd=ROOT, capture_output=True, text=True, input="{}")
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split("\n"))


def tops(modules: set[str]) -> set[str]:
    return {module.partition(".")[0] for module in modules}


def run_main(*arguments: str) -> str:
    return f"from blockview.cli import main\nassert main({list(arguments)!r}) == 0"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("--places",),
        ("sessions", str(DEMO)),
        ("coerce",),
        ("render", str(DEMO), "--format", "text"),
        ("check", str(DEMO), "--fail-on", "none"),
        ("render", str(DEMO), "--format", "ansi"),
        ("render", str(DEMO), "--format", "json"),
    ],
    ids=lambda arguments: "-".join(arguments[::3]).replace("/", "") if len(arguments) > 2 else arguments[0],
)
def test_what_needs_no_app_loads_none(arguments: tuple[str, ...]) -> None:
    assert tops(loaded(run_main(*arguments))).isdisjoint(HEAVY)


def test_help_loads_no_layer_at_all() -> None:
    modules = {module for module in loaded(run_main("--help")) if module.startswith("blockview")}
    assert modules == {"blockview", "blockview.cli", "blockview.commands"}


def test_importing_the_package_loads_nothing_of_it() -> None:
    assert not {module for module in loaded("import blockview") if module.startswith("blockview.")}


def test_the_public_names_are_there() -> None:
    import blockview

    for name in blockview.__all__:
        assert getattr(blockview, name) is not None
        assert name in dir(blockview)
    with pytest.raises(AttributeError, match="nonsense"):
        blockview.nonsense  # noqa: B018


def modules_of(layer: str) -> list[str]:
    """The modules of a layer's folder, as dotted names."""
    files = sorted((PACKAGE / layer).rglob("*.py"))
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files]
    return [name for name in names if name != SERVER]


LAYERS = {
    "core": set[str](),
    "readers": {"core"},
    "catalog": {"core"},
    "export": {"core"},
    "ui": {"core"},
    "dispatch": {"core", "catalog"},
    "demo": {"core"},
}
SERVER = "blockview.demo.server"
"""A program of its own, over the MCP SDK; no module of the package imports it."""
PRESENT = [layer for layer in LAYERS if (PACKAGE / layer).is_dir()]


@pytest.mark.parametrize("layer", PRESENT)
def test_a_layer_loads_only_what_it_may(layer: str) -> None:
    modules = modules_of(layer)
    assert modules
    found = loaded("".join(f"import {module}\n" for module in modules))
    layers = {module.split(".")[1] for module in found if module.startswith("blockview.")}
    assert layers <= {layer} | LAYERS[layer]
    if layer != "ui":
        assert not tops(found) & {"textual", "rich"}
    if layer != "dispatch":
        assert "mcp" not in tops(found)


def imports(file: Path) -> Iterator[str]:
    """Every module that a source file imports anywhere, inside functions and type-checking blocks as well."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_the_source_of_each_layer_names_only_what_it_may() -> None:
    strangers = []
    for layer in PRESENT:
        for file in (PACKAGE / layer).rglob("*.py"):
            for name in imports(file):
                if not name.startswith("blockview."):
                    continue
                target = name.split(".")[1]
                if target in LAYERS and target != layer and target not in LAYERS[layer]:
                    strangers.append(f"{file.relative_to(ROOT)}: {name}")
    assert not strangers


def test_only_the_ui_imports_textual_and_only_dispatch_and_the_demo_server_import_mcp() -> None:
    owners = {"textual": ["ui"], "rich": ["ui"], "mcp": ["dispatch", "demo/server.py"]}
    strangers = []
    for file in PACKAGE.rglob("*.py"):
        for name in imports(file):
            places = owners.get(name.partition(".")[0])
            if places and not {PACKAGE / place for place in places} & {file, *file.parents}:
                strangers.append(f"{file.relative_to(ROOT)}: {name}")
    assert not strangers


def test_dispatch_goes_by_the_live_list_and_never_by_the_cache() -> None:
    files = list((PACKAGE / "dispatch").rglob("*.py"))
    assert files
    assert not [file for file in files if "blockview.catalog.cache" in imports(file)]


def test_nobody_imports_the_demo_server() -> None:
    importers = [file for file in PACKAGE.rglob("*.py") if SERVER in imports(file)]
    assert not importers


def test_the_core_touches_no_files() -> None:
    for file in (PACKAGE / "core").rglob("*.py"):
        assert not {"os", "pathlib", "io", "socket", "subprocess"} & {
            name.partition(".")[0] for name in imports(file)
        }, file
