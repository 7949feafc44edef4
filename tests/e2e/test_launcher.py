"""`hooks/run` itself, under each shell that is here: which interpreter it takes, from where it works, and that it never gets in the way."""
from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.worlds import ROOT, World

RUN = ROOT / "hooks/run"
REPORT = """import json, os, sys
print(json.dumps({"python": sys.executable, "isolated": sys.flags.isolated, "no_site": sys.flags.no_site, "prefix": sys.pycache_prefix,
                  "entry": os.path.realpath(__file__), "words": sys.argv[1:], "stdin": sys.stdin.read(), "pid": os.getpid()}))
"""
SHELLS = {"dash": ["dash"], "bash": ["bash"], "bash as sh": ["bash", "--posix"], "busybox": ["busybox", "sh"]}
HERE = {name: [str(shutil.which(words[0])), *words[1:]] for name, words in SHELLS.items() if shutil.which(words[0])}


@pytest.fixture(params=HERE.values() if HERE else [["/bin/sh"]], ids=list(HERE) or ["sh"])
def sh(request: pytest.FixtureRequest) -> list[str]:
    """One of the shells that are here."""
    return list(request.param)


@dataclass
class Tree:
    """A copy of the launcher whose Python parts only report how they were called; a home and folders of interpreters beside it."""

    root: Path
    top: Path = field(init=False)
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.top = self.root / "plug"
        (self.top / "hooks").mkdir(parents=True)
        (self.top / "guard").mkdir()
        shutil.copy(RUN, self.run)
        for name in ("hooks/event.py", "hooks/pre_tool_use.py"):
            (self.top / name).write_text(REPORT)
        (self.top / "guard/main.py").touch()
        self.python("bin")
        self.env = {"HOME": str(self.root / "home"), "PATH": str(self.root / "bin")}

    @property
    def run(self) -> Path:
        return self.top / "hooks/run"

    def python(self, folder: str, name: str = "python3") -> Path:
        """A real interpreter, no script, in a folder of its own."""
        place = self.root / folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(sys.executable)
        return place

    def script(self, folder: str) -> Path:
        """What a version manager puts on PATH."""
        place = self.root / folder / "python3"
        place.parent.mkdir(parents=True)
        place.write_text("#!/bin/sh\necho shim\n")
        place.chmod(0o755)
        return place

    def record(self, text: str, data: str = "home/.local/share") -> None:
        folder = self.root / data / "worktree-guard"
        folder.mkdir(parents=True)
        (folder / "python").write_text(text)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def start(words: list[str], env: dict[str, str], cwd: Path, **more: Any) -> str:
    """Standard output; the status must be 0 and nothing on standard error."""
    done = subprocess.run(words, env=env, cwd=cwd, input="{}", capture_output=True, text=True, timeout=20, check=False, **more)
    assert (done.returncode, done.stderr) == (0, "")
    return str(done.stdout)


def report(sh: list[str], tree: Tree, *words: str, **env: str) -> dict[str, Any]:
    return dict(json.loads(start([*sh, str(tree.run), *(words or ("pre_tool_use",))], {**tree.env, **env}, tree.root)))


# --- which interpreter -----------------------------------------------------------------------------------------------

def test_the_recorded_interpreter_goes_before_path(tree: Tree, sh: list[str]) -> None:
    assert report(sh, tree)["python"] == str(tree.root / "bin/python3")
    at_home, in_data = tree.python("at home"), tree.python("in data", "some python")
    tree.record(f"{at_home}\n")
    assert report(sh, tree)["python"] == str(at_home)
    tree.record(str(in_data), "data")  # no newline at its end
    assert report(sh, tree, XDG_DATA_HOME=str(tree.root / "data"))["python"] == str(in_data)
    assert report(sh, tree, XDG_DATA_HOME="")["python"] == str(at_home)


@pytest.mark.parametrize("recorded", ["", "\n", "{root}/gone/python3\n", "{root}/link\n", "{root}/plain\n", "python3\n", "-c\n"])
def test_a_recorded_interpreter_that_is_gone_is_passed_over(tree: Tree, sh: list[str], recorded: str) -> None:
    (tree.root / "plain").touch(0o644)
    (tree.root / "link").symlink_to("gone")
    tree.record(recorded.replace("{root}", str(tree.root)))
    assert report(sh, tree)["python"] == str(tree.root / "bin/python3")


def test_a_recorded_folder_is_no_interpreter(tree: Tree, sh: list[str]) -> None:
    tree.record(f"{tree.root}/bin\n")
    assert report(sh, tree)["python"] == str(tree.root / "bin/python3")


SKIPPED = ["pyenv/shims", "pyenv/shims/", "asdf/shims/more", "Microsoft/WindowsApps", "Microsoft/WindowsApps/Python_1.0"]


@pytest.mark.parametrize("folder", SKIPPED)
def test_folders_of_shims_and_stubs_are_skipped(tree: Tree, sh: list[str], folder: str) -> None:
    tree.python(folder)
    path = f"{tree.root}/{folder}:{tree.root}/bin"
    assert report(sh, tree, PATH=path)["python"] == str(tree.root / "bin/python3")
    assert start([*sh, str(tree.run), "pre_tool_use"], {**tree.env, "PATH": f"{tree.root}/{folder}"}, tree.root) == ""


def test_what_is_no_interpreter_is_skipped(tree: Tree, sh: list[str]) -> None:
    tree.script("scripts")
    (tree.root / "folder/python3").mkdir(parents=True)
    (tree.root / "plain").mkdir()
    (tree.root / "plain/python3").touch(0o644)
    (tree.root / "dangling").mkdir()
    (tree.root / "dangling/python3").symlink_to("gone")
    folders = ["", f"{tree.root}/nowhere", *(f"{tree.root}/{name}" for name in ("scripts", "folder", "plain", "dangling", "bin")), ""]
    assert report(sh, tree, PATH=":".join(folders))["python"] == str(tree.root / "bin/python3")
    assert start([*sh, str(tree.run), "pre_tool_use"], {**tree.env, "PATH": ":".join(folders[:-2])}, tree.root) == ""


def test_a_script_after_a_real_one_does_not_hide_it(tree: Tree, sh: list[str]) -> None:
    later = tree.script("later").parent
    assert report(sh, tree, PATH=f"{tree.root}/bin:{later}")["python"] == str(tree.root / "bin/python3")


@pytest.mark.parametrize("folder", ["with blanks", "py[3]", "p*", "$HOME", "'", "é"])
def test_a_folder_on_path_is_taken_as_it_is_written(tree: Tree, sh: list[str], folder: str) -> None:
    python = tree.python(folder)
    tree.python("py3")
    assert report(sh, tree, PATH=str(python.parent))["python"] == str(python)


def test_it_is_isolated_and_gets_every_word(tree: Tree, sh: list[str]) -> None:
    words = ["--client", "a b", "", "*", "$HOME", "--client=é", "\\", "a\nb"]
    told = report(sh, tree, "pre_tool_use", *words)
    assert (told["isolated"], told["no_site"], told["prefix"], told["stdin"]) == (1, 1, None, "{}")
    assert (told["entry"], told["words"]) == (str(tree.top / "hooks/pre_tool_use.py"), words)
    told = report(sh, tree, "session_start", *words)
    assert (told["entry"], told["words"]) == (str(tree.top / "hooks/event.py"), ["session_start", *words])


def test_on_windows_the_py_launcher_is_left(tree: Tree, sh: list[str]) -> None:
    py = tree.root / "windows/py"
    py.parent.mkdir()
    py.write_text("#!/bin/sh\nprintf '%s|' \"$@\"\n")
    py.chmod(0o755)
    env = {"LOCALAPPDATA": str(tree.root / "local"), "PATH": str(py.parent)}
    said = start([*sh, str(tree.run), "session_end", "--client", "x"], {**env, "WINDIR": "C:\\Windows"}, tree.root)
    assert said == f"-3|-I|-S|{tree.top}/hooks/event.py|session_end|--client|x|"
    assert start([*sh, str(tree.run), "session_end"], env, tree.root) == ""
    tree.record(f"{tree.root}/bin/python3", "local")
    assert json.loads(start([*sh, str(tree.run), "session_end"], env, tree.root))["python"] == str(tree.root / "bin/python3")


# --- nothing to run --------------------------------------------------------------------------------------------------

def test_without_an_interpreter_it_is_silent(tree: Tree, sh: list[str]) -> None:
    for path in ("", "/nowhere", str(tree.top)):
        for event in ("pre_tool_use", "session_start"):
            assert start([*sh, str(tree.run), event], {**tree.env, "PATH": path}, tree.root) == ""


@pytest.mark.parametrize("missing", ["hooks/pre_tool_use.py", "hooks/event.py", "guard/main.py", "guard"])
def test_a_missing_part_is_silent(tree: Tree, sh: list[str], missing: str) -> None:
    path = tree.top / missing
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    for event, entry in (("pre_tool_use", "hooks/pre_tool_use.py"), ("session_start", "hooks/event.py"), ("nonsense", "hooks/event.py")):
        said = start([*sh, str(tree.run), event], tree.env, tree.root)
        assert bool(said) == (missing.startswith("hooks/") and missing != entry)


def test_an_empty_environment_does_no_harm(tree: Tree, sh: list[str]) -> None:
    said = start([*sh, str(tree.run), "pre_tool_use"], {}, tree.root)
    assert not said or json.loads(said)["entry"] == str(tree.top / "hooks/pre_tool_use.py"), "a shell has a PATH of its own"


def test_without_a_word_no_event_is_named(tree: Tree, sh: list[str]) -> None:
    told = json.loads(start([*sh, str(tree.run)], tree.env, tree.root))
    assert (told["entry"], told["words"]) == (str(tree.top / "hooks/event.py"), [""])


def test_the_real_one_without_a_word_answers_nothing(bound: World) -> None:
    done = subprocess.run([str(RUN)], env=bound.env, cwd=bound.R, input="{}", capture_output=True, text=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("worktree-guard: ")


# --- from where ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("place", "cwd"), [
    ("{top}/hooks/run", "{root}"), ("hooks/run", "{top}"), ("./hooks/run", "{top}"), ("run", "{top}/hooks"), ("./run", "{top}/hooks"),
    ("../plug/hooks/run", "{root}/home"), ("{top}//hooks/./run", "/"), ("../hooks/run", "{top}/guard"),
])
def test_each_way_to_name_it(tree: Tree, sh: list[str], place: str, cwd: str) -> None:
    (tree.root / "home").mkdir()
    place, cwd = (text.replace("{top}", str(tree.top)).replace("{root}", str(tree.root)) for text in (place, cwd))
    for event, entry in (("pre_tool_use", "pre_tool_use.py"), ("session_end", "event.py")):
        assert json.loads(start([*sh, place, event], tree.env, Path(cwd)))["entry"] == str(tree.top / "hooks" / entry)
        if "/" in place:  # by its own first line
            assert json.loads(start([place, event], tree.env, Path(cwd)))["entry"] == str(tree.top / "hooks" / entry)


@pytest.mark.parametrize("name", ["my tools", " ", "it's", "$HOME", "a;b", "*", "[x]", "-e", "é", "a\nb", "%s", "!!"])
def test_a_folder_of_any_name(tree: Tree, sh: list[str], name: str) -> None:
    there = tree.root / "beside" / name
    there.parent.mkdir()
    tree.top.rename(there)
    for place, cwd in ((str(there / "hooks/run"), tree.root), (f"./{name}/hooks/run", there.parent)):
        assert json.loads(start([*sh, place, "session_end"], tree.env, cwd))["entry"] == str(there / "hooks/event.py")


@pytest.mark.parametrize("link", ["linked", "linked/hooks"])
def test_through_a_linked_folder(tree: Tree, sh: list[str], link: str) -> None:
    place = tree.root / "elsewhere" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(tree.top / "hooks" if link.endswith("hooks") else tree.top)
    run = place / ("run" if link.endswith("hooks") else "hooks/run")
    assert json.loads(start([*sh, str(run), "session_end"], tree.env, tree.root))["entry"] == str(tree.top / "hooks/event.py")


def test_backslashes_are_turned(tree: Tree, sh: list[str]) -> None:
    """A shell on Windows is handed C:\\x\\hooks\\run. Here that is the name of one file, beside the folders it names."""
    shutil.copy(tree.run, tree.root / "plug\\hooks\\run")
    for place, cwd in ((f"{tree.root}/plug\\hooks\\run", tree.root / "bin"), ("plug\\hooks\\run", tree.root)):
        told = json.loads(start([*sh, place, "session_end"], tree.env, cwd))
        assert (told["entry"], told["words"]) == (str(tree.top / "hooks/event.py"), ["session_end"])


def test_from_an_installed_package(tree: Tree, sh: list[str]) -> None:
    (tree.top / "guard/_plugin").mkdir()
    (tree.top / "hooks").rename(tree.top / "guard/_plugin/hooks")
    run = tree.top / "guard/_plugin/hooks/run"
    assert json.loads(start([*sh, str(run), "session_end"], tree.env, tree.root))["entry"] == f"{run.parent}/event.py"
    (tree.top / "guard/main.py").unlink()
    assert start([*sh, str(run), "session_end"], tree.env, tree.root) == ""


@pytest.mark.parametrize("name", ["plug", "my tools", "linked"])
def test_the_real_hook_answers_from_there(bound: World, sh: list[str], tmp_path: Path, name: str) -> None:
    if name == "linked":
        (tmp_path / name).symlink_to(ROOT)
    else:
        for part in ("guard", "hooks"):
            shutil.copytree(ROOT / part, tmp_path / name / part, ignore=shutil.ignore_patterns("__pycache__", "wt"))
    env = {**bound.env, "PATH": "", "XDG_DATA_HOME": str(tmp_path / "data")}
    (tmp_path / "data/worktree-guard").mkdir(parents=True)
    (tmp_path / "data/worktree-guard/python").write_text(sys.executable + "\n")
    stdin = json.dumps(bound.document("Read", {"file_path": "{R}/src/app.py", "more": "é" * 200_000}))
    done = subprocess.run([*sh, str(tmp_path / name / "hooks/run"), "pre_tool_use"], env=env, cwd=bound.R, input=stdin, capture_output=True,
                          text=True, timeout=20, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    moved = json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"]
    assert moved == {"file_path": str(bound.W / "src/app.py"), "more": "é" * 200_000}


# --- a tree that cannot be written -----------------------------------------------------------------------------------

@pytest.fixture
def shared() -> Iterator[Tree]:
    """A tree that any user can reach."""
    place = Path(tempfile.mkdtemp(prefix="worktree-guard-"))
    place.chmod(0o755)
    yield Tree(place)
    for path in place.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
    shutil.rmtree(place)


def somebody() -> dict[str, Any]:
    """The superuser may write anywhere, so another user runs it then."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}


def test_compiled_files_go_elsewhere_from_a_tree_that_cannot_be_written(shared: Tree, sh: list[str]) -> None:
    fake = shared.root / "fake"
    fake.write_text("#!/bin/sh\nprintf '%s|' \"$@\"\n")
    fake.chmod(0o755)
    shared.record(f"{fake}\n")
    home = shared.root / "home/.local/share/worktree-guard"
    words = [*sh, str(shared.run), "session_end", "--client", "x"]
    entry = f"{shared.top}/hooks/event.py|session_end|--client|x|"
    assert start(words, shared.env, shared.root) == f"-I|-S|{entry}"
    (shared.top / "guard").chmod(0o555)
    try:
        said = start(words, shared.env, shared.root, **somebody())
    except PermissionError:
        pytest.skip("no other user can be had here, and the superuser may write anywhere")
    assert said == f"-I|-S|-X|pycache_prefix={home}/bytecode|{entry}"


# --- no process of its own -------------------------------------------------------------------------------------------

def test_the_interpreter_is_the_process_the_client_started(tree: Tree, sh: list[str]) -> None:
    for recorded in (False, True):
        if recorded:
            tree.record(str(tree.python("recorded")))
        with subprocess.Popen([*sh, str(tree.run), "session_end"], env=tree.env, cwd=tree.root, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE) as process:
            out, _ = process.communicate(timeout=20)
        told = json.loads(out)
        assert told["python"] == str(tree.root / ("recorded" if recorded else "bin") / "python3")
        assert told["pid"] == process.pid


def traced(words: list[str], tree: Tree) -> list[str]:
    log = tree.root / "trace"
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not here")
    calls = "trace=execve,fork,vfork,clone,clone3"
    if subprocess.run([strace, "-f", "-o", str(log), "-e", calls, "/bin/true"], capture_output=True, check=False).returncode:
        pytest.skip("strace may not trace here")
    start([strace, "-f", "-qq", "-s", "500", "-o", str(log), "-e", calls, *words], tree.env, tree.root)
    return [line.split(maxsplit=1)[1] for line in log.read_text().splitlines()]


def test_it_starts_no_process_before_the_interpreter(tree: Tree, sh: list[str]) -> None:
    scripts = tree.script("scripts").parent
    tree.python("pyenv/shims")
    tree.env["PATH"] = f"{tree.root}/pyenv/shims:{scripts}:{tree.root}/bin"
    tree.record("/nowhere/python3")
    calls = traced([*sh, str(tree.run), "pre_tool_use", "--client", "x"], tree)
    assert calls[0].startswith(f'execve("{sh[0]}"')
    assert calls[1].startswith(f'execve("{tree.root}/bin/python3", ["{tree.root}/bin/python3", "-I", "-S", ')
    assert not [line for line in calls if not line.startswith("execve")]
    tree.env["PATH"] = "/nowhere"
    assert len(traced([*sh, str(tree.run), "pre_tool_use"], tree)) == 1
