"""What goes wrong in `wt`, each with an exit status and the command that mends it."""

from __future__ import annotations

from typing import Any

DONE, FAILED, USAGE, OUR_FAULT, MISSING, INTERRUPTED = 0, 1, 2, 3, 127, 130


class WtError(Exception):
    """A refusal: what was `said`, a `code` for programs, a `hint` with the command that helps, an exit `status`.

    `details` is for programs: an object, or a list where several things stand in the way.
    """

    def __init__(self, said: str, *, code: str, hint: str = "", status: int = FAILED, details: Any = None) -> None:
        super().__init__(said)
        self.said, self.code, self.hint, self.status, self.details = said, code, hint, status, details or {}


class UsageError(WtError):
    """Wrong words or an unmet precondition: exit status 2, nothing was changed."""

    def __init__(self, said: str, *, code: str = "usage", hint: str = "", details: Any = None) -> None:
        super().__init__(said, code=code, hint=hint, status=USAGE, details=details)
