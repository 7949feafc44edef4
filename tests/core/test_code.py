"""Texts of programs in other languages: which paths they write, and that a text which never ends costs no more than its length."""
from __future__ import annotations

import time

import pytest

from guard.core.programs import code_calls, code_writes
from guard.core.programs.code_names import Names
from guard.core.programs.code_text import Code, said
from guard.core.shell import HOLE

WRITTEN = [
    ("python", "open('x', 'w')", ["x"]), ("python", "p = 'x'; open(p, 'w'); p = 'y'; open(p, 'a')", ["x", "y"]),
    ("python", "p = rb'x'; open(p, 'w')", ["x"]), ("python", "p = F'x'\nopen(p, mode='w')", ["x"]),
    ("python", "(p := 'x'); open(p, 'w')", ["x"]),
    ("python", "if a: p = 'x'\nopen(p, 'w')", ["x"]), ("python", "p: str = 'x'\nos.remove(p)", ["x"]),
    ("python", "q = p = 'x'\nos.remove(p)", ["x"]),
    ("python", "for p in ['x', 'y']: open(p, 'w')", ["x", "y"]), ("python", "L = ('x', 'y')\nfor p in L: os.remove(p)", ["x", "y"]),
    ("python", "R = 'a'; open(f'{R}/x', 'w')", ["a/x"]), ("python", "open(f'a/{b}', 'w')", ["a/" + HOLE]),
    ("python", "p = Path('x'); p.write_text(s)", ["x"]), ("python", "p = 'x'; Path(p).unlink()", ["x"]),
    ("python", "p = 'x'; p = Path(p); p.unlink()", ["x"]),
    ("python", "with Path('x').open('w') as f: pass", ["x"]), ("python", "os.rename('x', # twice\n 'y')", ["x", "y"]),
    ("node", "const p = 'x'; fs.writeFileSync(p, s)", ["x"]), ("node", "for (const p of ['x', 'y']) fs.rmSync(p)", ["x", "y"]),
    ("node", "const R = 'a'; fs.writeFileSync(`${R}/x`, s)", ["a/x"]), ("perl", "my $p = 'x'; unlink $p", ["x"]),
    ("perl", "unlink q(x)", ["x"]),
    ("ruby", "p = 'x'\nFile.write(p, s)", ["x"]), ("python", "for p in ['x', 'y']: open(f'a/{p}', 'w')", ["a/x", "a/y"]),
    ("python", "for p in ['x', 'y']: os.rename('a', p)", ["a", "x", "a", "y"]),
]
NOT_WRITTEN = [
    ("python", "open('x')"), ("python", "s = \"open('x', 'w')\""), ("python", "# open('x', 'w')"), ("python", "'''\nopen('x', 'w')'''"),
    ("python", "r'\\'; open('x', 'w') #'"), ("python", "p = 'x'; print(open(p))"), ("python", "f(p='x'); open(p, 'w')"),
    ("python", "f(\n  p='x',\n)\nopen(p, 'w')"), ("python", "open(p, 'w'); p = 'x'"),
    ("python", "p = 'x'; p = p.replace('x', 'y'); open(p, 'w')"),
    ("python", "p = 'x'; p = g(); open(p, 'w')"), ("python", "p == 'x'; open(p, 'w')"),
    ("python", "p = Path('x'); s = p.read_text().replace(a, b)"),
    ("python", "p = 'x'; p.replace('a', 'b')"), ("python", "Path('x').open()"), ("python", "for p in ['x', 'y']: print(open(p).read())"),
    ("python", "os.remove(g('x'))"), ("node", "// fs.rmSync('x')"), ("node", "/* fs.rmSync('x')\n*/"), ("node", "s = `fs.rmSync('x')`"),
    ("node", "s.replace(/fs.rmSync('x')/, '')"), ("node", "fs.readFileSync('x')"), ("perl", "s/unlink 'x'/y/"),
    ("perl", "print <<E;\nunlink 'x'\nE\n"),
    ("perl", "# unlink 'x'"), ("ruby", "puts %q(File.delete('x'))"), ("ruby", "x =~ /File.delete('x')/"),
    ("ruby", "=begin\nFile.delete('x')\n=end"),
]
UNITS = ["'", '"', "`", "/", "'\\", "\\", "q{", "s{", "s/", "<<A\n", "<<A", "f'{", "`${", '"#{', "%(", "[/", "open(", "p='x';", "for a in ",
         "'''a", "a", "{", "}", "=", "run(", "/*", "//\n", "\n=pod", "--[[", "Path(",
         "open(p,", "cwd=", "subprocess as ", "p=p;", "#", "$'"]


def read(language: str, text: str) -> list[str]:
    code = Code(text, language)
    assert len(code.bare) == len(text)
    names = Names(code)
    code_calls.started(code, names)
    return [path for path, _ in code_writes.written(code, names)]


@pytest.mark.parametrize(("language", "text", "expected"), WRITTEN, ids=[text for _, text, _ in WRITTEN])
def test_what_a_text_writes(language: str, text: str, expected: list[str]) -> None:
    assert read(language, text) == expected


@pytest.mark.parametrize(("language", "text"), NOT_WRITTEN, ids=[text for _, text in NOT_WRITTEN])
def test_what_a_text_does_not_write(language: str, text: str) -> None:
    assert read(language, text) == []


@pytest.mark.parametrize("language", ["python", "node", "perl", "ruby", "php", "lua", "awk", "osascript", "tclsh"])
def test_a_text_without_an_end_costs_no_more_than_its_length(language: str) -> None:
    """Quadratic, the least of these takes minutes."""
    began = time.process_time()
    for unit in UNITS:
        read(language, "p = 'x'\n" + unit * (20_000 // len(unit)))
    assert time.process_time() - began < 12


def test_what_a_literal_says() -> None:
    assert [said(written, False) for written in ("a\\nb", "a\\'b", "a\\\\nb")] == ["a\nb", "a'b", "a\\nb"]
    assert said("a\\nb", True) == "a\\nb"
