"""A table for people: as wide as its cells need, 100 columns at most, each character counted by the columns it takes on a terminal."""
from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

WIDTH = 100
GAP = "  "
Paint = Callable[[str, int, str], str]  # (title, number of the row with 0 for the titles, text) -> text


def plain(_title: str, _row: int, text: str) -> str:
    return text


def table(titles: Sequence[str], floors: Sequence[int], rows: Sequence[Sequence[str]], paint: Paint = plain) -> list[str]:
    """Columns that are empty for every row are left out; those with long cells give way first, down to their floor."""
    clean = [[spelt_out(cell) for cell in cells] for cells in rows]
    shown = [n for n in range(len(titles)) if any(cells[n] for cells in clean)]
    lines = [[cells[n] for n in shown] for cells in (titles, *clean)]
    natural = [max(width(cell) for cell in column) for column in zip(*lines, strict=True)]
    widths = fitted(natural, [floors[n] for n in shown], WIDTH - len(GAP) * (len(shown) - 1))
    said = []
    for number, line in enumerate(lines):
        cells = [shortened(cell, most) for cell, most in zip(line, widths, strict=True)]
        padded = [paint(titles[n], number, cell) + " " * (most - width(cell)) for n, cell, most in zip(shown, cells, widths, strict=True)]
        said.append(GAP.join(padded).rstrip())
    return said


def fitted(natural: Sequence[int], floors: Sequence[int], most: int) -> list[int]:
    """Widths that are `most` together: the widest that is above its floor gives way, one column at a time."""
    widths = list(natural)
    while sum(widths) > most:
        above = [n for n, floor in enumerate(floors) if widths[n] > floor]
        if not above:
            break
        widths[max(above, key=lambda n: widths[n])] -= 1
    return widths


def spelt_out(text: str) -> str:
    """What is no printable character (a folder's name may hold a newline, or an escape sequence), as Python would write it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def width(text: str) -> int:
    """Columns of a terminal: two for wide characters, none for marks that stand on the one before."""
    return sum(0 if unicodedata.category(c) in ("Mn", "Me") else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shortened(text: str, most: int) -> str:
    """At most that wide: names differ at both ends, so the middle goes."""
    if width(text) <= most:
        return text
    head = beginning(text, most // 2)
    tail = beginning(text[::-1], most - 1 - width(head))[::-1]
    return f"{head}…{tail}"


def beginning(text: str, most: int) -> str:
    """As much of it as is not wider."""
    taken = 0
    for n, char in enumerate(text):
        taken += width(char)
        if taken > most:
            return text[:n]
    return text
