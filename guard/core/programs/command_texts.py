"""Programs that have a shell read texts given as arguments: tmux, screen, hyperfine, concurrently, nix-shell, cross-env-shell."""
from guard.core import programs
from guard.core.programs.feeders import skipped, started, text
from guard.core.programs.writers import operands
from guard.core.shell import HOLE
from guard.core.shell.builtins import as_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

SCREEN_VALUES = ("-S", "-c", "-h", "-p", "-s", "-t", "-T", "-e")
ATTACHES = ("-r", "-R", "-x", "-X", "-Q", "-l", "-w")  # screen: to one that runs, or only to list them
TMUX_VALUES = ("-L", "-S", "-f", "-T", "-c")
OPENS = ("-c", "-e", "-F", "-f", "-l", "-n", "-s", "-t", "-x", "-y")
# tmux's commands that start something: their options with a value, and the one that names the folder. (tmux(1))
TMUX = {
    **dict.fromkeys(("new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawnp", "respawn-window",
                     "respawnw"), (OPENS, "-c")),
    **dict.fromkeys(("run-shell", "run"), (("-c", "-d", "-t"), "-c")), **dict.fromkeys(("pipe-pane", "pipep"), (("-t",), "")),
    **dict.fromkeys(("display-popup", "popup"), (("-b", "-c", "-d", "-e", "-h", "-s", "-S", "-t", "-T", "-w", "-x", "-y"), "-d"))}
# Their options whose value is a text as well, and the others that take a value.
TEXTS = {
    "hyperfine": (("-p", "--prepare", "-s", "--setup", "-c", "--cleanup", "-C", "--conclude"),
                  ("-w", "--warmup", "-m", "--min-runs", "-M", "--max-runs", "-r", "--runs", "-S", "--shell", "-n", "--command-name",
                   "-u", "--time-unit", "--style", "--sort", "--input", "--output", "--export-json", "--export-csv", "--export-markdown")),
    "concurrently": ((), ("-n", "--names", "-c", "--prefix-colors", "-p", "--prefix", "-m", "--max-processes", "-l")),
    "nix-shell": (("--run", "--command"), ()), "cross-env-shell": ((), ())}


def run(command: "Command") -> str:
    name, words = programs.name_of(command.argv[0]), command.argv[1:]
    if name == "screen":
        words, given = skipped(words, SCREEN_VALUES)
        started(command, words if not any(option in given for option in ATTACHES) else [])
    elif name == "tmux":
        tmux(command, words)
    else:
        given_texts(command, name, words)
    return HOLE


def given_texts(command: "Command", name: str, words: "list[str]") -> None:
    options, values = TEXTS[name]
    for n, word in enumerate(words):
        option, sign, value = word.partition("=")
        if option in options:
            text(command, as_code(value if sign else "".join(words[n + 1:n + 2])))
    for one in operands(words, [*options, *values]) if name != "nix-shell" else []:
        text(command, as_code(one))


def tmux(command: "Command", words: "list[str]") -> None:
    """Several of its commands may stand there, parted by `\\;`."""
    words, given = skipped(words, TMUX_VALUES)
    if "-c" in given:
        text(command, as_code(given["-c"]))
    while words:
        end = words.index(";") if ";" in words else len(words)
        one, words = words[:end], words[end + 1:]
        if one and one[0] in TMUX:
            values, place = TMUX[one[0]]
            rest, given = skipped(one[1:], values)
            opened(command, rest, given.get(place, ""))


def opened(command: "Command", words: "list[str]", folder: str) -> None:
    """One word is a text, several are a program with its arguments."""
    inner = command.but(words)
    if folder:
        inner.folders = tuple([command.path(folder, at) for at in command.folders])
    if len(words) == 1:
        text(inner, as_code(words[0]))
    else:
        started(inner, words)
