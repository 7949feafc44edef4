"""Laws: what holds for every input, not for the ones somebody thought of. Runs repeat exactly."""
from __future__ import annotations

import json
import random
import re
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pathspec
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from guard.clients import CLIENTS
from guard.core import files, globs, paths
from guard.core.judge import judge, put
from guard.core.model import (
    ALLOW,
    ASK,
    CHOICES,
    DENY,
    ELSEWHERE,
    GIT,
    GONE,
    MAIN,
    OTHER,
    OWN,
    READ,
    REWRITE,
    SEARCH,
    WRITE,
    Abilities,
    Binding,
    Call,
    Effect,
    Facts,
    Fault,
    Repository,
    Settings,
)
from guard.core.paths import MACOS, POSIX, WINDOWS, Flavour, absolute, inside, is_absolute, join, key, relative
from guard.edge import records, wire
from guard.edge import settings as hot_settings
from guard.main import decide, main
from guard.wt import models
from guard.wt import settings as cold_settings
from guard.wt.store import Store
from tests.worlds import ROOT, SESSION, World, run_hook

settings.register_profile("laws", deadline=None, derandomize=True, max_examples=300, print_blob=False,
                          suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
LAWS = settings.get_profile("laws")
FEW = settings(LAWS, max_examples=40)
MANY = settings(LAWS, max_examples=1500)


def nested(plain: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    names = st.text(max_size=8)
    return st.recursive(plain, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12)


plain = st.none() | st.booleans() | st.integers() | st.text(max_size=20)
values = nested(plain | st.floats(allow_nan=False))
finite = nested(plain | st.floats(allow_nan=False, allow_infinity=False))


# --- a disk that is made up ------------------------------------------------------------------------------------------

class MadeUpDisk:
    """What guard.edge.disk offers, on a dictionary of files, in any flavour. No links, and only what a test puts there."""

    def __init__(self, flavour: Flavour, files: dict[str, str], stdin: bytes = b"", home: str = "") -> None:
        self.FLAVOUR, self.stdin, self._home = flavour, stdin, home
        self.files = {key(self._own(path), flavour): text for path, text in files.items()}
        self.folders = {key(above, flavour) for path in files for above in self._above(self._own(path))}
        self.answers: list[bytes] = []
        self.said: list[str] = []
        self.logs: list[tuple[str, bytes]] = []

    def _own(self, path: str) -> str:
        return path.replace("/", self.FLAVOUR.sep)

    def _above(self, path: str) -> list[str]:
        found = [paths.parent(path, self.FLAVOUR)]
        while (above := paths.parent(found[-1], self.FLAVOUR)) != found[-1]:
            found.append(above)
        return found

    def kind(self, path: str) -> str | None:
        name = key(path, self.FLAVOUR)
        return "file" if name in self.files else "folder" if name in self.folders else None

    def same(self, one: str, two: str) -> bool:
        return key(one, self.FLAVOUR) == key(two, self.FLAVOUR)

    def real(self, path: str) -> str:
        return path

    def read(self, path: str, most: int = 4_000_000) -> str | None:
        return self.files.get(key(path, self.FLAVOUR))

    def existing(self, path: str) -> str:
        while self.kind(path) is None and paths.parent(path, self.FLAVOUR) != path:
            path = paths.parent(path, self.FLAVOUR)
        return path

    def content_or(self, path: str, unreadable: str) -> str | None:
        return self.read(path)

    def names(self, path: str) -> list[str]:
        return []

    def make_folder(self, path: str) -> None:
        pass

    def make_folders(self, path: str) -> None:
        pass

    def append(self, path: str, line: bytes, most: int) -> None:
        self.logs.append((path, line))

    def claim(self, path: str, owner: str) -> bool:
        return True

    def now(self) -> str:
        return "2026-01-01T00:00:00Z"

    def variable(self, name: str) -> str:
        return ""

    def home(self) -> str:
        return self._home

    def folder(self) -> str:
        return R[self.FLAVOUR.name]

    def started(self, pid: int) -> str | None:
        return ""

    def status_of(self, program: list[str], seconds: float, without: frozenset[str]) -> int | None:
        return 1

    def read_input(self) -> bytes:
        return self.stdin

    def say(self, text: str) -> None:
        self.said.append(text)

    def leave(self, answer: bytes) -> None:
        self.answers.append(answer)

    def watch(self, late: Callable[[str], None]) -> Callable[[], None]:
        return lambda: None


FLAVOURS = [POSIX, MACOS, WINDOWS]
R = {"posix": "/w/app", "macos": "/w/App", "windows": "C:\\w\\App"}
W = {"posix": "/w/app-wt/x", "macos": "/w/App/.worktrees/x", "windows": "C:\\w\\App\\.worktrees\\x"}
SHARED = ("src/app.py", "docs/notes.md", "a", "src/A b.py")


def made_up(flavour: Flavour, stdin: bytes = b"") -> MadeUpDisk:
    """R is bound to W, which has the same files."""
    main_root, own = R[flavour.name].replace("\\", "/"), W[flavour.name].replace("\\", "/")
    admin = f"{main_root}/.git/worktrees/x"
    state = {"path": W[flavour.name], "main": R[flavour.name], "branch": "wt/x", "base": "main"}
    files = {f"{main_root}/.git/HEAD": "ref: refs/heads/main\n", f"{main_root}/.git/config": "[core]\n\tbare = false\n",
             f"{main_root}/.git/worktree-guard/state.json": json.dumps(state), f"{own}/.git": f"gitdir: {admin}\n",
             f"{admin}/HEAD": "ref: refs/heads/wt/x\n", f"{admin}/commondir": "../..\n"}
    files |= {f"{root}/{name}": "x" for root in (main_root, own) for name in SHARED}
    return MadeUpDisk(flavour, files, stdin)


# --- whatever comes in -----------------------------------------------------------------------------------------------

def is_an_answer(answer: bytes) -> bool:
    if not answer:
        return True
    document = json.loads(answer)
    return list(document) == ["hookSpecificOutput"] and document["hookSpecificOutput"]["hookEventName"] == "PreToolUse"


NAMES = ["Read", "Write", "Edit", "NotebookEdit", "ApplyPatch", "Glob", "Grep", "LS", "Task", "Agent", "EnterWorktree", "Bash",
         "mcp__fs__write_file", "mcp__serena__write_memory", "mcp__", ""]
FIELDS = ["file_path", "notebook_path", "path", "filePath", "dir_path", "pattern", "prompt", "operation", "content", "paths", "name"]
spelled = st.sampled_from(["{R}/src/app.py", "{R}", "{W}/src/app.py", "{R}/.git/config", "{W}", "src/app.py", "..", "~/x", "{R}/src/*.py",
                           "\0", "/"])
given_values = spelled | values | st.dictionaries(st.sampled_from(["path", "type"]), spelled | values)
inputs = st.dictionaries(st.sampled_from(FIELDS), given_values, max_size=3)
calls = st.fixed_dictionaries({"tool_name": st.sampled_from(NAMES) | values, "tool_input": inputs | values},
                              optional={"cwd": spelled | values, "session_id": values, "agent_id": values, "tool_use_id": values,
                                        "hookEventName": values, "hook_event_name": values})


def filled(value: Any, flavour: Flavour) -> Any:
    if isinstance(value, str):
        return value.replace("{R}", R[flavour.name]).replace("{W}", W[flavour.name])
    if isinstance(value, list):
        return [filled(item, flavour) for item in value]
    if isinstance(value, dict):
        return {name: filled(item, flavour) for name, item in value.items()}
    return value


@given(st.binary(max_size=300))
@FEW
def test_any_bytes_leave_the_process_in_peace(bound: World, stdin: bytes) -> None:
    """The exit status is 0 and stdout is empty or one document (run_hook checks both)."""
    answer = run_hook(stdin, bound.env, bound.R)
    assert answer.document == {}
    assert answer.stderr.startswith("worktree-guard: ")


@given(calls)
@FEW
def test_any_document_leaves_the_process_in_peace(bound: World, document: Any) -> None:
    text = json.dumps(document).replace("{R}", str(bound.R)).replace("{W}", str(bound.W))
    for client in CLIENTS:
        answer = run_hook(text.encode(), bound.env, bound.R, client)
        assert is_an_answer(json.dumps(answer.document).encode() if answer.document else b"")
        assert answer.stderr == "" or answer.stderr.startswith("worktree-guard: ")


@given(st.binary(max_size=300) | values.map(lambda value: json.dumps(value).encode()), st.sampled_from([*CLIENTS, "", "nobody"]))
@MANY
def test_any_bytes_get_one_answer(stdin: bytes, client: str) -> None:
    """What is no call is passed and heard, once on stderr and once in the log."""
    disk = made_up(POSIX, stdin)
    main(["--client", client], disk)
    assert len(disk.answers) == 1
    assert is_an_answer(disk.answers[0])
    assert disk.answers[0] == b""
    assert len(disk.said) == len(disk.logs) == 1


@given(calls, st.sampled_from(list(CLIENTS)), st.sampled_from(FLAVOURS))
@MANY
def test_any_call_gets_one_answer(document: Any, client: str, flavour: Flavour) -> None:
    disk = made_up(flavour, json.dumps(filled(document, flavour)).encode())
    main(["--client", client], disk)
    assert len(disk.answers) == 1
    assert is_an_answer(disk.answers[0])
    for _, line in disk.logs:
        assert isinstance(json.loads(line), dict)
        assert line.endswith(b"}\n")


# --- JSON ------------------------------------------------------------------------------------------------------------

def no_constant(name: str) -> None:
    raise ValueError(name)


def outcome(read: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return ("value", read(data))
    except ValueError:
        return "ValueError"


def by_json(data: bytes) -> Any:
    """The library's answer: UTF-8, one byte order mark skipped, NaN and Infinity refused."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    try:
        return json.loads(text, parse_constant=no_constant)
    except RecursionError:
        raise ValueError("deep") from None


documents = values.map(lambda value: json.dumps(value).encode()) | values.map(lambda value: json.dumps(value, ensure_ascii=False).encode())
scraps = st.sampled_from([b"", b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u12", b"\\ud800", b"-", b".", b"e", b"0", b"1e999",
                          b"NaN", b"Infinity", b"nul", b"true", b"\xff", b"\xef\xbb\xbf", b"\0", b"\n", b" ", b"\x0b", "é".encode(),
                          b"9" * 5000])


@st.composite
def broken_documents(draw: st.DrawFn) -> bytes:
    """A document with scraps put into it or pieces cut out."""
    data = draw(documents)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.integers(0, 3))
        data = data[:start] + draw(scraps) + data[end:]
    return data


@given(broken_documents())
@example(b"[" * 100_000)
@example(b'{"a": 1e999}')
@example(b'{"a": 1, "a": 2}')
@example(b'"\\ud800"')
@example(b"\xef\xbb\xbf\xef\xbb\xbf1")
@MANY
def test_wire_reads_what_json_reads(data: bytes) -> None:
    assert repr(outcome(wire.loads, data)) == repr(outcome(by_json, data))


@given(finite)
@LAWS
def test_wire_writes_what_it_reads(value: Any) -> None:
    said = wire.dumps(value)
    assert said.isascii()
    assert b"\n" not in said
    assert wire.loads(said) == value == json.loads(said)


@pytest.mark.parametrize("value", [float("inf"), float("nan"), {1, 2}, b"x", object(), {("a",): 1}])
def test_wire_refuses_to_write_what_is_not_json(value: Any) -> None:
    for inner in (value, [value], {"a": value}):
        with pytest.raises(ValueError):
            wire.dumps(inner)


def test_wire_gives_value_errors_alone_where_json_is_not_loaded() -> None:
    """The scanner alone has other ways to fail (SystemError, StopIteration), but only in a process without `json`: the hook's."""
    rnd = random.Random(1)
    whole = json.dumps({"tool": "Write", "input": {"a": [1, 2.5e3, None, True, "é\n\\"], "b": {}}, "n": -0.0}).encode()
    data, put_in = [whole], [b"", b"{", b"}", b"[", b"]", b'"', b",", b"\\", b"\xff", b"NaN", b"1"]
    for _ in range(3000):
        start = rnd.randrange(len(whole))
        data.append(whole[:start] + rnd.choice(put_in) + whole[start + rnd.randrange(3):])
    code = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom guard.edge import wire\nassert 'json' not in sys.modules\n"
            "for line in sys.stdin.buffer:\n"
            "    try:\n        wire.loads(bytes.fromhex(line.decode())); print('value')\n"
            "    except BaseException as fault: print(type(fault).__name__, isinstance(fault, ValueError))\n")
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, str(ROOT)], input="\n".join(d.hex() for d in data), capture_output=True,
                          text=True, timeout=30, check=True)
    found = done.stdout.splitlines()
    wanted = ["value" if outcome(by_json, d) != "ValueError" else "error" for d in data]
    assert [line if line == "value" else "error" for line in found] == wanted
    assert {line.rpartition(" ")[2] for line in found if line != "value"} == {"True"}
    assert wanted.count("value") > 10


# --- moving ----------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["file_path", "path", "a", "b"]) | st.integers(0, 3)


@st.composite
def placed_values(draw: st.DrawFn) -> tuple[Any, tuple[Any, ...]]:
    """A value and the keys of one place in it."""
    at: tuple[Any, ...] = ()
    value: Any = draw(finite)
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            name = draw(st.text(max_size=5))
            value, at = {**draw(st.dictionaries(st.text(max_size=5), finite, max_size=3)), name: value}, (name, *at)
        else:
            items = draw(st.lists(finite, max_size=3))
            place = draw(st.integers(0, len(items)))
            value, at = [*items[:place], value, *items[place:]], (place, *at)
    return value, at


def every_place(value: Any, at: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """All leaves, and containers as their kind and size."""
    if isinstance(value, dict):
        return {at: ("object", list(value)), **{k: v for name, inner in value.items() for k, v in every_place(inner, (*at, name)).items()}}
    if isinstance(value, list):
        return {at: ("list", len(value)), **{k: v for n, inner in enumerate(value) for k, v in every_place(inner, (*at, n)).items()}}
    return {at: value}


@given(placed_values(), st.text(max_size=10))
@LAWS
def test_putting_a_path_changes_that_place_alone(placed: tuple[Any, tuple[Any, ...]], new: str) -> None:
    value, at = placed
    before = repr(value)
    changed = put(value, at, new)
    assert repr(value) == before, "the call's own input stays as it is"
    here, there = every_place(value), every_place(changed)
    assert there.pop(at) == new
    assert there == {place: found for place, found in here.items() if place[:len(at)] != at}


parts = st.sampled_from(["src", "docs", "app.py", "a", "A b.py", "é", "..", ".", "", "new", "-x", "x\ny", ".gitx"])
moving_tools = {"Read": "file_path", "Write": "file_path", "Edit": "file_path", "NotebookEdit": "notebook_path", "Grep": "path",
                "LS": "path", "mcp__fs__write_file": "path"}


@given(st.lists(parts, max_size=6), st.sampled_from(sorted(moving_tools)), st.sampled_from(FLAVOURS), st.booleans(),
       st.dictionaries(st.sampled_from(["content", "limit", "x"]), finite, max_size=3))
@MANY
def test_a_moved_path_lies_in_the_worktree_and_stays_there(words: list[str], tool: str, flavour: Flavour, relatively: bool,
                                                           rest: Any) -> None:
    """Inside W; the other fields as they were; moved twice is moved once. And a write that means R is always moved."""
    disk = made_up(flavour)
    root, own = R[flavour.name], W[flavour.name]
    assume(not (relatively and tool.startswith("mcp__")))
    path = "/".join(words) if relatively else root + "/" + "/".join(words)
    assume(path != "")
    field = moving_tools[tool]
    call = Call(tool=tool, input={**rest, field: path}, cwd=root, session=SESSION)
    verdict = decide(call, Abilities(), disk)
    meant = absolute(path, root, "", flavour)
    if verdict.input is None:
        assert verdict.kind in (ALLOW, DENY)
        assert not (tool == "Write" and inside(meant, root, flavour) and not inside(meant, own, flavour))
        return
    assert inside(meant, root, flavour)
    moved = verdict.input[field]
    assert inside(absolute(moved, root, "", flavour), own, flavour)
    assert relative(absolute(moved, root, "", flavour), own, flavour) == relative(meant, root, flavour)
    assert {**verdict.input, field: path} == call.input
    assert call.input[field] == path
    again = decide(call.but(input=verdict.input), Abilities(), disk)
    assert (again.kind, again.input) == (ALLOW, None)


@given(st.lists(parts, max_size=4), st.sampled_from(["*", "**/*.py", "a[bc]?", "{a,b}"]), st.sampled_from(FLAVOURS))
@LAWS
def test_a_moved_pattern_keeps_its_wildcards(words: list[str], tail: str, flavour: Flavour) -> None:
    root, own = R[flavour.name], W[flavour.name]
    folder = root + "/" + "/".join(words)
    assume(inside(absolute(folder, root, "", flavour), root, flavour) and not inside(absolute(folder, root, "", flavour), own, flavour))
    call = Call(tool="Glob", input={"pattern": folder + "/" + tail}, cwd=root, session=SESSION)
    verdict = decide(call, Abilities(), made_up(flavour))
    if verdict.input is not None:
        assert verdict.input["pattern"].endswith("/" + tail)
        assert inside(absolute(verdict.input["pattern"][:-len(tail) - 1], root, "", flavour), own, flavour)
        again = decide(call.but(input=verdict.input), Abilities(), made_up(flavour))
        assert (again.kind, again.input) == (ALLOW, None)
    else:
        assert made_up(flavour).kind(join(own, relative(absolute(folder, root, "", flavour), root, flavour) or "", flavour)) is None


# --- judging ---------------------------------------------------------------------------------------------------------

OWN_ROOT, MAIN_ROOT = "/w/app-wt/x", "/w/app"
RELS = ["src/app.py", "docs/notes.md", ".worktree-guard.json"]


def all_repositories() -> list[Repository]:
    """Every state a repository can be in, as far as a verdict depends on it."""
    heads = {"there": "wt/x", "gone": "", "detached": "", "protected": "main"}
    bound = [Binding(path=OWN_ROOT, source="repository", branch="wt/x", head=head, condition=state) for state, head in heads.items()]
    return [Repository(common=MAIN_ROOT + "/.git", main=MAIN_ROOT, binding=binding, authorisation=leave, once=once,
                       settings=Settings(mode=mode, stale=stale, asks=asks, main_write_allow=allow))
            for binding in [None, *bound] for leave, once in (("", False), ("id", False), ("id", True))
            for mode in CHOICES["mode"] for stale in CHOICES["stale"] for asks in CHOICES["asks"] for allow in ((), ("docs/",))]


def all_facts() -> list[Facts]:
    """Facts as edge/look.py could find them: `to` and `submodule` only where something usable is bound, GONE only where W is."""
    found = [Facts(path="/elsewhere/a")]
    for repository in all_repositories():
        bound = repository.binding
        usable = bound is not None and bound.condition != "gone"
        for rel in RELS:
            base = Facts(path=join(MAIN_ROOT, rel, POSIX), place=MAIN, repository=repository, root=MAIN_ROOT, rel=rel,
                         is_settings=rel == RELS[-1])
            for place in (GIT, ELSEWHERE, OTHER, OWN if usable or bound is None else GONE):
                found.append(base.but(place=place))
            if not usable:
                found += [base, base.but(there=True), base.but(allowed=True)]
                continue
            moved = base.but(to=join(OWN_ROOT, rel, POSIX))
            found += [moved.but(there=there, to_there=to_there, to_leaves=leaves, ignored=ignored)
                      for there in (False, True) for to_there in (False, True) for leaves in (False, True) for ignored in (None, True)]
            found += [moved.but(allowed=True), moved.but(submodule="docs", submodule_there=False), base.but(place=OWN, leaves=True)]
    return found


FACTS: dict[str, list[Facts]] = {}  # by what a write there would get
for one in all_facts():
    FACTS.setdefault(files.answer(Effect(kind=WRITE, makes=True, said="tool"), one).kind, []).append(one)
facts = st.one_of([st.sampled_from(found) for found in FACTS.values()])
steps = st.tuples(st.sampled_from([WRITE, WRITE, READ, SEARCH]), st.booleans(), facts)
abilities = st.builds(Abilities, asks=st.booleans(), moves=st.booleans(), notes=st.booleans(), steered=st.sampled_from([(), ("tool",)]),
                      steered_if_there=st.sampled_from([(), ("tool",)]))


def test_the_facts_lead_to_every_answer() -> None:
    assert set(FACTS) == {ALLOW, REWRITE, DENY, ASK}


def judged(found: list[tuple[str, bool, Facts]], can: Abilities) -> Any:
    call = Call(tool="tool", input={"rest": [1, {"x": None}], **{str(n): f.path for n, (_, _, f) in enumerate(found)}}, cwd=MAIN_ROOT)
    effects = [Effect(kind=kind, path=f.path, at=(str(n),), makes=makes, said="tool") for n, (kind, makes, f) in enumerate(found)]
    return call, judge(call, effects, [f for _, _, f in found], can)


@given(st.lists(steps, min_size=1, max_size=3), abilities)
@MANY
def test_a_verdict_moves_into_the_worktree_and_touches_nothing_else(found: list[tuple[str, bool, Facts]], can: Abilities) -> None:
    call, verdict = judged(found, can)
    assert (verdict.input is not None) if verdict.kind == REWRITE else (verdict.input is None or verdict.kind == ASK)
    if verdict.input is None:
        return
    assert can.moves
    assert verdict.input["rest"] == call.input["rest"]
    assert list(verdict.input) == list(call.input)
    for n, (kind, _, f) in enumerate(found):
        now = verdict.input[str(n)]
        if now != call.input[str(n)]:
            assert now == f.to
            assert inside(now, OWN_ROOT, POSIX)
            assert not (kind == WRITE and f.to_leaves), "the twin must not lie behind a link that leaves W"
    effects = [Effect(kind=kind, path=verdict.input[str(n)], at=(str(n),), makes=makes, said="tool")
               for n, (kind, makes, _) in enumerate(found)]
    again = judge(call.but(input=verdict.input), effects, [f for _, _, f in found], can)
    assert again.input is None, "moving twice is moving once"


STRICTNESS = {ALLOW: 0, REWRITE: 1, ASK: 2, DENY: 3}


@given(st.lists(steps, min_size=1, max_size=3), steps, st.integers(0, 3), abilities)
@MANY
def test_one_more_effect_never_loosens_a_verdict(found: list[tuple[str, bool, Facts]], more: tuple[str, bool, Facts], at: int,
                                                 can: Abilities) -> None:
    """Neither deny to ask or pass, nor ask to pass, nor a move to the call as it was."""
    before = judged(found, can)[1]
    after = judged([*found[:at], more, *found[at:]], can)[1]
    assert STRICTNESS[after.kind] >= STRICTNESS[before.kind]


@given(st.lists(steps, min_size=1, max_size=3), abilities)
@MANY
def test_every_refusal_says_what_why_and_what_instead(found: list[tuple[str, bool, Facts]], can: Abilities) -> None:
    verdict = judged(found, can)[1]
    if verdict.kind in (DENY, ASK):
        assert verdict.rule
        assert "\nInstead: " in verdict.reason
        assert f"(worktree-guard: {verdict.rule})" in verdict.reason
    else:
        assert verdict.reason == ""


# --- one schema, two readers -----------------------------------------------------------------------------------------

odd = st.sampled_from([None, True, False, 0, 1, 2, 1.0, 1.5, "", "x", [], ["a"], [1], ["a", None], {}, {"a": 1}, "1", "true"])
texts = st.text(max_size=8) | st.sampled_from(["src/", "**", "main"])
lists = st.lists(texts, max_size=2)
fields = {
    "mode": st.sampled_from(["open", "protect", "Protect", "open "]), "implicit": st.booleans(), "stale": st.sampled_from(["deny", "open"]),
    "asks": st.sampled_from(["ask", "deny", "pass"]), "on_fault": st.sampled_from(["pass", "ask"]), "protected_branches": lists,
    "main_write_allow": lists, "main_write_whitelist": lists, "mcp_in_main": lists, "worktree_parent": texts, "branch_prefix": texts,
    "symlink_dirs": lists, "unknown": finite, "$schema": texts,
    "setup": texts | lists | st.fixed_dictionaries({"linux": lists | odd}),
    "ports": st.dictionaries(st.sampled_from(["range", "x"]), texts),
    "sync": st.dictionaries(st.sampled_from(["symlink_dirs", "x"]), lists | odd, max_size=2),
}
owners = st.fixed_dictionaries({}, optional={name: strategy | odd for name, strategy in fields.items()})


FOR_WT_ALONE = ("setup", "teardown", "ports", "pool", "size", "range", "script", "copy_files", "submodules")


def of_the_hook(settings: models.Settings) -> dict[str, Any]:
    """What the hook reads of them; the rest is for `wt` alone."""
    kept = {name: value for name, value in to_builtins(settings).items() if name not in (*FOR_WT_ALONE, "sync")}
    return {**kept, "symlink_dirs": settings.sync.symlink_dirs}


@given(owners | finite)
@MANY
def test_wt_and_the_hook_see_the_same_settings(document: Any) -> None:
    """What `wt` accepts or repairs, the hook sees; and where one of them complains of a value, so does the other."""
    cold, complaints = cold_settings.from_document(json.loads(json.dumps(document)))
    heard: list[str] = []
    hot = hot_settings.from_document(wire.loads(json.dumps(document).encode()), heard)
    seen = {name: list(value) if isinstance(value, tuple) else value for name, value in hot.fields().items()}
    assert seen == of_the_hook(cold)
    wrong = [field for field, said in complaints
             if "no setting of that name" not in said and "is dropped" not in said and field not in FOR_WT_ALONE]
    assert bool(heard) == bool(wrong)


SPELLINGS = {
    "plain": '{"mode": "protect"}',
    "a byte order mark": '\ufeff{"mode": "protect"}',
    "twice the same field": '{"mode": "open", "mode": "protect"}',
    "a lone surrogate elsewhere": '{"mode": "protect", "x": "\\ud800"}',
    "a lone surrogate in a field": '{"mode": "protect", "main_write_allow": ["\\ud800"]}',
    "NaN elsewhere": '{"mode": "protect", "x": NaN}',
    "300 nested lists elsewhere": '{"mode": "protect", "x": ' + "[" * 300 + "]" * 300 + "}",
    "a large number elsewhere": '{"mode": "protect", "x": 1e999}',
    "5,000 digits elsewhere": '{"mode": "protect", "x": ' + "9" * 5000 + "}",
    "two documents": '{"mode": "protect"} {}',
}


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_wt_and_the_hook_agree_which_settings_file_is_json(tmp_path: Path, text: str) -> None:
    (tmp_path / ".worktree-guard.json").write_text(text, encoding="utf-8")
    cold = cold_settings.load(tmp_path)
    heard: list[str] = []
    hot = hot_settings.load(MadeUpDisk(POSIX, {"/r/.worktree-guard.json": text}), "/r", heard)
    assert (hot.mode, list(hot.main_write_allow)) == (cold.settings.mode, cold.settings.main_write_allow)
    assert bool(heard) == any("no setting of that name" not in warning for warning in cold.warnings)


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_wt_and_the_hook_agree_which_record_is_json(tmp_path: Path, text: str) -> None:
    for setting, field in (('"mode": "protect"', '"path": "/w"'), ('"mode": "open"', '"path": "/v"'), ("main_write_allow", "protected")):
        text = text.replace(setting, field)
    (tmp_path / "state.json").write_text(text, encoding="utf-8")
    cold = Store(tmp_path).load(tmp_path / "state.json", models.Binding)
    hot = records.binding(MadeUpDisk(POSIX, {"/state.json": text}), "/state.json", [])
    assert hot == (to_builtins(cold) if cold else None)


def test_both_schemas_have_the_same_fields_and_defaults() -> None:
    seen = {name: list(value) if isinstance(value, tuple) else value for name, value in Settings().fields().items()}
    assert seen == of_the_hook(models.Settings())


TIMES = st.sampled_from(["2026-01-01T00:00:00Z", "", "never"])
maybe = st.none() | texts
binding_fields = {
    "version": st.just(1), "active": st.booleans(), "path": texts, "main": texts, "branch": texts, "base": texts, "protected": lists,
    "session": maybe, "client": texts, "client_pid": st.none() | st.integers(), "client_started": maybe, "entered_at": TIMES, "by": texts,
    "ended_at": st.none() | TIMES, "later": finite,
}
authorisation_fields = {"id": texts, "reason": texts, "created_at": TIMES, "expires_at": TIMES, "once": st.booleans(), "branch": maybe,
                        "only": maybe, "session": maybe, "later": finite}
permit_fields = {"path": texts, "reason": texts, "created_at": TIMES, "expires_at": TIMES, "session": maybe, "later": finite}
SCHEMAS: list[tuple[type[models.Strict], dict[str, Any], dict[str, st.SearchStrategy[Any]]]] = [
    (models.Binding, records.BINDING, binding_fields), (models.Authorisation, records.AUTHORISATION, authorisation_fields),
    (models.Permit, records.PERMIT, permit_fields)]


@st.composite
def written_records(draw: st.DrawFn, known: dict[str, st.SearchStrategy[Any]]) -> Any:
    """A record as it should be, with at most two fields that are not."""
    record = draw(st.fixed_dictionaries({}, optional=known))
    for name in draw(st.lists(st.sampled_from(sorted(known)), max_size=2)):
        record[name] = draw(odd)
    return record


@pytest.mark.parametrize(("model", "table", "known"), SCHEMAS, ids=[model.__name__ for model, _, _ in SCHEMAS])
@given(data=st.data())
@MANY
def test_wt_and_the_hook_read_the_same_records(model: type[models.Strict], table: dict[str, Any], known: dict[str, Any],
                                               data: st.DataObject) -> None:
    document = data.draw(written_records(known) | finite)
    text = json.dumps(document)
    try:
        wanted: Any = to_builtins(convert(json.loads(text), model))
    except ValueError:
        wanted = "refused"
    disk = MadeUpDisk(POSIX, {"/record.json": text})
    heard: list[str] = []
    try:
        found = records.document(disk, "/record.json", heard) if "version" in table else wire.loads(text.encode())
        seen: Any = records.fitted(found, table) if found is not None else "refused"
    except Fault:
        seen = "refused"
    assert seen == wanted


def test_both_schemas_have_the_same_records() -> None:
    for model, table, _ in SCHEMAS:
        required = {field.name for field in msgspec.structs.fields(model) if field.required}
        assert set(table) == set(model.__struct_fields__)
        assert {name for name, row in table.items() if len(row) == 1} == required
        filled_in = to_builtins(model(**dict.fromkeys(required, "x")))
        assert {name: row[1] for name, row in table.items() if len(row) > 1} == {k: v for k, v in filled_in.items() if k not in required}


holdable = texts.filter(records.is_text)


@given(st.builds(models.Binding, version=st.just(1), path=holdable, main=holdable, branch=holdable, session=st.none() | holdable,
                 protected=st.lists(holdable, max_size=3), client_pid=st.none() | st.integers(0, 2**40), active=st.booleans()))
@LAWS
def test_the_hook_reads_back_what_wt_writes(binding: models.Binding) -> None:
    disk = MadeUpDisk(POSIX, {"/state.json": msgspec.json.encode(binding).decode()})
    heard: list[str] = []
    assert records.binding(disk, "/state.json", heard) == to_builtins(binding)
    assert heard == []


# --- patterns --------------------------------------------------------------------------------------------------------

TOKENS = ["a", "b", ".", "*", "**", "?", "/", "!", "[ab]", "[!a]", "\\", " ", "#", "a/", "/b", "**/", "/**"]
patterns = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5).map("".join)
names = st.text(alphabet="ab. !#\\", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
file_paths = st.lists(names, min_size=1, max_size=4).map("/".join)


def opens_everything(pattern: str) -> bool:
    """Dropped by ours on purpose: it would open the bare root."""
    return globs.trimmed(pattern.removeprefix("!")) in globs.EVERYTHING


def by_pathspec(lines: list[str], path: str) -> bool | None:
    try:
        return bool(pathspec.GitIgnoreSpec.from_lines(lines).match_file(path))
    except (ValueError, re.error):
        return None


class Git:
    """git itself, for the rare case that the two do not agree."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        subprocess.run(["git", "init", "-q", str(folder)], check=True, capture_output=True)

    def matches(self, lines: list[str], path: str) -> bool:
        (self.folder / ".gitignore").write_bytes("".join(line + "\n" for line in lines).encode())
        words = ["git", "-C", str(self.folder), "-c", "core.ignorecase=false", "check-ignore", "-q", "--no-index", "--stdin", "-z"]
        done = subprocess.run(words, input=path.encode() + b"\0", capture_output=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode == 0


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Git:
    return Git(tmp_path_factory.mktemp("patterns"))


def beyond_pathspec(pattern: str) -> bool:
    """Three classes in which ours is narrower than git, or pathspec raises: a backslash before a slash or at the end, three stars, //."""
    return "//" in pattern or "***" in pattern or re.search(r"\\ *(/|$)", pattern) is not None


@given(st.lists(patterns.filter(lambda p: not opens_everything(p) and not beyond_pathspec(p)), min_size=1, max_size=3), file_paths)
@settings(LAWS, max_examples=3000)
def test_patterns_match_as_in_gitignore(git: Git, lines: list[str], path: str) -> None:
    """pathspec is asked first and git where they differ. It is pathspec that errs with [!a] (takes a slash) and a/**/ (takes files).

    With a taken-back pattern ours may be narrower than git: !docs/secret closes that file although docs/ opened its folder.
    """
    ours = globs.matches(tuple(lines), path)
    if ours == by_pathspec(lines, path):
        return
    theirs = git.matches(lines, path)
    assert ours == theirs or (theirs and any(line.startswith("!") for line in lines))


@given(st.lists(patterns.filter(lambda p: not opens_everything(p)), min_size=1, max_size=3), file_paths)
@settings(LAWS, max_examples=3000)
def test_no_pattern_opens_more_than_in_gitignore(git: Git, lines: list[str], path: str) -> None:
    """Without exception: what would not be ignored must not be writable."""
    if globs.matches(tuple(lines), path) and not by_pathspec(lines, path):
        assert git.matches(lines, path)


@pytest.mark.parametrize("pattern", ["//**", "**//", "/**//", "//", "//*", "*//", " //** "])
def test_doubled_slashes_open_nothing(git: Git, pattern: str) -> None:
    assert not git.matches([pattern], "src/app.py")
    assert not globs.matches((pattern,), "src/app.py")


@pytest.mark.parametrize("pattern", ["!*", "!**", "!/", "!/**"])
def test_what_closes_everything_closes_it(git: Git, pattern: str) -> None:
    assert globs.matches(("docs/**",), "docs/a")
    assert globs.matches(("docs/**", pattern), "docs/a") <= git.matches(["docs/**", pattern], "docs/a")


@given(st.text(alphabet="ab*?[]\\/!", max_size=30), st.text(alphabet="ab/", min_size=1, max_size=40))
@LAWS
def test_any_pattern_has_an_answer(pattern: str, path: str) -> None:
    assert globs.matches((pattern,), path) in (True, False)


def test_patterns_cost_no_more_than_their_length() -> None:
    """A pattern that makes naive matchers run for ever: steps are bounded by pattern times path."""
    assert not globs.matches(("*a" * 200 + "b",), "a" * 400)
    assert not globs.matches(("/".join(["**", "a"] * 60) + "/b",), "/".join(["a"] * 120))


# --- names of session files ------------------------------------------------------------------------------------------

PLAIN = string.ascii_letters + string.digits + "-_"
sessions = st.text(max_size=200) | st.text(alphabet=PLAIN, max_size=200) | st.text(alphabet="%./2eaf\u02ea\u2fab", max_size=6)
DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{name}{n}" for name in ("COM", "LPT") for n in range(10))}


@given(sessions)
@example("con")
@example("NUL")
@example("com1")
@MANY
def test_a_sessions_file_has_a_name_that_every_system_takes(session: str) -> None:
    """Letters, digits, - _ % alone; not hidden but for the empty one; no device of Windows (with any extension); short enough."""
    name = records.file_of_session(session)
    stem = name.removesuffix(".json")
    assert name.endswith(".json")
    assert len(name) <= 100
    assert set(stem) <= set(PLAIN + "%")
    assert stem.upper() not in DEVICES


@given(sessions, sessions)
@example(".a", "\u02ea")
@example("a" * 91, "a" * 92)
@example("a" * 200 + "b", "a" * 200 + "c")
@example("é" * 60 + "a", "é" * 60 + "b")
@MANY
def test_two_sessions_have_two_files(one: str, two: str) -> None:
    assume(one != two)
    assert records.file_of_session(one) != records.file_of_session(two)


# --- paths -----------------------------------------------------------------------------------------------------------

pieces = st.sampled_from(["a", "B", "é", "..", ".", "", "~", "c", "C:", "x y", "-", "server", "share", "con", "a.b", "\n"])
ROOTS = {"posix": ["/", "/w", "/w/app"], "macos": ["/", "/Users/x"], "windows": ["C:\\", "c:\\w", "D:\\w\\app", "\\\\server\\share\\x"]}
PREFIXES = {"posix": ["", "/", "//", "~/", "~"], "macos": ["", "/", "~/"],
            "windows": ["", "/", "\\", "C:\\", "c:/", "/c/", "/C/", "/cygdrive/d/", "\\\\server\\share\\", "//server/share/",
                        "\\\\?\\C:\\", "~\\", "~/"]}


@st.composite
def written_paths(draw: st.DrawFn, flavour: Flavour) -> str:
    separators = ["/", "\\"] if flavour is WINDOWS else ["/"]
    words = draw(st.lists(pieces, max_size=6))
    text = draw(st.sampled_from(PREFIXES[flavour.name]))
    for word in words:
        text += word + draw(st.sampled_from(separators))
    return text if draw(st.booleans()) else text.rstrip("/\\") or text


@pytest.mark.parametrize("flavour", FLAVOURS, ids=lambda flavour: flavour.name)
@given(data=st.data())
@MANY
def test_a_path_made_absolute_stays_as_it_is(flavour: Flavour, data: st.DataObject) -> None:
    cwd, other = data.draw(st.sampled_from(ROOTS[flavour.name])), data.draw(st.sampled_from(ROOTS[flavour.name]))
    once = absolute(data.draw(written_paths(flavour)), absolute(cwd, cwd, "", flavour), "", flavour)
    assert is_absolute(once, flavour)
    assert absolute(once, other, "", flavour) == once, "wherever it is asked again"
    if flavour is WINDOWS:
        assert "/" not in once
    if not once.startswith("\\\\"):  # of \\\\server\\share the first two parts are names, whatever they look like
        assert not {".", ".."} & set(once.split(flavour.sep))
        assert flavour.sep * 2 not in once


@pytest.mark.parametrize(("spelled", "meant"), [
    ("src/a", "C:\\w\\App\\src\\a"), ("C:src\\a", "C:\\w\\App\\src\\a"), ("c:/x", "C:\\x"), ("/c/x", "C:\\x"), ("\\x", "C:\\x"),
    ("\\\\?\\C:\\x", "C:\\x"), ("//server/share/x", "\\\\server\\share\\x"), ("\\\\?\\UNC\\server\\share\\x", "\\\\server\\share\\x")])
def test_spellings_of_windows(spelled: str, meant: str) -> None:
    assert absolute(spelled, "C:\\w\\App", "", WINDOWS) == meant


@pytest.mark.parametrize("flavour", FLAVOURS, ids=lambda flavour: flavour.name)
@given(data=st.data())
@MANY
def test_below_a_root_and_back_again(flavour: Flavour, data: st.DataObject) -> None:
    root = absolute(data.draw(written_paths(flavour)), ROOTS[flavour.name][-1], "", flavour)
    words = data.draw(st.lists(pieces.filter(lambda word: word not in ("", ".", "..", "C:")), max_size=4))
    rel = flavour.sep.join(words)
    path = join(root, rel, flavour)
    assert relative(path, root, flavour) == rel
    assert inside(path, root, flavour)
    assert absolute(path, root, "", flavour) == path
    other = absolute(data.draw(written_paths(flavour)), ROOTS[flavour.name][-1], "", flavour)
    below = relative(other, root, flavour)
    if below is not None:
        assert key(join(root, below, flavour), flavour) == key(other, flavour)
        assert key(other, flavour).startswith(key(root, flavour))


@pytest.mark.parametrize("flavour", FLAVOURS, ids=lambda flavour: flavour.name)
@given(data=st.data())
@LAWS
def test_every_path_has_a_last_folder_above(flavour: Flavour, data: st.DataObject) -> None:
    """checkout_of climbs until the folder above is the same; it must come to an end, and every step must lie higher."""
    path = absolute(data.draw(written_paths(flavour)), ROOTS[flavour.name][-1], "", flavour)
    for _ in range(20):
        above = paths.parent(path, flavour)
        assert inside(path, above, flavour)
        if above == path:
            return
        assert len(above) < len(path)
        path = above
    raise AssertionError("no end")
