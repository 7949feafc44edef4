"""Who may import whom, kept by reading the source and by a real run of the hook. The table is ARCHITECTURE.md's."""
from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worlds import HOOK, ROOT, World

# room (longest prefix wins): what it may import. A module may always import its own room's siblings where its room is listed.
TABLE: dict[str, tuple[str, ...]] = {
    "hooks.pre_tool_use": ("gc", "sys", "posix", "guard", "guard.main"),
    "hooks.event": ("sys", "guard", "guard.events"),
    "guard": ("sys", "marshal", "posix", "_frozen_importlib", "_frozen_importlib_external"),
    "guard.main": ("guard.clients", "guard.core", "guard.edge"),
    "guard.core": ("guard.core",),
    "guard.edge": ("guard.core.model", "guard.core.paths", "guard.edge"),
    "guard.edge.disk": ("guard.core.paths", "guard.edge.processes", "sys", "time", "_thread", "posix", "nt"),
    "guard.edge.processes": ("guard.core.paths", "guard.edge.disk", "time"),
    "guard.edge.wire": ("_json", "json"),
    "guard.events": ("guard", "sys"),
    "guard.clients": ("guard.clients", "guard.core.model", "guard.edge.wire"),
}
FREE = "guard.wt"  # cold: it may import anything, and nobody imports it
SUBPROCESS = {"guard/wt/git.py", "guard/wt/streams.py", "guard/wt/environment.py"}
CEILING, FUNCTION_CEILING = 400, 45  # lines


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def sources() -> list[Path]:
    return sorted(p for p in [*ROOT.glob("guard/**/*.py"), *ROOT.glob("hooks/*.py")] if "__pycache__" not in p.parts)


def hot() -> list[Path]:
    return [path for path in sources() if not module_of(path).startswith(FREE)]


def imports(source: str, module: str) -> list[str]:
    """Every module a source imports, by statement or by `__import__`, blocks for type checkers left out."""
    found: list[str] = []

    class Visitor(ast.NodeVisitor):
        def visit_If(self, node: ast.If) -> None:
            if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                for other in node.orelse:
                    self.visit(other)
            else:
                self.generic_visit(node)

        def visit_Import(self, node: ast.Import) -> None:
            found.extend(alias.name for alias in node.names)

        def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
            assert node.level == 0, "absolute imports only"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.append(inner if (ROOT / inner.replace(".", "/")).with_suffix(".py").exists() or
                             (ROOT / inner.replace(".", "/") / "__init__.py").exists() else str(node.module))

        def visit_Call(self, node: ast.Call) -> None:
            loads = isinstance(node.func, ast.Name) and node.func.id in ("__import__", "import_module", "exec", "eval")
            if loads and module != "guard":  # whose `exec` runs the bytecode that it has found
                text = ast.unparse(node.args[0])
                found.append(re.sub(r"\.?\{.*", "", text.strip("f'\"")) + ".*")
            self.generic_visit(node)

    Visitor().visit(ast.parse(source))
    return found


def violations(source: str, module: str) -> list[str]:
    """What a hot module imports against the table."""
    room = max((name for name in TABLE if module == name or module.startswith(name + ".")), key=len)
    allowed = TABLE[room]
    return [f"{module} imports {name}" for name in imports(source, module)
            if name.startswith(FREE) or not any(name.removesuffix(".*") == fits or name.startswith(fits + ".") for fits in allowed)]


@pytest.mark.parametrize("path", hot(), ids=module_of)
def test_a_module_imports_what_its_room_may(path: Path) -> None:
    assert violations(path.read_text(), module_of(path)) == []


@pytest.mark.parametrize(("module", "source"), [
    ("guard.core.files", "import os"),
    ("guard.core.files", "from guard.edge import disk"),
    ("guard.core.files", "def f():\n    import time"),
    ("guard.core.files", "x = __import__('os')"),
    ("guard.core.tools.search", "from guard.clients import claude"),
    ("guard.edge.look", "from guard.core.files import answer"),
    ("guard.edge.look", "import posix"),
    ("guard.edge.wire", "from guard.edge import disk"),
    ("guard.edge.disk", "import os"),
    ("guard.clients.claude", "from guard.edge.disk import read"),
    ("guard.main", "from guard.wt import cli"),
    ("guard.main", "import json"),
    ("guard.events.session_end", "from guard.wt import store"),
    ("guard.events.session_end", "import os"),
    ("hooks.pre_tool_use", "import os"),
])
def test_a_seeded_violation_is_found(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


def test_a_block_for_type_checkers_costs_nothing() -> None:
    source = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing import Any\n"
    assert violations(source, "guard.core.files") == []


@pytest.mark.parametrize("path", hot(), ids=module_of)
def test_the_hot_rooms_are_python_3_9(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 9))


@pytest.mark.parametrize("path", sources(), ids=module_of)
def test_a_module_fits_on_a_few_screens(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= CEILING
    long = [f"{node.name}: {node.end_lineno - node.lineno + 1} lines" for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > FUNCTION_CEILING]
    assert long == []


@pytest.mark.parametrize("path", sources(), ids=module_of)
def test_a_module_says_in_one_sentence_what_it_holds(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), "the module has no docstring"


def test_only_two_modules_run_programs() -> None:
    users = {str(path.relative_to(ROOT)) for path in sources() if "subprocess" in imports(path.read_text(), module_of(path))}
    assert users == SUBPROCESS


def test_only_one_module_writes_to_stdout() -> None:
    """A stray print disarms the hook (any text beside the document makes the client ignore it) and spoils `--json`."""
    def writes(source: str) -> bool:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        return "sys.stdout" in source or any(isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls)
    users = {str(path.relative_to(ROOT)) for path in sources() if writes(path.read_text())}
    # The second prints the interpreter for scripts/wt, the third asks whether it is a terminal.
    assert users == {"guard/wt/cli.py", "guard/wt/environment.py", "guard/wt/commands/status.py"}


# --- what a real run loads -------------------------------------------------------------------------------------------

SPY = """
import posix, sys
before = set(sys.modules)
leave = posix._exit
def told(status):
    posix.write(2, repr(sorted(set(sys.modules) - before)).encode())
    leave(status)
posix._exit = told
__file__ = sys.argv.pop(1)
exec(compile(open(__file__).read(), __file__, "exec"))
"""
FOREIGN = ["_json", "gc", "guard", "guard.clients", "guard.clients.claude", "guard.core", "guard.core.model", "guard.core.paths",
           "guard.core.tools", "guard.edge", "guard.edge.disk", "guard.edge.wire", "guard.main"]
JUDGED = sorted([*FOREIGN, "guard.core.files", "guard.core.judge", "guard.edge.binding", "guard.edge.look",
                 "guard.edge.records", "guard.edge.repo"])
FREE_REPOSITORY = sorted({*JUDGED} - {"guard.edge.binding", "guard.edge.records"})
LOADED = [
    ("a tool that is not ours", "WebFetch", {"url": "x"}, FOREIGN),
    ("a write in W", "Write", {"file_path": "{W}/a", "content": ""}, JUDGED),
    ("a moved read", "Read", {"file_path": "{R}/src/app.py"}, sorted([*JUDGED, "guard.edge.audit"])),
    ("a refused write", "Write", {"file_path": "{W2}/a", "content": ""}, sorted([*JUDGED, "guard.edge.audit"])),
]
READER = ["guard.core.programs", "guard.core.shell", "guard.core.shell.expand", "guard.core.shell.lex", "guard.core.shell.parse",
          "guard.core.shell.run", "guard.edge.commands", "guard.edge.repo"]
GIT = sorted({*JUDGED, *READER, "guard.core.programs.git", "guard.core.rules"} - {"guard.core.files"})
SHELL = [
    ("nothing to say", "echo hello > /dev/null", sorted([*FOREIGN, *READER, "guard.core.shell.builtins", "guard.core.shell.streams"])),
    ("a commit in W", "git add -A && git commit -qm x", sorted([*GIT, "guard.core.programs.git.changes"])),
    ("a refused push", "git push origin HEAD:main",
     sorted([*GIT, "guard.core.programs.git.push", "guard.core.rules.push_to_protected", "guard.edge.audit"])),
]


@pytest.mark.parametrize(("_id", "tool", "given", "expected"), LOADED, ids=[row[0] for row in LOADED])
def test_a_call_loads_exactly_these_modules(bound: World, _id: str, tool: str, given: dict[str, str], expected: list[str]) -> None:
    document = json.dumps(bound.document(tool, given)).encode()
    done = subprocess.run([sys.executable, "-I", "-S", "-c", SPY, str(HOOK), "--client", "claude-code"], input=document, env=bound.env,
                          capture_output=True, check=True)
    assert ast.literal_eval(done.stderr.decode()) == expected
    assert len([name for name in expected if name.startswith("guard.")]) <= 18


@pytest.mark.parametrize(("_id", "command", "expected"), SHELL, ids=[row[0] for row in SHELL])
def test_a_command_loads_exactly_these_modules(bound: World, _id: str, command: str, expected: list[str]) -> None:
    document = json.dumps(bound.document("Bash", {"command": command}, "{W}")).encode()
    done = subprocess.run([sys.executable, "-I", "-S", "-c", SPY, str(HOOK), "--client", "claude-code"], input=document, env=bound.env,
                          capture_output=True, check=True)
    assert ast.literal_eval(done.stderr.decode()) == expected
    assert len([name for name in expected if name.startswith("guard.")]) <= 28


def test_a_repository_without_state_costs_two_modules_less(world: World) -> None:
    document = json.dumps(world.document("Write", {"file_path": "{R}/src/new.py", "content": ""})).encode()
    done = subprocess.run([sys.executable, "-I", "-S", "-c", SPY, str(HOOK), "--client", "claude-code"], input=document, env=world.env,
                          capture_output=True, check=True)
    assert ast.literal_eval(done.stderr.decode()) == FREE_REPOSITORY
