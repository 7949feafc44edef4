"""Which module knows what a program does. A new program is a row; one that is not here may do anything, and is only noted.

Each module has `run(command) -> str`: it adds effects to `command.shell.found`, and gives what the program prints, HOLE if unknown.
"""
from guard.core.model import RUN, Effect
from guard.core.shell import HOLE, Unreadable, as_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from guard.core.shell.run import Command, Shell

DEEPEST = 60  # programs that start programs: about five of Python's frames each
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish")
INTERPRETERS = ("python", "pypy", "node", "nodejs", "deno", "bun", "ruby", "perl", "php", "lua", "awk", "gawk", "mawk", "nawk", "tclsh",
                "osascript")
WRAPPERS = (
    "sudo", "doas", "env", "nohup", "time", "timeout", "gtimeout", "nice", "ionice", "stdbuf", "setsid", "strace", "ltrace", "unshare",
    "nsenter", "systemd-run", "systemd-inhibit", "caffeinate", "chrt", "taskset", "setarch", "linux64", "unbuffer", "chronic", "catchsegv",
    "fakeroot", "xvfb-run", "dbus-run-session", "proxychains", "proxychains4", "torsocks", "faketime", "chroot", "gosu", "su-exec",
    "setpriv", "runuser", "firejail", "bwrap", "prlimit", "valgrind", "rtk", "busybox", "toybox",
    "cross-env", "env-cmd", "ssh-agent", "arch")
RUNNERS = ("perf", "mise", "direnv", "dotenv", "uv", "poetry", "pipenv", "rye", "pdm", "hatch", "bundle", "conda", "mamba", "micromamba",
           "op", "doppler", "infisical", "aws-vault", "devbox", "nvm", "fnm", "volta", "asdf", "rbenv", "pyenv", "nodenv", "npx", "pnpx",
           "bunx", "npm", "pnpm", "yarn", "nix")
COMMAND_TEXTS = ("tmux", "screen", "hyperfine", "concurrently", "nix-shell", "cross-env-shell")
FEEDERS = ("xargs", "parallel", "find", "watch", "entr", "flock", "script", "su", "ssh", "scp", "sftp", "rsync", "socat",
           "at", "batch")
TEXTS = ("cat", "ls", "tee", "which", "grep", "egrep", "rg", "dirname", "basename", "mktemp", "realpath", "readlink", "head", "tail", "tac",
         "nl")
# Programs that write nothing but what they are told to on the command line: worth a note in the main checkout, not elsewhere.
READERS = frozenset((
    "ls", "grep", "egrep", "fgrep", "rg", "ag", "wc", "sort", "uniq", "cut", "tr", "diff", "cmp", "comm", "stat", "file", "du", "df",
    "tree", "less", "more", "bat", "jq", "yq", "column", "paste", "fold", "fmt", "expand", "od", "xxd", "hexdump", "strings", "md5sum",
    "sha1sum", "sha256sum",
    "cksum", "shellcheck", "cloc", "tokei", "ctags", "eza", "exa", "sed", "base64", *TEXTS, "find", "fd", "fdfind", "awk", "gawk",
    "mawk", "nawk"))
LISTERS = ("ls", "find", "fd", "fdfind", "tree", "rg", "ag", "du")  # they look around them, whatever they are fed
# Programs whose answer does not depend on where they run.
ANYWHERE = frozenset((
    "date", "whoami", "id", "uname", "hostname", "whereis", "which", "man", "ps", "top", "uptime", "free", "seq", "yes", "expr", "bc",
    "curl", "wget", "ping", "dig", "nslookup", "host", "docker", "kubectl", "tput", "clear", "locale", "printenv", "nproc", "lsof", "pgrep",
    "pkill", "killall", "sleep", "tmux", "screen", "open", "xdg-open", "brew", "apt", "apt-get", "claude", "codex", "gemini", "ssh", "scp",
    "sftp", "mktemp", "realpath", "basename", "dirname", "tee"))
SILENT = frozenset((
    ":", "true", "false", "test", "[", "type", "hash", "wait", "jobs", "bg", "fg", "kill", "sleep", "break", "continue", "shopt", "unalias",
    "ulimit", "umask", "times", "caller", "help", "bind", "complete", "compgen", "enable", "history", "fc", "dirs", "disown", "suspend",
    "getopts"))
BUILTINS = SILENT | frozenset((
    "cd", "chdir", "pushd", "popd", "pwd", "export", "declare", "typeset", "local", "readonly", "unset", "read", "mapfile", "readarray",
    "let", "set", "shift", "eval", "source", ".", "trap", "alias", "exec", "command", "builtin", "echo", "printf", "exit", "return",
    "logout"))
PRINTERS = ("echo", "printf", "true", "false", "test", "[", "sleep", "kill", "pwd")  # programs too, with the same output
WRITERS = (
    "rm", "rmdir", "unlink", "shred", "rimraf", "trash", "trash-put", "uniq", "cp", "install", "mv", "ln", "rsync", "dd", "sed", "gsed",
    "patch", "tar", "bsdtar", "gtar", "unzip", "zip", "curl", "wget", "sort", "split", "apply_patch", "applypatch", "touch", "truncate",
    "mkdir", "mkfifo", "chmod", "chown", "chgrp", "gzip", "gunzip", "bzip2", "xz", "zstd", "ed", "dos2unix", "unix2dos", "prettier",
    "black")
MODULES = {"git": "git", "gh": "gh", "wt": "guard", "worktree-guard": "guard",
           **dict.fromkeys(SHELLS, "shells"), **dict.fromkeys(INTERPRETERS, "interpreters"), **dict.fromkeys(WRAPPERS, "wrappers"),
           **dict.fromkeys(RUNNERS, "runners"), **dict.fromkeys(COMMAND_TEXTS, "command_texts"), "fd": "fd", "fdfind": "fd",
           **dict.fromkeys(FEEDERS, "feeders"), **dict.fromkeys(WRITERS, "writers"), **dict.fromkeys(TEXTS, "texts")}


def start(command: "Command") -> str:
    """Follows one program, by its name without folder."""
    if command.argv[0] in SILENT:
        return ""
    return deeper(command, builtin if command.argv[0] in BUILTINS else followed)


def builtin(command: "Command") -> str:
    from guard.core.shell import builtins  # `git commit` alone needs none of them
    return builtins.run(command)


def start_program(command: "Command") -> str:
    """The same for what only a program can be: behind sudo, env or xargs nothing is a builtin of this shell."""
    return deeper(command, followed)


def deeper(command: "Command", follow: "Callable[[Command], str]") -> str:
    """`env env env ...` ends here, not at the end of Python's stack."""
    shell = command.shell
    shell.depth += 1
    if shell.depth > DEEPEST:
        raise Unreadable("it is nested too deeply")
    printed = follow(command)
    shell.depth -= 1
    return printed


def followed(command: "Command") -> str:
    written = command.argv[0]
    if written in PRINTERS:
        return builtin(command)
    name = name_of(written)
    module = MODULES.get(name) or (name.startswith("git-") and "git")
    if not module:
        return unknown(command, name)
    if name in READERS and name != "sed" and (command.stdin is None or name in LISTERS):
        noted(command, name)
    found: str = __import__(f"guard.core.programs.{module}", fromlist=["run"]).run(command)
    return found


def name_of(written: str) -> str:
    """/usr/bin/python3.11 -> python; Git.exe -> git"""
    name = written.replace("\\", "/").rpartition("/")[2]
    if name[-4:].lower() in (".exe", ".cmd", ".bat"):
        name = name[:-4].lower()
    bare = name.rstrip("0123456789.")
    return bare if bare in INTERPRETERS or bare in SHELLS else name


def unknown(command: "Command", name: str) -> str:
    """A program nobody here knows. It may change files where it runs, and may make folders."""
    shell = command.shell
    if HOLE in name and any(word[:1] == "-" and word[-1:] == "c" for word in command.argv[1:-1]):  # $SHELL -lc 'text'
        from guard.core.programs import shells
        return shells.run(command)
    handler = shell.functions.get("command_not_found_handle")
    if handler is not None:
        shell.copy().call(handler, command.argv, {})
    if name not in READERS:
        shell.made = True
    if "/" in command.argv[0]:
        from guard.core.shell.streams import content_of
        content = content_of(shell, command.argv[0])
        if content is not None and (is_shell_script(content) or (content[:2] != "#!" and content_is_ours(shell, command.argv[0]))):
            shell.copy().call_text(content, command.argv[1:])
    noted(command, name)
    return HOLE


def content_is_ours(shell: "Shell", written: str) -> bool:
    """This text has written the file itself: without a #! a shell runs it."""
    return shell.absolute(written, shell.folders[0]) in shell.files


def is_shell_script(content: str) -> bool:
    first = content.partition("\n")[0].split()
    return content[:2] == "#!" and any(name_of(word.lstrip("#!")) in SHELLS for word in first)


def noted(command: "Command", name: str) -> None:
    """An effect for the folder a program runs in, and for what it is told about other places."""
    if name in ANYWHERE:
        return
    names = tuple([] if name in READERS else [as_written(word) for word in command.argv[1:] if "/" in word and HOLE not in word])
    for folder in command.folders:
        command.shell.add(Effect(kind=RUN, path=folder, said=as_written(name), refs=names))
