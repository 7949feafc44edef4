"""ZCode: Claude Code's documents with every key twice; it takes every rewrite and shows the model no notes.

Its shell does not know the session's id, so a command that calls `wt` has it put in front (as zcode-worktree-guard does).
"""
from guard.clients import claude
from guard.core.model import Abilities, Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NAME = "zcode"
ABILITIES = Abilities(hands_over="ZCODE_SESSION_ID")
write = claude.write
tell = claude.tell


def place(document: "Any", env: "Callable[[str], str]") -> Call:
    return claude.place(document, env, NAME)


def read(document: "Any", env: "Callable[[str], str]") -> Call:
    """snake_case where both are there, camelCase else."""
    if isinstance(document, dict):
        for key, other in (("tool_name", "toolName"), ("tool_input", "toolInput")):
            if key not in document and other in document:
                document = {**document, key: document[other]}
    return claude.read(document, env, NAME)
