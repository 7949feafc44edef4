"""The command line of `wt`: a table of verbs, one JSON envelope, one table of exit statuses."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

from guard.wt import open_work
from guard.wt.causes import of_system
from guard.wt.errors import DONE, FAILED, INTERRUPTED, UsageError, WtError

if TYPE_CHECKING:
    from guard.wt.repository import Repository

# Each is a module of guard/wt/commands: arguments(parser), run(repository, args) -> data, lines(data) -> text for people.
COMMANDS = {
    "enter": "work in a worktree from here on; it is made if there is none of that name",
    "new": "make a worktree without entering it; no name: two plain words",
    "leave": "end the binding; the worktree and its branch stay",
    "remove": "remove a worktree when nothing is lost with it; wt restore brings it back for 7 days",
    "restore": "bring back a removed worktree, with its branch and its ignored files",
    "clean": "remove what is merged, clean and ours, all at once; a dry run until --apply",
    "merge": "bring a finished worktree into its base; an agent needs authorize-main for it",
    "snapshot": "keep everything of a worktree in a ref, open files too; nothing else is changed",
    "status": "worktrees, bindings, authorisations and faults of this repository",
    "authorize-main": "let the main checkout be written for a while (for a person to run)",
    "revoke-main": "end every authorisation of the main checkout now",
    "allow": "let one path be written for a while (for a person to run)",
    "lease": "get and give back a ready worktree of the pool: read status, write acquire, write return; always JSON",
    "lane": "one checkout for each writing agent of a workflow: prepare, dispose, list",
    "setup": "copy, link and run the repository's setup commands in a worktree again",
    "trust": "show the repository's own commands and accept them, once; a person's",
    "native": "make or remove a client's own worktree, from its event on stdin (hooks/run calls it)",
    "install": "register the hooks with a client, for this user",
    "uninstall": "take the hooks out of a client's configuration again",
    "explain": "show what the hook would answer to a command, and why",
    "doctor": "run the registered hook as the client would, and look for what usually goes wrong",
    "demo": "see it work: a scratch repository, a worktree, tool calls through the real hook",
}
OWN_WORDS = ("lease",)  # they read their words themselves, and always answer in JSON, --help too
WITHOUT_REPOSITORY = ("demo", "install", "uninstall", "doctor", "explain", "lease")
OTHER_NAMES = {"create": "new", "exit": "leave", "help": "--help"}  # the first two are zcode-worktree-guard's


def command(verb: str) -> ModuleType:
    return import_module(f"guard.wt.commands.{verb.replace('-', '_')}")


def main(words: list[str]) -> int:
    """Runs one command; returns its exit status. stdout is the answer, stderr the refusal, never both."""
    options = words[:words.index("--")] if "--" in words else words
    as_json = "--json" in options
    words = [OTHER_NAMES.get(word, word) if n == 0 else word for n, word in enumerate(words)]
    own = bool(words) and words[0] in OWN_WORDS
    as_json |= own
    if words[:1] == ["status"] and set(words) <= {"status", "--json"}:
        open_work.begin(os.curdir)
    try:
        known = words[0] if words and words[0] in COMMANDS else ""
        args: Any = SimpleNamespace(verb=known, words=words[1:]) if own else parsed(words, known)
        if args.verb is None:
            return DONE
        verb = command(args.verb)
        names = getattr(verb, "STDIN", {})
        if names:
            from guard.wt.stdin import filled_in

            filled_in(args, names, given=len(words) > 1 + options.count("--json"))
        repository = None if args.verb in WITHOUT_REPOSITORY else opened()
        data = verb.run(repository, args)
        return answered(data, verb.lines, as_json, indent=2 if own else None) or int(data.get("wrong", 0) > 0)
    except WtError as refusal:
        return refused(refusal, as_json, indent=2 if own else None)
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as fault:  # a full disk, a sandbox: nobody's fault
        return refused(of_system(fault) or our_fault(fault, words), as_json, indent=2 if own else None)
    except Exception as fault:
        return refused(our_fault(fault, words), as_json, indent=2 if own else None)


def parsed(words: list[str], verb: str) -> Any:
    """Their arguments. The help is printed where they name no command."""
    from guard.wt.parsing import no_command, parser  # argparse: 8 ms, which no lease needs

    if words and not verb and not words[0].startswith("-"):
        raise no_command(words[0], COMMANDS)
    top = parser(COMMANDS, verb, command(verb) if verb else None)
    args, unknown = top.parse_known_args(words)
    if unknown:
        raise UsageError(f"unknown words: {' '.join(unknown)}", hint=f"wt {verb} --help" if verb else "wt --help")
    if args.verb is None:
        top.print_help()
    return args


def our_fault(fault: Exception, words: list[str]) -> WtError:
    from guard.wt.report import reported  # tempfile and traceback: 10 ms

    return reported(fault, words)


def opened() -> Repository:
    from guard.wt.repository import open_repository  # filelock and msgspec: 20 ms, which `wt --help` does not need

    return open_repository(here())


def here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UsageError("the folder you stand in is gone", code="folder-gone", hint="cd to the main checkout and try again") from None


def answered(data: dict[str, Any], lines: Callable[[dict[str, Any]], list[str]], as_json: bool, indent: int | None = None) -> int:
    """Prints the answer. What was done is done, even where nobody can read it."""
    text = json.dumps({"ok": True, "data": data}, ensure_ascii=True, indent=indent) if as_json else "\n".join(lines(data))
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        sys.stdout.flush()
    except OSError as fault:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - or the interpreter complains at its end
        if isinstance(fault, BrokenPipeError):
            return DONE  # the reader has seen enough
        sys.stderr.write(f"wt: done, but the answer cannot be written: {fault}\n")
        return FAILED
    return DONE


def refused(refusal: WtError, as_json: bool, indent: int | None = None) -> int:
    if as_json:
        document = {"ok": False, "error": refusal.said, "code": refusal.code, "hint": refusal.hint, "details": refusal.details}
        text = json.dumps(document, indent=indent)
    else:
        text = f"wt: {refusal.said}" + (f"\nInstead: {refusal.hint}" if refusal.hint else "")
    sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
    return refusal.status


def entry() -> NoReturn:
    for fd in (0, 1, 2):  # closed ones would be taken by the next file that opens
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    sys.exit(main(sys.argv[1:]))
