"""Commands to programs: follows a script as bash would, and hands each program its arguments and the folder it runs in.

Nothing is run. What depends on the outcome of a command is followed both ways; a loop is followed until its folder settles.
"""
from guard.core.model import WRITE, Effect
from guard.core.paths import absolute, is_absolute, join
from guard.core.shell import HOLE, WRITTEN, Pipeline, Simple, Unreadable, can_fail
from guard.core.shell.expand import MOST, arguments, bounded, is_number, text
from guard.core.shell.parse import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from guard.core.shell import Node, Redirect, Script

MOST_FOLDERS = 8
MOST_NODES = 450  # commands followed in a call, each round of a loop counted
MOST_WRITES = 100
DEEPEST = 40  # scripts in scripts: about ten of Python's frames each


class Command:
    """One program as it would be started: arguments, the folders it may run in, variables of its own, standard input if known."""

    __slots__ = ("argv", "environment", "fed", "folders", "said", "search", "shell", "stdin")

    def __init__(self, argv: "list[str]", shell: "Shell", said: str, environment: "dict[str, str]", stdin: "str | None") -> None:
        self.argv, self.shell, self.said, self.environment, self.stdin = argv, shell, said, environment, stdin
        self.folders = shell.folders
        self.fed = False  # by find or xargs: a HOLE in its arguments is whatever lies there
        self.search: "tuple[str, ...]" = ()  # of that find: the number of its action, and its words

    def but(self, argv: "list[str]") -> "Command":
        """The same, of other arguments: what a wrapper starts."""
        other = Command(argv, self.shell, self.said, dict(self.environment), self.stdin)
        other.folders, other.fed, other.search = self.folders, self.fed, self.search
        return other

    def variable(self, name: str) -> str:
        """A variable as the program sees it, "" when it is not set."""
        if name in self.environment:
            return self.environment[name]
        return self.shell.value_of(name, "") or ""

    def path(self, written: str, folder: str) -> str:
        return self.shell.absolute(written, folder)


class Shell:
    """A shell's state on the way through a script. `world` answers what only the disk knows; `found` collects effects.

    `steps`: how many the reader took, and how many commands were followed.
    """

    def __init__(self, world: "Any", folder: str, steps: "list[int]") -> None:
        self.world, self.steps = world, steps
        self.folders: "tuple[str, ...]" = (folder,)
        self.variables: "dict[str, Any]" = {}      # a text, a list of texts, or None: known to be unset
        self.functions: "dict[str, Script]" = {}
        self.aliases: "dict[str, str]" = {}
        self.arguments: "list[str]" = []
        self.files: "dict[str, str]" = {}          # what this text itself has written, or left in a descriptor
        self.sinks: "dict[str, Script]" = {}       # >(...)
        self.traps: "dict[str, str]" = {}          # signal -> text
        self.visited: "list[str]" = []             # pushd
        self.found: "list[Effect]" = []
        self.known: "set[tuple[Any, ...]]" = set()
        self.unread: "list[str]" = []
        self.stdin: "str | None" = None
        self.made = self.ended = False
        self.missed: "tuple[str, ...] | None" = None
        self.folders_made: "set[str]" = set()
        self.removed: "set[str]" = set()           # rm, unlink, rmdir, mv
        self.repositories: "set[str]" = set()      # made by this text: git init, git clone
        self.links: "dict[str, str]" = {}          # ln -s
        self.searches: "dict[str, tuple[str, ...]]" = {}  # what a find printed -> the find
        self.heads: "dict[str, str]" = {}          # checkout -> the branch that this text has checked out there
        self.settings: "dict[str, str]" = {}       # git's, as this text has set them
        self.own: "dict[str, Any] | None" = None   # in a function: its local variables' values outside
        self.zero, self.entered, self.input, self.depth = "bash", "", "", 0  # $0; a `wt enter`'s worktree; stdin's file, or "-"
        self.in_submodule = self.in_function = False
        self.saved: "set[str]" = set()             # what a stash or a commit of this text has put away
        self.writes: "set[tuple[str, tuple[str, ...]]]" = set()
        self.all_added = self.ignores_changed = self.committed = self.unstaged = False
        self.stashed = 0                           # entries of the stash that are this text's own
        self.stash_asks: "tuple[str, ...]" = ()    # what the last of them would have saved
        self.early: "tuple[str, ...]" = ()         # folders in which a function may have returned before its end
        self.exported: "set[str]" = set()

    def copy(self) -> "Shell":
        """A subshell: it sees everything and changes nothing of ours but what it finds."""
        other = Shell.__new__(Shell)
        other.__dict__.update(self.__dict__)
        other.variables, other.functions, other.arguments = dict(self.variables), dict(self.functions), self.arguments[:]
        other.heads, other.settings, other.links = dict(self.heads), dict(self.settings), dict(self.links)
        return other

    def join(self, other: "Shell") -> None:
        """Afterwards, either of two states may be the true one."""
        if other.ended or self.ended:
            left = self if self.ended else other
            if self.ended and not other.ended:
                self.__dict__.update(other.__dict__)
            self.early = self.early + left.folders
            return
        both = self.folders + tuple([folder for folder in other.folders if folder not in self.folders])
        self.folders = both if len(both) <= MOST_FOLDERS else (HOLE,)
        for name in {*self.variables, *other.variables}:
            if self.variables.get(name, 0) != other.variables.get(name, 0):
                self.variables[name] = HOLE
        for at in {*self.heads, *other.heads}:
            if self.heads.get(at) != other.heads.get(at):
                self.heads[at] = HOLE
        self.functions.update(other.functions)
        self.settings.update(other.settings)
        self.made = self.made or other.made

    def add(self, effect: "Effect") -> None:
        """One more thing that would happen; the same again at the same place is judged once."""
        same = (effect.kind, effect.path, effect.git_dir, effect.verb, effect.refs, effect.flags, effect.head)
        if same not in self.known:
            self.known.add(same)
            self.found.append(effect)

    def write(self, target: str, said: str, flags: "tuple[str, ...]" = (), folders: "tuple[str, ...] | None" = None,
              search: "tuple[str, ...]" = ()) -> None:
        """A file that would be written, removed or made, in each of the folders this may run in. `search`: the find that chose it."""
        if target.rpartition("/")[2] == ".gitignore":
            self.ignores_changed = True
        if "tree" in flags and any(mark in target for mark in "\1\2\3"):
            flags = (*flags, "pattern")
        for folder in folders or self.folders:
            path = self.absolute(target, folder)
            how = (*flags, "itself") if path in self.removed and "remove" not in flags else flags  # a link on the disk is none by then
            (self.removed.add if "remove" in flags else self.removed.discard)(path)
            if not path.startswith("/dev/"):
                ends = target[-1:] if target[-1:] == "/" and len(path) > 1 else ""
                key = path if len(self.found) < MOST_WRITES else path.rpartition("/")[0]  # of thousands, one a folder is judged
                if (key, how + search) not in self.writes:
                    self.writes.add((key, how + search))
                    self.add(Effect(kind=WRITE, path=path + ends, makes=True, said=said, flags=how, entered=self.entered,
                                    words=(folder,), input=self.input, refs=search))

    # --- texts ----------------------------------------------------------------------------------------------------

    def follow(self, script_text: str) -> str:
        """Reads and follows a text in this shell; gives what it prints."""
        script, unreadable = read(script_text, self.steps)
        printed = self.script(script)
        if unreadable:
            self.unread.append(f"{unreadable}\n{script_text}")
        return printed

    def call_text(self, script_text: str, given: "list[str]") -> str:
        """The same, with arguments of its own, as `source` and `sh -c` give them."""
        kept = self.arguments
        self.arguments = given or kept
        printed = self.follow(script_text)
        self.arguments = kept
        return printed

    def script(self, script: "Script") -> str:
        self.depth += 1
        if self.depth > DEEPEST:
            self.unread.append("it is nested too deeply\n" + HOLE)
            self.depth -= 1
            return HOLE
        printed = []
        for chain, background in script.lists:
            if self.ended:
                break
            printed.append((self.copy() if background[0] else self).chain(chain))
        self.depth -= 1
        return "".join(printed)

    def chain(self, chain: "list[tuple[str, Node]]") -> str:
        """a && b || c: behind || the folder may be the old one or the new one; behind what can fail, what follows may not have run."""
        if len(chain) == 1:
            printed = self.node(chain[0][1])
            self.settle()
            return printed
        before, now, doubtful, outputs, sure = self.copy(), self, False, [], False
        succeeded = None  # the state in which everything before || went well
        for operator, node in chain:
            if operator == "||":
                sure = not doubtful and self.missed is None  # cd into a folder that is there: what follows || does not count
                now.settle()
                succeeded = now.copy()
                self.caught_up(now)
                now, doubtful = self.copy(), False
                now.ended = False
                now.folders = before.folders + tuple([folder for folder in self.folders if folder not in before.folders])
            elif doubtful and now is self:
                now = self.copy()
            if not now.ended:
                outputs.append(now.node(node))
            doubtful = doubtful or can_fail(node)
        if succeeded is not None and now.ended and not succeeded.ended:  # A && B || exit
            self.__dict__.update({**succeeded.__dict__, "ended": False})
        elif not sure:
            self.caught_up(now)
        self.settle()
        return "".join(outputs)

    def caught_up(self, now: "Shell") -> None:
        """The end of a part that may have run or not."""
        now.settle()
        if now is not self:
            self.join(now)

    def settle(self) -> None:
        """A `cd` into a folder that is not there: what stood behind && ran there or not at all, the rest stays where it was."""
        if self.missed is not None:
            old, self.missed = self.missed, None
            self.folders = old + tuple([folder for folder in self.folders if folder not in old]) if self.made else old

    # --- nodes ----------------------------------------------------------------------------------------------------

    def node(self, node: "Node") -> str:
        self.steps[1] += 1
        if self.steps[1] > MOST_NODES:
            raise Unreadable("it is too long")
        if isinstance(node, Simple):
            return self.simple(node)
        if isinstance(node, Pipeline):
            flowing: "str | None" = self.stdin
            for n, stage in enumerate(node.stages):
                part = self.copy()
                part.stdin, part.input = flowing, "-" if n else self.input
                flowing = part.to_its_end(lambda part=part, stage=stage: part.node(stage))  # type: ignore[misc]
            return flowing or ""
        from guard.core.shell.blocks import FOLLOWED  # most texts have none
        return self.redirected(node.redirects, lambda: FOLLOWED[node.kind](self, node))

    def redirected(self, redirects: "list[Redirect]", follow: "Callable[[], str]", said: str = "", stays: bool = False) -> str:
        """Follows something with its redirections; gives what is left of its output. `stays`: those of `exec` remain."""
        if not redirects:
            return follow()
        from guard.core.shell import streams
        before = self.stdin, self.input
        outputs = streams.redirected(self, redirects, said)
        printed = streams.printed_to(self, outputs, follow())
        if not stays:
            self.stdin, self.input = before
        return printed

    # --- simple commands ------------------------------------------------------------------------------------------

    def simple(self, node: "Simple") -> str:
        argv = arguments(self, node.words)
        argv[:1] = [word.translate(WRITTEN) for word in argv[:1]]  # [ is a program
        if not argv:
            for name, operator, word in node.assigns:
                self.assign(name, operator, word)
            reads = any(one.operator == "<" for one in node.redirects)
            return self.redirected(node.redirects, lambda: (self.stdin or HOLE) if reads else "", node.said)  # $(<file)
        environment: "dict[str, str]" = {}
        for name, operator, word in node.assigns:
            if isinstance(word, list):
                self.assign(name, operator, word)
            else:
                environment[name] = text(self, word)
        return self.redirected(node.redirects, lambda: self.start(Command(argv, self, node.said, environment, self.stdin)),
                               node.said, stays=argv == ["exec"])

    def start(self, command: "Command") -> str:
        """A function, a builtin or a program."""
        name = command.argv[0]
        if name in self.aliases and self.aliases[name].split(" ")[0] != name:
            from guard.core.shell.builtins import shell_quoted
            return self.follow(" ".join([self.aliases[name], *map(shell_quoted, command.argv[1:])]))
        if name in self.functions:
            return self.call(self.functions[name], command.argv[1:], command.environment)
        from guard.core import programs
        return programs.start(command)

    def call(self, body: "Script", given: "list[str]", environment: "dict[str, str]") -> str:
        kept, ended, own = self.arguments, self.ended, self.own
        self.arguments, self.own = given, {name: self.variables.get(name, self) for name in environment}
        called, self.in_function, early, self.early = self.in_function, True, self.early, ()
        self.variables.update(environment)
        printed = self.script(body)
        for name, value in self.own.items():  # local variables go with the call
            if value is self:
                self.variables.pop(name, None)
            else:
                self.variables[name] = value
        self.folders = tuple(dict.fromkeys(self.folders + self.early))[:MOST_FOLDERS]
        self.arguments, self.ended, self.own, self.in_function, self.early = kept, ended, own, called, early
        return printed

    def assign(self, name: str, operator: str, word: "Any") -> None:
        if "[" in name:
            text(self, word if not isinstance(word, list) else ())
            self.variables[name.partition("[")[0]] = HOLE
        elif isinstance(word, list):
            old = self.variables.get(name) if operator == "+=" else []
            all_of_it = (old if isinstance(old, list) else [old or ""]) + arguments(self, word)
            self.variables[name] = all_of_it if len(all_of_it) <= MOST else HOLE
        else:
            given = text(self, word)
            self.variables[name] = bounded((self.value_of(name, "") or "") + given if operator == "+=" else given)
            self.steps[1] += len(given) >> 12  # long values are work, too

    def output_of(self, script: "Script") -> str:
        inner = self.copy()
        return inner.to_its_end(lambda: inner.script(script))

    def to_its_end(self, follow: "Callable[[], str]") -> str:
        """A subshell's whole life, with what it has set for its end (`trap ... EXIT`)."""
        self.traps = {}
        printed = follow()
        for trap in list(self.traps.values()):
            self.ended = False
            self.follow(trap)
        return printed

    # --- variables and places -------------------------------------------------------------------------------------

    def named(self, name: str) -> str:
        """A variable of this shell or of the surroundings, "" when it is not known."""
        found = self.value_of(name, "")
        return found if found is not None and HOLE not in found else ""

    def value_of(self, name: str, index: str) -> "str | None":
        """None when it is not set as far as anybody here knows."""
        if name in self.variables:
            known = self.variables[name]
            if isinstance(known, list):
                return known[int(index or 0)] if is_number(index or "0") and 0 <= int(index or 0) < len(known) else HOLE
            return known if not index or index == "0" else HOLE
        if is_number(name):
            n = int(name)
            return self.zero if not n else self.arguments[n - 1] if n <= len(self.arguments) else None
        if name == "PWD":
            return self.folder()
        if name == "#":
            return str(len(self.arguments))
        if name == "BASH_SOURCE":
            return self.zero if self.zero != "bash" else ""
        if name == "$":
            return "1234"  # some number, the same throughout
        return self.world.variable(name) or None if name.replace("_", "a").isalnum() else HOLE

    def list_of(self, name: str) -> "list[str]":
        if name in ("@", "*"):
            return self.arguments
        known = self.variables.get(name, HOLE)
        return known if isinstance(known, list) else [known or ""]

    def is_unknown(self, name: str) -> bool:
        """Not set by this text, nor unset by it."""
        return name not in self.variables and not is_number(name)

    def folder(self) -> str:
        return self.folders[0] if len(self.folders) == 1 else HOLE

    def absolute(self, written: str, folder: str) -> str:
        """A path as the system takes it. With a HOLE in front of it, it can be anywhere."""
        flavour = self.world.flavour
        if any(mark in written for mark in "\1\2\3"):  # a pattern: any name that fits
            written = ("./" if written[:1] in "\1\2\3" else "") + written
            for mark in "\1\2\3":
                written = written.replace(mark, HOLE)
        if written[:1] == HOLE or (folder[:1] == HOLE and not is_absolute(written, flavour)):
            return HOLE
        if HOLE in written:
            above, slash, begins = written[:written.find(HOLE)].rpartition("/")
            return join(absolute(above + slash or ".", folder, "", flavour), begins + HOLE, flavour)
        path = absolute(written, folder, "", flavour)
        for link, target in self.links.items():
            if path == link or path.startswith(link + flavour.sep):
                path = target + path[len(link):]
        return path

    def has_made(self, written: str, folders: "tuple[str, ...]") -> None:
        """A folder that exists from here on: mkdir, git clone, git worktree add."""
        self.folders_made.update([self.absolute(written, folder) for folder in folders])

    def go(self, targets: "list[str]", kept: bool = False) -> None:
        """`cd`: to each of these folders, or nowhere if it is not there and nothing here can have made it."""
        new = tuple(dict.fromkeys(targets))
        absent = [folder for folder in new if HOLE not in folder and folder not in self.folders_made and not self.world.is_folder(folder)]
        if absent and not kept and self.missed is None:
            self.missed = self.folders
        self.folders = new if len(new) <= MOST_FOLDERS else (HOLE,)


def finished(shell: "Shell", script_text: str, given: "list[str]") -> str:
    """A whole shell's life: its text, then what it has set for the end (`trap ... EXIT`)."""
    shell.arguments = given
    return shell.to_its_end(lambda: shell.follow(script_text))
