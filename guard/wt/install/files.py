"""Where this installation's hooks, skills and manifests are: in the checkout, or inside the installed package."""
from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def plugin_root() -> Path:
    """The folder with hooks/, skills/ and plugin.json."""
    packed = ROOT / "guard" / "_plugin"
    return packed if (packed / "hooks/run").exists() else ROOT
