"""Facts for the files that shell commands write or remove, and for what lies below them."""
from guard.core.model import ELSEWHERE, MAIN, OWN, Effect, Facts, Repository
from guard.core.paths import inside, join, relative
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
    if facts.repository is None and ("tree" in effect.flags or "below" in effect.flags):
        homes = look._stands(look.call.cwd)
        facts = facts.but(repository=look.repository(homes[0])) if homes else facts
    if facts.repository is not None and ("tree" in effect.flags or "below" in effect.flags):
        roots = inside_of(look, facts.path, facts.repository)
        facts = facts.but(named=tuple([root for root in roots if "tree" in effect.flags or root != facts.path]))
    return entered_before(look, effect, facts)


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
