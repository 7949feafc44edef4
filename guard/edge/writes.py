"""Facts for the files that shell commands write or remove, and for what lies below them."""
from guard.core.model import ELSEWHERE, MAIN, OWN, Effect, Facts, Repository
from guard.core.paths import inside, join, parent, relative
from guard.edge.commands import HOLE, entered_before, held, somewhere_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def written(look: "Any", effect: Effect) -> Facts:
    """The facts of a file that a command writes. Of a path known only in part, the folder it lies in decides."""
    flavour, path = look.flavour, effect.path
    if HOLE in path:
        known, _, begins = path[:path.find(HOLE)].rpartition(flavour.sep)
        if "pattern" in effect.flags and known:
            hit = matched(look, look.disk.real(known), begins)
            if hit.named:
                return hit
        facts: Facts = look.of_path(join(known, "...", flavour), writes=True, makes=True) if known else Facts(path=path)
        if effect.refs and known and facts.place in (ELSEWHERE, OWN, MAIN):
            return searched(look, facts, look.disk.real(known))
        if "fed" in effect.flags and known and facts.place == ELSEWHERE:
            lying = lying_there(look, look.disk.real(known), "tree" in effect.flags)
            if lying is not None:
                return lying
        if known and facts.place not in (ELSEWHERE, OWN, MAIN):
            return facts
        if facts.place in (OWN, MAIN):
            below = look.disk.real(known)
            roots = inside_of(look, below, facts.repository) if "tree" in effect.flags else ()
            return facts.but(named=tuple([root for root in roots if look.disk.real(root) != below]))  # type: ignore[no-any-return]
        return somewhere_below(look, path[:path.find(HOLE)])
    bare = path.rstrip(flavour.sep) or path
    facts = look.of_path(bare, True, True, itself="itself" in effect.flags and bare == path)
    if effect.refs:
        return entered_before(look, effect, searched(look, facts, facts.path))
    if facts.repository is None and ("tree" in effect.flags or "below" in effect.flags):
        homes = look._stands(look.call.cwd)
        facts = facts.but(repository=look.repository(homes[0])) if homes else facts
    if facts.repository is not None and ("tree" in effect.flags or "below" in effect.flags):
        roots = inside_of(look, facts.path, facts.repository)
        facts = facts.but(named=tuple([root for root in roots if "tree" in effect.flags or root != facts.path]))
    if "folder" in effect.flags and place_for_worktrees(facts):
        facts = facts.but(allowed=True)
    return entered_before(look, effect, facts)


def place_for_worktrees(facts: Facts) -> bool:
    """Of the main checkout, but no file of it: `mkdir -p .worktrees` before `git worktree add .worktrees/x`."""
    above = facts.repository.settings.worktree_parent.strip("/") if facts.repository else ""
    return bool(above) and facts.place == MAIN and (facts.rel.replace("\\", "/") + "/").startswith(above + "/")


def searched(look: "Any", facts: Facts, start: str) -> Facts:
    """What find takes away below a folder: which checkouts lie there, and whose files those are if nothing else does."""
    homes = look._stands(look.call.cwd)
    repository = facts.repository or (look.repository(homes[0]) if homes else None)
    roots = inside_of(look, start, repository) if repository else ()
    if roots and (facts.place == ELSEWHERE or (facts.root != start and any(parent(look.disk.real(root), look.flavour) == start
                                                                           for root in roots))):
        found = [look.of_path(root, writes=True, makes=True) for root in roots]
        facts = next((one for one in found if one.place != OWN), found[0]).but(path=facts.path)
    return facts.but(repository=repository, named=roots) if repository else facts


def lying_there(look: "Any", folder: str, tree: bool) -> "Facts | None":
    """What find or xargs comes upon below a folder outside: a checkout of the repository, if one lies there."""
    homes = look._stands(look.call.cwd)
    roots = inside_of(look, folder, look.repository(homes[0])) if homes else ()
    if not roots:
        return None
    if tree:
        return Facts(path=folder, repository=look.repository(homes[0]), named=roots)
    found = [look.of_path(join(root, "...", look.flavour), writes=True, makes=True) for root in roots]
    return next((facts for facts in found if facts.place != OWN), None)


def matched(look: "Any", folder: str, begins: str) -> Facts:
    """The checkouts that a removal by pattern, `folder/begins*`, would take with it."""
    homes = look._stands(look.call.cwd)
    if not homes:
        return Facts(path=folder)
    repository = look.repository(homes[0])
    below = [(root, relative(look.disk.real(root), folder, look.flavour)) for root in inside_of(look, folder, repository)]
    hits = tuple([root for root, rel in below if rel and rel.startswith(begins)])
    return Facts(path=folder, repository=repository, named=hits)


def inside_of(look: "Any", folder: str, repository: "Repository | None") -> "tuple[str, ...]":
    """The checkouts of the repository at or below a folder."""
    assert repository is not None
    roots = [path for _, path in held(look, repository)]
    return tuple([root for root in roots if root and inside(look.disk.real(root), folder, look.flavour)])
