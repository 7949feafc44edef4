"""Programs that start programs: a command -> every git that runs behind it, none left out and none made up."""
from __future__ import annotations

from types import ModuleType

import pytest

from guard.core import programs
from guard.core.programs import command_texts, runners, wrappers, writers
from guard.core.shell import HOLE
from tests.core.shell.recording import MadeUpWorld, follow

P = ["push"]  # what runs in most rows
FILES = {"/r/s.sh": "git push\n", "/r/args.sh": 'git push "$@"\n', "/r/run": "#!/bin/sh\ngit push\n",
"/r/run.py": "#!/usr/bin/env python3\ngit push\n", "/r/cd.sh": "cd a\n", "/r/lib.sh": "f() { git push; }\n",
"/r/envsh": "#!/usr/bin/env -S bash -e\ngit push\n",
         "/home/t/x.sh": "git push\n", "/r/notes": "git push\n"}

# --- what runs -------------------------------------------------------------------------------------------------------

OTHER_TERMS = [  # as somebody else, somewhere else, for a while
    "sudo git push", "sudo -u me git push", "sudo -E -H git push", "sudo -nu me git push", "sudo --user=me git push",
    "sudo --user me git push", "sudo X=1 git push", "sudo -- git push", "sudo -i git push", "sudo -s git push",
    "sudo -u me -- env X=1 git push",
    "doas git push", "doas -u me git push", "env git push", "env X=1 git push", "env -i git push", "env - git push", "env -u X git push",
    "env --unset=X git push", "env -uX git push", "env -iu X git push", "env -C a git push", "env X=1 Y=2 git push", "env -- git push",
    "env -S 'git push'", "env -S'git push'",
    "env --split-string='git push'", "env -iS 'git push'", "env -vS 'git push'", "env -S 'X=1 git push'", "env -S '-u X git push'",
    "/usr/bin/env git push", "env /usr/bin/git push", "/usr/bin/git push", "nohup git push", "nohup git push &", "time git push",
    "time -p git push", "/usr/bin/time -v git push", "/usr/bin/time -o f git push", "command time -f %e git push",
    "timeout 5 git push", "timeout -k 1 5 git push", "timeout -s KILL 5s git push", "timeout --signal=KILL 5 git push",
    "timeout --preserve-status 5 git push", "timeout -v 5 git push", "gtimeout 5 git push", "nice git push", "nice -n 5 git push",
    "nice -5 git push", "nice -n5 git push", "nice --adjustment=5 git push", "ionice -c 3 git push", "ionice -c3 git push",
    "stdbuf -oL git push", "stdbuf -o L git push",
    "setsid git push", "setsid -w git push", "setsid -f git push", "strace git push", "strace -f -o f git push",
    "strace -e trace=open git push", "ltrace git push", "unshare -r git push", "unshare --mount git push", "nsenter -t 1 -m git push",
    "systemd-run git push", "systemd-run --user --scope git push", "systemd-run -p X=1 git push", "systemd-inhibit git push",
    "systemd-inhibit --what=idle git push", "caffeinate git push",
    "caffeinate -i git push", "caffeinate -t 5 git push", "chrt 1 git push", "chrt -f 1 git push", "taskset 1 git push",
    "taskset -c 0 git push", "setarch x86_64 git push", "setarch x86_64 -R git push", "setarch -R git push", "linux64 git push",
    "unbuffer git push", "chronic git push", "catchsegv git push", "fakeroot git push", "fakeroot -- git push", "xvfb-run git push",
    "xvfb-run -a git push",
    "dbus-run-session git push", "dbus-run-session -- git push", "proxychains git push", "proxychains4 -q git push", "torsocks git push",
    "faketime '1 day ago' git push", "faketime -f x git push", "chroot / git push", "chroot --userspec=a / git push", "gosu me git push",
    "su-exec me git push", "setpriv --reuid 1 git push", "setpriv --reuid=1 git push", "runuser -u me git push",
    "runuser -u me -- git push",
    "firejail git push", "firejail --quiet git push", "bwrap --ro-bind / / git push", "bwrap --bind / / --chdir a git push",
    "bwrap --dev /dev git push", "prlimit --cpu=1 git push", "valgrind git push", "valgrind --tool=x git push", "perf stat git push",
    "perf stat -e x git push", "rtk git push", "busybox env git push", "busybox sh -c 'git push'", "busybox timeout 5 git push",
    "uv run git push", "uv run -- git push", "uv run --with x git push", "uv run --no-sync git push",
    "uv run python -c \"import os; os.system('git push')\"", "uv --project x run git push", "poetry run git push", "pipenv run git push",
    "rye run git push", "pdm run git push", "hatch run git push", "mise exec -- git push", "mise exec node@20 -- git push",
    "mise x -- git push", "direnv exec . git push", "dotenv git push", "dotenv run git push", "dotenv -f x run -- git push",
    "sudo env nice git push", "nohup nice timeout 5 git push", "command git push", "command -p git push", "command -- git push",
    "command env git push", "command sudo git push", "exec git push", "exec -a x git push", "exec -c git push", "exec -- git push",
    "exec env git push", "exec nice git push", "builtin command git push", "builtin eval git push", "command command git push",
    "command eval 'git push'", "command exec git push", "eval command git push",
    "sudo sh -c 'git push'", "sudo bash <<< 'git push'", "sudo -s <<< 'git push'", "sudo -i <<E\ngit push\nE\n", "sudo su -c 'git push'",
    "su -c 'git push'", "su me -c 'git push'", "su - me -c 'git push'", "su --command='git push' me", "su --command 'git push'",
    "su -lc 'git push'", "su <<< 'git push'", "runuser -c 'git push' me", "runuser me -c 'git push'", "script -c 'git push' f",
    "script -qc 'git push' f", "script -q /dev/null git push", "script --command='git push'",
    "flock f git push", "flock -n f git push", "flock -w 5 f git push", "flock f -c 'git push'", "flock -x f sh -c 'git push'",
    "flock --timeout=5 f git push", "flock -nE 5 f git push", "(flock 9; git push) 9>f", "watch git push", "watch -n 1 git push",
    "watch -n1 'git push'", "watch -x git push", "watch -d -- git push", "watch --interval=1 git push", "entr git push",
    "ls | entr -r git push", "ls | entr -s 'git push'", "ls | entr -rs 'git push'", "ls | entr -c -p git push",
    "parallel git ::: push", "parallel 'git push' ::: a", "at now <<< 'git push'", "echo 'git push' | at now", "echo 'git push' | batch",
    "at now <<E\ngit push\nE\n", "ssh -o ProxyCommand='git push' h", "ssh -oProxyCommand='git push' h", "ssh -o 'ProxyCommand git push' h",
    "scp -o ProxyCommand='git push' a b:", "rsync -e 'git push' a b", "rsync --rsh='git push' a b", "rsync --rsh 'git push' a b",
    "rsync -ae 'git push' a b", "socat - EXEC:'git push'", "socat - SYSTEM:'git push'", "socat - exec:'git push',pty",
    "docker run x; git push",
    "npx git push", "npx -y git push", "npx -- git push", "npx -p x git push", "npx --package=x -- git push", "npx -c 'git push'",
    "npx --call='git push'", "npx cross-env CI=1 git push", "npx cross-env@7 A=1 B=2 git push", "cross-env CI=1 git push",
    "cross-env-shell 'git push'", "npx env-cmd -f x git push", "npm exec git push", "npm exec -- git push", "npm x -- git push",
    "npm exec -c 'git push'", "npm exec -p x -- git push", "npm --prefix a exec -- git push", "pnpm exec git push", "pnpm dlx git push",
    "pnpm -r exec git push", "pnpm --filter x exec git push", "pnpm -C a exec git push", "yarn exec git push", "yarn dlx git push",
    "yarn cross-env A=1 git push", "bunx git push", "pnpx git push",
    "bundle exec git push", "conda run -n x git push", "conda run --no-capture-output -p x git push", "micromamba run -n x git push",
    "nix develop -c git push", "nix develop .#x --command git push", "nix shell nixpkgs#git -c git push", "nix run nixpkgs#git -- push",
    "nix-shell --run 'git push'", "nix-shell -p git --command 'git push'", "nix-shell --run='git push'",
    "ssh-agent git push", "ssh-agent bash -c 'git push'", "ssh-agent -t 5 git push", "op run -- git push",
    "op run --env-file x -- git push", "doppler run -- git push", "doppler run -c dev -p x -- git push", "doppler run --command='git push'",
    "doppler run --command 'git push'", "infisical run -- git push", "aws-vault exec x -- git push", "devbox run -- git push",
    "arch -arm64 git push", "arch -x86_64 git push", "arch -arch arm64 git push",
    "nvm exec 20 git push", "nvm exec --silent v20 git push", "nvm exec lts/iron git push", "nvm exec git push",
    "fnm exec --using 20 git push", "volta run --node 20 git push", "asdf exec git push", "rbenv exec git push", "pyenv exec git push",
    "mise exec -c 'git push'", "uv run git push -- x",
    "screen -dm git push", "screen -dm bash -c 'git push'", "screen -dmS x git push", "screen -S x -d -m git push",
    "hyperfine 'git push'", "hyperfine -w 3 'git push'", "hyperfine --prepare 'git push' true", "hyperfine --setup='git push' true",
    "concurrently 'git push' 'x'", "concurrently -n a,b 'x' 'git push'",
    "tmux new-session -d 'git push'", "tmux new -d -s x git push", "tmux new -s x -d 'git push'", "tmux neww 'git push'",
    "tmux split-window -h 'git push'", "tmux splitw -t x:1 git push", "tmux run-shell 'git push'", "tmux run -b 'git push'",
    "tmux popup -E 'git push'", "tmux -L x new -d 'git push'", "tmux new -d \\; neww 'git push'", "tmux -c 'git push'",
    "tmux pipe-pane -t x 'git push'", "tmux respawn-pane -k -t x 'git push'",
]
SHELLS = [
    "sh -c 'git push'", "bash -c 'git push'", "zsh -c 'git push'", "dash -c 'git push'", "ksh -c 'git push'", "fish -c 'git push'",
    "bash -lc 'git push'", "bash -ec 'git push'", "bash -e -c 'git push'", "bash -o pipefail -c 'git push'",
    "bash -euo pipefail -c 'git push'", "bash --norc -c 'git push'", "bash --rcfile f -c 'git push'", "bash -c -- 'git push'",
    "bash +x -c 'git push'", "bash -O extglob -c 'git push'",
    "/bin/sh -c 'git push'", "$SHELL -c 'git push'", "\"$SHELL\" -lc 'git push'", "${SHELL:-bash} -c 'git push'", "s\"h\" -c 'git push'",
    "sh -c \"git push\"", "sh -c git\\ push", "sh -c 'sh -c \"git push\"'", "sh -c 'eval \"git push\"'", "sh -c \"sh -c 'git push'\"",
    "bash -c 'git \"$0\"' push", "bash -c 'git $1' _ push", "bash -c 'git \"$@\"' _ push", "bash -c '\"$@\"' _ git push",
    "bash -c '$0 push' git", "bash -c '$0 $1' git push", "x='git push'; sh -c \"$x\"", "export x='git push'; sh -c '$x'",
    "x='git push' sh -c '$x'", "x='git push' sh -c 'eval \"$x\"'", "fish --command 'git push'", "fish -c 'git push; and true'",
    "sh s.sh", "bash ./s.sh", "bash -x s.sh", "sh < s.sh", "cat s.sh | sh", "bash -s < s.sh", ". s.sh", ". ./s.sh", "source s.sh",
    "source ./s.sh a", "./run", "/r/run", "./run a b", "sh ./run", "bash s.sh a", ". ./lib.sh; f", "source lib.sh && f", "cd ~; sh x.sh",
    "sh ~/x.sh", "sh \"$HOME/x.sh\"", "./envsh", "(. ./lib.sh; f)", "sh -c '. ./s.sh'", "sh -c ./run", "find . -name x -exec ./run \\;",
    "xargs ./run <<< a", "env ./run", "nohup ./run &",
    "sh <<E\ngit push\nE\n", "sh <<'E'\ngit push\nE\n", "sh <<-E\n\tgit push\n\tE\n", "bash -s <<E\ngit push\nE\n",
    "bash -s a b <<E\ngit push\nE\n", "bash /dev/stdin <<E\ngit push\nE\n", "bash - <<E\ngit push\nE\n", "sh <<< 'git push'",
    "bash <<< \"git push\"", "bash < <(echo git push)", "bash <(echo git push)", ". <(echo git push)", "source <(echo 'git push')",
    "source /dev/stdin <<< 'git push'", ". /dev/stdin <<E\ngit push\nE\n", "eval \"$(echo git push)\"",
    "eval \"$(cat <<'E'\ngit push\nE\n)\"", "eval \"$(cat s.sh)\"", "eval $(echo git push)", "eval \"$(<s.sh)\"",
    "echo git push | sh", "echo 'git push' | bash", "echo \"git push\" | sh -", "echo 'git push' | bash -s", "echo 'git push' | bash -x",
    "echo 'git push' | sudo sh", "echo 'git push' | env bash", "echo 'git push' | tee f | sh", "echo 'git push' | cat | sh",
    "echo 'git push' | tee >(sh)", "echo 'git push' > >(sh)", "printf 'git push' | sh", "printf 'git %s\\n' push | sh",
    "printf '%s %s' git push | sh", "printf 'git\\x20push' | sh", "printf '\\147it push' | sh", "echo -e 'git\\x20push' | sh",
    "echo -n git push | sh", "cat <<< 'git push' | sh", "cat <<E | sh\ngit push\nE\n", "cat <<'E' | bash -s\ngit push\nE\n",
    "{ echo git; } | xargs -I{} {} push", "(echo git push) | sh", "{ echo 'git push'; } | sh", "echo 'git push' |& sh",
    "if true; then echo git push; fi | sh", "for i in push; do echo git $i; done | sh", "f() { echo git push; }; f | sh",
    "x=$(echo git push); $x", "x=$(echo push); git $x", "echo 'git push' > f; sh f", "echo 'git push' > f && chmod +x f && ./f",
    "cat > f <<E\ngit push\nE\nsh f", "cat > f.sh <<'E'\n#!/bin/bash\ngit push\nE\nchmod +x f.sh\n./f.sh", "echo 'git push' >> f; . ./f",
    "echo 'git push' | tee f; bash f", "echo 'git push' > /tmp/f; sh /tmp/f", "cat <<E > f; sh f\ngit push\nE\n",
    "printf 'git push' > f; source ./f", "tee f <<< 'git push'; sh f",
    "exec 3<<< 'git push'; sh <&3", "sh 3<<E <&3\ngit push\nE\n", "bash /dev/fd/3 3<<< 'git push'", "mapfile -t l <<< 'git push'; ${l[0]}",
    "read -r l <<< 'git push'; $l", "while read -r l; do $l; done <<< 'git push'",
    "while read -r l; do eval \"$l\"; done <<E\ngit push\nE\n", "while read -r l; do sh -c \"$l\"; done <<< 'git push'",
    "IFS= read -r l <<< 'git push'; eval \"$l\"", "mapfile -C 'git push #' -c 1 l <<< a",
]
OWN = [
    "git push", "eval git push", "eval 'git push'", "eval \"git push\"", "eval 'git' 'push'", "eval -- git push",
    "eval \"eval 'git push'\"", "eval 'x=push; git $x'", "x='git push'; eval $x", "x='git push'; eval \"$x\"", "x='git push'; $x",
    "x=git; $x push", "x=git y=push; $x $y", "x=(git push); \"${x[@]}\"", "x=gi; ${x}t push", "${x:-git} push", "g\\it push",
    "'git' 'push'", "git $'push'", "git pu\"\"sh", "{git,push}",
    "f() { git push; }; f", "f() { git \"$@\"; }; f push", "f() { git $1; }; f push", "f() { \"$@\"; }; f git push",
    "f() { g; }; g() { git push; }; f", "function f { git push; }; f", "function f() { git push; }; f a", "f () { git push; }; f",
    "f()\n{\n  git push\n}\nf", "f() { git push; }; x=f; $x", "f() { git push; }; eval f", "f() { git push; }; (f)",
    "f() { git push; }; f | cat", "f() { git push; }; $(f)", "f() { git push; }; f &", "f() { git push; }; trap f EXIT",
    "f() { git push; }; export -f f; bash -c f", "f() { git push; }; command_not_found_handle() { f; }; nosuch",
    "echo() { git push; }; echo a", "cd() { git push; }; cd a", "f() { shift; git $1; }; f a push", "f() { local x=push; git $x; }; f",
    "trap 'git push' EXIT", "trap 'git push' 0", "trap \"git push\" EXIT INT", "trap -- 'git push' EXIT", "trap 'git push' ERR; false",
    "trap 'git push' DEBUG; true", "f() { :; }; trap 'git push' RETURN; f", "(trap 'git push' EXIT)", "sh -c \"trap 'git push' EXIT\"",
    "trap 'eval \"git push\"' EXIT; exit", "alias g='git push'; g", "alias g=git; g push",
    "shopt -s expand_aliases; alias p='git push'\np", "enable -f x; git push", "hash -p /usr/bin/git g; git push",
    "(git push)", "{ git push; }", "git push | cat", "true | git push", "git push &", "! git push", "time git push", "git push || true",
    "git push && true", "true && git push", "false || git push", "if git push; then :; fi", "if true; then git push; fi",
    "if false; then :; else git push; fi", "while git push; do break; done", "until git push; do :; done",
    "while true; do git push; break; done", "for i in a; do git push; done", "for ((;;)); do git push; break; done",
    "case a in a) git push;; esac", "case a in a) git push & ;; esac", "select i in a; do git push; break; done", "coproc git push",
    "coproc P { git push; }",
    "echo $(git push)", "echo `git push`", "echo \"$(git push)\"", "echo \"`git push`\"", "x=$(git push)", "x=`git push`",
    "cat <(git push)", "echo > >(git push)", "git push > >(cat)", "echo ${x:-$(git push)}", "echo ${x+a}${x:=`git push`}",
    "echo $(($(git push)))", "echo $[$(git push)]", "(( $(git push) ))", "[[ $(git push) ]]", "[ \"$(git push)\" ]",
    "cat <<E\n$(git push)\nE\n", "cat <<< \"$(git push)\"", "echo a > \"$(git push)\"", "x=($(git push))", "declare x=$(git push)",
    "export x=\"$(git push)\"", "local x=`git push`", "x[$(git push)]=1", "echo ${x[$(git push)]}", "echo ${x/$(git push)/a}",
    "echo ${x:$(git push)}", "echo \"${x#\"$(git push)\"}\"",
    "for i in $(git push); do :; done", "case $(git push) in a) ;; esac", "case a in $(git push)) ;; esac",
    "echo \"$(echo \"$(git push)\")\"", "echo $(echo `git push`)", "echo `echo \\`git push\\``", "f() { :; }; f $(git push)",
    "git() { command git \"$@\"; }; git push", "let \"x = $(git push)\"", "printf '%s' \"$(git push)\"", "return $(git push)",
    "cd $(git push)", "[[ a =~ $(git push) ]]", "test -n \"$(git push)\"", "read x < <(git push)", "mapfile x < <(git push)",
    "exec 3< <(git push)", "eval \"$(git push)\"", "git push <<E\nx\nE\n", "time -p { git push; }", "a=1 b=2 git push",
    ">/dev/null git push", "2>&1 git push", "if ! git push; then exit; fi", "git push; exit", "git push\nexit",
]
FOR_EACH = [
    ("echo a b | xargs git", [["a", "b"]]), ("echo push | xargs git", [P]), ("echo push | xargs -n1 git", [P]),
    ("echo a b | xargs -n1 git", [["a"], ["b"]]), ("echo a b | xargs -n 1 git x", [["x", "a"], ["x", "b"]]),
    ("printf 'a\\nb\\n' | xargs -I{} git x {}", [["x", "a"], ["x", "b"]]), ("printf 'a\\nb\\n' | xargs -I % git %x", [["ax"], ["bx"]]),
    ("printf 'a\\0b' | xargs -0 git", [["a", "b"]]),
    ("xargs git push < f", [["push", HOLE]]), ("xargs git", [[HOLE]]), ("ls | xargs git add", [["add", HOLE]]),
    ("ls | xargs -r git push", [["push", HOLE]]), ("ls | xargs -I{} git push {}", [["push", HOLE]]),
    ("ls | xargs -I{} sh -c 'git push {}'", [["push", HOLE]]), ("ls | xargs -P 4 -n 1 git push", [["push", HOLE]]),
    ("ls | xargs --max-args=1 git push", [["push", HOLE]]), ("ls | xargs -d '\\n' git push", [["push", HOLE]]),
    ("ls | xargs -t -- git push", [["push", HOLE]]),
    ("ls | xargs env X=1 git push", [["push", HOLE]]), ("ls | xargs sudo git push", [["push", HOLE]]),
    ("echo 'git push' | xargs -I{} sh -c '{}'", [P]), ("echo 'git push' | xargs -I{} sh -c {}", [P]),
    ("echo 'git push' | xargs -0 sh -c", [P]), ("echo push | xargs -i git {}", [P]), ("echo push | xargs --replace git {}", [P]),
    ("echo push | xargs --replace=% git %", [P]), ("echo push | xargs -I{} -n1 git {}", [P]),
    ("echo \"'a b' c\" | xargs git", [["a b", "c"]]), ("echo git push | xargs env", [P]), ("echo push | xargs -L1 git", [P]),
    ("echo a | xargs sh -c 'git push $0'", [["push", "a"]]),
    ("echo a | xargs sh -c 'git push \"$@\"' _", [["push", "a"]]), ("xargs -a f git push", [["push", HOLE]]),
    ("xargs --arg-file=f git push", [["push", HOLE]]), ("find . -exec git push \\;", [P]),
    ("find . -name '*.py' -exec git add {} \\;", [["add", "./" + HOLE]]), ("find . -exec git add {} +", [["add", "./" + HOLE]]),
    ("find . -exec git a {} \\; -exec git b \\;", [["a", "./" + HOLE], ["b"]]), ("find . -exec sh -c 'git push' \\;", [P]),
    ("find . -exec sh -c 'git add \"$1\"' _ {} \\;", [["add", "./" + HOLE]]), ("find . -ok git push ';'", [P]),
    ("find . -okdir git push ';'", [P]), ("find . -execdir git push \\;", [P]),
    ("find . -type f -print0 | xargs -0 git add", [["add", "./" + HOLE]]), ("find . -exec env git push \\;", [P]),
    ("fd -x git a", [["a", "./" + HOLE]]), ("fd x -X git add", [["add", "./" + HOLE]]), ("fd --exec git a", [["a", "./" + HOLE]]),
    ("fd . -e py --exec-batch git a", [["a", "./" + HOLE]]), ("fd -e py . b -x git add {}", [["add", "b/" + HOLE]]),
    ("fd -tf -Hx git add", [["add", "./" + HOLE]]), ("fd . b c -x git a {}", [["a", "b/" + HOLE], ["a", "c/" + HOLE]]),
    ("fd x --search-path b -x git a", [["a", "b/" + HOLE]]), ("fd -x git a {//} \\; -e b", [["a", "./" + HOLE]]),
    ("fd x | xargs git add", [["add", "./" + HOLE]]), ("fdfind -g '*.py' b -X git add", [["add", "b/" + HOLE]]),
    ("fd -e git . push", []),
    ("parallel git push ::: a b", [["push", "a"], ["push", "b"]]), ("parallel git {} ::: a b", [["a"], ["b"]]),
    ("parallel -j 2 'git push {}' ::: a", [["push", "a"]]), ("echo a | parallel git push", [["push", "a"]]),
    ("echo 'git push' | parallel", [P]), ("parallel ::: 'git push' 'git pull'", [P, ["pull"]]),
    ("ls | parallel git push {}", [["push", HOLE]]), ("parallel :::: f", []), ("seq 3 | parallel 'git push; true {}'", [P]),
    ("ls | while read f; do git add \"$f\"; done", [["add", HOLE]]), ("for f in $(ls); do git add \"$f\"; done", [["add", HOLE]]),
    ("for f in a b; do git add $f; done", [["add", "a"], ["add", "b"]]),
    ("git branch | grep x | xargs git branch -D", [["branch"], ["branch", "-D", HOLE]]),
    ("git ls-files | xargs -I{} git rm {}", [["ls-files"], ["rm", HOLE]]), ("git log | head", [["log"]]),
    ("echo a; git b | git c", [["b"], ["c"]]),
]
INTERPRETERS = [
    "python3 <<'E'\nexec(\"import os; os.system('git push')\")\nE\n", "python3 -c 'eval(\"__import__(1).system(\\\"git push\\\")\")'",
    "perl -e 'eval \"system(q(git push))\";'", "node -e 'eval(\"require(`child_process`).execSync(`git push`)\")'",
    "python3 -c \"import os; os.system('git push')\"", "python -c 'import subprocess; subprocess.run([\"git\", \"push\"])'",
    "python3 -c 'import subprocess as s; s.check_call([\"git\",\"push\"], cwd=\".\")'",
    "python3 -c \"__import__('os').system('git push')\"", "python3.11 -c 'import os; os.popen(\"git push\")'",
    "python3 -c 'import subprocess; subprocess.run(\"git push\", shell=True)'",
    "python3 -c 'import subprocess; subprocess.check_output(\"git push\".split())'",
    "python3 <<'E'\nimport os\nos.system('git push')\nE\n",
    "python3 - <<'E'\nimport subprocess\nsubprocess.run(['git', 'push'], check=True)\nE\n",
    "python3 <<< \"import os; os.system('git push')\"", "echo \"import os; os.system('git push')\" | python3",
    "python3 -Ic \"import os; os.system('git push')\"", "python3 -u -c \"import os; os.system('git push')\"",
    "python3 -c 'import os; os.execvp(\"git\", [\"git\", \"push\"])'", "python3 -c 'import os\nos.system(\n  \"git push\"\n)'",
    "python3 -c 'from subprocess import *; Popen([\"git\", \"push\"])'",
    "node -e \"require('child_process').execSync('git push')\"", "node -e 'require(\"child_process\").spawnSync(\"git\", [\"push\"])'",
    "node --eval \"require('child_process').execSync('git push')\"", "node -p \"require('child_process').execSync('git push')+''\"",
    "ruby -e 'system(\"git push\")'", "ruby -e 'system \"git push\"'", "ruby -e 'system(\"git\", \"push\")'", "ruby -e '`git push`'",
    "ruby -e 'exec \"git push\"'", "ruby -e '%x(git push)'", "perl -e 'system(\"git push\")'", "perl -e 'system \"git\", \"push\"'",
    "perl -e 'exec(\"git push\")'",
    "perl -e '`git push`'", "perl -we 'system(\"git push\")'", "perl -e 'qx(git push)'", "perl -e 'open(F, \"git push |\")'",
    "php -r 'system(\"git push\");'", "php -r 'shell_exec(\"git push\");'", "php -r '`git push`;'", "lua -e 'os.execute(\"git push\")'",
    "awk 'BEGIN { system(\"git push\") }'", "awk 'BEGIN { \"git push\" | getline }'", "awk '{ print | \"git push\" }' f",
    "gawk 'BEGIN{system(\"git push\")}'", "awk -v x=1 'BEGIN { system(\"git push\") }'", "osascript -e 'do shell script \"git push\"'",
    "env python3 -c \"import os; os.system('git push')\"", "sh -c 'python3 -c \"import os; os.system(\\\"git push\\\")\"'",
    "timeout 5 node -e \"require('child_process').execSync('git push')\"",
    "python3 -c \"from subprocess import run; run('git push', shell=True)\"",
    "python3 - <<'E'\nfrom subprocess import (run,\n    PIPE)\nrun(['git', 'push'])\nE\n",
    "python3 -c \"import subprocess as s; s.run(['git', 'push'])\"",
    "python3 -c \"import os, subprocess as s; s.call('git push', shell=True)\"",
    "python3 <<'E'\nimport subprocess\ndef sh(c): return subprocess.run(c, shell=True)\nsh('git push')\nE\n",
    "python3 <<'E'\nimport subprocess\ncmd = ['git', 'push']\nsubprocess.run(cmd, check=True)\nE\n",
    "python3 <<'E'\nimport os\nc = r'git push'  # twice\nos.system(c)\nE\n",
    "python3 <<'E'\nimport os\nprint(f\"{os.system('git push')}\")\nE\n",
    "python3 <<'E'\nimport os\nx = \"\"\"it's\"\"\"; os.system(\"git push\")\nE\n",
    "python3 <<'E'\nimport os\nos.system(  # now\n    'git push')\nE\n",
    "node <<'E'\nconst {exec} = require('child_process'); exec('git push')\nE\n",
    "node <<'E'\nimport * as c from 'node:child_process'; c.exec('git push')\nE\n",
    "node <<'E'\nrequire('child_process').exec('git push')\nE\n",
    "node <<'E'\nconsole.log(`${require('child_process').execSync('git push')}`)\nE\n",
    "node <<'E'\nconst x = a / 2; require('child_process').execSync('git push'); b / 3\nE\n", "bun -e \"Bun.spawn(['git', 'push'])\"",
    "perl -pe 's/x/`git push`/e' f", "perl -pe 's{x}{system(\"git push\")}ge' f", "perl -e '$x = $a / 2; `git push`; $b / 3'",
    "perl -e '$x = $y // `git push`'", "perl -e 'open(F, \"-|\", \"git push\")'", "perl -e 'system(q(git push))'",
    "perl <<'E'\nprint $', `git push`\nE\n", "perl <<'E'\n$n = $#a; `git push`\nE\n", "perl <<'E'\n=pod\nnone\n=cut\n`git push`\nE\n",
    "ruby <<'E'\nputs \"#{`git push`}\"\nE\n", "ruby -e 'x = a / 2; `git push`; b / 3'", "ruby -e 'puts %x(git push)'",
    "ruby <<'E'\nsystem(<<~T)\n  git push\nT\nE\n", "ruby -e 'Process.spawn(\"git push\")'", "ruby -e 'a << `git push`'",
    "php -r 'exec(\"git push\");'",
    "python3 <<'E'\nimport subprocess\nfor v in ['x', 'push']: subprocess.run(['git', v])\nE\n",
    "python3 <<'E'\nimport os\nfor c in ('true', 'git push'):\n    os.system(c)\nE\n",
]

# --- what does not run -----------------------------------------------------------------------------------------------

NOTHING = [
    "echo git push", "echo 'git push'", "echo \"git push\"", "echo git push > f", "echo 'git push' >> README.md", "printf 'git push\\n'",
    "printf '%s\\n' 'git push'", "printf 'git push' | cat", "echo 'git push' | grep push", "echo 'git push' | wc -l",
    "echo 'git push' | tee f", "echo 'git push' | sed s/a/b/", "echo '$(git push)'", "echo '`git push`'", "echo \"\\$(git push)\"",
    "echo \"\\`git push\\`\"", "echo \\$\\(git push\\)", "echo \\`git push\\`",
    "cat <<E\ngit push\nE\n", "cat <<'E'\n$(git push)\nE\n", "cat <<\\E\n`git push`\nE\n", "cat <<E\n\\$(git push)\n\\`git push\\`\nE\n",
    "cat > s.txt <<'E'\ngit push\nE\n", "cat <<E > f.md\n\ngit push\n\nE\n", "cat > run.sh <<'E'\n#!/bin/sh\ngit push\nE\nchmod +x run.sh",
    "tee f <<E\ngit push\nE\n", "cat <<-'E'\n\t$(git push)\n\tE\n", "cat <<E | grep push\ngit push\nE\n", "cat <<E | wc\ngit push\nE\n",
    "cat <<A <<'B'\ngit push\nA\n$(git push)\nB\n", "python3 <<E\nprint('git push')\nE\n", "wc <<< 'git push'", "cat <<< '$(git push)'",
    "grep x <<< \"git push\"",
    "# git push", "true # git push", "echo a # git push", "true # it's git push", "#git push", "true;# git push",
    "true &&# git push\ntrue", "ls # $(git push)", "ls # `git push`", "ls #\"git push", "if true; then # git push\n:\nfi",
    "{ # git push\n:\n}", "x=1 # git push", "for i in a; do # git push\n:\ndone", "case a in # git push\na) ;; esac",
    ": <<'E' # git push\nx\nE\n",
    "grep 'git push' f", "grep -rn \"git push\" .", "grep -E '(git push|git pull)' f", "grep -e 'git push' -e \"git reset\" f",
    "rg 'git push' | head", "ag 'git push'", "git_push=1", "ls git push", "ls 'git push'", "cat git push", "rm -f git", "vim git",
    "which git", "command -v git", "command -V git", "type git", "type -a git", "whereis git", "man git push", "help git", "hash git",
    "apt install git", "brew install git", "sudo apt-get install -y git", "gitk-not-git push", "gitx push", "mygit push", "./gitty push",
    "/opt/git/bin/tool push", "git.txt push", "GIT=1 true", "export GIT=push",
    "[ -d .git ]", "[[ -n 'git push' ]]", "[[ $x == 'git push' ]]", "test 'git push' = x", "[ \"git push\" = \"$x\" ]",
    "[[ $x =~ git\\ push ]]", "case 'git push' in 'git push') ;; esac", "case $x in *'git push'*) echo no;; esac",
    "for i in git push; do echo $i; done", "for i in 'git push'; do echo \"$i\"; done", "x='git push'", "x='git push'; echo \"$x\"",
    "x=\"git push\"; echo $x", "export x='git push'", "declare x='git push'", "readonly x=\"git push\"", "x=(git push)",
    "x=('git push'); echo \"${x[@]}\"", "declare -A x=([git]=push)", "let git=1", "((git = push))", "echo $((git + push))",
    "unset git push", "read git push <<< 'a b'", "set -- git push", "shift; set -- git push; echo $@", "x='$(git push)'; echo \"$x\"",
    "x='`git push`'; echo $x",
    "bash -n -c 'git push'", "sh -n s.sh", "bash -nc 'git push'", "bash -n <<< 'git push'", "bash -n <<E\ngit push\nE\n",
    "bash --version git push", "sh -c 'echo git push'", "sh -c 'true' git push", "bash -c 'echo $0 $@' git push", "bash -c : git push",
    "eval 'echo git push'", "eval \"echo 'git push'\"", "eval '# git push'", "eval ''", "echo 'echo git push' | sh",
    "echo '# git push' | sh", "sh <<E\necho git push\nE\n", "sh <<'E'\n# git push\ncat <<'F'\ngit push\nF\nE\n",
    "sh <<< 'echo \"git push\"'", "sh -c \"echo 'git push'\"", "trap 'echo git push' EXIT", "trap '' EXIT", "trap - EXIT",
    "trap 'git push' EXIT; trap - EXIT", "trap 'git push' EXIT; trap 'true' EXIT", "trap", "trap -p", "trap -l", "alias g='git push'",
    "alias", "f() { git push; }", "f() { git push; }; type f", "f() { git push; }; unset -f f; f", "function f { git push; }",
    "f() { echo git push; }; f", "exec 3>&1", "exec > f", "exec", "coproc echo git push",
    "awk '{ print \"git push\" }' f", "awk '/git push/ { n++ } END { print n }' f", "awk -f git push", "awk -F: '{ print $1 }' git push",
    "awk 'BEGIN { x = \"git push\"; print x }'", "sed 's/git push/git pull/' f", "sed -e '/git push/d' -i f", "sed -n '/git push/p' f",
    "sed 's|system(\"git push\")|x|' f", "perl -pe 's/git push/x/' f", "perl -ne 'print if /git push/' f", "jq '.[\"git push\"]' f",
    "jq -r '.scripts.push' package.json", "yq '.git.push' f", "tr 'git push' x", "cut -d' ' -f1 <<< 'git push'", "sort git push",
    "column -t git", "head -1 git", "diff git push", "diff <(echo git push) <(echo 'git push')", "cp git push", "mv git push",
    "mkdir git push", "touch 'git push'", "ls | grep git | grep push", "find . -name 'git push'", "find . -name git -name push -print",
    "find git push", "find . -path ./.git -prune -o -print", "find . -name '*.sh' | xargs grep 'git push'",
    "find . -exec grep 'git push' {} \\;", "find . -exec echo git push \\;", "fd git", "fd push .git", "fd -x echo git push",
    "ls | xargs echo git push", "echo git push | xargs echo", "echo git push | xargs", "echo 'git push' | xargs -I{} echo {}",
    "echo git | xargs ls", "xargs -I git echo git < f", "parallel echo git push ::: a", "parallel echo ::: 'git push'", "watch ls",
    "watch 'echo git push'", "timeout 5 echo git push", "sudo echo git push", "env echo git push", "env X='git push' true", "env",
    "env X=git", "nohup echo git push", "nice", "time", "time echo git push", "flock f echo git push", "flock -u 9", "entr echo git push",
    "ssh host 'git push'", "ssh host git push", "ssh -o User=git host push", "ssh -p 22 git@host", "ssh git@github.com",
    "scp git@h:push .", "rsync -a git push", "rsync -av --exclude .git . h:git", "curl https://x/git/push", "wget git.example/push",
    "docker run x git push", "docker exec c sh -c 'git push'", "docker build -t git .", "kubectl exec p -- git push",
    "gh pr create --title 'git push' --body \"run git push\"", "gh repo clone git/push", "socat - TCP:git:80", "at -l", "at -c 5",
    "script f", "su - git", "sudo -v", "sudo -k",
    "python3 -c 'print(\"git push\")'", "python3 -c \"x = 'git push'\"", "python3 -c 'import re; re.compile(\"git push\")'",
    "python3 s.py git push", "./run.py", "cat s.sh", "less s.sh", "source nosuch", "cat notes", "cp s.sh notes", "python3 -m git push",
    "python3 <<'E'\nprint(\"\"\"git push\"\"\")\nE\n", "python3 - <<'E'\nx = {'run': 'git push'}\nE\n",
    "python3 -c 'print(\"os.system(git push)\")'", "python3 -m pytest -k 'git push'", "node -e 'console.log(\"git push\")'",
    "node s.js git push", "node -e 'const run = \"git push\"'", "ruby -e 'puts \"git push\"'", "perl -e 'print \"git push\"'",
    "php -r 'echo \"git push\";'", "lua -e 'print(\"git push\")'", "make git push", "make -n", "npm run git:push",
    "npm test -- -t 'git push'", "pytest -k 'git push'", "cargo test git_push", "go test -run 'git push' ./...", "go install git/push",
    "pip install git+https://x/push", "npm i git", "true git push", ": git push", ": 'git push'", ": $(echo git push)", "false git push",
    "sleep 1 # git push", "kill git", "wait git", "exit; git push", "exit 0\ngit push", "exec true; git push",
    "return 0 2>/dev/null || exit; echo git push", "pushd git; popd", "cd git", "cd git && ls push", "cd git/push", "shopt -s git",
    "ulimit -n 5", "umask 022", "history | grep 'git push'", "tail -f git.log", "less git", "open git", "code git push", "xdg-open git",
    "claude -p 'run git push'", "codex exec 'git push'", "tmux send-keys -t x 'ls' Enter",
    "npx eslint git push", "npx -p git push", "npx -c 'echo git push'", "npx cross-env X='git push' true", "npx", "npm exec", "npm x -- ls",
    "npm exec -- echo git push", "npm install git push", "npm i -D git", "npm run git push", "npm -c 'git push' test", "npm ci",
    "pnpm install git", "pnpm add git push", "pnpm run git -- push", "pnpm exec echo git push", "yarn add git", "yarn git push", "yarn",
    "yarn run git push", "bunx eslint git", "bundle install git push", "bundle exec rake git:push", "bundle", "conda install git push",
    "conda run -n git push", "conda list", "nix build .#git push", "nix develop", "nix develop -c echo git push", "nix run .#push -- git",
    "nix flake show git", "nix-shell -p git push", "nix-shell --run 'echo git push'", "ssh-agent", "ssh-agent -k",
    "ssh-agent echo git push",
    "op read git/push", "op item get git", "op run -- echo git push", "doppler secrets get git push", "doppler run -- echo git push",
    "arch", "arch -arm64 echo git push", "nvm use git", "nvm install 20", "nvm exec 20 node git push", "nvm ls", "fnm use git",
    "asdf install git push", "rbenv local git", "pyenv exec echo git push", "screen -ls", "screen -r git", "screen -x git push",
    "screen -S x -X stuff 'git push'", "screen -dm echo git push", "hyperfine 'echo git push'", "hyperfine --export-json git push",
    "hyperfine -n 'git push' true", "concurrently 'echo git push' 'npm:push'", "tmux attach -t git", "tmux ls", "tmux new -s 'git push'",
    "tmux new -d -s git", "tmux kill-session -t 'git push'", "tmux new -d 'echo git push'", "tmux rename-window 'git push'",
    "tmux display-message 'git push'", "cross-env X=1 echo git push", "cross-env-shell 'echo git push'", "rimraf git push", "trash git",
    "python3 - <<'E'\ns = s.replace(\"subprocess.run(['git','x'])\", \"subprocess.run(['git', 'push'])\")\nE\n",
    "python3 - <<'E'\ntext = '''\nos.system(\"git push\")\n'''; open('docs.md', 'w').write(text)\nE\n",
    "python3 <<'E'\n# os.system('git push')\nE\n", "python3 -c \"print('os.system(\\\"git push\\\")')\"",
    "python3 <<'E'\nfrom guard import parse; print(parse.run('git push'))\nE\n", "python3 -c \"from app import run; run('git push')\"",
    "python3 -c \"app.exec('git push'); x.call('git push'); sh('git push')\"",
    "python3 <<'E'\nx = 'it\\'s'; y = \"os.system('git push')\"\nE\n", "python3 <<'E'\nx = f\"{{os.system('git push')}}\"\nE\n",
    "python3 <<'E'\nimport subprocess\nre.run('git push')\nE\n", "node -e '// execSync(\"git push\")'",
    "node <<'E'\n/* execSync('git push') */ f()\nE\n", "node <<'E'\nx = `execSync('git push')`\nE\n",
    "python3 <<'E'\nexec(\"print('git push')\")\nE\n", "python3 <<'E'\nre.exec(\"os.system('git push')\")\nE\n",
    "node <<'E'\nrequire('child_process'); /git/.exec('git push')\nE\n", "node <<'E'\nconst re = /a/; re.exec('git push')\nE\n",
    "node <<'E'\nrun('git push'); exec('git push')\nE\n", "node <<'E'\ns.replace(/[/]execSync('git push')/, '')\nE\n",
    "perl -pi -e 's/`git push`/x/' f", "perl -pi -e 's/system(\"git push\")/x/' f", "perl -pe 's{`a`}{`git push`}g' f",
    "perl -ne 'print if m{`git push`} || /`git push`/' f", "perl -ne 'print unless /system(\"git push\")/' f",
    "perl -e 'tr/`git push`/x/; q(`git push`)'", "perl <<'E'\nprint <<T;\n`git push`\nsystem('git push')\nT\nE\n",
    "perl <<'E'\n=pod\n`git push`\n=cut\nE\n", "perl <<'E'\n# `git push`\nE\n", "perl <<'E'\n1;\n__END__\n`git push`\nE\n",
    "perl -e '$dbh->exec(\"git push\")'", "ruby -pe 'gsub!(/`git push`/, \"\")' f", "ruby -pe 'gsub /`git push`/, \"x\"' f",
    "ruby -e 'puts %q{system(\"git push\")}'", "ruby <<'E'\nx = <<~T\n  `git push`\nT\nputs x\nE\n",
    "ruby <<'E'\n=begin\n`git push`\n=end\nE\n", "ruby -e 'conn.exec(\"git push\")'", "php -r '// system(\"git push\");'",
    "php -r '$pdo->exec(\"git push\");'", "lua -e 'x = [[os.execute(\"git push\")]] -- os.execute(\"git push\")'",
    "awk '/system(\"git push\")/ { n++ } # | \"git push\"' f", "awk '/a|\"git push\"/' f",
]
# git runs, and what stands in its words is nothing but words.
ONLY = [
    ("git commit -m 'git push'", [["commit", "-m", "git push"]]),
    ("git commit -m \"git push; git reset --hard\"", [["commit", "-m", "git push; git reset --hard"]]),
    ("git commit -m 'fix: $(git push)'", [["commit", "-m", "fix: $(git push)"]]),
    ("git commit -m \"a \\`git push\\` b\"", [["commit", "-m", "a `git push` b"]]),
    ("git commit -m 'a' # git push", [["commit", "-m", "a"]]),
    ("git commit -m \"$(cat <<'E'\ngit push\n\n`git push` $(git push) it's \"done\"\nE\n)\"",
    [["commit", "-m", "git push\n\n`git push` $(git push) it's \"done\""]]),
    ("git commit -F - <<'E'\ngit push\n$(git push)\nE\n", [["commit", "-F", "-"]]),
    ("git commit -F - <<E\ngit push\n\\$(git push)\nE\n", [["commit", "-F", "-"]]),
    ("git log --grep='git push'", [["log", "--grep=git push"]]), ("git grep 'git push'", [["grep", "git push"]]),
    ("git add git push", [["add", "git", "push"]]), ("git log -S'git push' -- git", [["log", "-Sgit push", "--", "git"]]),
    ("git tag -a v1 -m 'git push'", [["tag", "-a", "v1", "-m", "git push"]]),
    ("git notes add -m 'git push'", [["notes", "add", "-m", "git push"]]), ("git stash push", [["stash", "push"]]),
    ("git stash push -m 'git push'", [["stash", "push", "-m", "git push"]]),
    ("git log --format='%h (git push)'", [["log", "--format=%h (git push)"]]),
    ("git commit -m 'a\ngit push\nb'", [["commit", "-m", "a\ngit push\nb"]]),
    ("git commit -m a -m \"don't git push\"", [["commit", "-m", "a", "-m", "don't git push"]]),
    ("git status && echo 'git push'", [["status"]]),
    ("git diff | grep 'git push'", [["diff"]]), ("git show HEAD:git/push", [["show", "HEAD:git/push"]]),
    ("git config alias.p 'push'", [["config", "alias.p", "push"]]),
    ("x=\"$(git log -1 --format=%s)\"; echo \"git push $x\"", [["log", "-1", "--format=%s"]]),
    ("git add . ; # git push\ngit status", [["add", "."], ["status"]]),
    ("git checkout -b x -- 2>/dev/null", [["checkout", "-b", "x", "--"]]),
    ("git commit --amend --no-edit && git log -1", [["commit", "--amend", "--no-edit"], ["log", "-1"]]),
]


def ran(text: str) -> list[list[str]]:
    followed = follow(text, MadeUpWorld(files=dict(FILES)))
    assert followed.unread == []
    return followed.argvs


def shown(texts: list[str]) -> list[str]:
    return [text.replace("\n", "\\n") for text in texts]


@pytest.mark.parametrize("text", OTHER_TERMS, ids=shown(OTHER_TERMS))
def test_what_starts_another_program_on_other_terms(text: str) -> None:
    assert pushes(text)


@pytest.mark.parametrize("text", SHELLS, ids=shown(SHELLS))
def test_what_a_shell_is_given_to_run(text: str) -> None:
    assert pushes(text)


@pytest.mark.parametrize("text", OWN, ids=shown(OWN))
def test_what_the_shell_runs_itself(text: str) -> None:
    assert pushes(text)


@pytest.mark.parametrize("text", INTERPRETERS, ids=shown(INTERPRETERS))
def test_what_interpreters_hand_on_as_literals(text: str) -> None:
    assert pushes(text)


def pushes(text: str) -> bool:
    """`git push` runs, perhaps with more words behind it that cannot be known."""
    return any(argv[:1] == P for argv in ran(text))


@pytest.mark.parametrize("name", programs.WRITERS)
def test_every_writer_has_its_row(name: str) -> None:
    assert programs.MODULES[name] == "writers"
    assert (name in writers.WRITERS) != (name in writers.PLAIN)


@pytest.mark.parametrize(("module", "table", "names"), [
    (wrappers, {**dict.fromkeys(wrappers.OPTIONS)}, ()), (runners, {**runners.RUNNERS, **runners.NODES, "nix": ""}, programs.RUNNERS),
    (command_texts, {**command_texts.TEXTS, "tmux": "", "screen": ""}, programs.COMMAND_TEXTS)])
def test_every_starter_has_its_row(module: ModuleType, table: dict[str, object], names: tuple[str, ...]) -> None:
    assert set(names or table) == set(table)
    assert {programs.MODULES[name] for name in table} == {module.__name__.rpartition(".")[2]}


@pytest.mark.parametrize(("text", "expected"), FOR_EACH, ids=shown([text for text, _ in FOR_EACH]))
def test_what_runs_for_each_line_or_file(text: str, expected: list[list[str]]) -> None:
    """Being found twice is no harm: effects are kept once."""
    found = ran(text)
    assert [argv for n, argv in enumerate(found) if argv not in found[:n]] == expected


@pytest.mark.parametrize("text", NOTHING, ids=shown(NOTHING))
def test_words_that_are_no_commands(text: str) -> None:
    assert ran(text) == []


@pytest.mark.parametrize(("text", "expected"), ONLY, ids=shown([text for text, _ in ONLY]))
def test_words_of_git_that_are_no_commands(text: str, expected: list[list[str]]) -> None:
    assert ran(text) == expected
