"""The law of `wt`: in any world, in any order, no file, no staged content and no commit is lost, and the main checkout stays as it is."""
from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, seed, settings

from tests.conftest import Worlds
from tests.property import random_worlds as made
from tests.worlds import World

# Runs repeat exactly, unless a number of examples is asked for: WORKTREE_GUARD_EXAMPLES=1000 looks elsewhere each time.
ASKED = int(os.environ.get("WORKTREE_GUARD_EXAMPLES", "0"))
LAWS = settings(max_examples=ASKED or 30, deadline=None, database=None, print_blob=False,
                suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large])
Act = tuple[tuple[tuple[str, ...], ...], str, tuple[str, ...]]
OURS = "--exclude=refs/worktree-guard/*"  # what we made ourselves may go


@pytest.mark.parametrize("part", [1, 2])
def test_nothing_is_lost(worlds: Worlds, part: int) -> None:
    """In two parts, for two processes."""
    @settings(LAWS)
    @given(made.traits, made.acts)
    def law(traits: list[tuple[str, str]], acts: list[Act]) -> None:
        world = worlds.fresh("random", made.base)
        made.furnished(world, traits)
        hold(world, acts)
    (law if ASKED else seed(part)(law))()


# Worlds in which something was lost once.
FOUND = {"logs of a HEAD that leads nowhere": (["amended", "orphan"], (made.REMOVE,))}


@pytest.mark.parametrize("name", ["a", "f"])
@pytest.mark.parametrize(("traits", "act"), FOUND.values(), ids=FOUND)
def test_what_was_found_once(worlds: Worlds, traits: list[str], act: tuple[tuple[str, ...], ...], name: str) -> None:
    world = worlds.fresh("random", made.base)
    made.furnished(world, [(name, trait) for trait in traits])
    hold(world, [(act, name, made.WORDS)])
    assert not made.place(world, name).exists()


@pytest.mark.parametrize("trait", sorted(made.TRAITS))
def test_a_trait_can_be_had(worlds: Worlds, trait: str) -> None:
    """What cannot be made has proved nothing."""
    for name in ("a", "f"):
        world = worlds.fresh("random", made.base)
        world.sh(f"set -e; {made.script(trait, 1)}", cwd=made.place(world, name))


def hold(world: World, acts: list[Act]) -> None:
    """Each step of `wt` keeps all that ever was; a person's own commit may let go of what was staged before."""
    ever: set[bytes] = set()
    theirs = made.main_checkout(world)
    steps = [(words, name, discard) for several, name, discard in acts for words in several]
    for n, (words, name, discard) in enumerate(steps):
        ever |= made.held(world, OURS)
        if words[0] in ("work", "commit"):
            made.by_hand(world, words[0], name, n)
            ever &= made.held(world)
            continue
        status, said = made.by_wt(world, words, name, discard)
        assert status in (0, 1, 2), said
        assert not ever - made.held(world), said
        assert (world.OUT / "theirs").read_text() == "theirs\n"
        if words[0] == "merge":
            theirs = made.main_checkout(world)
        assert made.main_checkout(world) == theirs, said
