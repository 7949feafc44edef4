"""wt explain: what the hook would answer to a command or a recorded call, and why. Runs nothing, changes nothing, spends nothing."""
from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from guard import clients, main
from guard.core import tools
from guard.core.judge import judge, settled, step
from guard.core.model import Abilities, Call, Effect, Fault, Repository
from guard.core.shell import as_written
from guard.edge import disk
from guard.edge.look import Look
from guard.wt.errors import UsageError
from guard.wt.sessions import caller, session_id

SHOWN = ("place", "root", "head", "protected", "held", "config", "lost", "named", "foreign", "to")  # of the facts


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--client", choices=sorted(clients.CLIENTS), default="claude-code", help="as whose call (default: claude-code)")
    parser.add_argument("--session", type=session_id, metavar="ID", help="as this session's call (default: the caller's)")
    parser.add_argument("--cwd", type=Path, help="as called from there (default: here)")
    parser.add_argument("--call", metavar="FILE", help="a PreToolUse document as the client sends it; - for stdin")
    parser.add_argument("command", nargs="*", metavar="-- COMMAND", help="a shell command, as one text or as words")


def run(_: None, args: argparse.Namespace) -> dict[str, Any]:
    """-> call, binding, effects[], verdict {kind, rule, reason, note, input}"""
    client: Any = clients.load(args.client)
    call = main.placed(recorded(client, args.call) if args.call else typed(args), disk)
    try:
        effects = tools.effects(call, lambda: main.surroundings(disk))
    except Fault as fault:
        raise UsageError(f"the call cannot be read: {fault}") from None
    look = Look(disk, call)
    facts = look.facts(effects)
    can: Abilities = client.ABILITIES
    answers = [settled(step(call, e, f, can), f, can) for e, f in zip(effects, facts, strict=True)]
    verdict = judge(call, effects, facts, can)
    here = look.of_path(call.cwd, writes=False)
    repository = next((f.repository for f in [here, *facts] if f.repository), None)
    return {
        "call": {"tool": call.tool, "cwd": call.cwd, "session": call.session, "client": call.client, "stands_in": here.place},
        "binding": bound(repository), "unread": look.heard,
        "effects": [{**seen(e), "facts": plain({name: getattr(f, name) for name in SHOWN if getattr(f, name)}),
                     "answer": {"kind": a.kind, "rule": a.rule, "note": a.note}} for e, f, a in zip(effects, facts, answers, strict=True)],
        "verdict": plain({name: value for name, value in verdict.fields().items() if name in ("kind", "rule", "reason", "note", "input")}),
    }


def typed(args: argparse.Namespace) -> Call:
    if not args.command:
        raise UsageError("no command to explain", hint="wt explain -- git push origin main")
    text = args.command[0] if len(args.command) == 1 else shlex.join(args.command)
    cwd = args.cwd.absolute() if args.cwd else Path.cwd()
    return Call(client=args.client, tool="Bash", input={"command": text}, cwd=str(cwd), session=caller(args.session).session or "")


def recorded(client: Any, name: str) -> Call:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        call: Call = client.read(json.loads(text), disk.variable)
    except (OSError, ValueError, Fault) as fault:
        raise UsageError(f"{name} holds no call: {fault}", hint="the JSON document that the client gives its PreToolUse hooks") from None
    return call


def bound(repository: Repository | None) -> dict[str, Any] | None:
    if repository is None:
        return None
    own = repository.binding
    return {"main": repository.main, "mode": repository.settings.mode, "authorised": bool(repository.authorisation),
            "worktree": plain(own.fields()) if own else None}


def seen(effect: Effect) -> dict[str, Any]:
    """An effect without its empty fields; its words as they were typed."""
    found: dict[str, Any] = plain({name: value for name, value in effect.fields().items() if value})
    return found


def plain(value: Any) -> Any:
    """The same for JSON and for eyes: what is not known shows as "..."."""
    if isinstance(value, str):
        return as_written(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def lines(data: dict[str, Any]) -> list[str]:
    call, bound_to = data["call"], data["binding"]
    said = [f"in       {call['cwd']} ({PLACES[call['stands_in']]})", f"binding  {binding_line(bound_to)}"]
    for n, effect in enumerate(data["effects"], 1):
        said += effect_lines(n, effect)
    if not data["effects"]:
        said.append("effects  none that the guard looks at")
    verdict = data["verdict"]
    said.append(f"verdict  {verdict['kind']}" + (f"  ({verdict['rule']})" if verdict["rule"] else ""))
    said += [f"         {line}" for line in (verdict["reason"] or verdict["note"]).splitlines()]
    if verdict["input"]:
        said.append(f"         runs as {json.dumps(verdict['input'], ensure_ascii=False)[:300]}")
    return said + [f"heard    {line}" for line in data["unread"]]


PLACES = {"own": "your worktree", "main": "the main checkout", "other": "another worktree", "elsewhere": "no repository of yours",
          "git": "git's own folder", "gone": "a worktree that is gone", "unknown": "not to be known"}


def binding_line(found: dict[str, Any] | None) -> str:
    if found is None:
        return "none: not in a git repository"
    mode = f"mode {found['mode']}" + (", main is authorised" if found["authorised"] else "")
    own = found["worktree"]
    if own is None:
        return f"none, {mode}"
    return f"{own['path']}, branch {own['head'] or own['branch'] or '(detached)'}, by {own['source']}, {own['condition']}; {mode}"


def effect_lines(number: int, effect: dict[str, Any]) -> list[str]:
    words = " ".join(str(effect.get("said", "")).split())
    facts = effect["facts"]
    place = PLACES.get(str(facts.get("place")), "")
    details = [f"{name} {shown(facts[name])}" for name in SHOWN[2:] if facts.get(name)]
    details += [f"refs {shown(effect['refs'])}"] if effect.get("refs") else []
    details += [f"flags {shown(effect['flags'])}"] if effect.get("flags") else []
    answer = effect["answer"]
    said = answer["kind"] + (f"  ({answer['rule']})" if answer["rule"] else "") + (f"  note: {answer['note']}" if answer["note"] else "")
    return [f"effect {number} {effect['kind']}: {words}"[:200],
            f"         at {effect.get('path') or '...'} ({place})",
            *[f"         {line}"[:200] for line in details],
            f"         -> {said}"]


def shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(" in ".join(item) if isinstance(item, list) else str(item) for item in value)
    return str(value)
