"""Recorded field reports, run through the hook as a black box. Where they are is told by WORKTREE_GUARD_ACCEPTANCE."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.worlds import ROOT

WHERE = os.environ.get("WORKTREE_GUARD_ACCEPTANCE", "")
pytestmark = [pytest.mark.acceptance, pytest.mark.skipif(not WHERE, reason="WORKTREE_GUARD_ACCEPTANCE is not set")]


def test_every_report_about_file_tools_agrees() -> None:
    runner = Path(WHERE) / "run_cases.py"
    done = subprocess.run([sys.executable, str(runner), "--project", str(ROOT), "--tool", "!shell", "--client", "claude-code,zcode"],
                          capture_output=True, text=True, check=False, timeout=300)
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, done.stdout
    passed, failed = (int(word) for word in last.replace(",", "").split() if word.isdigit())
    assert passed > 30
    assert failed == 0
