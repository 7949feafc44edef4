"""What happens to one path: the table of places, first row that fits wins.

    It stands at the end of this file; README.md has it in words, checked against this one.
"""
from guard.core.judge import question, quoted, refuse, typed, working_in
from guard.core.model import (
    ALLOW,
    ASK,
    ELSEWHERE,
    GIT,
    GONE,
    LOST,
    MAIN,
    OTHER,
    OWN,
    REWRITE,
    SEARCH,
    SETTINGS_FILES,
    UNKNOWN,
    WRITE,
    Answer,
    Binding,
    Effect,
    Facts,
    Repository,
    Settings,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PASS = Answer(kind=ALLOW)


def answer(effect: Effect, facts: Facts) -> Answer:
    """The answer for one path, without regard to what the client can do."""
    if effect.kind == WRITE and effect.refs and facts.named:
        from guard.core.programs import searches
        facts = facts.but(named=searches.taken(effect, facts))
    for _, fits, reads, writes in TABLE:
        if fits(facts):
            return (writes if effect.kind == WRITE else reads)(effect, facts)
    return PASS


# --- where is it? ----------------------------------------------------------------------------------------------------

def in_git_folder(f: Facts) -> bool:
    return f.place == GIT


def in_no_repository_of_ours(f: Facts) -> bool:
    return f.repository is None or f.place == ELSEWHERE


def allowed(f: Facts) -> bool:
    if f.allowed or f.place != MAIN:
        return f.allowed
    patterns = settings(f).main_write_allow
    if not patterns:
        return False
    from guard.core.globs import matches
    return matches(patterns, f.rel.replace("\\", "/"))


def authorised(f: Facts) -> bool:
    return f.place == MAIN and bool(repository(f).authorisation)


def link_out_of_worktree(f: Facts) -> bool:
    return f.leaves


def link_out_of_twin(f: Facts) -> bool:
    return f.to_leaves


def submodule_missing(f: Facts) -> bool:
    return f.place == MAIN and bool(f.to) and not f.submodule_there


def in_other_worktree(f: Facts) -> bool:
    return f.place == OTHER


def in_own_worktree(f: Facts) -> bool:
    return f.place == OWN


def binding_is_stale(f: Facts) -> bool:
    bound = repository(f).binding
    return f.place in (MAIN, GONE) and bound is not None and bound.condition in LOST and settings(f).stale == "deny"


def both_have_it(f: Facts) -> bool:
    return bool(f.to) and f.to_there


def only_main_has_it(f: Facts) -> bool:
    return bool(f.to) and f.there


def neither_has_it(f: Facts) -> bool:
    return bool(f.to)


def in_main_unbound(f: Facts) -> bool:
    return f.place in (MAIN, GONE)


def repository(f: Facts) -> Repository:
    assert f.repository is not None  # rows behind in_no_repository_of_ours have one
    return f.repository


def settings(f: Facts) -> Settings:
    return repository(f).settings


def binding(f: Facts) -> Binding:
    bound = repository(f).binding
    assert bound is not None  # f.to is set for bound calls alone
    return bound


def declared(f: Facts) -> bool:
    """The way leads through a link that the settings name in sync.symlink_dirs."""
    rel = f.rel.replace("\\", "/") + "/"
    return any(rel.startswith(name.strip("/") + "/") for name in settings(f).symlink_dirs if name.strip("/"))


def holds_worktrees(f: Facts) -> bool:
    return bool(f.named)


def unknown_target(f: Facts) -> bool:
    return f.place == UNKNOWN


# --- what then? ------------------------------------------------------------------------------------------------------

def what(e: Effect, f: Facts, path: str = "") -> str:
    """The call, for a message: a tool with its path, or a command as it was typed."""
    return f"{e.said} of {path or f.path}" if e.at else typed(e.said)


def passes(e: Effect, f: Facts) -> Answer:
    return PASS


def pass_unless_settings(e: Effect, f: Facts) -> Answer:
    return unless_settings(f, PASS)


def deny_git_folder(e: Effect, f: Facts) -> Answer:
    return refuse("git-folder", what(e, f), "git's own files are not written by hand; one wrong byte breaks every worktree.",
                  "use the git command for it (git config, git worktree, ...) in your own worktree.")


def deny_removal(e: Effect, f: Facts) -> Answer:
    many = f" and {len(f.named) - 1} more" if len(f.named) > 1 else ""
    alone = not many and f.named[0] != repository(f).main
    spared = spared_by_find(e, f) if e.refs else ""
    return refuse("worktree-removal", what(e, f), f"it would take away {f.named[0]}{many}, with whatever exists only there.",
                  f"{spared}  (leaves them alone)" if spared else
                  f"wt remove {quoted(f.named[0])}  (looks first what only it holds)" if alone else
                  "wt status  (shows who works in each worktree and what it holds; wt remove NAME takes one away)")


def spared_by_find(e: Effect, f: Facts) -> str:
    """The same find around the worktrees, where the rest of it would pass."""
    from guard.core.programs import searches
    return searches.remedy(e, f) if answer(e, f.but(named=())).kind == ALLOW else ""


def unresolved(e: Effect, f: Facts) -> Answer:
    """Setting `unresolved`: pass, ask or deny."""
    choice = settings(f).unresolved if repository(f).binding else "pass"
    if choice == "pass":
        return Answer(kind=ALLOW, rule="unresolved")
    return (refuse if choice == "deny" else question)("unresolved", what(e, f), "which file it writes cannot be known beforehand.",
                                                      "write the path out.")


def pass_authorised(e: Effect, f: Facts) -> Answer:
    once = repository(f).authorisation if repository(f).once and e.kind == WRITE else ""
    return unless_settings(f, Answer(kind=ALLOW, spends=once))


def deny_link(e: Effect, f: Facts) -> Answer:
    if declared(f):
        return PASS
    at = f.path if f.leaves else f.to
    return refuse("link-leaves-worktree", what(e, f, f.rel), f"a link in your worktree leads out of it, to {at}.",
                  f"write a file that is really in the worktree. If the link is meant, the owner adds it in {SETTINGS_FILES[0]}: "
                  '{"sync": {"symlink_dirs": ["NAME"]}}')


def deny_submodule(e: Effect, f: Facts) -> Answer:
    return refuse("submodule-missing", what(e, f), f"the submodule {f.submodule} is not set up in your worktree yet.",
                  f"git -C {quoted(binding(f).path)} submodule update --init {quoted(f.submodule)}, then use {f.to}")


def deny_other_worktree(e: Effect, f: Facts) -> Answer:
    bound = repository(f).binding
    if bound is None:
        return refuse("other-worktree", what(e, f), "that worktree is not this session's; somebody else may be working in it.",
                      f"wt enter {quoted(f.root)} if you were told to work there.")
    return refuse("other-worktree", what(e, f), f"it lies in another worktree than yours ({working_in(bound)}).",
                  f"use the path in your own: {own_path(f)}")


def own_path(f: Facts) -> str:
    sep = "\\" if "\\" in binding(f).path else "/"
    return binding(f).path + sep + f.rel


def write_own(e: Effect, f: Facts) -> Answer:
    bound = repository(f).binding
    if bound is None or bound.condition == "there":
        return PASS
    if bound.condition == "detached":
        return Answer(kind=ALLOW, note=f"{bound.path} is on a detached HEAD. "
                      f"Run: git -C {quoted(bound.path)} switch {quoted(bound.branch)}")
    return deny_wrong_branch(e, f)


def deny_wrong_branch(e: Effect, f: Facts) -> Answer:
    bound = binding(f)
    return refuse("wrong-branch", what(e, f), f"your worktree is on {bound.head}, a protected branch, not on {bound.branch}.",
                  f"git -C {quoted(bound.path)} switch {quoted(bound.branch)}, then the same call again.")


def deny_stale(e: Effect, f: Facts) -> Answer:
    bound = binding(f)
    lost, way_out = "is gone", f"wt enter {quoted(bound.path)} to make it again, or wt leave to work in the main checkout."
    if bound.condition == "unreadable":
        lost, way_out = "cannot be looked at", "wt status says more; wt leave to work in the main checkout."
    if bound.condition == "unknown":
        lost, way_out = "is no worktree of this repository any more", "wt leave to work in the main checkout; what is in that folder stays."
    return refuse("stale-worktree", what(e, f), f"the worktree this session is bound to, {bound.path}, {lost}.", way_out)


def move(e: Effect, f: Facts) -> Answer:
    if binding(f).condition == "protected" and e.kind == WRITE:
        return deny_wrong_branch(e, f)
    moved = Answer(kind=REWRITE, rule="use-worktree-path", to=f.to, note=moved_note(e, f))
    return unless_settings(f, moved) if e.kind == WRITE else moved


def moved_note(e: Effect, f: Facts) -> str:
    if e.kind == SEARCH:
        return f"Searched your worktree: {f.to}"
    if e.kind == WRITE:
        return f"Written in your worktree: {f.to}"
    return f"This is your worktree's copy. Edit it only as {f.to}"


def note_main_copy(e: Effect, f: Facts) -> Answer:
    return Answer(kind=ALLOW, note=f"{f.path} is the main checkout's; your worktree {binding(f).path} has no such {said_kind(e)}.")


def said_kind(e: Effect) -> str:
    return "folder" if e.kind == SEARCH else "file"


def write_only_in_main(e: Effect, f: Facts) -> Answer:
    if unless_settings(f, PASS).kind == ASK:  # a copy in W would not count
        return unless_settings(f, PASS)
    if e.makes and f.ignored:
        return move(e, f)
    if "remove" in e.flags:
        return refuse("only-in-main", what(e, f), "it is in the main checkout alone; your worktree has no such file.",
                      "leave it where it is; or ask the person to run: wt authorize-main --reason '...'")
    below, name = f.rel.replace("\\", "/").rpartition("/")[::2]
    folder = f"mkdir -p {quoted(f.to[:-len(name) - 1])} && " if below else ""
    return refuse("only-in-main", what(e, f), "it is in the main checkout alone; your worktree has no such file.",
                  f"{folder}cp {quoted(f.path)} {quoted(f.to)}, then work on that copy; or ask the person to run: "
                  "wt authorize-main --reason '...'")


def pass_if_open(e: Effect, f: Facts) -> Answer:
    if settings(f).mode == "open":
        return unless_settings(f, PASS)
    return refuse("main-protected", what(e, f), "the main checkout is protected here, and this session is in no worktree.",
                  "wt enter NAME (makes the worktree NAME if there is none), then use the paths it prints.")


def unless_settings(f: Facts, otherwise: Answer) -> Answer:
    """The guard's own settings are a person's."""
    if not f.is_settings:
        return otherwise
    return Answer(kind=ASK, rule="guard-settings",
                  reason=f"{f.path} holds the settings of worktree-guard, which are the owner's to change. Let the agent write it?\n"
                         "Instead: the owner edits the file in an editor of their own.\n(worktree-guard: guard-settings)")


TABLE: "tuple[tuple[str, Callable[[Facts], bool], Callable[[Effect, Facts], Answer], Callable[[Effect, Facts], Answer]], ...]" = (
    # the path lies in                                    fits                      read or search   write
    ("a worktree, or a folder that holds some, as a whole", holds_worktrees,         passes,          deny_removal),
    ("not to be known beforehand",                        unknown_target,           passes,          unresolved),
    ("outside every repository of ours",                  in_no_repository_of_ours, passes,          pass_unless_settings),
    ("git's folders and .git pointer files",              in_git_folder,            passes,          deny_git_folder),
    ("a pattern of main_write_allow, or a `wt allow`",    allowed,                  passes,          pass_unless_settings),
    ("the main checkout, while it is authorised",         authorised,               passes,          pass_authorised),
    ("a link in your worktree that leaves it",            link_out_of_worktree,     passes,          deny_link),
    ("another worktree",                                  in_other_worktree,        passes,          deny_other_worktree),
    ("your worktree",                                     in_own_worktree,          passes,          write_own),
    ("the main checkout or W, while W is gone",           binding_is_stale,         passes,          deny_stale),
    ("a submodule that your worktree has not set up",     submodule_missing,        note_main_copy,  deny_submodule),
    ("the main checkout; W's copy is behind a link out",  link_out_of_twin,         passes,          deny_link),
    ("the main checkout; W has the file",                 both_have_it,             move,            move),
    ("the main checkout; only it has the file",           only_main_has_it,         note_main_copy,  write_only_in_main),
    ("the main checkout; a new file",                     neither_has_it,           passes,          move),
    ("the main checkout, no worktree bound",              in_main_unbound,          passes,          pass_if_open),
)
