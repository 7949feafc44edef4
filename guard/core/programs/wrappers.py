"""Programs that start another with the rest of their arguments: sudo, env, timeout, nice, strace, ..."""
from guard.core import programs
from guard.core.shell import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from guard.core.shell.run import Command

# wrapper: (options that take a value, operands that stand before the program). A cluster like -nu5 counts by its last letter.
OPTIONS = {
    "sudo": ("-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot --role --type --close-from --other-user", 0),
    "doas": ("-u -C", 0),
    "env": ("-u -C -S -P --unset --chdir --split-string --block-signal", 0),
    "time": ("-f -o --format --output", 0),
    "timeout": ("-k -s --kill-after --signal", 1), "gtimeout": ("-k -s --kill-after --signal", 1),
    "nice": ("-n --adjustment", 0), "ionice": ("-c -n -p --class --classdata", 0), "stdbuf": ("-i -o -e --input --output --error", 0),
    "strace": ("-o -e -p -s -u -a -b -E -I -O -P -S -X", 0), "ltrace": ("-o -e -p -s -u -a -l -n -x", 0),
    "unshare": ("-S -G -R -w --setuid --setgid --root --wd --map-user --map-group --propagation", 0),
    "nsenter": ("-t -S -G --target", 0),
    "systemd-run": ("-p -u -M -H -E --unit --property --description --slice --setenv --working-directory --uid --gid --nice", 0),
    "systemd-inhibit": ("--what --who --why --mode", 0),
    "caffeinate": ("-t -w", 0), "chrt": ("-T -P -D", 1), "taskset": ("", 1), "setarch": ("", 1),
    "faketime": ("", 1), "chroot": ("--userspec --groups", 1), "gosu": ("", 1), "su-exec": ("", 1),
    "setpriv": ("--reuid --regid --groups --inh-caps --bounding-set", 0), "runuser": ("-u -g -G -w", 0), "firejail": ("", 0),
    "proxychains": ("-f", 0), "proxychains4": ("-f", 0), "prlimit": ("", 0), "valgrind": ("", 0), "xvfb-run": ("-n -s -e -f -p -w", 0),
    "bwrap": ("--chdir --dev --proc --tmpfs --uid --gid --hostname", 0),
    "busybox": ("", 0), "toybox": ("", 0), "cross-env": ("", 0), "env-cmd": ("-f --file -e --environments -r --rc-file", 0),
    "ssh-agent": ("-a -t -E -O -P", 0), "arch": ("-arch", 0),
}
TWO_VALUES = ("--bind", "--ro-bind", "--dev-bind", "--bind-try", "--ro-bind-try", "--dev-bind-try", "--symlink", "--setenv")
ARCHITECTURES = ("linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "athlon", "uname26", "aarch64", "armv7l", "ppc64", "s390x")
ASSIGNING = ("env", "sudo", "doas", "cross-env")


def run(command: "Command") -> str:
    name = programs.name_of(command.argv[0])
    words = command.argv[1:]
    if name == "runuser" and any(word[:1] == "-" and word[-1:] == "c" for word in words):
        from guard.core.programs import feeders
        return feeders.run(command)
    values, operands = OPTIONS.get(name, ("", 0))
    inner = command.but([])
    while words:
        word = words[0]
        if word == "--":
            words = words[1:]
        elif word == "-" and name == "env":
            words = words[1:]
            continue
        elif word[:1] == "-" and len(word) > 1:
            words = after_option(inner, name, words, values.split())
            continue
        elif "=" in word and name in ASSIGNING and word.partition("=")[0].replace("_", "a").isalnum():
            inner.environment[word.partition("=")[0]] = word.partition("=")[2]
            words = words[1:]
            continue
        break
    words = words[0 if name == "setarch" and words[:1] and words[0] not in ARCHITECTURES else operands:]
    while name == "setarch" and words and words[0][:1] == "-":
        words = words[1:]
    if not words:
        shell_wanted = name in ("sudo", "doas") and any(word[:1] == "-" and word[-1:] in "si" for word in command.argv[1:])
        if shell_wanted and command.stdin is not None:
            return programs.start_program(command.but(["sh"]))
        return HOLE
    inner.argv = words
    if name == "chroot":
        inner.folders = (HOLE,)
    return programs.start_program(inner)


def after_option(inner: "Command", name: str, words: "list[str]", values: "list[str]") -> "list[str]":
    """The words behind an option and its value. What it does to the place or the words themselves happens here."""
    word, rest = words[0], words[1:]
    option, sign, value = word.partition("=")
    if word[:2] != "--":
        letter = next((n for n in range(1, len(word)) if "-" + word[n] in values), 0)
        option, value, sign = ("-" + word[letter], word[letter + 1:], "=" if word[letter + 1:] else "") if letter else (word, "", "")
    if option in TWO_VALUES:
        return rest[2:]
    if option in values and not sign:
        value, rest = (rest[0] if rest else ""), rest[1:]
    if name == "env" and option in ("-S", "--split-string"):
        return unquoted(inner, value) + rest
    if (name, option) in (("env", "-C"), ("env", "--chdir"), ("sudo", "-D"), ("sudo", "--chdir"), ("systemd-run", "--working-directory"),
                          ("unshare", "--wd"), ("bwrap", "--chdir")):
        inner.folders = tuple([inner.path(value, folder) for folder in inner.folders])
    return rest


def unquoted(command: "Command", line: str) -> "list[str]":
    """The words of a line, quotes taken off, as env -S splits it."""
    from guard.core.shell.expand import arguments
    from guard.core.shell.parse import read
    script, _ = read(line, command.shell.steps)
    node = next((chain[0][1] for chain, _ in script.lists if chain), None)
    given = [f"{name}{operator}{value if isinstance(value, str) else ''}" for name, operator, value in getattr(node, "assigns", [])]
    return given + arguments(command.shell, getattr(node, "words", []))
