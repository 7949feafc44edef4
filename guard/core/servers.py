"""Tools of MCP servers that write without an absolute path: they land where the server was started."""
from guard.core.files import PASS
from guard.core.judge import quoted, refuse
from guard.core.model import ALLOW, MAIN, Answer, Effect, Facts


def answer(effect: Effect, facts: Facts) -> Answer:
    """A relative path from the main checkout is refused; a tool without one gets a note, if its server is known to keep files there."""
    repository = facts.repository
    bound = repository.binding if repository else None
    if repository is None or bound is None or bound.condition != "there":
        return PASS
    server = effect.said.split("__")[1]  # mcp__SERVER__TOOL
    listed = server in repository.settings.mcp_in_main and repository.servers_in_main
    if not effect.path:
        note = f"The server {server} runs in the main checkout: what it keeps in files lands there, not in {bound.path}."
        return Answer(kind=ALLOW, note=note) if listed else PASS
    if not listed and facts.place != MAIN:
        return PASS
    sep = "\\" if "\\" in bound.path else "/"
    return refuse("server-in-main", f"{effect.said} of {effect.path}",
                  f"the server {server} would take this path from the main checkout, and you work in {bound.path}.",
                  f"the absolute path {quoted(bound.path + sep + effect.path)}, or Write and Edit.")
