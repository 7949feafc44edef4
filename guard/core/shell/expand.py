"""Words to arguments: braces, tilde, parameters, substitutions, splitting. (bash(1), EXPANSION)

What cannot be known becomes a HOLE in the text, so that `$X/f` is still known to end in /f.
"""
from guard.core.shell import HOLE, MATH, OUTPUT, PATTERNS, PROCESS, QUOTED, TEXT, VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from guard.core.shell import Part, Word
    from guard.core.shell.run import Shell

MOST_BRACES = 64
LONGEST, MOST = 100_000, 1_000  # of a value, of the elements of a list: beyond them it counts as unknown
BLANKS = " \t\n"


def arguments(shell: "Shell", words: "list[Word]") -> "list[str]":
    """The arguments that a program would get."""
    found: "list[str]" = []
    for word in words:
        if isinstance(word, str):
            found.append(word)
            continue
        for one in braces(word):
            for field in fields(shell, one):
                if field == "\3":  # the program [
                    found.append("[")
                elif "\1" in field or "\2" in field or "\3" in field:
                    from guard.core.shell.names import expanded
                    found += expanded(shell, field)
                else:
                    found.append(field)
            if len(found) > MOST:
                return [HOLE] if sum(map(len, found)) > LONGEST * 10 or len(found) > MOST * 20 else found
    return found


def text(shell: "Shell", word: "Word", matches: bool = False) -> str:
    """One text, neither split nor matched: an assignment's value, a here-document, a redirection's target."""
    if isinstance(word, str):
        return word
    return bounded("".join([piece if isinstance(piece, str) else " ".join(piece) for piece, _ in pieces(shell, word, matches)]))


def bounded(value: str) -> str:
    """a=$a$a$a would double without end."""
    return value if len(value) <= LONGEST else HOLE


def fields(shell: "Shell", word: "Word") -> "list[str]":
    """A word without braces, split where unquoted values hold blanks."""
    found: "list[str]" = []
    now: "str | None" = None
    parts = pieces(shell, word, True)
    if sum([len(piece) for piece, _ in parts]) > LONGEST:
        return [HOLE]
    blanks = shell.variables.get("IFS")
    if isinstance(blanks, str):
        table = {ord(c): " " for c in blanks}
        parts = [(piece if whole or not isinstance(piece, str) else piece.translate(table), whole) for piece, whole in parts]
    for piece, whole in parts:
        if not isinstance(piece, str):  # "$@": each its own field
            for n, one in enumerate(piece):
                if n:
                    found.append(now or "")
                    now = ""
                now = (now or "") + one
        elif whole:
            now = (now or "") + piece
        else:
            split = piece.split()
            if piece[:1] in BLANKS and piece and now is not None:
                found.append(now)
                now = None
            for n, one in enumerate(split):
                if n:
                    found.append(now or "")
                    now = ""
                now = (now or "") + one
            if split and piece[-1] in BLANKS:
                found.append(now or "")
                now = None
    return found if now is None else [*found, now]


def pieces(shell: "Shell", word: "Any", matches: bool) -> "list[tuple[Any, bool]]":
    """(text or a list of texts, is it kept whole?) for each part."""
    found: "list[tuple[Any, bool]]" = []
    for n, part in enumerate(word):
        kind = part[0]
        if kind == TEXT:
            written = part[1]
            if n == 0 and written[:1] == "~":
                written = tilde(shell, written)
            elif n == 0 and "=~" in written and written.partition("=")[0].replace("_", "a").isalnum():
                name, _, rest = written.partition("=")
                written = f"{name}={tilde(shell, rest)}" if rest[:1] == "~" else written
            found.append((written.translate(PATTERNS) if matches else written, True))
        elif kind == QUOTED:
            found.append((part[1], True))
        elif kind == VALUE:
            found.append(value(shell, part))
        elif kind == OUTPUT:
            found.append((shell.output_of(part[1]).rstrip("\n"), part[2]))
        elif kind == MATH:
            text(shell, tuple(part[1]))  # for the commands in it
            found.append((HOLE, True))
        elif kind == PROCESS:
            from guard.core.shell.streams import stream_of
            found.append((stream_of(shell, part[1], part[2]), True))
    return found


def tilde(shell: "Shell", written: str) -> str:
    name, slash, rest = written.partition("/")
    if name == "~":
        return (shell.named("HOME") or HOLE) + slash + rest
    if name == "~+":
        return shell.folder() + slash + rest
    return written if name[1:2] in ("{", "") else HOLE + slash + rest


# --- parameters ------------------------------------------------------------------------------------------------------

def value(shell: "Shell", part: "Part") -> "tuple[Any, bool]":
    """What `$x`, `"$@"` or `${x...}` stands for."""
    _, name, operator, argument, quoted = part
    if name[-3:] == "[?]":  # its index has commands in it
        text(shell, (argument[0],))
        return (HOLE, quoted)
    plain, index = name.partition("[")[::2]
    listed = plain in ("@", "*") or index in ("@]", "*]")
    if operator == "length" or operator[:1] == "!":
        return (HOLE if operator == "length" else indirect(shell, plain, operator), quoted)
    known = shell.list_of(plain) if listed else shell.value_of(plain, index[:-1])
    if operator == ":" and listed:
        return (sliced(shell, known if isinstance(known, list) else [known or ""], text(shell, argument)), True)
    if operator:
        joined = " ".join(known) if isinstance(known, list) else known
        whole = quoted or (operator.lstrip(":") in ("-", "=", "+") and all(part[0] == QUOTED for part in argument) and len(argument) > 0)
        return (operated(shell, joined, plain, operator, argument), whole)
    if isinstance(known, list):
        if len(known) > MOST:
            return (HOLE, True)
        if quoted and (plain == "@" or index == "@]"):
            return (known, True)
        return (" ".join(known), quoted)
    return (HOLE if known is None and shell.is_unknown(plain) else known or "", quoted)


def sliced(shell: "Shell", known: "list[str]", bounds: str) -> "Any":
    """`${@:2}`, `${@:1:3}`: the first argument is number 1."""
    start, _, size = [part.strip() for part in bounds.partition(":")]
    if not is_number(start) or start[:1] in ("-", "0") or (size and not is_number(size)):
        return [HOLE]
    return known[int(start) - 1:][:int(size) if size else None]


def indirect(shell: "Shell", name: str, operator: str) -> str:
    if len(operator) == 1:
        other = shell.value_of(name, "")
        if other and HOLE not in other:
            return shell.value_of(other, "") or HOLE
    return HOLE


def operated(shell: "Shell", known: "str | None", name: str, operator: str, argument: "Word") -> str:
    """`${x<operator>argument}`. A variable that nobody has set here counts as unset where a default is given for that."""
    for part in argument if not isinstance(argument, str) else ():
        if part[0] in (OUTPUT, MATH):
            text(shell, (part,))  # its commands run, whatever becomes of the value
    plain = operator.lstrip(":")
    if plain in ("-", "=", "+", "?"):
        there = known is not None and (known != "" or operator[0] != ":")
        if plain == "+":
            return text(shell, argument) if there else ""
        if there or plain == "?":
            return known if known is not None else HOLE
        given = text(shell, argument)
        if plain == "=":
            shell.variables[name] = given
        return given
    if known is None:
        return HOLE if shell.is_unknown(name) else ""
    given = text(shell, argument)
    if HOLE in known or HOLE in given:
        return HOLE
    if operator in ("#", "##", "%", "%%"):
        return trimmed(known, given, operator)
    plain_slashes = not any(part[0] == QUOTED and "/" in part[1] for part in argument if not isinstance(part, str))
    if operator in ("/", "//") and plain_slashes and not any(c in given for c in "*?[\\"):
        old, _, new = given.partition("/")
        return bounded(known.replace(old, new, -1 if operator == "//" else 1)) if old else known
    if operator == ":" and is_number(given.partition(":")[0].strip()):
        start, _, size = [part.strip() for part in given.partition(":")]
        if start[:1] != "-" and (not size or (is_number(size) and size[:1] != "-")):
            return known[int(start):][:int(size) if size else None]
    if operator in ("^^", ",,") and not given:
        return known.upper() if operator == "^^" else known.lower()
    return HOLE


def trimmed(known: str, pattern: str, operator: str) -> str:
    """`${x%pattern}` and its kin, for a literal with at most one star at its inner or outer end."""
    body = pattern.strip("*")
    if any(c in body for c in "*?[\\") or (pattern != body and len(pattern) - len(body) != 1):
        return HOLE
    if operator[0] == "%":
        if pattern == body:
            return known[:-len(body)] if body and known.endswith(body) else known
        at = known.find(body) if operator == "%%" else known.rfind(body)
        return known[:at] if at >= 0 and pattern[-1] == "*" else known if at < 0 else HOLE
    if pattern == body:
        return known[len(body):] if body and known.startswith(body) else known
    at = known.rfind(body) if operator == "##" else known.find(body)
    return known[at + len(body):] if at >= 0 and pattern[0] == "*" else known if at < 0 else HOLE


# --- braces ----------------------------------------------------------------------------------------------------------

def braces(word: "Word") -> "list[Word]":
    """`a{b,c}` -> `ab`, `ac`."""
    if not any(part[0] == TEXT and "{" in part[1] for part in word):
        return [word]
    atoms: "list[Any]" = []
    for part in word:
        if part[0] != TEXT:
            atoms.append(part)
            continue
        at = 0
        for n, c in enumerate(part[1]):
            if c in "{},":
                atoms += [(TEXT, part[1][at:n]), c] if n > at else [c]
                at = n + 1
        if at < len(part[1]):
            atoms.append((TEXT, part[1][at:]))
    if len(atoms) > MOST_BRACES * 4:
        return [((QUOTED, HOLE),)]
    return [tuple([(TEXT, atom) if isinstance(atom, str) else atom for atom in one]) for one in alternatives(atoms)]


def alternatives(atoms: "list[Any]") -> "list[list[Any]]":
    for n, atom in enumerate(atoms):
        if atom != "{":
            continue
        commas, level = [n], 0
        for m in range(n, len(atoms)):
            level += {"{": 1, "}": -1}.get(atoms[m], 0) if isinstance(atoms[m], str) else 0
            if atoms[m] == "," and level == 1:
                commas.append(m)
            if not level:
                inner = [atoms[a + 1:b] for a, b in zip(commas, [*commas[1:], m])]
                given = [one for part in inner for one in alternatives(part)] if len(inner) > 1 else sequence(inner[0])
                if given:
                    tails = alternatives(atoms[m + 1:])
                    return [[*atoms[:n], *one, *tail] for one in given for tail in tails][:MOST_BRACES]
                break
    return [atoms]


def sequence(atoms: "list[Any]") -> "list[list[Any]]":
    """`{1..3}`, `{a..c}`"""
    plain = len(atoms) == 1 and isinstance(atoms[0], tuple) and atoms[0][0] == TEXT
    first, _, last = atoms[0][1].partition("..") if plain else ("", "", "")
    last, _, stride = last.partition("..")
    if is_number(first) and is_number(last) and (not stride or is_number(stride)):
        start, end = int(first), int(last)
        step = max(abs(int(stride or 1)), 1) * (1 if start <= end else -1)
        wide = max(len(first), len(last)) if (first.lstrip("-")[:1] == "0" or last.lstrip("-")[:1] == "0") else 0
        stop = end + (1 if step > 0 else -1)
        return [[(TEXT, str(n).zfill(wide))] for n in range(start, stop, step)[:MOST_BRACES]]
    if len(first) == len(last) == 1 and first.isascii() and last.isascii() and (first + last).isalpha() and not stride:
        start, end = ord(first), ord(last)
        return [[(TEXT, chr(n))] for n in range(start, end + (1 if start <= end else -1), 1 if start <= end else -1)]
    return []


def is_number(text: str) -> bool:
    """A whole number that fits: `isdigit` alone takes a superscript two for one."""
    bare = text[1:] if text[:1] == "-" else text
    return bare.isascii() and bare.isdigit() and len(bare) < 10
