"""The hook's own way to its bytecode: taken where everything is as expected, left to Python's import where anything is not."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worlds import ROOT

CODE = """
import sys
sys.path.insert(0, {root!r})
import guard
guard.take_the_short_way({root!r})
import guard.core.paths, guard.core.shell
import json
print(json.dumps([type(sys.modules[name].__spec__.loader).__name__ for name in ("guard.core", "guard.core.paths", "guard.core.shell")]
                 + [guard.core.paths.__file__, guard.core.shell.__path__, getattr(guard.core.paths, "MARK", "")]))
"""
SHORT, LONG = ["ShortWay"] * 3, ["SourceFileLoader"] * 3


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "guard", tmp_path / "guard", ignore=shutil.ignore_patterns("__pycache__", "wt"))
    return tmp_path


def loaders(tree: Path, *flags: str) -> list[object]:
    words = [sys.executable, "-I", "-S", *flags, "-c", CODE.format(root=str(tree))]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return list(json.loads(done.stdout))


def test_without_bytecode_python_makes_it_and_the_next_run_takes_it(tree: Path) -> None:
    assert loaders(tree)[:3] == LONG
    found = loaders(tree)
    assert found == [*SHORT, str(tree / "guard/core/paths.py"), [str(tree / "guard/core/shell")], ""]


def test_a_changed_source_counts_at_once(tree: Path) -> None:
    loaders(tree)
    paths = tree / "guard/core/paths.py"
    paths.write_text(paths.read_text() + "MARK = 'new'\n")
    assert loaders(tree)[5] == "new"
    later = paths.stat().st_mtime + 5
    text = paths.read_text().replace("'new'", "'old'")  # the same size
    paths.write_text(text)
    os.utime(paths, (later, later))
    assert loaders(tree)[5] == "old"
    assert loaders(tree)[1] == "ShortWay", "written anew by Python"


@pytest.mark.parametrize("spoilt", [b"", b"\0" * 40, "cut", "flags"], ids=["empty", "zeros", "cut short", "hash-based"])
def test_spoilt_bytecode_is_left_to_python(tree: Path, spoilt: bytes | str) -> None:
    loaders(tree)
    cache = next((tree / "guard/core/__pycache__").glob("paths.*.pyc"))
    data = cache.read_bytes()
    if spoilt == "cut":
        cache.write_bytes(data[:200])
        done = subprocess.run([sys.executable, "-I", "-S", "-c", CODE.format(root=str(tree))], capture_output=True, text=True, check=False)
        assert "EOFError" in done.stderr, "Python itself stumbles over it; the hook's entry lets the call pass and says so"
        return
    cache.write_bytes(data[:4] + b"\1\0\0\0" + data[8:] if spoilt == "flags" else bytes(spoilt))
    assert loaders(tree)[1] == "SourceFileLoader"


@pytest.mark.parametrize("flags", [("-O",), ("-OO",), ("-X", "pycache_prefix={tree}/elsewhere")], ids=["-O", "-OO", "a cache elsewhere"])
def test_other_ways_to_run_python_are_left_alone(tree: Path, flags: tuple[str, ...]) -> None:
    given = [flag.format(tree=tree) for flag in flags]
    loaders(tree, *given)
    assert loaders(tree, *given)[:3] == LONG
