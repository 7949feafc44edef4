"""Reading and expanding: what was quoted comes back, nothing raises, everything ends soon, and a table of forms."""
from __future__ import annotations

import shlex
import subprocess
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guard.core.shell import HOLE
from guard.core.shell.lex import MOST_STEPS
from guard.core.shell.parse import Parser, read, run
from tests.core.shell.forms import EVERY
from tests.core.shell.recording import SHELL, MadeUpWorld, fits, follow

LAWS = settings(SHELL, max_examples=300)
MANY = settings(SHELL, max_examples=800)

# --- quoting and back ------------------------------------------------------------------------------------------------

arguments = st.text(st.characters(codec="utf-8", exclude_characters="\0\1\2\3\4\5"),
max_size=12) | st.text("ab '\"\\$`{}~*?[!#&|;<>()=\n\t-", max_size=8)
lists = st.lists(arguments.filter(lambda word: "\r\n" not in word), max_size=5)


def in_double_quotes(word: str) -> str:
    return '"' + "".join(["\\" + c if c in '"\\$`' else c for c in word]) + '"'


def in_ansi_quotes(word: str) -> str:
    return "$'" + "".join([{"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t"}.get(c, c) for c in word]) + "'"


def in_escapes(word: str) -> str:
    """A backslash before each character; a line end cannot be had so."""
    return "".join(["$'\\n'" if c == "\n" else "\\" + c for c in word]) or "''"


def by_code_point(word: str) -> str:
    return "$'" + "".join([f"\\U{ord(c):08x}" for c in word]) + "'"


@pytest.mark.parametrize("quoted", [shlex.quote, in_double_quotes, in_ansi_quotes, in_escapes, by_code_point],
ids=lambda quoted: quoted.__name__)
@given(argv=lists)
@LAWS
def test_what_was_quoted_comes_back(quoted: Any, argv: list[str]) -> None:
    followed = follow(" ".join(["git verb", *map(quoted, argv)]))
    assert followed.unread == []
    assert followed.argvs == [["verb", *argv]]


@given(argv=lists)
@LAWS
def test_what_was_quoted_comes_back_through_every_carrier(argv: list[str]) -> None:
    """Quoted once more for each shell on the way."""
    inner = shlex.join(["git", "verb", *argv])
    for carrier in ("{}", "({})", "echo \"$({})\"", "f() {{ {}; }}; f", "eval {0!r}", "sh -c {0!r}", "sh -c {0!r} | cat",
    "env -u X bash -c {0!r}",
                    "bash <<'END-OF-IT'\n{}\nEND-OF-IT\n"):
        text = carrier.replace("{0!r}", shlex.quote(inner)) if "!r" in carrier else carrier.format(inner)
        followed = follow(text)
        assert followed.unread == [], carrier
        assert followed.argvs == [["verb", *argv]], carrier


@given(argv=lists)
@LAWS
def test_data_stays_data(argv: list[str]) -> None:
    """What is only an argument, quoted, runs nothing, whatever stands in it."""
    text = shlex.join(["echo", *argv, "git push; $(git push) `git push`"])
    assert follow(text).started == []
    assert follow(f"printf '%s\\n' {text} > /tmp/f").started == []


@given(value=arguments)
@LAWS
def test_a_variable_in_double_quotes_is_one_argument(value: str) -> None:
    assert follow(f"x={shlex.quote(value)}\ngit verb \"$x\" \"${{x}}\" \"$(printf %s \"$x\")z\"").argvs in (
        [["verb", value, value, value + "z"]], [["verb", value, value, value.rstrip("\n") + "z"]])


# --- nothing raises --------------------------------------------------------------------------------------------------

pieces = st.sampled_from([*"'\"\\$`{}()[]<>|&;#!~*?=:-+/%^,@\n\t 012x", "$(", "$((", "${", "<<E\n", "<<-E\n", "<<'E'\n", "\nE\n", "<(",
">(", "&&", "||", ";;", ";&", "if ", "then ", "else ", "fi ", "for i in ",
                          "do ", "done ", "while ", "case x in ", "esac ", "x) ", "{ ", "} ", "f() ", "function f ", "[[ ", " ]]", "((",
                          "))", "git x ", "cd a ", "cd - ", "eval ", "sh -c ", "x=", "$x", "\"$@\"", "$*", "${x:-",
                          "${x[", "${#", "${!", "$'", "$\"", "\\x", "\\u", "coproc ", "time ", "! ", "xargs ", "env -S ", "echo -e ",
                          "printf ", "printf -v x ", "set -- ", "shift 9 ", "trap ", "read x ", "alias g=", "find -exec ", "exec ",
                          "{fd}>", "2>&1 ", "<&3 ", ">&", "&>", "{1..3}", "{a,b}", "{a..z}", "a[1]=", "x+=", "=(", "export ",
                          "declare -a x=(", "unset x ", "let x=", "source f ", "pushd a ", "popd ", "é", "\0", "\1", "\x04", "\r\n",
                          "python -c ",
                          "awk ", "parallel ", "\ud800"])
salad = st.lists(pieces, max_size=40).map("".join) | st.text(max_size=60)


@given(text=salad)
@example(text="x=(")
@example(text="printf %")
@example(text="${")
@example(text="{0..9}{")
@example(text="shift -1; shift x")
@example(text="f() { f; }; f")
@example(text="f() { f | f & }; f")
@example(text="alias a=b; alias b=a; a")
@example(text="x='eval \"$x\"'; eval \"$x\"")
@example(text="echo {\u0660..\u0669} {\u00b2..5}")
@example(text="x=(a b); echo ${x[\u00b2]} ${x[99]} ${x[-1]}")
@example(text="shift \u00b2; set -- a; echo $\u00b2 ${1000000000000}")
@example(text="echo 'a' | xargs -n \u00b2 git x")
@example(text="$'\\U7fffffff' $'\\Uffffffff' $'\\ud800' $'\\c'")
@example(text="env -C")
@example(text="git -C")
@example(text="xargs -I")
@example(text="find . -exec")
@example(text="sudo -u")
@example(text="timeout 5")
@example(text="printf -v")
@example(text="cat <<\n")
@example(text=">")
@example(text="''")
@example(text="'' x")
@example(text="\\\n")
@example(text="$x")
@example(text="${x:-} y")
@MANY
def test_no_text_raises(text: str) -> None:
    assert isinstance(read(text)[1], str)
    follow(text)
    follow(text, MadeUpWorld(folders=(), files={"/r/f": text}, variables={"x": text, "HOME": ""}))


WRAPPERS = ["env", "command", "builtin", "exec", "sudo", "nohup", "nice", "time", "xargs", "eval", "env -S env", "command command",
"git -c alias.x=y", "busybox", "timeout 5", "setsid", "flock f", "watch -x"]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("times", [30, 3000])
def test_wrappers_in_wrappers_end(wrapper: str, times: int) -> None:
    """A few dozen are followed or told of; thousands must be told of, or they would hide what stands behind them."""
    followed = follow(f"{wrapper} " * times + "git push")
    assert followed.started or followed.unread


@pytest.mark.parametrize("text", ["f() { f; }; f", "f() { f; f; f; }; f", ":(){ :|:& };:", "f() { g; }; g() { f; }; f; g",
"x='eval \"$x\"'; eval \"$x\"", "while :; do while :; do while :; do git x; done; done; done",
                                  "f() { eval f; }; f", "f() { sh -c f; }; f", "trap 'trap \"git x\" EXIT' EXIT", ". f", "bash f"])
def test_what_never_ends_ends_here(text: str) -> None:
    assert follow(text, MadeUpWorld(files={"/r/f": ". f; bash f; . f"})).shell.steps[0] <= MOST_STEPS + 1000


# --- everything ends soon --------------------------------------------------------------------------------------------

def steps(text: str) -> int:
    taken = [0]
    read(text, taken)
    return taken[0]


@pytest.mark.parametrize("text", [form for form in EVERY if not read(f"{{ {form}\n}}\n" * 2)[1]])
def test_twice_the_text_costs_twice_the_steps(text: str) -> None:
    """In a group of its own, so that no text changes how the next is read."""
    few, many = f"{{ {text}\n}}\n" * 8, f"{{ {text}\n}}\n" * 16
    assert not read(many)[1]
    assert steps(many) <= 2 * steps(few) + 8


@given(text=salad)
@LAWS
def test_twice_any_text_costs_twice_the_steps(text: str) -> None:
    assert steps(text * 2) <= 2.2 * steps(text) + 60 or steps(text * 2) < 400


class Counted(str):
    """A text that counts how many of its characters were looked at."""

    looked_at = 0

    def __getitem__(self, where: Any) -> str:
        found = super().__getitem__(where)
        Counted.looked_at += len(found)
        return found

    def find(self, mark: str, start: Any = 0, end: Any = None) -> int:
        found = super().find(mark, start) if end is None else super().find(mark, start, end)
        Counted.looked_at += (found if found >= 0 else len(self)) - start
        return found


REPEATED = {
    "commands": "git add x; ", "lines": "git add x\n", "quoted words": '"a $b" \'c\' ', "double quotes": '"a" ', "single quotes": "'a' ",
    "escapes": "a\\ b ", "ansi": "$'a\\n' ", "substitutions": "$(a) ", "backquotes": "`a` ", "parameters": "${a:-b} ",
    "arithmetic": "$((1)) ", "subshells": "(a); ", "groups": "{ a; }; ", "pipes": "a | ", "conditions": "if a; then b; fi; ",
    "cases": "case a in b) c;; esac; ", "loops": "for i in a; do b; done; ", "functions": "f() { a; }; ",
    "tests": "[[ a == b ]]; ", "maths": "((1)); ", "coprocesses": "coproc a\n", "named coprocesses": "coproc a { b; }\n",
    "comments": "# it's \"a\n", "trailing comments": "a # it's \"a\n", "continuations": "a \\\n", "redirections": "a > b 2>&1; ",
    "here-documents": "a <<E\nb\nE\n", "here-documents with tabs": "a <<-E\n\tb\n\tE\n", "here-strings": "a <<< b\n",
    "assignments": "a=b ", "quoted assignments": 'a="b"\n', "arrays": "a=(b c)\n", "process substitutions": "a <(b) ",
    "patterns": "@(a|b) ",
    "accents": "é ü ", "accents in quotes": '"é" ', "braces": "{a,b} ", "dollars": "$ ", "names": "$a ", "tildes": "~/a ",
    "bangs": "! a\n", "times": "time a\n", "ifs that are no ifs": "iff ", "functions with a word": "function f { a; }\n",
    "globs in functions' place": "a* ", "numbers": "2 ", "braces before redirections": "{a}> b ",
    "semicolons in cases": "case a in a) b;& c) d;;& e) f;; esac\n", "empty quotes": "'' ", "dollars in quotes": '"$" ', "equals": "a==b= ",
}


@pytest.mark.parametrize("piece", REPEATED.values(), ids=list(REPEATED))
def test_no_part_of_a_text_is_looked_at_again_and_again(piece: str) -> None:
    """Four times the text must not cost sixteen times the looking: a hook stands in everybody's way."""
    costs = []
    for times in (250, 1000):
        text = Counted("echo " * (piece[-1] == " " and piece[-2] not in ";|") + piece * times + "z")
        Counted.looked_at = 0
        run(Parser(text, [-1_000_000]).whole())
        costs.append(Counted.looked_at)
    assert costs[1] <= 5 * costs[0] + 2000


BIG = {
    "10,000 nested substitutions": "echo " + "$(" * 10_000, "closed, too": "echo " + "$(" * 10_000 + ")" * 10_000,
    "20,000 nested $((": "echo " + "$((" * 20_000, "20,000 $(( side by side": "echo " + "$((1)) " * 20_000,
    "20,000 backquotes": "`" * 20_000, "20,001 backquotes": "`" * 20_001, "10,000 nested ${": "echo " + "${a:-" * 10_000,
    "10,000 nested brackets": "(" * 10_000, "10,000 brackets in arithmetic": "((" + "(" * 10_000, "10,000 nested groups": "{ " * 10_000,
    "10,000 nested ifs": "if " * 10_000, "5,000 nested loops": "while " * 5_000, "5,000 nested cases": "case x in x) " * 5_000,
    "5,000 nested functions": "f() { " * 5_000, "nested quotes": "\"$(" * 10_000, "nested process substitutions": "<(" * 10_000,
    "an unclosed quote": "echo '" + "x" * 2_000_000, "an unclosed double quote": 'echo "' + "x" * 2_000_000,
    "a big here-document": "cat <<E\n" + "line of text\n" * 150_000 + "E\n",
    "a big quoted one": "cat <<'E'\n" + "line $x `y`\n" * 150_000 + "E\n",
    "a big one with tabs": "cat <<-E\n" + "\tline of text\n" * 150_000 + "\tE\n",
    "one without an end": "cat <<E\n" + "line of text\n" * 150_000, "one of near misses": "cat <<E\n" + "xE\n" * 300_000,
    "one with an empty delimiter": "cat <<''\n" + "x\n" * 300_000,
    "one of expansions": "cat <<E\n" + "$x `y`\n" * 150_000 + "E\n", "one word": "echo " + "x" * 1_000_000,
    "one quoted word": "echo '" + "x" * 1_000_000 + "'", "one word of quotes": "echo " + "'x'" * 300_000,
    "one word of escapes": "echo " + "\\x" * 300_000,
    "one word of accents": "echo " + "é" * 300_000, "one word of braces": "echo " + "{a,b}" * 100_000,
    "one word of open braces": "echo " + "{" * 100_000, "many commands": "a;" * 50_000, "many lines": "a\n" * 50_000,
    "many words": "a " * 500_000, "many blanks": " " * 1_000_000,
    "many line ends": "\n" * 500_000, "many comments": "#\n" * 200_000, "many continuations": "\\\n" * 200_000,
    "many pipes": "a|" * 50_000 + "a", "many &&": "a&&" * 50_000 + "a", "many jobs": "a&" * 50_000, "many redirections": ">a " * 50_000,
    "many here-documents": "cat <<A " * 5_000 + "\nA" * 5_000,
    "many dollars": "$" * 200_000, "many brackets that close": ")" * 100_000, "many quotes": "'" * 100_001,
    "many double quotes": '"' * 100_001, "an assignment of words": "x=(" + "a " * 200_000 + ")", "a test of words": "[[ " + "a " * 100_000,
    "tabs before a delimiter": "cat <<-E\n" + "\t" * 500_000 + "E\n",
    "a case of patterns": "case x in " + "a|" * 100_000, "digits in a sequence": "echo {1..9}{1..9}{1..9}{1..9}{1..9}",
    "an index": "x[" * 10_000, "an index of indices": "${x[" * 10_000, "nested patterns": "echo " + "@(" * 10_000,
    "a file name of globs": "echo " + "*" * 200_000, "many ${#": "${#" * 50_000, "many ansi escapes": "$'" + "\\x41" * 100_000 + "'",
    "many esacs": "esac " * 50_000,
}


@pytest.mark.parametrize("text", BIG.values(), ids=list(BIG))
def test_big_texts_end_within_the_bounds(text: str) -> None:
    taken = [0]
    _, why = read(text, taken)
    assert taken[0] <= MOST_STEPS + 1, "the step after the last one raises"
    assert isinstance(why, str)
    assert follow(text).shell.steps[0] <= MOST_STEPS * 2


@pytest.mark.parametrize("text", ["echo {1..300000}", "echo {1..99}{1..99}{1..99}{1..99}", "a=aaaaaaaa" + "; a=$a$a" * 21,
"set -- a b" + '; set -- "$@" "$@"' * 17, "a=x" + '; a+="$a$a"' * 14, "x=(a b)" + '; x+=("${x[@]}")' * 17,
                                  "a=aaaaaaaa; for i in {1..16}; do a=$a$a; done; for i in {1..5}; do a=$a$a; done",
                                  "printf -v a %s aaaaaaaa" + "; printf -v a %s%s $a $a" * 20, "echo " + "{a,b}" * 60,
                                  "echo " + "{a,{b," * 60 + "c}}" * 60, "a=aaaaaaaa" + "; a=${a//a/aa}" * 21])
def test_small_texts_do_not_grow_big(text: str) -> None:
    """Values double with each line; a reader that follows that for long fills the memory."""
    tracemalloc.start()
    follow(text)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8_000_000


# --- a table: text -> arguments of the one git in it -----------------------------------------------------------------

SAME_AS_BASH = [
    ("git a b", ["a", "b"]), ("git 'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]), ("git '' \"\" a''", ["", "", "a"]),
    ("git a'b'\"c\"\\d$'e'", ["abcde"]), ("git $'a\\tb\\x41\\101\\u00e9\\'\\\\'", ["a\tbAAé'\\"]), ("git $'a\\0b'c", ["ac"]),
    ("git $'\\n' $'\\e' $'\\cF' $'\\q'", ["\n", "\x1b", "\x06", "\\q"]), ("git $\"a b\"", ["a b"]),
    ("git \"a\\\nb\" c\\\nd", ["ab", "cd"]), ("git \"\\a \\$ \\\" \\\\ \\`\"", ["\\a $ \" \\ `"]), ("git a#b # c d", ["a#b"]),
    ("git a \\# b", ["a", "#", "b"]),
    ("x=1; git $x ${x} \"$x\" '$x' \\$x", ["1", "1", "1", "$x", "$x"]),
    ("x='a b'; git $x \"$x\" $x$x \"$x\"c", ["a", "b", "a b", "a", "ba", "b", "a bc"]), ("x=' a '; git b$x c", ["b", "a", "c"]),
    ("x=' a '; git b${x}c", ["b", "a", "c"]), ("x=; git $x a \"$x\"", ["a", ""]),
    ("x=''; git a$x", ["a"]), ("x='a  b'; git $x", ["a", "b"]), ("git $nosuch a \"$nosuch\"", ["a", ""]),
    ("x=a; git ${x:-d} ${y:-d} ${y-d} ${x:+e} ${y:+e}", ["a", "d", "d", "e"]),
    ("y=; git ${y-d} ${y:-d} \"${y-d}\" ${y+e}", ["d", "", "e"]), ("git ${y:=d} $y", ["d", "d"]),
    ("git \"${y:-a b}\" ${y:-a b}", ["a b", "a", "b"]), ("git ${y:-'a b'} ${y:-\"c d\"}", ["a b", "c d"]),
    ("x=a/b/c.d.e; git ${x#*/} ${x##*/} ${x%/*} ${x%%/*} ${x%.*} ${x%%.*}", ["b/c.d.e", "c.d.e", "a/b", "a", "a/b/c.d", "a/b/c"]),
    ("x=abc; git ${x#a} ${x%c} ${x#b}", ["bc", "ab", "abc"]),
    ("x=a-b-a; git ${x/a/c} ${x//a/c} ${x//-}", ["c-b-a", "c-b-c", "aba"]), ("x=a; git ${x^^} ${x,,}", ["A", "a"]),
    ("x=b; b=c; git ${!x}", ["c"]), ("x=abc; git ${#x}", ["3"]), ("x=(a b c); git ${#x[@]}", ["3"]),
    ("x=abcd; git ${x:1:2} ${x:2}", ["bc", "cd"]),
    ("x=(a 'b c'); git ${x[0]} \"${x[1]}\" \"${x[@]}\" $x", ["a", "b c", "a", "b c", "a"]),
    ("x=(a b); git \"${x[*]}\" ${x[@]}", ["a b", "a", "b"]), ("x=(); git a \"${x[@]}\" b", ["a", "b"]),
    ("x=(a b); git c\"${x[@]}\"d", ["ca", "bd"]), ("x=(a); x+=(b); git ${x[@]}", ["a", "b"]), ("x=(a b); x[1]=c; git ${x[1]}", ["c"]),
    ("x=a; x+=b; git $x", ["ab"]), ("x=a y=$x; git $x$y", ["aa"]), ("x=1; x=2 git $x", ["1"]),
    ("set -- a 'b c'; git \"$@\" $# \"$1\" $2 \"$*\"", ["a", "b c", "2", "a", "b", "c", "a b c"]),
    ("set -- a b c; shift; git \"$@\"", ["b", "c"]), ("set -- a b; shift 2; git x \"$@\"", ["x"]),
    ("git {a,b} {1..3} x{y,z}{1,2}", ["a", "b", "1", "2", "3", "xy1", "xy2", "xz1", "xz2"]),
    ("git {a} {} {a,} a{,b} '{a,b}' \"{a,b}\"", ["{a}", "{}", "a", "a", "ab", "{a,b}", "{a,b}"]),
    ("git {a,{b,c}} {c..a} {3..1}", ["a", "b", "c", "c", "b", "a", "3", "2", "1"]),
    ("x=v; git {${x},\"b c\"}{d,e}", ["vd", "ve", "b cd", "b ce"]), ("git ${y:-{a,b}}", ["{a,b}"]), ("x={a,b}; git $x", ["{a,b}"]),
    ("git {01..03} {1..5..2}", ["01", "02", "03", "1", "3", "5"]), ("git a,{b a{b b}", ["a,{b", "a{b", "b}"]), ("git {a,b", ["{a,b"]),
    ("git x{-1..1}", ["x-1", "x0", "x1"]),
    ("git $(echo a b) \"$(echo a b)\"", ["a", "b", "a b"]), ("git `echo a` \"`echo \"b c\"`\"", ["a", "b c"]),
    ("git $(printf '%s\\n' a b)", ["a", "b"]), ("git \"$(printf 'a\\n\\n')\"", ["a"]), ("git $(echo -n a)b", ["ab"]),
    ("git \"$(cat <<'E'\nit's \"x\" $y `z`\nE\n)\"", ["it's \"x\" $y `z`"]),
    ("x=1; git \"$(cat <<E\nit's $x \\$y\nE\n)\"", ["it's 1 $y"]), ("git \"$(cat <<-E\n\t\ta\n\tE\n)\"", ["a"]),
    ("git \"$(echo \"a $(echo 'b c')\")\"", ["a b c"]), ("git $(echo \"a\"'b'c)", ["abc"]), ("git \"$(echo '$x')\"", ["$x"]),
    ("git $(true) a", ["a"]), ("git \"$(true)\"", [""]),
    ("git \"$(cat <<< 'a b')\"", ["a b"]), ("cat > f <<E\na b\nE\ngit \"$(cat f)\" $(<f)", ["a b", "a", "b"]),
    ("echo a > f; echo b >> f; git $(cat f)", ["a", "b"]),
    ("git $(dirname a/b/c) $(basename a/b/c) $(basename c.py .py)", ["a/b", "c", "c"]), ("read x <<< 'a b'; git \"$x\"", ["a b"]),
    ("read x y <<< 'a b c'; git $x", ["a"]),
    ("printf -v x '%s-%d' a 1; git $x", ["a-1"]), ("x=$(printf '%s,' a b); git $x", ["a,b,"]), ("git $(printf %s a%b)", ["a%b"]),
    ("git $(printf 'a\\tb' | cat) ", ["a", "b"]), ("git $(echo -e 'a\\nb')", ["a", "b"]), ("git $(echo 'a\\nb')", ["a\\nb"]),
    ("export x=1 y='a b'; git $x \"$y\"", ["1", "a b"]),
    ("f() { local x=2; }; x=1; f; git $x", ["1"]), ("f() { x=2; }; x=1; f; git $x", ["2"]), ("x=1; (x=2); git $x", ["1"]),
    ("x=1; { x=2; }; git $x", ["2"]), ("f() { git \"$@\" $1; }; f a 'b c'", ["a", "b c", "a"]),
    ("set -- a; f() { :; }; f b; git $1", ["a"]), ("x=1; unset x; git a$x", ["a"]), ("x=1; echo a | x=2; git $x", ["1"]),
    ("for x in a; do git $x; done", ["a"]), ("for x in 'a b'; do git $x \"$x\"; done", ["a", "b", "a b"]),
    ("set -- a; for x; do git $x; done", ["a"]), ("for x in a b; do :; done; git $x", ["b"]), ("x='*'; git \"$x\"", ["*"]),
    ("git '*' \\* \"?\" '[a]'", ["*", "*", "?", "[a]"]), ("git no*such no?such no[s]uch", ["no*such", "no?such", "no[s]uch"]),
    ("git a=b a=~ --x=~/y", ["a=b", "a=/home/t", "--x=~/y"]), ("git '~' \"~\" \\~ a~", ["~", "~", "~", "a~"]),
    ("HOME=/h; git ~ ~/x", ["/h", "/h/x"]), ("HOME=/h; x=~/y; git $x", ["/h/y"]),
    ("eval 'git a \"b c\"'", ["a", "b c"]), ("eval git a '\"b c\"'", ["a", "b c"]),
    ("eval \"git a $(echo b) '$(echo c)'\"", ["a", "b", "c"]),
    ("sh -c 'git \"$0\" \"$@\"' a 'b c' d", ["a", "b c", "d"]), ("bash -c 'git $1' _ x", ["x"]), ("x=1; export x; sh -c 'git $x'", ["1"]),
    ("x=1; sh -c 'git a$x'", ["a"]), ("x=1 sh -c 'git a$x'", ["a1"]), ("echo 'git a \"b c\"' | sh", ["a", "b c"]),
    ("sh <<E\ngit a\nE\n", ["a"]), ("sh <<'E'\nx=1\ngit $x\nE\n", ["1"]), ("bash -s x <<< 'git $1'", ["x"]),
    ("g=git; $g a", ["a"]), ("g='git a'; $g b", ["a", "b"]), ("$(echo git) a", ["a"]),
    ("g=(git a 'b c'); \"${g[@]}\" d", ["a", "b c", "d"]), ("g() { git x \"$@\"; }; g a", ["x", "a"]), ("\"git\" a", ["a"]),
    ("\\git a", ["a"]), ("gi''t a", ["a"]), ("git a 2>/dev/null", ["a"]), ("git 2> /dev/null a >/dev/null b", ["a", "b"]),
    ("git a 2>&1 b", ["a", "b"]), ("git a &>/dev/null", ["a"]),
    ("git a2>/dev/null", ["a2"]), ("git a 2 >/dev/null", ["a", "2"]), ("git a {fd}>/dev/null", ["a"]),
    ("git a >/dev/null#x 2>/dev/null", ["a"]), ("git a<<<b", ["a"]), ("git a <<E b\nx\nE\n", ["a", "b"]), ("git ! a", ["!", "a"]),
    ("! git a", ["a"]), ("time -p git a", ["a"]), ("git if then { } fi", ["if", "then", "{", "}", "fi"]),
    ("git a;# b", ["a"]), ("git a\r\n", ["a"]), ("git a\\\r\n b", ["a", "b"]), ("git \ta\t\tb", ["a", "b"]),
    ("git a\u00a0b", ["a\u00a0b"]), ("git é 'ü' \"ß\"", ["é", "ü", "ß"]), ("git a\\", ["a\\"]), ("git \"a'b\" 'c\"d'", ["a'b", 'c"d']),
    ("git \"${y:-\"a\"}\"", ["a"]), ("git ${y:-\\}}", ["}"]), ("git \"${y:-a}b}\"", ["ab}"]),
    ("cat <<E\n$(git a)\nE\n", ["a"]), ("cat <<-E\n" + "\t" * 70 + "E\ngit a", ["a"]), ("cat <<'E'\n$(git b)\nE\ngit a", ["a"]),
    ("cat <<E; git a\n$(echo x)\nE\n", ["a"]), ("cat <<A <<B\n$(git a)\nA\nx\nB\n", ["a"]), ("cat <<\\E\n`git b`\nE\ngit a", ["a"]),
    ("cat <<E\n\\$(git b)\nE\ngit a", ["a"]), ("cat <<\"E F\"\n$(git b)\nE F\ngit a", ["a"]),
    ("x=5; git a $((x+1))", ["a", "6"]), ("x=(a [5]=b c); git ${x[5]} ${x[6]}", ["b", "c"]), ("git ${10}a $10", ["a", "0"]),
    ("declare -A m=([k]=v); git ${m[k]}", ["v"]), ("x=$'a\\nb'; git $x", ["a", "b"]), ("IFS=,; x=a,b; git $x", ["a", "b"]),
    ("IFS=/ read a b <<< x/y; git $b", ["y"]), ("x='a b'; y=$x; git \"$y\"", ["a b"]), ("x=\"a b\"; y=`echo $x`; git $y", ["a", "b"]),
    ("case a in a) git x;; esac", ["x"]), ("[[ a == a ]] && git x", ["x"]), ("if true; then git x; fi", ["x"]), ("true && git x", ["x"]),
    ("false || git x", ["x"]), ("((1)) && git x", ["x"]), ("coproc git x; wait", ["x"]), ("{ git x; } 2>/dev/null", ["x"]),
    ("(git x)", ["x"]), ("git x | cat", ["x"]), ("git x |& cat", ["x"]), ("git x & wait", ["x"]), ("echo $(git x)", ["x"]),
    ("cat <(git x)", ["x"]), ("echo > >(git x); wait", ["x"]),
    ("x=$(git x)", ["x"]), ("echo ${y:-$(git x)}", ["x"]), ("echo $(( $(git x) + 1 ))", ["x"]), ("z[$(git x)0]=1", ["x"]),
    ("z=(1); echo ${z[$(git x)0]}", ["x"]), ("[[ -n $(git x) ]]", ["x"]), ("for i in $(git x); do :; done", ["x"]),
    ("case $(git x) in *) ;; esac", ["x"]), ("echo > /dev/null$(git x)", ["x"]), ("echo \"${y:-`git x`}\"", ["x"]),
    ("y=\"$(git x)\" true", ["x"]), ("((z = $(git x) 1)) 2>/dev/null", ["x"]),
    ("cat <<< $(git x)", ["x"]), ("f() { git x; } >/dev/null; f", ["x"]), ("f() ( git x ); f", ["x"]), ("function f { git x; }; f", ["x"]),
    ("f () { git x; }; f", ["x"]), ("f()\n\n{\ngit x\n}\nf", ["x"]), ("trap 'git x' EXIT", ["x"]), ("trap \"git x\" 0", ["x"]),
    ("exec git x", ["x"]), ("command git x", ["x"]), ("builtin eval git x", ["x"]), ("if git x; then :; fi", ["x"]),
    ("while git x; do break; done", ["x"]), ("until ! git x; do break; done", ["x"]),
    ("for ((i=0;i<1;i++)); do git x; done", ["x"]), ("select i in a; do git x; break; done <<< 1 2>/dev/null", ["x"]),
    ("echo a | while read -r l; do git $l; done", ["a"]), ("echo a | { read l; git $l; }", ["a"]),
    ("while read l; do git $l; done < <(echo a)", ["a"]), ("echo a | xargs git", ["a"]), ("mapfile -t l <<< 'a'; git ${l[0]}", ["a"]),
    ("let y=1; git $y", ["1"]), ("y=1; ((y++)); git a", ["a"]),
    ("y=1; [[ $y ]] && y=1; git $y", ["1"]), ("git 'a\nb'", ["a\nb"]), ("git \"a\nb\"", ["a\nb"]), ("git a | cat | cat; :", ["a"]),
    ("return 2>/dev/null; git a", ["a"]), ("git $[1+1]", ["2"]), ("git $'a'\"$(echo b)\"`echo c`{d,e}", ["abcd", "abce"]),
    ("x=a; git \"\\$x\" \"$x\\\"\"", ["$x", 'a"']),
]


def matches(found: list[str], expected: list[str]) -> bool:
    """A hole is right wherever a value is more than we follow; it may be several arguments, or none."""
    return fits(tuple(found), tuple(expected))


@pytest.mark.parametrize(("text", "expected"), SAME_AS_BASH, ids=[text for text, _ in SAME_AS_BASH])
def test_the_arguments_are_those_of_bash(text: str, expected: list[str]) -> None:
    followed = follow(text)
    assert followed.unread == []
    assert all(matches(argv, expected) for argv in followed.argvs), "more than once is no harm"
    assert followed.argvs


@pytest.fixture(scope="module")
def printer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git that says how it was called."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "git").write_text("#!/bin/sh\nprintf '%s\\037' \"$@\" >> \"$LOG\"\nprintf '\\036' >> \"$LOG\"\n")
    (folder / "git").chmod(0o755)
    return folder


@pytest.mark.parametrize(("text", "expected"), SAME_AS_BASH, ids=[text for text, _ in SAME_AS_BASH])
def test_the_table_is_true(printer: Path, tmp_path: Path, text: str, expected: list[str]) -> None:
    log = tmp_path / "log"
    log.write_text("")
    (tmp_path / "in").mkdir()
    subprocess.run(["bash", "--norc", "-c", text.replace("\r\n", "\n")], cwd=tmp_path / "in", capture_output=True,
    stdin=subprocess.DEVNULL, timeout=20, check=False,
                   env={"PATH": f"{printer}:/usr/bin:/bin", "LOG": str(log), "HOME": "/home/t", "LC_ALL": "C.UTF-8"})
    assert log.read_text() == "".join([word + "\x1f" for word in expected]) + "\x1e"


# Values that a table of bash would not show: they depend on what the text does not say.
UNKNOWN = [
    ("git $x/f", [HOLE + "/f"]), ("git a$(date)b", ["a" + HOLE + "b"]), ("git \"$(git y)\"", [HOLE]), ("x=$(date); git \"$x\"", [HOLE]),
    ("read x; git \"$x\"", [HOLE]), ("git ${x/a/b}", [HOLE]), ("for x in $(date); do git \"$x\"; done", [HOLE]),
    ("if date; then x=1; else x=2; fi; git $x", [HOLE]), ("cd \"$(date)\"; git \"$PWD\"", [HOLE]), ("git \"$RANDOM\"", [HOLE]),
    ("git $((RANDOM))", [HOLE]), ("git \"${NOT_SET_HERE}\"", [HOLE]), ("mapfile x; git \"${x[0]}\"", [HOLE]),
    ("while date; do x=1; done; git \"$x\"", [HOLE]),
    ("x=1; while date; do x=2; done; git \"$x\"", [HOLE]), ("x=1; date && x=2; git \"$x\"", [HOLE]),
    ("x=1; case $(date) in a) x=2;; esac; git \"$x\"", [HOLE]), ("x=1; [[ -f y ]] && x=2; git \"$x\"", [HOLE]),
    ("x=1; date || x=2; git \"$x\"", [HOLE]), ("x=1; if [ -f y ]; then unset x; fi; git \"$x\"", [HOLE]),
]


@pytest.mark.parametrize(("text", "expected"), UNKNOWN, ids=[text for text, _ in UNKNOWN])
def test_what_cannot_be_known_is_a_hole(text: str, expected: list[str]) -> None:
    assert follow(text).argvs[-1] == expected


# --- where git runs --------------------------------------------------------------------------------------------------

PLACES = [
    ("git x", {"/r"}), ("cd a && git x", {"/r/a"}), ("cd a; git x", {"/r/a"}), ("cd a/b/..; git x", {"/r/a"}), ("cd /w; git x", {"/w"}),
    ("cd; git x", {"/home/t"}), ("cd ~; git x", {"/home/t"}), ("cd ~/x && git x", {"/home/t/x"}), ("cd 's p' && git x", {"/r/s p"}),
    ("cd a; cd -; git x", {"/r"}),
    ("(cd a); git x", {"/r"}), ("(cd a; git x)", {"/r/a"}), ("{ cd a; }; git x", {"/r/a"}), ("cd a | cat; git x", {"/r"}),
    ("cd a & git x", {"/r"}), ("echo $(cd a); git x", {"/r"}), ("$(cd a; git x)", {"/r/a"}), ("f() { cd a; }; f; git x", {"/r/a"}),
    ("f() (cd a); f; git x", {"/r"}), ("pushd a; git x", {"/r/a"}), ("pushd a; popd; git x", {"/r"}),
    ("git -C a x", {"/r/a"}), ("git -C a -C b x", {"/r/a/b"}), ("git -C /w x", {"/w"}), ("cd a; git -C .. x", {"/r"}),
    ("env -C a git x", {"/r/a"}), ("env --chdir=a git x", {"/r/a"}), ("sudo -D a git x", {"/r/a"}), ("cd nowhere; git x", {"/r"}),
    ("cd nowhere || git x", {"/r"}), ("mkdir new && cd new && git x", {"/r/new"}),
    ("mkdir -p n/m; cd n/m; git x", {"/r/n/m"}), ("cd \"$X\" && git x", {HOLE}), ("cd $(git y); git x", {HOLE}),
    ("cd \"$HOME\"; git x", {"/home/t"}), ("D=a; cd $D; git x", {"/r/a"}), ("cd ${D:-a}; git x", {"/r/a"}),
    ("cd \"$(pwd)/a\"; git x", {"/r/a"}), ("cd \"$PWD/a\"; git x", {"/r/a"}), ("cd a && cd b && git x", {"/r/a/b"}),
    ("for i in 1; do cd a; done; git x", {"/r/a"}), ("sh -c 'cd a; git x'", {"/r/a"}), ("sh -c 'cd a'; git x", {"/r"}),
    ("eval 'cd a'; git x", {"/r/a"}),
    ("bash <<E\ncd a\ngit x\nE\n", {"/r/a"}), ("cd a; sh -c 'git x'", {"/r/a"}), ("cd a; (git x)", {"/r/a"}), ("cd -- a; git x", {"/r/a"}),
    ("cd -P a; git x", {"/r/a"}), ("CDPATH= cd a; git x", {"/r/a"}), ("command cd a; git x", {"/r/a"}), ("builtin cd a; git x", {"/r/a"}),
    ("cd a >/dev/null; git x", {"/r/a"}), ("! cd a; git x", {"/r/a"}), ("time cd a; git x", {"/r/a"}), ("cd a\ngit x", {"/r/a"}),
    ("trap 'git x' EXIT; cd a", {"/r/a"}), ("(trap 'git x' EXIT; cd a)", {"/r/a"}), ("true && cd a; git x", {"/r/a"}),
]
# What depends on the outcome of a command, or could: at least these.
DOUBTFUL_PLACES = [
    ("if date; then cd a; fi; git x", {"/r", "/r/a"}), ("if date; then cd a; else cd /w; fi; git x", {"/r/a", "/w"}),
    ("date && cd a; git x", {"/r", "/r/a"}), ("date || cd a; git x", {"/r", "/r/a"}),
    ("case $y in a) cd a;; b) cd /w;; esac; git x", {"/r", "/r/a", "/w"}),
    ("cd a && true || cd /w; git x", {"/r/a"}), ("cd a || cd /w; git x", {"/r/a"}), ("false || cd a; git x", {"/r/a"}),
    ("find . -execdir git x \\;", {"/r/" + HOLE}), ("cd nowhere && cd a; git x", {"/r"}), ("git diff --quiet && exit 0; git x", {"/r"}),
    ("date && { exit; }; git x", {"/r"}), ("date && return; git x", {"/r"}), ("date && exec true; git x", {"/r"}),
    ("cd nowhere && cd a && cd b; git x", {"/r"}), ("cd a && cd nowhere; git x", {"/r/a"}),
    ("cd a && cd nowhere && cd b; git x", {"/r/a"}), ("(cd nowhere && cd a; git x)", {"/r"}), ("cd nowhere && cd a || git x", {"/r"}),
    ("cd nowhere || cd a; git x", {"/r/a"}), ("while date; do cd ..; done; git x", {"/r", "/"}),
    ("test -d a && cd a; git x", {"/r", "/r/a"}), ("git pull && cd a; git x", {"/r", "/r/a"}), ("false && cd a; git x", {"/r"}),
    ("cd a && git x || git x", {"/r/a"}), ("(exit 1) && cd a; git x", {"/r"}), ("! date && cd a; git x", {"/r", "/r/a"}),
    ("[ -f y ] || cd a; git x", {"/r", "/r/a"}),
    ("for i in $(date); do cd a; done; git x", {"/r", "/r/a"}), ("f() { date && return; cd a; }; f; git x", {"/r", "/r/a"}),
    ("[ -f y ] && exit; git x", {"/r"}), ("date || exit; git x", {"/r"}), ("if date; then exit; fi; git x", {"/r"}),
    ("exit & git x", {"/r"}), ("(exit); git x", {"/r"}), ("exit | cat; git x", {"/r"}),
    ("sh -c exit; git x", {"/r"}), ("$(exit); git x", {"/r"}), ("f() { return; }; f; git x", {"/r"}),
    ("eval return 2>/dev/null; git x", {"/r"}), ("return 2>/dev/null; git x", {"/r"}), ("false && exit; git x", {"/r"}),
    ("case $y in a) exit;; esac; git x", {"/r"}), ("for i in $(date); do exit; done; git x", {"/r"}),
    ("while date; do exit; done; git x", {"/r"}),
    ("for i in a b; do break; git y; done; git x", {"/r"}), ("exec true & git x", {"/r"}), ("exec 3>&1; git x", {"/r"}),
    ("exec nosuch || git x", {"/r"}), ("command exit || git x; git x", set()), ("cd a b 2>/dev/null; git x", {"/r"}),
    ("cd '' && git x", {"/r"}), ("f() { exit; }; f | cat; git x", {"/r"}), ("trap exit EXIT; git x", {"/r"}),
]


@pytest.mark.parametrize(("text", "expected"), PLACES, ids=[text for text, _ in PLACES])
def test_where_git_runs(text: str, expected: set[str]) -> None:
    assert places_of(text) == expected


@pytest.mark.parametrize(("text", "expected"), DOUBTFUL_PLACES, ids=[text for text, _ in DOUBTFUL_PLACES])
def test_where_git_may_run(text: str, expected: set[str]) -> None:
    found = places_of(text)
    assert expected <= found or HOLE in found


def places_of(text: str) -> set[str]:
    return {folder for one in follow(text).started if one.argv == ("x",) for folder in one.folders}
