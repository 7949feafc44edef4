"""What only the disk knows about shell commands: Surroundings while a text is read, then the facts for its effects.

Where does it run, what is checked out there, and what its rule needs besides; nothing that it does not.
"""
from guard.core.model import (
    BRANCH,
    CHANGE,
    DISCARD,
    GIT,
    OTHER,
    OWN,
    PERSON,
    PROTECTED,
    PUSH,
    RUN,
    STASH,
    UNKNOWN,
    UNREAD,
    WORKTREE,
    Binding,
    Effect,
    Facts,
    Repository,
)
from guard.core.paths import absolute, inside, is_absolute, join, parent
from guard.edge import repo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

HOLE = "\0"
LARGEST = 200_000  # bytes of a script file that are read
MOST_ASKED = 6  # questions to git of one kind in a call: each costs a process
MOST_NAMED = 10  # worktrees whose names are looked for in a text that cannot be read


class Surroundings:
    """One call's. Nothing is looked up that the text does not ask for."""

    def __init__(self, disk: "Any") -> None:
        self.disk = disk
        self.flavour = disk.FLAVOUR
        self._aliases: "dict[tuple[str, str], str]" = {}

    def variable(self, name: str) -> str:
        return str(self.disk.variable(name) or (self.disk.home() if name == "HOME" else ""))

    def is_folder(self, path: str) -> bool:
        return bool(self.disk.kind(self.disk.real(path)) == "folder")

    def names(self, folder: str) -> "list[str]":
        found: "list[str]" = self.disk.names(self.disk.real(folder))
        return found

    def is_there(self, path: str) -> bool:
        return self.disk.kind(path) is not None

    def content(self, path: str) -> "str | None":
        """A script's text; None when there is none, or it is no text of a script's size."""
        try:
            found: "str | None" = self.disk.read(self.disk.real(path), LARGEST)
        except OSError:
            return None
        return found if found is not None and "\0" not in found else None

    def alias(self, folder: str, verb: str) -> str:
        """git's alias of that name, "" when there is none. Asked of git: the setting may stand in any of five files."""
        if not all(c.isalnum() or c == "-" for c in verb):
            return ""
        key = (folder, verb)
        if key not in self._aliases and len(self._aliases) >= MOST_ASKED:
            return ""
        if key not in self._aliases:
            from guard.edge import ask_git
            self._aliases[key] = ask_git.alias(self.disk, folder, verb)
        return self._aliases[key]

    def head(self, folder: str) -> str:
        """The branch checked out there, "" when there is none."""
        found = repo.checkout_of(self.disk, self.disk.real(folder))
        return (repo.head(self.disk, found.gitdir) if found else "") or ""

    def branch(self, folder: str, name: str) -> str:
        """The name, if a local branch is called so."""
        found = repo.checkout_of(self.disk, self.disk.real(folder)) if "\0" not in folder + name else None
        if found is None:
            return ""
        heads = join(join(found.common, "refs", self.flavour), "heads", self.flavour)
        loose = self.disk.kind(join(heads, name, self.flavour)) == "file"
        packed = self.disk.content_or(join(found.common, "packed-refs", self.flavour), "") or ""
        return name if loose or f" refs/heads/{name}\n" in packed else ""

    def remote_head(self, folder: str) -> str:
        """origin's default branch, as last fetched."""
        found = repo.checkout_of(self.disk, self.disk.real(folder))
        return remote_head(self.disk, found.common, "origin") if found else ""

    def top(self, folder: str) -> str:
        found = repo.checkout_of(self.disk, self.disk.real(folder))
        return found.root if found else ""


def of(look: "Any", effect: Effect) -> Facts:
    """The facts one effect's rule needs. Without a repository of ours around it, there is nothing to know."""
    facts = located(look, effect)
    if facts.repository is None:
        return facts
    if effect.kind not in (CHANGE, RUN, UNREAD, PERSON) and in_submodule(look, facts):
        return Facts(path=facts.path)  # its branches, pushes and settings are another repository's
    facts = entered_before(look, effect, facts.but(head=effect.head or facts.head))
    assert facts.repository is not None
    return needed(look, effect, facts.but(protected=protected(look, facts.repository)))


def located(look: "Any", effect: Effect) -> Facts:
    """The place of the folder it runs in; with --git-dir, of the checkout whose HEAD and index those are."""
    if effect.git_dir:
        return of_folder(look, owner(look, effect.git_dir))
    return of_folder(look, effect.path)


def in_submodule(look: "Any", facts: Facts) -> bool:
    near = look.checkout(facts.path) if HOLE not in facts.path and facts.path else None
    return near is not None and repo.submodule_host(look.disk, near) is not None and facts.repository is not None and not (
        look.disk.same(near.common, facts.repository.common))


def owner(look: "Any", git_dir: str) -> str:
    """The root of the checkout whose git folder this is: R/.git -> R, R/.git/worktrees/x -> that worktree."""
    if HOLE in git_dir:
        return git_dir
    real = str(look.disk.real(git_dir))
    name = real.rpartition(look.flavour.sep)[2]
    if name == ".git" or look.disk.kind(join(real, "commondir", look.flavour)) is None:
        return parent(real, look.flavour)
    pointer = look.disk.content_or(join(real, "gitdir", look.flavour), "") or ""
    return parent(absolute(pointer.strip(), real, "", look.flavour), look.flavour) if pointer else real


def of_folder(look: "Any", folder: str) -> Facts:
    if HOLE in folder:
        return somewhere_below(look, folder[:folder.find(HOLE)])
    facts: Facts = look.of_path(folder, writes=False)
    checkout = look.checkout(facts.path) if facts.repository else None
    if facts.place == GIT and checkout is None:
        checkout = look.checkout(owner(look, facts.path))
    return facts.but(head=repo.head(look.disk, checkout.gitdir) if checkout else None)  # type: ignore[no-any-return]


def somewhere_below(look: "Any", known: str) -> Facts:
    """A folder of which only the beginning is known. It is one place if no checkout of the repository lies further down."""
    homes = [*look._stands(look.call.cwd), *look._stands(look.call.project)]
    if not homes:
        return Facts(path=known)
    repository = look.repository(homes[0])
    start = known.rpartition(look.flavour.sep)[0] if known else ""
    if start and is_absolute(start, look.flavour):
        real = look.disk.real(start)
        roots = [repository.main, *[path for _, path in held(look, repository)]]
        if not any(root and inside(root, real, look.flavour) for root in roots):
            return of_folder(look, start)
    return Facts(path=known, place=UNKNOWN, repository=repository)


def entered_before(look: "Any", effect: Effect, facts: Facts) -> Facts:
    """After `wt enter X` in the same text, X is one's own."""
    if effect.entered and facts.place == OTHER and effect.entered in (facts.root, facts.root.rpartition(look.flavour.sep)[2]):
        own = Binding(source="session", path=facts.root, branch=facts.head or "", head=facts.head or "")
        assert facts.repository is not None
        return facts.but(place=OWN, repository=facts.repository.but(binding=own))  # type: ignore[no-any-return]
    return facts


def needed(look: "Any", effect: Effect, facts: Facts) -> Facts:
    """What this kind's rule needs, and nothing that it does not."""
    repository = facts.repository
    assert repository is not None
    if effect.kind == RUN:
        return facts.but(named=named(look, effect.refs, repository) if repository.binding else ())  # type: ignore[no-any-return]
    if effect.kind == PUSH and not [ref for ref in effect.refs[1:] if ref not in (":", "+:")] and facts.root:
        from guard.edge import ask_git
        config = asked(look, "sending", lambda: ask_git.sending(look.disk, facts.root), facts.root)
        given = next((flag[3:] for flag in effect.flags if flag[:3] == "of "), "")
        return facts.but(config=with_given(config, effect.settings),  # type: ignore[no-any-return]
                         foreign=bool(given) and another_repository(given, config or {}))
    if effect.kind == BRANCH or (effect.kind == PUSH and wants_holders(effect)):
        facts = facts.but(held=held(look, repository))
        if "ignore-other-worktrees" in effect.flags:  # a folder that is gone is nobody's to disturb
            facts = facts.but(held=tuple([(branch, path) for branch, path in facts.held if look.disk.kind(path) is not None]))
        if "delete" in effect.flags and "force" in effect.flags and facts.root:
            facts = facts.but(lost=held_by_none(look, facts.root, effect.refs))
        if effect.refs[:1] in (("-",), ("@{-1}",)):
            facts = facts.but(named=(previous(look, facts),))
        return facts
    if effect.kind == WORKTREE:
        if effect.flags[0] == "clean":
            return facts.but(named=cleaned(look, effect, facts, repository))  # type: ignore[no-any-return]
        return facts.but(named=gone(look, repository) if "prune" in effect.flags else ())  # type: ignore[no-any-return]
    if effect.kind == PERSON:
        return facts.but(foreign=foreign(look, effect, repository))  # type: ignore[no-any-return]
    if effect.kind == DISCARD and facts.place == OWN:
        from guard.edge import ask_git
        about = (effect.path, *effect.refs, *effect.flags)
        found = asked(look, "discard", lambda: ask_git.thrown_away(look.disk, effect.path, effect.refs, effect.flags), *about)
        lost, names, unmerged = found or (-1, (), False)  # no answer: perhaps
        return facts.but(lost=lost, named=names, foreign=unmerged)  # type: ignore[no-any-return]
    if effect.kind == STASH:
        facts = facts.but(held=held(look, repository), named=stash_entries(look, repository))
        if len(effect.refs) > 2 and effect.refs[1] != "0":  # a push before, if it had anything to save
            from guard.edge import ask_git
            found = ask_git.thrown_away(look.disk, effect.path, ("", *effect.refs[3:]), tuple(effect.refs[2].split()))
            facts = facts.but(lost=found[0] if found else 1)
        return facts
    if effect.kind == UNREAD:
        bound = repository.binding
        roots = (repository.main, bound.path if bound else "", *[path for _, path in held(look, repository, MOST_NAMED)])
        return facts.but(named=tuple([root for root in roots if root and root in effect.refs[0]]))  # type: ignore[no-any-return]
    return facts


def another_repository(named: str, config: "dict[str, list[str]]") -> bool:
    """Is OWNER/NAME none of the remotes' repositories? Not to be said of a remote on this disk, or when there is none."""
    urls = [url for key, values in config.items() if key.endswith(".url") for url in values]
    return bool(urls) and all(":" in url for url in urls) and repository_name(named) not in map(repository_name, urls)


def repository_name(url: str) -> "list[str]":
    """git@github.com:Me/app.git -> [me, app]"""
    plain = url.lower().rstrip("/")
    return (plain[:-4] if plain.endswith(".git") else plain).replace(":", "/").split("/")[-2:]


def held_by_none(look: "Any", root: str, names: "tuple[str, ...]") -> int:
    """How many commits no ref would hold any more without these; -1 where git does not say, or a name is not known."""
    from guard.edge import ask_git
    if HOLE in "".join(names):
        return -1
    refs = tuple(["refs/heads/" + name if not name.startswith("refs/") else name for name in names])
    lost = asked(look, "lost", lambda: ask_git.lost(look.disk, root, refs), *refs)
    return -1 if lost is None else int(lost)


def asked(look: "Any", question: str, ask: "Callable[[], Any]", *about: str) -> "Any":
    """git's answer, each question put once, and not too many of them: None beyond that."""
    key = (question, *about)
    if key not in look.answers:
        many = len([other for other in look.answers if other[0] == question])
        look.answers[key] = ask() if many < MOST_ASKED else None
    return look.answers[key]


def with_given(config: "dict[str, list[str]] | None", given: "tuple[tuple[str, str], ...]") -> "dict[str, list[str]] | None":
    """What the command line sets itself (git -c) goes before the files."""
    if not given:
        return config
    return {**(config or {}), **{key: [value] for key, value in given}}


def wants_holders(effect: Effect) -> bool:
    return "delete" in effect.flags or any(ref.startswith((":", "+:")) for ref in effect.refs)


def protected(look: "Any", repository: Repository) -> "tuple[str, ...]":
    """Settings, else main, master and the remotes' defaults; and what the binding wrote down, its base among them."""
    bound = repository.binding
    if repository.settings.protected_branches:
        base = [name for name in bound.protected if bound.base in (name, *remote_names(bound.base, name))] if bound else []
        return tuple(dict.fromkeys([*repository.settings.protected_branches, *base]))
    names = list(PROTECTED) + list(bound.protected if bound else ())
    remotes = join(join(repository.common, "refs", look.flavour), "remotes", look.flavour)
    names += [remote_head(look.disk, repository.common, remote) for remote in look.disk.names(remotes)]
    return tuple(dict.fromkeys(name for name in names if name))


def remote_names(base: str, name: str) -> "list[str]":
    """origin/main is main's."""
    return [base] if base.endswith("/" + name) else []


def remote_head(disk: "Any", common: str, remote: str) -> str:
    """A remote's default branch, by its HEAD as last fetched; "" when that is not there."""
    flavour, start = disk.FLAVOUR, f"ref: refs/remotes/{remote}/"
    at = join(join(join(join(common, "refs", flavour), "remotes", flavour), remote, flavour), "HEAD", flavour)
    said = disk.content_or(at, "") or ""
    return str(said[len(start):].strip()) if said.startswith(start) else ""


def held(look: "Any", repository: Repository, most: int = 10_000) -> "tuple[tuple[str, str], ...]":
    """(branch, checkout) for each worktree git knows, the main checkout first. (gitrepository-layout(5), worktrees)"""
    disk, flavour = look.disk, look.flavour
    found = [(repo.head(disk, repository.common) or "", repository.main)] if repository.main else []
    registry = join(repository.common, "worktrees", flavour)
    for name in sorted(disk.names(registry))[:most]:
        entry = join(registry, name, flavour)
        pointer = (disk.content_or(join(entry, "gitdir", flavour), "") or "").strip()
        if pointer:
            found.append((branch_of(disk, entry, flavour), parent(absolute(pointer, entry, "", flavour), flavour)))
    return tuple(found)


def branch_of(disk: "Any", entry: str, flavour: "Any") -> str:
    """The branch checked out there; while it is being rebased, the one that comes back."""
    for name in ("rebase-merge", "rebase-apply"):
        said = disk.content_or(join(join(entry, name, flavour), "head-name", flavour), "") or ""
        if said.startswith("refs/heads/"):
            return str(said[11:].strip())
    return repo.head(disk, entry) or ""


def gone(look: "Any", repository: Repository) -> "tuple[str, ...]":
    """Worktrees whose folder is not there: what `git worktree prune` forgets. Locked ones stay."""
    disk, flavour = look.disk, look.flavour
    registry = join(repository.common, "worktrees", flavour)
    found = []
    for name in sorted(disk.names(registry)):
        entry = join(registry, name, flavour)
        pointer = (disk.content_or(join(entry, "gitdir", flavour), "") or "").strip()
        there = pointer and disk.kind(absolute(pointer, entry, "", flavour)) is not None
        if not there and disk.kind(join(entry, "locked", flavour)) is None:
            found.append(parent(pointer, flavour) if pointer else name)
    return tuple(found)


def cleaned(look: "Any", effect: Effect, facts: Facts, repository: Repository) -> "tuple[str, ...]":
    """The worktrees that `git clean -ff` would take away: those in what its dry run names; all below, if git does not say in time."""
    flavour, here = look.flavour, facts.path
    below = [(path, look.disk.real(path)) for _, path in held(look, repository)]
    below = [(path, real) for path, real in below if facts.root and real != facts.root and inside(real, facts.root, flavour)]
    if not below or HOLE in effect.path:
        return ()
    from guard.edge import ask_git
    about = (here, *effect.refs, *effect.flags)
    hits = asked(look, "clean", lambda: ask_git.cleaned_whole(look.disk, here, effect.refs, effect.flags), *about)
    names = ["."] if hits is None else hits
    taken = [look.disk.real(absolute(name, here, "", flavour)) for name in names]
    return tuple([path for path, real in below if any(inside(real, one, flavour) for one in taken)])


def named(look: "Any", words: "tuple[str, ...]", repository: Repository) -> "tuple[str, ...]":
    """Paths on a command line that lie in the main checkout, outside its worktrees."""
    found = []
    for word in words:
        path = word.partition("=")[2] if "=" in word and word[:1] == "-" else word
        if is_absolute(path, look.flavour) and repository.main:
            facts = look.of_path(absolute(path, look.call.cwd, "", look.flavour), writes=False)
            if facts.place == "main":
                found.append(facts.path)
    return tuple(found)


def stash_entries(look: "Any", repository: Repository) -> "tuple[str, ...]":
    """The branch that each entry of the stash was made on, the newest first; "" where that is not told. (logs/refs/stash)"""
    at = look.flavour.sep.join((repository.common, "logs", "refs", "stash"))
    log = look.disk.content_or(at, "") or ""
    found = []
    for line in log.splitlines():
        said = line.partition("\t")[2]
        branch = said.partition("n ")[2].partition(":")[0] if said[:6] == "WIP on" or said[:3] == "On " else ""
        found.append("" if branch == "(no branch)" else branch)
    return tuple(reversed(found))


def previous(look: "Any", facts: Facts) -> str:
    """The branch that `git checkout -` goes back to, from HEAD's log (gitrevisions(7), @{-1})."""
    checkout = look.checkout(facts.path)
    log = (look.disk.content_or(join(join(checkout.gitdir, "logs", look.flavour), "HEAD", look.flavour), "") or "") if checkout else ""
    at = log.rfind("\tcheckout: moving from ")
    return log[at + 23:].partition(" to ")[0] if at >= 0 else ""


def foreign(look: "Any", effect: Effect, repository: Repository) -> bool:
    """`wt leave` of a binding that a person made, `wt enter` of a worktree that another living session holds."""
    from guard.edge import binding, records
    bound, session = repository.binding, look.call.session
    if effect.verb in ("leave", "exit"):
        given = [word for word in effect.refs if word != session]
        mine = (bound.path, bound.path.rpartition(look.flavour.sep)[2]) if bound else ()
        of_another = "--session" in effect.words and session not in effect.refs
        if "--all" in effect.words or of_another or any(word not in mine for word in given):
            return True
        if bound is None or bound.source != "repository":
            return False
        active = records.binding(look.disk, records.state_file(look.disk, repository.common), [])
        return bool(active and active["session"] != session)
    if effect.verb == "enter" and effect.refs:
        for _, path in held(look, repository)[1 if repository.main else 0:]:
            name = path.rpartition(look.flavour.sep)[2]
            if effect.refs[0] in (name, path) and binding.held_by_another(look.disk, repository.common, path, session):
                return True
    return False
