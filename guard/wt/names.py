"""Names of worktrees: from what a person types to a folder that every system can hold."""
from __future__ import annotations

import random
from datetime import datetime, timezone

RESERVED = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))}
COLOURS = ("amber", "ashen", "azure", "birch", "brisk", "calm", "clear", "coral", "dusky", "early", "fern", "fleet", "fresh", "gentle",
           "golden", "hazel", "ivory", "jade", "keen", "light", "lunar", "maple", "misty", "noble", "olive", "pearl", "plain", "quick",
           "quiet", "rapid", "rosy", "russet", "sandy", "silver", "slate", "solar", "still", "swift", "tidal", "vivid")
THINGS = ("acorn", "anchor", "badger", "basin", "beacon", "bridge", "brook", "canyon", "cedar", "cliff", "comet", "cove",
          "crane",
          "delta", "dune", "falcon", "fjord", "forest", "garden", "glade", "harbor", "heron", "hill", "island", "lagoon", "lake",
          "lantern", "meadow", "mesa", "otter", "pebble", "pine", "prairie", "raven", "reef", "ridge", "river",
          "spring", "summit", "valley")


def slug(name: str) -> str:
    """A folder name, different for different names: feat/a -> feat+a, "a b" -> a=20b. A plain name stays as it is."""
    kept = "".join(_kept(char) for char in name)
    if kept.split(".")[0].lower() in RESERVED or kept[:1] in (".", "-"):
        kept = f"={ord(kept[0]):02x}" + kept[1:]
    if kept.endswith("."):
        kept = kept[:-1] + "=2e"
    return kept


def for_ref(name: str) -> str:
    """A part of a ref's name: no "..", which none may have (git-check-ref-format(1)), and 50 letters, for which 255 bytes are enough."""
    return slug(name).replace("..", ".=2e")[:50]


def stamp() -> str:
    """Now, as it stands in names: UTC to the second."""
    return datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")


def _kept(char: str) -> str:
    if char == "/":
        return "+"
    if char.isalnum() or char in "._-":
        return char
    return "".join(f"={byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))


def two_words(taken: set[str]) -> str:
    """A name nobody has yet, such as quiet-harbor."""
    free = [f"{colour}-{thing}" for colour in COLOURS for thing in THINGS if f"{colour}-{thing}" not in taken]
    return random.choice(free)


def unique(name: str, taken: set[str]) -> str:
    """`name`, or name-2, name-3, … when it is taken."""
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name}-{n}"
    return candidate


def readable(text: str) -> str:
    """For prose: bytes that are no UTF-8 (in a file's name, a commit in an encoding that git does not know) as JSON can hold them."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
