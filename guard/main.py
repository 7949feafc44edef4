"""One call in one screen: read, effects, facts, verdict, answer. A fault of ours lets the call pass, and is heard."""
from guard import clients
from guard.core import tools
from guard.core.model import ALLOW, ASK, REWRITE, Call, Fault, Verdict
from guard.core.paths import absolute, is_absolute, join
from guard.edge import disk as real_disk
from guard.edge import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def main(arguments: "list[str]", disk: "Any" = real_disk) -> None:
    """PreToolUse: one document on stdin, one answer or nothing on stdout."""
    serve(arguments, judged, disk)


def serve(arguments: "list[str]", work: "Callable[[Any, str, Any], Any]", disk: "Any" = real_disk) -> None:
    """Reads a document, has `work(document, client, disk)` answer it, ends the process. A fault answers nothing, and is heard."""
    name, answer = named_client(arguments), b""
    try:
        have_read = disk.watch(lambda said: heard(disk, said, name))
        document = wire.loads(disk.read_input())
        have_read()
        given = work(document, name or clients.recognise(document), disk)
        answer = wire.dumps(given) + b"\n" if given else b""
    except BaseException as fault:
        heard(disk, f"the call cannot be read: {fault}" if isinstance(fault, (Fault, ValueError)) else told(fault), name)
    disk.leave(answer)


def judged(document: "Any", name: str, disk: "Any") -> "Any":
    """A PreToolUse document to the client's answer."""
    client = clients.load(name)
    if client is None:
        raise Fault(f"no client is called {name}")
    call = placed(client.read(document, disk.variable), disk)
    try:
        return client.write(decide(call, client.ABILITIES, disk))
    except BaseException as fault:
        heard(disk, str(fault) if isinstance(fault, Fault) else told(fault), name, call)
        return asked(disk, client, call)


def told(fault: BaseException) -> str:
    return f"{type(fault).__name__}: {fault}"


def named_client(arguments: "list[str]") -> str:
    """`--client NAME` or `--client=NAME`; "" when it is to be recognised. argparse would cost 10 ms, and exits 2 on a slip."""
    for n, word in enumerate(arguments):
        if word == "--client":
            return "".join(arguments[n + 1:n + 2])
        if word.startswith("--client="):
            return word[len("--client="):]
    return ""


def placed(call: Call, disk: "Any") -> Call:
    """A call without a usable folder happens where the hook does."""
    cwd = call.cwd if call.cwd and is_absolute(call.cwd, disk.FLAVOUR) else disk.folder()
    project = absolute(call.project, cwd, "", disk.FLAVOUR) if call.project else ""
    return call.but(cwd=absolute(cwd, cwd, "", disk.FLAVOUR), project=project)  # type: ignore[no-any-return]


def decide(call: Call, can: "Any", disk: "Any") -> Verdict:
    """The verdict for a call, and the line in the audit when it was not a plain pass."""
    effects = tools.effects(call, lambda: surroundings(disk))
    verdict = judged_by(effects, call, can, disk) if effects else Verdict(kind=ALLOW)
    if can.hands_over and verdict.kind in (ALLOW, ASK) and call.tool == "Bash":
        from guard.core.handover import handed_over
        command = handed_over(call, can.hands_over)
        if command is not None:  # what a person agrees to needs it as well
            return verdict.but(kind=REWRITE if verdict.kind == ALLOW else ASK, input={**call.input, "command": command})  # type: ignore[no-any-return]
    return verdict


def surroundings(disk: "Any") -> "Any":
    from guard.edge.commands import Surroundings  # shell tools alone need it
    return Surroundings(disk)


def judged_by(effects: "list[Any]", call: Call, can: "Any", disk: "Any") -> Verdict:
    from guard.core.judge import judge
    from guard.edge.look import Look
    look = Look(disk, call)
    facts = look.facts(effects)
    verdict = judge(call, effects, facts, can)
    repository = next((f.repository for f in facts if f.repository), None)
    if repository and verdict.spends and not spent(disk, repository.common, verdict.spends, call):
        return judged_by(effects, call, can, disk)  # another call was faster; its mark is there now
    for said in look.heard:
        heard(disk, said, call.client, call)
    if repository and repository.used and (verdict.kind != ALLOW or verdict.note or verdict.rule or verdict.spends):
        noted(disk, repository.common, call, verdict)
    return verdict


def spent(disk: "Any", common: str, authorisation: str, call: Call) -> bool:
    """Marks a leave for one call as used by this one. True where that cannot be written: the leave was given."""
    from guard.edge import records
    try:
        disk.make_folder(records.folder(disk, common))
        used = join(records.folder(disk, common), "used", disk.FLAVOUR)
        disk.make_folder(used)
        return bool(disk.claim(join(used, authorisation, disk.FLAVOUR), call.call_id))
    except OSError:
        return True


def noted(disk: "Any", common: str, call: Call, verdict: Verdict) -> None:
    from guard.edge import audit
    try:
        audit.verdict(disk, common, call, verdict)
    except (OSError, ValueError) as fault:
        heard(disk, f"the audit line could not be written: {fault}", call.client, call)


def heard(disk: "Any", said: str, client: str, call: "Call | None" = None) -> None:
    """One line on stderr and one in faults.jsonl, which `wt status` shows."""
    said = said.replace("\n", " ")[:300]
    disk.say(f"worktree-guard: {said}; the call passed unjudged" if call is None else f"worktree-guard: {said}")
    try:
        from guard.edge import audit
        audit.fault(disk, call.cwd if call else disk.folder(), said, client, call.tool if call else "")
    except Exception:  # a full or read-only disk: stderr is all that is left
        pass


def asked(disk: "Any", client: "Any", call: Call) -> "Any":
    """What a fault answers: nothing, or a question where the owner set `on_fault: ask` and the client has one."""
    try:
        if not client.ABILITIES.asks:
            return None
        from guard.edge.look import Look
        facts = Look(disk, call).of_path(call.cwd, writes=False)
        if facts.repository is None or facts.repository.settings.on_fault != "ask":
            return None
        reason = "worktree-guard could not judge this call (see wt status). Let it pass?\n(worktree-guard: fault)"
        return client.write(Verdict(kind=ASK, rule="fault", reason=reason))
    except Exception:  # the same fault again
        return None
