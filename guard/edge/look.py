"""Effects to facts: reads what the effects need and nothing else, each file at most once a call."""
from guard.core.model import (
    BRANCH,
    CHANGE,
    CONFIG,
    DISCARD,
    ELSEWHERE,
    ENTER,
    GIT,
    GONE,
    HISTORY,
    LOST,
    MAIN,
    MENTION,
    OTHER,
    OWN,
    PERSON,
    PUSH,
    RUN,
    SERVER,
    SETTINGS_FILES,
    STASH,
    UNHOOKED,
    UNREAD,
    WORKTREE,
    WRITE,
    Call,
    Effect,
    Facts,
    Repository,
    Settings,
)
from guard.core.paths import absolute, has_git_part, inside, is_absolute, join, key, parent, relative
from guard.edge import repo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OF_COMMANDS = frozenset((CHANGE, PUSH, BRANCH, WORKTREE, CONFIG, DISCARD, STASH, HISTORY, UNHOOKED, PERSON, RUN, UNREAD))


class Look:
    """One look at the disk for one call. `heard` collects what could not be read on the way."""

    def __init__(self, disk: "Any", call: Call) -> None:
        self.disk = disk
        self.call = call
        self.flavour = disk.FLAVOUR
        self.heard: "list[str]" = []
        self._repositories: "dict[str, Repository]" = {}
        self._checkouts: "dict[str, repo.Checkout | None]" = {}
        self.answers: "dict[Any, Any]" = {}  # git's, to what was asked

    def facts(self, effects: "list[Effect]") -> "list[Facts]":
        return [self.of(effect) for effect in effects]

    def of(self, effect: Effect) -> Facts:
        if effect.kind in OF_COMMANDS:
            from guard.edge import commands
            return commands.of(self, effect)
        if effect.kind in (SERVER, MENTION):
            here = self.of_path(self.call.cwd, writes=False)
            return here if here.repository or not self.call.project else self.of_path(self.call.project, writes=False)
        if effect.kind == ENTER and not effect.path:
            facts = self.of_path(self.call.cwd, writes=False)
            nested = join(facts.repository.main, self._native(".claude/worktrees/" + effect.tail), self.flavour) if facts.repository else ""
            return self.of_path(nested, writes=False) if nested and effect.tail and self.disk.kind(nested) else facts.but(place=OTHER)
        if effect.kind == WRITE and not effect.at:
            from guard.edge import writes
            return writes.written(self, effect)
        home = self.disk.home()
        if effect.path[:2] in ("~", "~/") and not home:
            return Facts(path=effect.path)  # a folder nobody can name, but not one of ours
        return self.of_path(absolute(effect.path, self.call.cwd, home, self.flavour), effect.kind == WRITE, effect.makes)

    # --- where one path lies --------------------------------------------------------------------------------------

    def of_path(self, path: str, writes: bool, makes: bool = False, itself: bool = False) -> Facts:
        """The facts about one absolute path: policy rows need its place, its twin in W, and what lies in between.

        `itself`: of a link, not of what it leads to.
        """
        name = path.rpartition(self.flavour.sep)[2]
        real = join(self.disk.real(parent(path, self.flavour)), name, self.flavour) if itself and name else self.disk.real(path)
        inner = self.checkout(real)
        host = repo.submodule_host(self.disk, inner) if inner else None
        way_out = self._link_out(path, real) if path != real else None
        if way_out:
            return way_out.but(allowed=writes and self._allowed(real, way_out.repository))  # type: ignore[no-any-return,arg-type]
        found = self._guarded(real, inner, host)
        if found is None:
            return Facts(path=real)
        repository, checkout = found
        bound = repository.binding
        facts = Facts(path=real, repository=repository, there=self.disk.kind(real) is not None,
                      allowed=writes and self._allowed(real, repository))
        if inside(real, repository.common, self.flavour) or (checkout and has_git_part(self._below(real, checkout), self.flavour)):
            return facts.but(place=GIT)  # type: ignore[no-any-return]
        if bound and bound.condition in LOST and (inside(path, bound.path, self.flavour) or inside(real, bound.path, self.flavour)):
            return facts.but(place=GONE)  # type: ignore[no-any-return]
        if checkout:
            place = ELSEWHERE if checkout.bare else OTHER if checkout.linked else MAIN
            if self._is_own(checkout, repository):
                place = OWN
            facts = facts.but(place=place, root=checkout.root, rel=self._below(real, checkout))
            facts = facts.but(is_settings=writes and place in (MAIN, ELSEWHERE) and self._is_settings(real, checkout.root))
        if bound and bound.condition not in LOST:
            return self._with_twin(facts, inner if host and inner else None, writes and makes)
        return facts

    def _guarded(self, real: str, inner: "repo.Checkout | None", host: "repo.Checkout | None"
                 ) -> "tuple[Repository, repo.Checkout | None] | None":
        """The repository whose rules hold for a path, and the checkout the path lies in (None: in git's own folder).

        That is the one the call or its session stands in; another one only where this session is bound to it. A call that stands
        nowhere is bound by whatever binds everybody where it writes.
        """
        homes = [*self._stands(self.call.cwd), *self._stands(self.call.project)]
        for checkout in (inner, host):  # a submodule with a binding of its own goes before the repository that holds it
            bound = self.repository(checkout).binding if checkout else None
            at_home = not homes or any(checkout and self.disk.same(checkout.common, home.common) for home in homes)
            if checkout and bound and (at_home or bound.source != "repository"):
                return self.repository(checkout), checkout
        checkout = host or inner
        for home in homes:
            if inside(real, home.common, self.flavour):
                return self.repository(home), checkout if checkout and self.disk.same(checkout.common, home.common) else None
            if checkout is not None and self.disk.same(checkout.common, home.common):
                return self.repository(home), checkout
            bound = self.repository(home).binding
            if bound and bound.condition in LOST and inside(real, bound.path, self.flavour):
                return self.repository(home), None
        return None

    def _stands(self, folder: str) -> "list[repo.Checkout]":
        """The checkout that a folder lies in, and the one that holds it as a submodule."""
        near = self.checkout(self.disk.real(folder)) if folder else None
        host = repo.submodule_host(self.disk, near) if near else None
        return [checkout for checkout in (near, host) if checkout]

    def _stands_in(self, folder: str, common: str) -> "repo.Checkout | None":
        """The same, of one repository."""
        return next((checkout for checkout in self._stands(folder) if self.disk.same(checkout.common, common)), None)

    def checkout(self, path: str) -> "repo.Checkout | None":
        if path not in self._checkouts:
            self._checkouts[path] = repo.checkout_of(self.disk, path)
        return self._checkouts[path]

    def _below(self, real: str, checkout: "repo.Checkout") -> str:
        return relative(real, checkout.root, self.flavour) or ""

    def _is_settings(self, real: str, root: str) -> bool:
        """One of the guard's own settings files, by name or at the end of a link."""
        files = [join(root, self._native(name), self.flavour) for name in SETTINGS_FILES]
        return any(key(real, self.flavour) in (key(file, self.flavour), key(self.disk.real(file), self.flavour)) for file in files)

    def _native(self, path: str) -> str:
        return path.replace("/", self.flavour.sep)

    def _is_own(self, checkout: "repo.Checkout", repository: Repository) -> bool:
        """The bound worktree; for an unbound call the linked worktree it stands in, unless a living binding gave that to another."""
        if repository.binding:
            return bool(self.disk.same(checkout.root, repository.binding.path))
        near = self.checkout(self.disk.real(self.call.cwd))
        if not checkout.linked or near is None or not self.disk.same(near.root, checkout.root):
            return False
        if not self._used(repository.common):
            return True
        from guard.edge.binding import held_by_another
        return not held_by_another(self.disk, repository.common, checkout.root, self.call.session)

    # --- the same file in the bound worktree ----------------------------------------------------------------------

    def _link_out(self, path: str, real: str) -> "Facts | None":
        """Facts of a path that a link in the bound worktree carries out of it, wherever it leads."""
        for home in [*self._stands(self.call.cwd), *self._stands(self.call.project)]:
            repository = self.repository(home)
            bound = repository.binding
            own = self.disk.real(bound.path) if bound and bound.condition not in LOST else ""
            rel = self._left_by(path, own) if own and not inside(real, own, self.flavour) else None
            if rel is not None:
                place = GIT if inside(real, repository.common, self.flavour) else OWN
                return Facts(path=real, repository=repository, place=place, root=own, rel=rel, leaves=True,
                             there=self.disk.kind(real) is not None)
        return None

    def _left_by(self, path: str, own: str) -> "str | None":
        """Walks down `path`: below `own` stands a link. -> what the caller wrote below `own`; None where there is no such link."""
        parts = path.split(self.flavour.sep)
        for n in range(2, len(parts) + 1):
            above = self.disk.real(self.flavour.sep.join(parts[:n - 1]) or self.flavour.sep)
            if inside(above, own, self.flavour) and self.disk.kind(join(above, parts[n - 1], self.flavour)) == "link":
                return relative(join(above, self.flavour.sep.join(parts[n - 1:]), self.flavour), own, self.flavour)
        return None

    def _with_twin(self, facts: Facts, submodule: "repo.Checkout | None", makes: bool) -> Facts:
        repository = facts.repository
        assert repository is not None and repository.binding is not None
        if facts.place != MAIN:
            return facts
        own = self.disk.real(repository.binding.path)
        to = join(repository.binding.path, facts.rel, self.flavour)
        facts = facts.but(to=to, to_there=self.disk.kind(to) is not None,
                          to_leaves=not inside(self.disk.real(to), own, self.flavour))
        if submodule is not None:
            below = relative(submodule.root, facts.root, self.flavour) or ""
            there = repo.checkout_at(self.disk, join(own, below, self.flavour)) is not None
            facts = facts.but(submodule=below, submodule_there=there)
        if makes and facts.there and not facts.to_there:
            from guard.edge import ask_git
            facts = facts.but(ignored=ask_git.ignored(self.disk, facts.root, facts.path))
        return facts

    # --- the repository -------------------------------------------------------------------------------------------

    def repository(self, checkout: "repo.Checkout") -> Repository:
        if checkout.common not in self._repositories:
            self._repositories[checkout.common] = self._repository(checkout)
        return self._repositories[checkout.common]

    def _repository(self, checkout: "repo.Checkout") -> Repository:
        common, disk = checkout.common, self.disk
        near, project = self._stands_in(self.call.cwd, common), self._stands_in(self.call.project, common)
        main = "" if checkout.bare else checkout.root if not checkout.linked else self._main(common, near, project)
        settings = self._settings(main or parent(common, self.flavour))
        bound = None
        if self._used(common) or self.call.agent or (project and project.linked):
            from guard.edge import binding  # most repositories have no state at all: two modules less to load
            bound = binding.find(disk, self.call, common, settings, near, project, self.heard)
        leave = self._authorisation(common)
        return Repository(common=common, main=main, settings=settings, binding=bound, authorisation=leave["id"] if leave else "",
                          once=bool(leave and leave["once"]), servers_in_main=not self.call.project or bool(project and not project.linked),
                          used=self._ever_used(common))

    def _main(self, common: str, near: "repo.Checkout | None", project: "repo.Checkout | None") -> str:
        """The main checkout of a linked worktree: by git's config, by where the call stands, else as `wt enter` wrote it down."""
        bare, told = repo.work_tree(self.disk, common)
        if bare or told:
            return told
        stood = next((c.root for c in (near, project) if c and not c.linked and not c.bare), "")
        if stood:
            return stood
        known = self._active(common)
        return str(known["main"]) if known else ""

    def _used(self, common: str) -> bool:
        """`wt` has been here: there is a folder with our state."""
        return self.disk.kind(join(common, "worktree-guard", self.flavour)) is not None

    def _ever_used(self, common: str) -> bool:
        """More than what the hook itself may have left."""
        if not self._used(common):
            return False
        state = join(common, "worktree-guard", self.flavour)
        names = self.disk.names(state)
        return self.disk.kind(state) != "folder" or any(not name.startswith(("audit.", "faults.")) for name in names)

    def _active(self, common: str) -> "dict[str, Any] | None":
        """The repository's own record, state.json."""
        if not self._used(common):
            return None
        from guard.edge import records
        return records.binding(self.disk, records.state_file(self.disk, common), [])

    def _settings(self, folder: str) -> Settings:
        if not any(self.disk.kind(join(folder, self._native(name), self.flavour)) for name in SETTINGS_FILES):
            return Settings()
        from guard.edge import settings  # most repositories have none: a module less to load
        return settings.load(self.disk, folder, self.heard)

    def _authorisation(self, common: str) -> "dict[str, Any] | None":
        if not self._used(common):
            return None
        from guard.edge import records
        folder = records.folder(self.disk, common)
        path = join(folder, "override.json", self.flavour)
        for leave in records.living(self.disk, path, "authorisations", records.AUTHORISATION, self.call.session, self.heard):
            if leave["only"] not in (None, "write"):
                continue
            if leave["branch"] and repo.head(self.disk, common) != leave["branch"]:
                continue
            mark = join(join(folder, "used", self.flavour), leave["id"], self.flavour)
            used = self.disk.content_or(mark, "by somebody") if leave["once"] else None
            if used is None or (self.call.call_id and used == self.call.call_id):
                return leave
        return None

    def _allowed(self, real: str, repository: Repository) -> bool:
        if not self._used(repository.common):
            return False
        from guard.edge import records
        file = join(records.folder(self.disk, repository.common), "allow.json", self.flavour)
        permits = records.living(self.disk, file, "entries", records.PERMIT, self.call.session, self.heard)
        places = [permit["path"] for permit in permits if is_absolute(permit["path"], self.flavour)]
        return any(inside(real, place, self.flavour) for place in places)  # `wt allow` resolves links as well
