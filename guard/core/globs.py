"""gitignore patterns for `main_write_allow`, segment by segment (gitignore(5)); tests hold it against pathspec."""

EVERYTHING = ("", ".", "/", "*", "**", "/*", "/**", "**/*", "./", "*/", "**/", "/**/*", "/**/")


def matches(patterns: "tuple[str, ...]", path: str) -> bool:
    """Does the last pattern that fits `path` (relative, with slashes) include it? A pattern that opens the bare root is dropped."""
    found = False
    for pattern in patterns:
        negated = pattern.startswith("!")
        if negated and trimmed(pattern[1:]) in EVERYTHING:
            found = False
        elif fits(pattern[1:] if negated else pattern, path):
            found = not negated
    return found


def fits(pattern: str, path: str) -> bool:
    """One pattern against a path or one of the folders above it."""
    pattern = trimmed(pattern)
    if pattern in EVERYTHING or pattern.startswith("#") or "//" in pattern:  # git matches no empty part of a path
        return False
    only_folders = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    anchored = "/" in pattern
    wanted = pattern.lstrip("/").split("/")
    if not anchored:
        wanted = ["**", *wanted]
    parts = path.split("/")
    shortest = 1
    longest = len(parts) - 1 if only_folders else len(parts)
    return any(_segments(wanted, parts[:n]) for n in range(shortest, longest + 1))


def trimmed(pattern: str) -> str:
    """Trailing blanks do not count unless escaped."""
    while pattern.endswith(" ") and not pattern.endswith("\\ "):
        pattern = pattern[:-1]
    return pattern


def _segments(wanted: "list[str]", parts: "list[str]") -> bool:
    """Walks both lists once with one place to come back to: the last `**`. Never more than len(wanted) * len(parts) steps."""
    w = p = 0
    back: "tuple[int, int] | None" = None
    while p < len(parts):
        if w < len(wanted) and wanted[w] == "**":
            if w == len(wanted) - 1:
                return True  # a trailing /** takes everything inside
            back = (w, p)
            w += 1
        elif w < len(wanted) and segment(wanted[w], parts[p]):
            w += 1
            p += 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            w, p = back[0] + 1, back[1]
        else:
            return False
    return w == len(wanted)


def segment(pattern: str, name: str) -> bool:
    """`*`, `?`, `[a-z]`, `[!a]` and backslash escapes within one part of a path."""
    w = p = 0
    back: "tuple[int, int] | None" = None
    while p < len(name):
        length = 0
        if w < len(pattern):
            if pattern[w] == "*":
                back = (w, p)
                w += 1
                continue
            length = _one(pattern, w, name[p])
        if length:
            w += length
            p += 1
        elif back is not None:
            back = (back[0], back[1] + 1)
            w, p = back[0] + 1, back[1]
        else:
            return False
    return all(c == "*" for c in pattern[w:])


def _one(pattern: str, at: int, char: str) -> int:
    """How many characters of the pattern take this one character; 0 when they do not."""
    c = pattern[at]
    if c == "?":
        return 1
    if c == "\\":  # at the very end it escapes nothing, and git matches nothing
        return 2 if pattern[at + 1:at + 2] == char else 0
    if c != "[":
        return 1 if c == char else 0
    end = pattern.find("]", at + 3 if pattern[at + 1:at + 2] in ("!", "^") else at + 2)
    if end < 0:
        return 0
    inner = pattern[at + 1:end]
    negated = inner[:1] in ("!", "^")
    return end - at + 1 if _in_set(inner[1:] if negated else inner, char) != negated else 0


def _in_set(inner: str, char: str) -> bool:
    at = 0
    while at < len(inner):
        if inner[at + 1:at + 2] == "-" and at + 2 < len(inner):
            if inner[at] <= char <= inner[at + 2]:
                return True
            at += 3
        else:
            if inner[at] == char:
                return True
            at += 1
    return False
