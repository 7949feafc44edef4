"""worktree-guard. This file also holds a shorter way to our own bytecode, which the hook takes: a module costs it two calls, not nine.

Whatever is not as expected (no bytecode, another time or size of the source, hash-based, -O, a cache elsewhere) is left to Python's
own import, which also writes what is missing. Formats: PEP 552. On a shell command it saves a tenth of a bare interpreter.
"""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = "0.1.0"


class ShortWay:
    """Finder and loader in one, on sys.meta_path before Python's own. `root` is the folder that holds this package."""

    def __init__(self, root: str, system: "Any", spec: "Any", magic: bytes, suffix: str, loads: "Any") -> None:
        self.root, self.system, self.spec, self.magic, self.suffix, self.loads = root, system, spec, magic, suffix, loads

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name[:6] != "guard.":
            return None
        file = self.root + "/" + name.replace(".", "/")
        for folder, last, package in ((file.rpartition("/")[0], file.rpartition("/")[2], False), (file, "__init__", True)):
            try:
                code = self.code(f"{folder}/{last}.py", f"{folder}/__pycache__/{last}{self.suffix}")
            except (OSError, ValueError, EOFError, TypeError):
                continue
            if code is None:
                return None
            found = self.spec(name, self, origin=f"{folder}/{last}.py", loader_state=code, is_package=package)
            if package:
                found.submodule_search_locations.append(folder)
            found.has_location = True
            return found
        return None

    def code(self, source: str, cache: str) -> "Any":
        """The code in `cache` if it was made from this source, by its time and size; else None."""
        made = self.system.stat(source)
        fd = self.system.open(cache, self.system.O_RDONLY)
        try:
            data = self.system.read(fd, made.st_size * 4 + 8192)  # enough for any of ours; a larger buffer costs page faults
        finally:
            self.system.close(fd)
        expected = self.magic + b"\0\0\0\0" + (int(made.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little")
        if data[:12] != expected or data[12:16] != (made.st_size & 0xFFFFFFFF).to_bytes(4, "little"):
            return None
        return self.loads(memoryview(data)[16:])

    def create_module(self, spec: "Any") -> None:
        return None

    def exec_module(self, module: "Any") -> None:
        exec(module.__spec__.loader_state, module.__dict__)


def take_the_short_way(root: str) -> None:
    import sys
    try:
        import marshal
        import posix
        from _frozen_importlib import ModuleSpec
        from _frozen_importlib_external import MAGIC_NUMBER
    except ImportError:  # Windows, another Python: the long way
        return
    if not sys.flags.optimize and sys.pycache_prefix is None:
        sys.meta_path.insert(0, ShortWay(root, posix, ModuleSpec, MAGIC_NUMBER, f".{sys.implementation.cache_tag}.pyc", marshal.loads))
