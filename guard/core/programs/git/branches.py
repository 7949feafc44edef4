"""Verbs that check branches out, make, move, rename, delete or merge them.

(git-checkout(1), git-switch(1), git-branch(1), git-update-ref(1), git-symbolic-ref(1), git-fetch(1), git-merge(1), git-rebase(1))
Flags of the effect: checkout, create, force (over what is there), move, delete, rename, merge.
"""
from guard.core.model import BRANCH, CHANGE, UNHOOKED
from guard.core.programs.git import parsed
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.programs.git import Git

CHECKOUT = ("b= B= l d/detach t/track? f/force m/merge q/quiet p/patch orphan= ours theirs conflict= ignore-other-worktrees "
            "recurse-submodules guess no-guess no-track overlay progress pathspec-from-file= pathspec-file-nul U/unified=")
SWITCH = ("c/create= C/force-create= d/detach t/track? f/force discard-changes m/merge q/quiet orphan= conflict= ignore-other-worktrees "
          "recurse-submodules guess no-guess no-track progress")
BRANCHES = ("d/delete D m/move M c/copy C f/force u/set-upstream-to= unset-upstream l/list a/all r/remotes v/verbose vv q/quiet t/track? "
            "edit-description show-current contains? no-contains? merged? no-merged? points-at= sort= format= column? color? abbrev= "
            "i/ignore-case create-reflog recurse-submodules no-track")
FETCH = ("a/append all atomic depth= deepen= shallow-since= shallow-exclude= unshallow f/force k/keep multiple n/no-tags t/tags p/prune "
         "P/prune-tags dry-run u/update-head-ok q/quiet v/verbose j/jobs= refmap= recurse-submodules? upload-pack= o/server-option= "
         "negotiation-tip= set-upstream r/rebase? no-rebase ff ff-only no-ff commit no-commit squash no-squash s/strategy= "
         "X/strategy-option= autostash stat no-stat e/edit no-edit S/gpg-sign? allow-unrelated-histories no-verify verify 4/ipv4 6/ipv6 "
         "stdin porcelain filter= no-auto-gc")
MERGE = ("m/message= F/file= s/strategy= X/strategy-option= into-name= onto= x/exec= S/gpg-sign? cleanup= e/edit no-edit ff ff-only no-ff "
         "squash commit no-commit n/no-stat stat log? abort continue quit skip no-verify verify q/quiet v/verbose i/interactive "
         "r/rebase-merges? autosquash no-autosquash autostash no-autostash keep-base root f/force-rebase C= whitespace= "
         "allow-unrelated-histories update-refs edit-todo show-current-patch")

MOST_LINES = 500  # of update-ref --stdin


def run(git: "Git") -> None:
    VERBS[git.verb](git)


def checkout(git: "Git") -> None:
    found = parsed(git.words, CHECKOUT)
    others = ("ignore-other-worktrees",) if found.has("ignore-other-worktrees") else ()
    for option in ("b", "B", "orphan"):
        if option in found.flags:
            git.add(BRANCH, (found.flags[option],), ("checkout", "create", *(("force",) if option == "B" else ()), *others))
            git.changes()
            git.checks_out(found.flags[option])
            git.command.shell.ignores_changed = True
            from guard.core.programs.git import discards
            if option == "B":
                discards.branch_moved(git, found.flags["B"], "".join(found.operands[:1]))
            if found.has("force"):
                discards.whole_tree(git)
            return
    names_paths = bool(found.paths) or len(found.operands) > 1 or found.has("patch", "ours", "theirs", "pathspec-from-file")
    if not names_paths and found.operands and not found.has("detach"):
        name = found.operands[0]
        git.add(BRANCH, (name,), ("checkout", *others))
        git.changes()
        git.checks_out(name if name == git.command.shell.world.branch(git.folders[0], name) else HOLE)
    else:
        git.changes(("paths",) if names_paths else ())
    from guard.core.programs.git import discards
    if found.has("ours", "theirs"):
        discards.one_side(git, found.operands + (found.paths or []))
    elif names_paths and not found.has("patch"):
        tree = found.operands[0] if found.operands and (found.paths or is_commit(git, found.operands[0])) else ""
        discards.checkout_paths(git, tree, (found.operands[1:] if tree else found.operands) + (found.paths or []))
    elif found.operands and is_path(git, found.operands[0]):
        discards.checkout_paths(git, "", found.operands[:1])
    elif found.has("force"):
        discards.whole_tree(git)
    elif not names_paths and found.operands:
        git.command.shell.ignores_changed = True


def is_path(git: "Git", name: str) -> bool:
    """`git checkout src`: a folder or a file, not a branch."""
    shell, place = git.command.shell, git.command.path(name, git.folders[0])
    return name in (".", "..", ":/") or (not shell.world.branch(git.folders[0], name) and HOLE not in place and shell.world.is_there(place))


def is_commit(git: "Git", name: str) -> bool:
    return not is_path(git, name)


def switch(git: "Git") -> None:
    found = parsed(git.words, SWITCH)
    if found.has("force", "discard-changes"):
        from guard.core.programs.git import discards
        discards.whole_tree(git)
    others = ("ignore-other-worktrees",) if found.has("ignore-other-worktrees") else ()
    for option in ("create", "force-create", "orphan"):
        if option in found.flags:
            git.add(BRANCH, (found.flags[option],), ("checkout", "create", *(("force",) if option == "force-create" else ()), *others))
            git.changes()
            git.checks_out(found.flags[option])
            if option == "force-create":
                from guard.core.programs.git import discards
                discards.branch_moved(git, found.flags[option], "".join(found.operands[:1]))
            return
    if found.operands and not found.has("detach"):
        git.add(BRANCH, (found.operands[0],), ("checkout", *others))
        git.checks_out(HOLE if found.operands[0] == "-" else found.operands[0])
    git.changes()


def branch(git: "Git") -> None:
    found = parsed(git.words, BRANCHES)
    names = found.operands + (found.paths or [])
    if found.has("delete", "D"):
        if not found.has("remotes"):
            git.add(BRANCH, tuple(names), ("delete", *(("force",) if found.has("D", "force") else ())))
    elif found.has("move", "M"):
        own = ("own",) if len(names) == 1 else ()
        git.add(BRANCH, tuple(names[-2:]), ("rename", *own, *(("force",) if found.has("M", "force") else ())))
        if own:
            git.changes()
            git.checks_out(names[0])
    elif found.has("copy", "C") and names:
        git.add(BRANCH, (names[-1],), ("create", *(("force",) if found.has("C", "force") else ())))
    elif names and found.has("force"):
        from guard.core.programs.git import discards
        git.add(BRANCH, (names[0],), ("move", "force"))
        discards.branch_moved(git, names[0], "".join(names[1:2]))
    elif found.has("set-upstream-to"):
        remote, _, branch_there = found.flags["set-upstream-to"].partition("/")
        head = names[0] if names else git.head(git.folders[0]) or git.command.shell.world.head(git.folders[0])
        git.command.shell.settings[f"branch.{head}.remote"] = remote
        git.command.shell.settings[f"branch.{head}.merge"] = "refs/heads/" + branch_there
    elif len(names) == 1 and not found.has("list", "contains", "merged", "show-current"):
        git.command.shell.saved = git.command.shell.saved | {"commits"}  # a branch that holds what is checked out


def update_ref(git: "Git") -> None:
    found = parsed(git.words, "d m= stdin z no-deref create-reflog deref")
    if found.has("stdin"):
        lines = [line.split() for line in (git.command.stdin or "").splitlines()[:MOST_LINES]]
        for verbs, flags in ((("delete",), ("delete", "force")), (("update", "create", "symref-update"), ("move", "force"))):
            refs = [words[1] for words in lines if words[:1] and words[0] in verbs and len(words) > 1]
            if refs:
                git.add(BRANCH, tuple(refs), flags)
    elif found.operands[:1] == ["HEAD"]:
        git.changes()
    elif found.operands:
        git.add(BRANCH, (found.operands[0],), ("delete", "force") if found.has("d") else ("move", "force"))
        if not found.has("d") and found.operands[0].startswith("refs/heads/"):
            from guard.core.programs.git import discards
            discards.branch_moved(git, found.operands[0][11:], "".join(found.operands[1:2]))


def symbolic_ref(git: "Git") -> None:
    found = parsed(git.words, "d/delete q/quiet short m= recurse")
    if found.has("delete"):
        git.add(BRANCH, tuple(found.operands[:1]), ("delete", "force"))
    elif len(found.operands) > 1 and found.operands[0] != "HEAD":
        git.add(BRANCH, (found.operands[0],), ("move", "force"))
    elif len(found.operands) > 1:
        git.add(BRANCH, (found.operands[1],), ("checkout",))
        git.changes()


def fetch(git: "Git") -> None:
    """Refspecs with a destination among the local branches move those."""
    found = parsed(git.words, FETCH)
    if found.has("dry-run"):
        return
    if git.verb == "pull":
        git.add(CHANGE, tuple(found.operands))
        if found.has("no-verify"):
            git.add(UNHOOKED)
        merged = [spec.lstrip("+").partition(":")[0] for spec in found.operands[1:]]
        if merged:
            git.add(BRANCH, tuple(merged), ("merge",))
    for spec in (found.operands + (found.paths or []))[1:]:
        target = spec.lstrip("+").partition(":")[2]
        if target and not target.startswith(("refs/remotes/", "refs/tags/")):
            git.add(BRANCH, (target,), ("move", *(("force",) if spec[:1] == "+" or found.has("force") else ())))


def merge(git: "Git") -> None:
    found = parsed(git.words, MERGE)
    git.changes()
    if found.has("no-verify"):
        git.add(UNHOOKED)
    if found.has("exec"):
        from guard.core.programs.git import changes
        changes.started(git, ["sh", "-c", found.flags["exec"]])
    names = [name for name in found.operands if name]
    if found.has("abort"):
        from guard.core.programs.git import discards
        discards.abort(git)
    if names and not found.has("abort", "continue", "quit", "skip"):
        if git.verb == "rebase" and len(names) > 1:  # git rebase upstream branch: checks the branch out first
            git.add(BRANCH, (names[1],), ("checkout",))
        onto = [found.flags["onto"]] if found.has("onto") else []
        git.add(BRANCH, tuple(names[:1] + onto if git.verb == "rebase" else names), ("merge",))


VERBS = {"checkout": checkout, "switch": switch, "branch": branch, "update-ref": update_ref, "symbolic-ref": symbolic_ref, "fetch": fetch,
         "pull": fetch, "merge": merge, "rebase": merge}
