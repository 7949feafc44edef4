"""Paths as text in three flavours."""
from __future__ import annotations

import pytest

from guard.core.paths import MACOS, POSIX, WINDOWS, Flavour, absolute, has_git_part, inside, is_git_name, join, parent, relative

ABSOLUTE = [
    (POSIX, "/a/b", "/c", "/a/b"),
    (POSIX, "b", "/c", "/c/b"),
    (POSIX, "../b/./c//d/", "/x/y", "/x/b/c/d"),
    (POSIX, "../../../../b", "/x", "/b"),
    (POSIX, "~", "/x", "/home/u"),
    (POSIX, "~/b", "/x", "/home/u/b"),
    (POSIX, "~other/b", "/x", "/x/~other/b"),
    (POSIX, "a\\b", "/x", "/x/a\\b"),
    (POSIX, "//a", "/x", "/a"),
    (POSIX, "-n", "/x", "/x/-n"),
    (POSIX, "a\nb", "/x", "/x/a\nb"),
    (MACOS, "/Users/A", "/", "/Users/A"),
    (WINDOWS, "C:\\a\\b", "D:\\", "C:\\a\\b"),
    (WINDOWS, "c:/a\\b/../d", "D:\\", "C:\\a\\d"),
    (WINDOWS, "/c/Work/app", "D:\\", "C:\\Work\\app"),
    (WINDOWS, "/c", "D:\\", "C:\\"),
    (WINDOWS, "/cygdrive/d/x", "C:\\", "D:\\x"),
    (WINDOWS, "src\\a.py", "C:\\Work", "C:\\Work\\src\\a.py"),
    (WINDOWS, "src/a.py", "/c/Work", "C:\\Work\\src\\a.py"),
    (WINDOWS, "\\rooted", "D:\\x", "D:\\rooted"),
    (WINDOWS, "\\\\server\\share\\a\\..\\b", "C:\\", "\\\\server\\share\\b"),
    (WINDOWS, "\\\\?\\C:\\a", "D:\\", "C:\\a"),
    (WINDOWS, "~\\x", "C:\\", "C:\\Users\\u\\x"),
]
RELATIVE = [
    (POSIX, "/r/a", "/r", "a"),
    (POSIX, "/r", "/r", ""),
    (POSIX, "/r-notes/a", "/r", None),
    (POSIX, "/R/a", "/r", None),
    (POSIX, "/a", "/", "a"),
    (MACOS, "/Users/dev/APP/Src/a", "/users/DEV/app", "Src/a"),
    (WINDOWS, "C:\\WORK\\app\\Src", "C:\\Work\\App", "Src"),
    (WINDOWS, "C:\\Work\\app2", "C:\\Work\\app", None),
    (WINDOWS, "C:\\a", "C:\\", "a"),
]
GIT_NAMES = [
    (POSIX, ".git", True), (POSIX, ".GIT", False), (POSIX, ".gitignore", False), (POSIX, "x.git", False),
    (MACOS, ".Git", True), (MACOS, ".g\u200cit", True), (MACOS, ".gitx", False),
    (WINDOWS, ".GIT", True), (WINDOWS, ".git.", True), (WINDOWS, ".git ", True), (WINDOWS, "git~1", True), (WINDOWS, ".git::$INDEX", True),
    (WINDOWS, "git~2", False), (WINDOWS, ".github", False),
]


@pytest.mark.parametrize(("flavour", "path", "cwd", "expected"), ABSOLUTE, ids=[f"{f.name} {p!r} in {c}" for f, p, c, _ in ABSOLUTE])
def test_absolute(flavour: Flavour, path: str, cwd: str, expected: str) -> None:
    home = "C:\\Users\\u" if flavour is WINDOWS else "/home/u"
    assert absolute(path, cwd, home, flavour) == expected


@pytest.mark.parametrize(("flavour", "path", "root", "expected"), RELATIVE)
def test_relative_keeps_the_letters_and_ends_at_a_separator(flavour: Flavour, path: str, root: str, expected: str | None) -> None:
    assert relative(path, root, flavour) == expected
    assert inside(path, root, flavour) == (expected is not None)
    if expected is not None:
        assert relative(join(root, expected, flavour), root, flavour) == expected


@pytest.mark.parametrize(("flavour", "name", "expected"), GIT_NAMES)
def test_disguises_of_the_git_folder(flavour: Flavour, name: str, expected: bool) -> None:
    assert is_git_name(name, flavour) is expected
    assert has_git_part(f"a{flavour.sep}{name}{flavour.sep}b", flavour) is expected


@pytest.mark.parametrize(("flavour", "path", "expected"), [
    (POSIX, "/a/b", "/a"), (POSIX, "/a", "/"), (POSIX, "/", "/"), (WINDOWS, "C:\\a\\b", "C:\\a"), (WINDOWS, "C:\\a", "C:\\"),
    (WINDOWS, "C:\\", "C:\\"), (WINDOWS, "\\\\s\\h\\a", "\\\\s\\h\\"), (WINDOWS, "\\\\s\\h\\", "\\\\s\\h\\"),
])
def test_parent_ends_at_the_root(flavour: Flavour, path: str, expected: str) -> None:
    assert parent(path, flavour) == expected
