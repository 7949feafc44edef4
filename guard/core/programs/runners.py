"""Programs that start another in an environment they keep: `uv run`, `bundle exec`, `npx`, `npm exec`, `nix develop -c`, `nvm exec`.

RUNNERS names the word that the other program stands behind; NODES and nix have a grammar of their own.
"""
from guard.core import programs
from guard.core.programs.feeders import text
from guard.core.shell import HOLE
from guard.core.shell.builtins import as_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

RUNNERS = {"uv": "run", "poetry": "run", "pipenv": "run", "rye": "run", "pdm": "run", "hatch": "run", "mise": "exec", "dotenv": "run",
           "direnv": "exec", "perf": "stat", "bundle": "exec", "conda": "run", "mamba": "run", "micromamba": "run", "op": "run",
           "doppler": "run", "infisical": "run", "aws-vault": "exec", "devbox": "run", "nvm": "exec", "fnm": "exec", "volta": "run",
           "asdf": "exec", "rbenv": "exec", "pyenv": "exec", "nodenv": "exec"}
RUNNER_VALUES = ("--with", "--python", "-p", "--directory", "--project", "--group", "--extra", "-e", "-o", "-n", "--name", "--prefix",
                 "--cwd", "--using", "--node", "--env-file")
DASHED = ("mise", "op", "doppler", "infisical", "aws-vault", "devbox")  # whatever stands before `--` is theirs
TEXT = ("--command", "-c", "--call")  # doppler, mise, npm: an option whose value a shell reads
NODES = {"npx": (), "pnpx": (), "bunx": (), "npm": ("exec", "x"), "pnpm": ("exec", "dlx"), "yarn": ("exec", "dlx")}
NODE_VALUES = ("-p", "--package", "-w", "--workspace", "-F", "--filter", "--node-options", "--registry", "--cache")
NODE_FOLDERS = ("-C", "--dir", "--prefix", "--cwd")
NODE_PROGRAMS = ("cross-env", "env-cmd", "rimraf", "trash", "concurrently", "dotenv")  # `yarn rimraf`: a package's program by its name


def run(command: "Command") -> str:
    name, words = programs.name_of(command.argv[0]), command.argv[1:]
    if name in NODES:
        return node(command, name, words)
    return nix(command, words) if name == "nix" else runner(command, name, words)


def runner(command: "Command", name: str, words: "list[str]") -> str:
    """`uv run program`, `poetry run program`, `mise exec -- program`."""
    if name == "mise" and words[:1] == ["x"]:
        words = ["exec", *words[1:]]
    if name == "dotenv" and "run" not in words:
        words = ["run", *words]
    if RUNNERS[name] not in words:
        return programs.unknown(command, name)
    words = words[words.index(RUNNERS[name]) + 1:]
    if name in DASHED and "--" in words:
        words = words[words.index("--"):]
    while words and words[0][:1] == "-" and words[0] != "--":
        if name in DASHED and words[0].partition("=")[0] in TEXT:
            return read_by_shell(command, words)
        words = words[2 if words[0] in RUNNER_VALUES else 1:]
    words = words[1:] if words[:1] == ["--"] else words
    if name == "direnv" or (name == "nvm" and words and is_version(words[0])):
        words = words[1:]
    return programs.start_program(command.but(words)) if words else programs.unknown(command, name)


def is_version(word: str) -> bool:
    return word.lstrip("v")[:1].isdigit() or word.startswith("lts/") or word in ("stable", "default", "system")


def read_by_shell(command: "Command", words: "list[str]") -> str:
    """`--call=text` or `--call text`: the first word is the option."""
    _, sign, value = words[0].partition("=")
    text(command, as_code(value if sign else "".join(words[1:2])))
    return HOLE


def node(command: "Command", name: str, words: "list[str]") -> str:
    """`npx program`, `npx -c text`, `npm exec -- program`, `pnpm -C folder exec program`, `yarn rimraf`."""
    verbs, inner = NODES[name], command.but([])
    waits = bool(verbs)  # for its verb; before that, npm's -c is npm's
    while words and (words[0][:1] == "-" or waits):
        word, words = words[0], words[1:]
        option, sign, value = word.partition("=")
        if waits and word[:1] != "-":
            if word not in verbs and (word not in NODE_PROGRAMS or name == "npm"):
                return programs.unknown(command, name)
            words, waits = words if word in verbs else [word, *words], False
        elif word == "--":
            break
        elif option in TEXT and not waits:
            return read_by_shell(inner, [word, *words])
        elif option in NODE_VALUES or option in NODE_FOLDERS:
            value, words = (value, words) if sign else ("".join(words[:1]), words[1:])
            if option in NODE_FOLDERS:
                inner.folders = tuple([command.path(value, folder) for folder in command.folders])
    if not words:
        return programs.unknown(command, name)
    inner.argv = [words[0] if words[0][:1] == "@" else words[0].partition("@")[0], *words[1:]]  # rimraf@5
    return programs.start_program(inner)


def nix(command: "Command", words: "list[str]") -> str:
    """`nix develop -c program ...`, `nix shell x --command program ...`, `nix run nixpkgs#program -- ...`."""
    at = next((n for n, word in enumerate(words) if word in ("-c", "--command")), 0)
    if words[:1] in (["develop"], ["shell"]) and words[at + 1:] and at:
        return programs.start_program(command.but(words[at + 1:]))
    if words[:1] == ["run"] and "#" in "".join(words[1:2]):
        given = words[words.index("--") + 1:] if "--" in words else []
        return programs.start_program(command.but([words[1].rpartition("#")[2], *given]))
    return programs.unknown(command, "nix")
