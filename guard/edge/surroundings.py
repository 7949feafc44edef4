"""What only the disk knows about a shell command while it is read: folders, variables, aliases. Handed to core/shell as `world`."""
from guard.core.paths import join
from guard.edge import repo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST = 200_000  # bytes of a script file that are read


class Surroundings:
    """One call's. Nothing is looked up that the text does not ask for."""

    def __init__(self, disk: "Any") -> None:
        self.disk = disk
        self.flavour = disk.FLAVOUR
        self._aliases: "dict[tuple[str, str], str]" = {}

    def variable(self, name: str) -> str:
        return str(self.disk.variable(name) or (self.disk.home() if name == "HOME" else ""))

    def is_folder(self, path: str) -> bool:
        return self.disk.kind(self.disk.real(path)) == "folder"

    def content(self, path: str) -> "str | None":
        """A script's text; None when there is none, or it is no text of a script's size."""
        try:
            found: "str | None" = self.disk.read(self.disk.real(path), LARGEST)
        except OSError:
            return None
        return found if found is not None and "\0" not in found else None

    def alias(self, folder: str, verb: str) -> str:
        """git's alias of that name, "" when there is none. Asked of git: the setting may stand in any of five files."""
        if not all([c.isalnum() or c == "-" for c in verb]):
            return ""
        key = (folder, verb)
        if key not in self._aliases:
            from guard.edge import ask_git
            self._aliases[key] = ask_git.alias(self.disk, folder, verb)
        return self._aliases[key]

    def head(self, folder: str) -> str:
        """The branch checked out there, "" when there is none."""
        found = repo.checkout_of(self.disk, self.disk.real(folder))
        return (repo.head(self.disk, found.gitdir) if found else "") or ""

    def top(self, folder: str) -> str:
        found = repo.checkout_of(self.disk, self.disk.real(folder))
        return found.root if found else ""


__all__ = ["Surroundings", "join"]
