"""Compound commands, followed: both ways where nobody knows which, loops until the folder settles."""
from guard.core.shell import HOLE
from guard.core.shell.expand import arguments, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell import Block
    from guard.core.shell.run import Shell

MOST_ROUNDS = 16  # of a loop over known words


def subshell(shell: "Shell", node: "Block") -> str:
    return shell.output_of(node.bodies[0])


def group(shell: "Shell", node: "Block") -> str:
    return shell.script(node.bodies[0])


def condition(shell: "Shell", node: "Block") -> str:
    ends, bodies, printed = [], node.bodies, []
    for n in range(0, len(bodies) - 1, 2):
        shell.script(bodies[n])
        branch = shell.copy()
        printed.append(branch.script(bodies[n + 1]))
        ends.append(branch)
    if len(bodies) % 2:
        printed.append(shell.script(bodies[-1]))
    for branch in ends:
        shell.join(branch)
    return either(printed)


def either(printed: "list[str]") -> str:
    """One of these texts: on lines of their own, so that each is still seen where a shell reads them."""
    known = [one for one in printed if one and one != HOLE]
    return "\n".join(known) + (HOLE if len(known) < len(printed) else "") if known else HOLE


def loop(shell: "Shell", node: "Block") -> str:
    for word in node.words or []:
        text(shell, word)
    lines = shell.stdin.splitlines()[:MOST_ROUNDS * 4] if shell.stdin and shell.stdin.strip() != HOLE else []
    for _ in lines or range(2):  # while read: a round for each line that is known
        shell.script(node.bodies[0])
        around, before = shell.copy(), shell.folders
        around.script(node.bodies[1])
        shell.join(around)
        shell.stdin = around.stdin
        if (shell.folders == before and not lines) or (lines and not shell.stdin):
            break
    return HOLE


def iteration(shell: "Shell", node: "Block") -> str:
    values = shell.arguments if node.words is None else arguments(shell, node.words)
    if len(values) <= MOST_ROUNDS * 4 and HOLE not in values:
        return rounds(shell, node, values)
    for _ in range(2):
        around, before = shell.copy(), shell.folders
        around.variables[node.name] = HOLE
        around.script(node.bodies[0])
        shell.join(around)
        if shell.folders == before:
            break
    return HOLE


def rounds(shell: "Shell", node: "Block", values: "list[str]") -> str:
    """A round for each value. Of one that only counts (a poll: `for i in {1..60}; do gh pr checks; sleep 10; done`), which does nothing
    new in its second round, and which is too long to be followed to its end, no more than these two.
    """
    from guard.core.shell.run import MOST_NODES
    printed, counts, begun = [], all(value.isdigit() for value in values), shell.steps[1]
    for n, value in enumerate(values):
        before = len(shell.found), shell.folders
        shell.variables[node.name] = value
        printed.append(shell.script(node.bodies[0]))
        cost, room = (shell.steps[1] - begun) // (n + 1), MOST_NODES - shell.steps[1]
        if n and counts and (len(shell.found), shell.folders) == before and cost * (len(values) - n) * 2 > room:
            shell.variables[node.name] = values[-1]
            return "".join(printed) + HOLE
    return "".join(printed)


def choice(shell: "Shell", node: "Block") -> str:
    for word in node.words or []:
        text(shell, word)
    ends, printed = [], []
    for body in node.bodies:
        branch = shell.copy()
        printed.append(branch.script(body))
        ends.append(branch)
    for branch in ends:
        shell.join(branch)
    return either(printed)


def function(shell: "Shell", node: "Block") -> str:
    shell.functions[node.name] = node.bodies[0]
    return ""


def test(shell: "Shell", node: "Block") -> str:
    for word in node.words or []:
        text(shell, word)
    return ""


FOLLOWED = {"subshell": subshell, "coproc": subshell, "group": group, "if": condition, "loop": loop, "for": iteration, "case": choice,
            "function": function, "test": test, "math": test}
