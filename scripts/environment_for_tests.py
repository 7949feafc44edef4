"""Makes or refreshes the checkout's own .venv, with what the tests need as well. Made again when the requirements change."""
import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from guard.wt import environment  # noqa: E402


def main() -> int:
    env, wanted = ROOT / ".venv", environment.requirements("dev")
    mark = hashlib.sha256("\n".join([*wanted, sys.version]).encode()).hexdigest()
    ready = env / "ready"
    with environment.locked(ROOT / ".venv.lock"):
        if ready.exists() and ready.read_text() == mark:
            return 0
        ready.unlink(missing_ok=True)
        print("setting up .venv ...", flush=True)
        try:
            environment.installer(env, wanted)
        except subprocess.CalledProcessError as fault:
            print((fault.stderr or b"").decode(errors="replace"), file=sys.stderr)
            return 1
        ready.write_text(mark)
    return 0


if __name__ == "__main__":
    sys.exit(main())
