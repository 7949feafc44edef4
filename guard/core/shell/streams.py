"""Redirections, here-documents and process substitutions: what flows into a command, and where its output goes.

run.py loads this when a command has one.
"""
from guard.core.shell import HOLE
from guard.core.shell.expand import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell import Redirect, Script
    from guard.core.shell.run import Shell


def redirected(shell: "Shell", redirects: "list[Redirect]", said: str) -> "list[tuple[str, str, str]]":
    """Sets standard input; (descriptor, operator, target) of each that writes."""
    outputs = []
    for one in redirects:
        target = text(shell, one.word, one.operator not in ("<<", "<<-", "<<<"))
        if one.operator in ("<<", "<<-", "<<<"):
            body = target + "\n" if one.operator == "<<<" else target
            if one.fd in ("", "0"):
                shell.stdin, shell.input = body, "-"
            else:
                shell.files["/dev/fd/" + descriptor(shell, one.fd)] = body
        elif one.operator in ("<", "<&"):
            if one.fd in ("", "0"):
                shell.stdin = content_of(shell, "/dev/fd/" + target if one.operator == "<&" else target)
                shell.input = read_from(shell, target) if one.operator == "<" else "-"
        else:
            outputs.append((descriptor(shell, one.fd), one.operator, target))
            if one.operator != ">&" or not (target.isdigit() or target == "-" or HOLE in target):
                shell.write(target, said or f"... {one.operator} {target}")
    return outputs


def read_from(shell: "Shell", target: str) -> str:
    """A file's whole path; "-" where nobody can name it later."""
    path = shell.absolute(target, shell.folders[0])
    return "-" if HOLE in path or path.startswith("/dev/") else path


def descriptor(shell: "Shell", fd: str) -> str:
    if fd[:1] == "{":
        shell.variables[fd[1:-1]] = "10"
        return "10"
    return fd


def printed_to(shell: "Shell", streams: "list[tuple[str, str, str]]", printed: str) -> str:
    """What is left of a command's output for the pipe, after its redirections took theirs."""
    for fd, operator, target in streams:
        if fd not in ("", "1"):
            if target in shell.sinks:
                shell.sinks["/dev/fd/" + fd] = shell.sinks[target]
            continue
        where = "/dev/fd/" + target if operator == ">&" and target.isdigit() else target
        if where in shell.sinks:
            sink = shell.copy()
            sink.stdin = printed
            sink.script(shell.sinks[where])
        elif operator != ">&" and HOLE not in target:
            path = shell.absolute(target, shell.folders[0])
            shell.files[path] = (shell.files.get(path, "") if operator == ">>" else "") + printed
        printed = ""
    return printed


def content_of(shell: "Shell", path: str) -> "str | None":
    """What a file holds: as this text wrote it, else as it lies on the disk. None if that cannot be known."""
    if path in ("/dev/stdin", "/dev/fd/0", "-"):
        return shell.stdin
    if path in shell.files:
        return shell.files[path]
    if HOLE in path:
        return None
    path = shell.absolute(path, shell.folders[0])
    if path in shell.files:
        return shell.files[path]
    if HOLE in path or path.startswith(("/dev/fd/", "/dev/tcp/", "/dev/udp/")):
        return None
    found: "str | None" = shell.world.content(path)
    return found


def stream_of(shell: "Shell", script: "Script", direction: str) -> str:
    name = f"/dev/fd/{60 + len(shell.files) + len(shell.sinks)}"
    inner = shell.copy()
    inner.stdin = None
    printed = inner.script(script)
    if direction == "<":
        shell.files[name] = printed
    else:
        shell.sinks[name] = script
    return name
