"""The hook on every Python that is here, 3.9 included, from an installation that may be linked, read-only or have blanks in its path."""
from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.worlds import HOOK, ROOT, World, run_hook


def interpreters() -> list[str]:
    """One of each minor version from 3.9 on: on PATH, of the system, of pyenv."""
    places = [Path(folder) for folder in (*os.environ["PATH"].split(os.pathsep), "/usr/bin", "/usr/local/bin")]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path("~").expanduser() / ".pyenv")) / "versions"
    places += [version / "bin" for version in sorted(pyenv.glob("3.*"))] if pyenv.is_dir() else []
    found: dict[str, str] = {}
    for place in places:
        for path in (place / f"python3.{minor}" for minor in range(9, 16)):
            if path.name not in found and path.exists() and works(path):
                found[path.name] = str(path)
    return [found[name] for name in sorted(found, key=lambda name: int(name.split(".")[1]))]


def works(python: Path) -> bool:
    done = subprocess.run([python, "-I", "-S", "-c", "pass"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.interpreter
@pytest.mark.parametrize("python", interpreters(), ids=lambda path: Path(path).name)
def test_the_hook_answers_the_same_on_each_python(bound: World, python: str) -> None:

    def ask(tool: str, given: dict[str, str]) -> object:
        document = json.dumps(bound.document(tool, given)).encode()
        return run_hook(document, bound.env, bound.R, python=python).inner.get("updatedInput")

    assert ask("Read", {"file_path": "{R}/src/app.py"}) == {"file_path": str(bound.W / "src/app.py")}
    assert ask("Write", {"file_path": "{R}/.env", "content": ""}) == {"file_path": str(bound.W / ".env"), "content": ""}
    broken = run_hook(b'{"a', bound.env, bound.R, python=python)
    assert broken.document == {} and broken.stderr.startswith("worktree-guard: ")
    deep = run_hook(b"[" * 100_000, bound.env, bound.R, python=python)
    assert deep.document == {} and "deep" in deep.stderr


def installed(place: Path) -> Path:
    for name in ("guard", "hooks"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "wt"))
    return place / "hooks/pre_tool_use.py"


def moved(world: World, hook: Path) -> bool:
    document = json.dumps(world.document("Read", {"file_path": "{R}/src/app.py"})).encode()
    return run_hook(document, world.env, world.R, hook=hook).input == {"file_path": str(world.W / "src/app.py")}


def test_from_a_path_with_blanks(bound: World, tmp_path: Path) -> None:
    assert moved(bound, installed(tmp_path / "my tools"))


def test_through_a_link_to_the_file_and_one_to_the_folder(bound: World, tmp_path: Path) -> None:
    (tmp_path / "hook.py").symlink_to(HOOK)
    (tmp_path / "guard-here").symlink_to(ROOT)
    (tmp_path / "again.py").symlink_to("hook.py")
    assert moved(bound, tmp_path / "hook.py")
    assert moved(bound, tmp_path / "again.py")
    assert moved(bound, tmp_path / "guard-here/hooks/pre_tool_use.py")


def test_from_a_tree_that_cannot_be_written(bound: World, tmp_path: Path) -> None:
    hook = installed(tmp_path / "fixed")
    for path in [tmp_path / "fixed", *(tmp_path / "fixed").rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    assert moved(bound, hook)
    for path in (tmp_path / "fixed").rglob("*"):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def test_a_damaged_installation_lets_the_call_pass(bound: World, tmp_path: Path) -> None:
    hook = installed(tmp_path / "half")
    (tmp_path / "half/guard/core/model.py").unlink()
    answer = run_hook(b"{}", bound.env, bound.R, hook=hook)
    assert answer.document == {}
    assert "damaged" in answer.stderr
