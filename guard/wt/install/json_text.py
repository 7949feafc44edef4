"""JSON edited as text: one value put in or taken out, every other byte kept. A parse with the places of all values."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

DECODER = json.JSONDecoder()


@dataclass
class Node:
    """A value in the text at [start:end]; `members` of an object or `items` of an array, with their places."""

    start: int
    end: int
    value: Any
    members: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    key_start: int = -1  # of a member: where its key begins


def parse(text: str) -> Node:
    """The whole text as a Node. ValueError where it is not JSON."""
    node = _value(text, _skip(text, 0))
    if _skip(text, node.end) != len(text):
        raise ValueError(f"more than one value: character {node.end}")
    return node


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n\ufeff":
        at += 1
    return at


def _value(text: str, at: int) -> Node:
    if text[at:at + 1] not in ("{", "["):
        value, end = DECODER.raw_decode(text, at)
        return Node(at, end, value)
    json_object = text[at] == "{"
    node = Node(at, at, {} if json_object else [])
    at = _skip(text, at + 1)
    while text[at:at + 1] not in ("}", "]"):
        key_start, name = at, ""
        if json_object:
            if text[at:at + 1] != '"':
                raise ValueError(f"a name is expected at character {at}")
            name, at = scanstring(text, at + 1, True)
            at = _skip(text, at)
            if text[at:at + 1] != ":":
                raise ValueError(f"a colon is expected at character {at}")
            at = _skip(text, at + 1)
        inner = _value(text, at)
        inner.key_start = key_start
        if json_object:
            node.members[name], node.value[name] = inner, inner.value
        else:
            node.items.append(inner)
            node.value.append(inner.value)
        at = _skip(text, inner.end)
        if text[at:at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at:at + 1] not in ("}", "]"):
            raise ValueError(f"a comma is expected at character {at}")
    if text[at:at + 1] != ("}" if json_object else "]"):
        raise ValueError(f"the end is expected at character {at}")
    node.end = at + 1
    return node


def added(text: str, inside: Node, value: Any, name: str | None = None) -> str:
    """`value` as the last member (with `name`) or item of an object or array, indented like its neighbours."""
    inner = list(inside.members.values()) + inside.items
    indent = indent_of(text, inner[-1].key_start) if inner else indent_of(text, inside.start) + "  "
    body = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + indent)
    line = "\n" + indent + (json.dumps(name) + ": " if name is not None else "") + body
    if inner:
        return text[:inner[-1].end] + "," + line + text[inner[-1].end:]
    return text[:inside.start + 1] + line + "\n" + indent_of(text, inside.start) + text[inside.end - 1:]


def removed(text: str, inside: Node, inner: Node) -> str:
    """The text without one member or item, its comma and the blanks before it."""
    neighbours = list(inside.members.values()) + inside.items
    n = next(i for i, one in enumerate(neighbours) if one is inner)
    if n > 0:
        return text[:neighbours[n - 1].end] + text[inner.end:]
    if len(neighbours) > 1:
        return text[:inner.key_start] + text[neighbours[1].key_start:]
    return text[:inside.start + 1] + text[inside.end - 1:]


def replaced(text: str, inner: Node, value: Any) -> str:
    return text[:inner.start] + json.dumps(value) + text[inner.end:]


def indent_of(text: str, at: int) -> str:
    """The blanks at the beginning of the line that `at` stands in."""
    line = text[text.rfind("\n", 0, at) + 1:at]
    return line[:len(line) - len(line.lstrip(" \t"))]
