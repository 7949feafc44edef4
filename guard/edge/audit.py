"""What is written down: one line for each answer that was not a plain pass, one for each fault. Never contents, never payloads."""
from guard.core.model import Call, Verdict
from guard.core.paths import join
from guard.edge import records, repo, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 1_000_000  # bytes a file; with its .1 at most twice that
LONGEST = 400
MOST_PATHS = 20
SECRETS = ("token", "secret", "passw", "apikey", "api_key", "auth", "credential", "key", "pwd")


def verdict(disk: "Any", common: str, call: Call, given: Verdict) -> None:
    """Adds one line to audit.jsonl. OSError where it cannot."""
    line = {"at": disk.now(), "client": call.client, "session": call.session[:LONGEST], "tool": call.tool[:LONGEST], "verdict": given.kind,
            "rule": given.rule, "cwd": masked(call.cwd), "paths": [masked(path) for path in given.paths[:MOST_PATHS]]}
    if len(given.paths) > MOST_PATHS:
        line["more_paths"] = len(given.paths) - MOST_PATHS
    if call.agent:
        line["agent"] = call.agent[:LONGEST]
    _add(disk, common, "audit.jsonl", line)


def fault(disk: "Any", cwd: str, said: str, client: str, tool: str = "") -> None:
    """Adds one line to faults.jsonl: of the repository at `cwd`, else of the user. OSError where it cannot."""
    line = {"at": disk.now(), "client": client[:LONGEST], "tool": tool[:LONGEST], "fault": masked(said)}
    here = repo.checkout_of(disk, disk.real(cwd)) if cwd else None
    if here is not None:
        try:
            _add(disk, here.common, "faults.jsonl", line)
            return
        except OSError:
            pass  # a read-only repository: the user's own folder is left
    data = disk.variable("XDG_STATE_HOME")
    if not data and disk.home() and disk.kind(disk.home()):
        data = join(join(disk.home(), ".local", disk.FLAVOUR), "state", disk.FLAVOUR)
    if data:
        disk.make_folders(data)
        _add(disk, data, "faults.jsonl", line)


def _add(disk: "Any", common: str, name: str, line: "dict[str, Any]") -> None:
    folder = records.folder(disk, common)
    disk.make_folder(folder)
    disk.append(join(folder, name, disk.FLAVOUR), wire.dumps(line) + b"\n", MOST)


def masked(text: str) -> str:
    """`text` with the passwords of URLs and the values of KEY=... words that sound secret replaced by ***, cut to 400 characters."""
    text = text[:LONGEST * 4].replace("\n", " ")
    return _masked_words(_masked_urls(text))[:LONGEST]


def _masked_urls(text: str) -> str:
    """https://user:token@host and https://token@host -> https://***@host"""
    at = text.find("://")
    while at >= 0:
        end = min([n for n in (text.find(c, at + 3) for c in "/ '\"") if n >= 0], default=len(text))
        host = text.rfind("@", at + 3, end)
        if host >= 0:
            text = text[:at + 3] + "***" + text[host:]
        at = text.find("://", at + 3)
    return text


def _masked_words(text: str) -> str:
    """API_KEY=abc, --token=abc, "password": "abc" as KEY=*** each; NAME=value without a secret's name stays."""
    words = text.split(" ")
    for n, word in enumerate(words):
        name, sign, value = word.partition("=")
        if sign and value and any(secret in name.lower() for secret in SECRETS):
            words[n] = name + "=***"
            quote = value[0]
            if quote in "'\"" and (len(value) == 1 or not value.endswith(quote)):  # the quoted value goes on
                for later in range(n + 1, len(words)):
                    ends = words[later].endswith(quote)
                    words[later] = ""
                    if ends:
                        break
    return " ".join(words)
