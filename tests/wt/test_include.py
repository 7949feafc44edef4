"""The lines of a `.worktreeinclude`, and what is wrong in them."""
from __future__ import annotations

import os
from pathlib import Path

import pytest

from guard.wt.include import Rule, fault_of, in_text, literally, rules
from guard.wt.models import Sync
from guard.wt.picking import decider


@pytest.mark.parametrize(("text", "expected"), [
    ("", []), ("\n\n", []), ("   \n\t\n", []), ("# nothing\n#.env\n", []), ("\ufeff# nothing\n", []),
    (".env", [".env"]), (".env\n", [".env"]), (".env\nbuild/\n", [".env", "build/"]), (".env\r\nbuild/\r\n", [".env", "build/"]),
    ("\ufeff.env\n", [".env"]), ("\n.env\n\n", [".env"]), (" .env", [" .env"]), (".env \n", [".env "]),
    ("!.env", ["!.env"]), (r"\#x", [r"\#x"]), ("a#b", ["a#b"]), ("a b", ["a b"]), (" # x", [" # x"]),
    ("copy .env", ["copy .env => .env"]), ("copy\t.env", ["copy\t.env => .env"]), ("copy   a b", ["copy   a b => a b"]),
    ("copy", ["copy"]), ("copy ", ["copy "]), ("copyright", ["copyright"]), ("Copy .env", ["Copy .env"]), ("/copy of", ["/copy of"]),
    (r"\copy of", [r"\copy of"]), (" copy x", [" copy x"]), ("copy !x", ["copy !x => !x"]), ("copy symlink", ["copy symlink => symlink"]),
    ("symlink /models", ["symlink /models -> /models"]), ("symlink a b/", ["symlink a b/ -> a b/"]), ("symlink", ["symlink"]),
    ("symlinks", ["symlinks"]), ("symlink !x", ["symlink !x -> !x"]),
    ("a\rb", ["a\rb"]), ("a\x0bb", ["a\x0bb"]), ("a\u2028b", ["a\u2028b"]),  # no ends of lines to git
])
def test_lines(text: str, expected: list[str]) -> None:
    def shown(rule: Rule) -> str:
        return rule.line if rule == Rule(rule.line, rule.line) else f"{rule.line} {'->' if rule.link else '=>'} {rule.pattern}"
    assert [shown(rule) for rule in in_text(text)] == expected


@pytest.mark.parametrize(("pattern", "expected"), [
    (".env", ""), ("!.env", ""), ("/a/b/", ""), ("**/a", ""), ("*", ""), ("a b", ""), ("é", ""), ("caf\udce9", ""), (".gitignore", ""),
    (".github/", ""), ("..a", ""), ("a..b", ""), ("...", ""), ("a.git", ""), ("~", ""), ("a~/b", ""), ("[ab]", ""), (r"\!a", ""),
    ("", "names nothing"), ("/", "names nothing"), ("//", "names nothing"), ("!", "names nothing"), ("!#x", "names nothing"),
    ("a\0b", "line break"), ("a\nb", "line break"), ("a\rb", "line break"),
    ("..", "leads out"), ("../a", "leads out"), ("a/../b", "leads out"), (r"a/\../b", "leads out"), ("!../a", "leads out"),
    ("~/a", "leads out"), ("~me/a", "leads out"), ("C:/a", "leads out"), ("c:\\a", "leads out"), (r"\\server\a", "leads out"),
    ("./a", "without the ./"), ("a/./b", "without the ./"), (".git", "git's own"), ("a/.git/b", "git's own"), (".GIT", "git's own"),
    ("a\\", "no pattern"),
])
def test_faults(pattern: str, expected: str) -> None:
    said = fault_of(Rule(pattern, pattern))
    assert (expected in said) if expected else said == ""


@pytest.mark.parametrize("name", ["a", "a b", " a", "a ", "*", "a?", "[x]", "a\\b", "é", "caf\udce9", "#a", "!a", "a/b", "a\tb", "a\nb"])
def test_a_name_as_a_pattern_fits_itself(name: str) -> None:
    decide = decider([Rule(name, "/" + literally(name))])
    assert decide(name) and not decide(name + "x") and not decide("x" + name) and not decide("x/" + name)


def test_settings_come_first_and_of_equal_lines_the_last_decides(tmp_path: Path) -> None:
    (tmp_path / ".worktreeinclude").write_bytes(b"a\r\ncaf\xe9\nsymlink m\n!b\na\n../x\n../x\n")
    found, outcomes = rules(tmp_path, Sync(copy_files=["a", "b", "!b", "/"], symlink_dirs=["/m/", "[n]", ""]))
    assert [(rule.pattern, rule.link) for rule in found] == [
        ("b", False), ("/m", True), (r"/\[n]", True), (os.fsdecode(b"caf\xe9"), False), ("m", True), ("!b", False), ("a", False)]
    assert [(one.line, one.name, one.state, one.reason) for one in outcomes] == [
        ("/", "", "skipped", "invalid"), ("", "", "skipped", "invalid"), ("../x", "", "skipped", "invalid")]


def test_none_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    assert rules(tmp_path, Sync()) == ([], [])
    (tmp_path / ".worktreeinclude").mkdir()
    found, outcomes = rules(tmp_path, Sync(copy_files=["a"]))
    assert [rule.line for rule in found] == ["a"]
    assert [(one.line, one.reason) for one in outcomes] == [(".worktreeinclude", "failed")]
