"""wt install, uninstall and doctor on made-up homes: exactly our entries, every other byte kept, and a probe through what is registered."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guard.wt.install import CLIENTS
from guard.wt.install.json_text import added, parse, removed
from tests.worlds import ROOT, World

TEXTS = {
    "empty object": "{}\n",
    "no newline": '{"model": "x"}',
    "four blanks": '{\n    "model": "x",\n    "env": {"A": "é\\u00e9"}\n}\n',
    "tabs": '{\n\t"model": "x"\n}\n',
    "hooks of others": '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}'
                       '\n    ],\n    "Stop": []\n  },\n  "model": "x"\n}\n',
    "empty hooks": '{"hooks": {}}',
    "windows lines": '{\r\n  "model": "x"\r\n}\r\n',
}
NOT_JSON = ["{", "[]", "// mine\n{}", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', '{"a": 1,}{', "\x00"]


def settings_of(world: World) -> Path:
    return world.root / "home/.claude/settings.json"


def write(world: World, text: str) -> Path:
    path = settings_of(world)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def ours(path: Path) -> dict[str, int]:
    hooks = json.loads(path.read_text())["hooks"]
    return {event: sum("hooks/run" in json.dumps(entry) for entry in entries) for event, entries in hooks.items()}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_exactly_our_entries_and_back_to_the_byte(world: World, text: str) -> None:
    path = write(world, text)
    world.wt_json("install", "claude-code")
    installed = path.read_text()
    assert {event: count for event, count in ours(path).items() if count} == dict.fromkeys(CLIENTS["claude-code"].events, 1)
    without = json.loads(installed)
    for event in CLIENTS["claude-code"].events:
        without["hooks"][event] = [entry for entry in without["hooks"][event] if "hooks/run" not in json.dumps(entry)]
    before = json.loads(text)
    assert {key: value for key, value in without.items() if key != "hooks"} == {k: v for k, v in before.items() if k != "hooks"}
    assert {event: rows for event, rows in without["hooks"].items() if rows} == {e: r for e, r in before.get("hooks", {}).items() if r}
    assert world.wt_json("install", "claude-code")["clients"][0]["changed"] is False, "twice is the same as once"
    assert path.read_text() == installed
    world.wt_json("uninstall", "claude-code")
    assert path.read_bytes() == text.encode()


def test_what_a_person_changed_since_is_kept(world: World) -> None:
    path = write(world, TEXTS["hooks of others"])
    world.wt_json("install", "claude-code")
    path.write_text(path.read_text().replace('"model": "x"', '"model": "y"'))
    world.wt_json("uninstall", "claude-code")
    assert path.read_text() == TEXTS["hooks of others"].replace('"model": "x"', '"model": "y"')


def test_a_file_that_was_not_there_is_gone_again(world: World) -> None:
    world.wt_json("install", "claude-code", "zcode")
    zcode = world.root / "home/.zcode/cli/config.json"
    found = json.loads(zcode.read_text())
    assert found["hooks"]["enabled"] is True
    assert found["hooks"]["events"]["PreToolUse"][0]["hooks"][0]["timeoutMs"] == 10_000
    world.wt_json("uninstall", "claude-code", "zcode")
    assert not settings_of(world).exists() and not zcode.exists()


def test_zcode_is_switched_on_and_other_hooks_of_it_stay(world: World) -> None:
    zcode = world.root / "home/.zcode/cli/config.json"
    zcode.parent.mkdir(parents=True)
    text = '{"hooks": {"enabled": false, "events": {"Stop": [{"hooks": []}]}}, "theme": "dark"}'
    zcode.write_text(text)
    world.wt_json("install", "zcode")
    found = json.loads(zcode.read_text())
    assert (found["hooks"]["enabled"], found["hooks"]["events"]["Stop"], found["theme"]) == (True, [{"hooks": []}], "dark")
    world.wt_json("uninstall", "zcode")
    assert zcode.read_text() == text


@pytest.mark.parametrize("text", NOT_JSON)
def test_what_cannot_be_changed_safely_is_left_alone(world: World, text: str) -> None:
    path = write(world, text)
    ran = world.wt("install", "claude-code")
    assert (ran.returncode, "wt install claude-code" in ran.stderr) == (2, True)
    assert path.read_bytes() == text.encode()


def test_a_linked_configuration_stays_a_link(world: World) -> None:
    real = world.root / "dotfiles.json"
    real.write_text("{}\n")
    settings_of(world).parent.mkdir(parents=True)
    settings_of(world).symlink_to(real)
    world.wt_json("install", "claude-code")
    assert settings_of(world).is_symlink() and "hooks/run" in real.read_text()


def test_an_old_place_is_replaced_not_doubled(world: World) -> None:
    path = write(world, "{}")
    world.wt_json("install", "claude-code")
    path.write_text(path.read_text().replace(str(ROOT), "/somewhere/else"))
    world.wt_json("install", "claude-code")
    assert "/somewhere/else" not in path.read_text()
    assert set(ours(path).values()) == {1}


@pytest.mark.parametrize("client", CLIENTS)
def test_doctor_finds_a_fresh_installation_in_order(world: World, client: str) -> None:
    world.wt_json("install", client)
    ran = world.wt("doctor", "--client", client)
    assert ran.returncode == 0, ran.stdout
    assert "a harmless probe was refused" in ran.stdout and "nothing is wrong" in ran.stdout


def test_doctor_says_what_is_wrong_and_the_cure_mends_it(world: World) -> None:
    ran = world.wt("doctor")
    assert ran.returncode == 1
    assert "cure: wt install claude-code" in ran.stdout
    path = write(world, "{}")
    world.wt_json("install", "claude-code")
    path.write_text(path.read_text().replace(str(ROOT), "/somewhere/else"))
    ran = world.wt("doctor", "--json")
    found = {one["check"]: one for one in json.loads(ran.stdout)["data"]["findings"]}
    assert (ran.returncode, found["probe"]["state"]) == (1, "wrong")
    assert found["probe"]["cure"].startswith("wt install claude-code")
    world.wt_json("install", "claude-code")
    assert world.wt("doctor").returncode == 0


def test_doctor_hears_of_a_plugin_beside_the_registration(world: World) -> None:
    write(world, json.dumps({"enabledPlugins": {"worktree-guard@worktree-guard": True}}))
    assert world.wt("doctor").returncode == 0, "the plugin alone is in order"
    world.wt_json("install", "claude-code")
    ran = world.wt("doctor")
    assert (ran.returncode, "claude-code: 2 times" in ran.stdout) == (1, True)


def test_doctor_sees_a_stale_binding_and_another_wt(bound: World) -> None:
    bound.wt_json("install", "claude-code")
    shutil.rmtree(bound.W)
    tools = bound.root / "tools"
    tools.mkdir()
    (tools / "wt").write_text("#!/bin/sh\n")
    (tools / "wt").chmod(0o755)
    ran = bound.wt("doctor", PATH=f"{tools}:{os.environ['PATH']}")
    assert ran.returncode == 1
    assert "WRONG binding" in ran.stdout and "wt enter x makes it again" in ran.stdout
    assert f"{tools}/wt is another program" in ran.stdout


def test_a_person_s_bytes_survive_the_editor() -> None:
    text = '{ "a" :[ 1,2 ] , "b":{}\n}'
    node = parse(text)
    assert node.value == {"a": [1, 2], "b": {}}
    assert json.loads(added(text, node.members["a"], {"x": 1})) == {"a": [1, 2, {"x": 1}], "b": {}}
    assert removed(text, node, node.members["b"]) == '{ "a" :[ 1,2 ]\n}'
    assert removed(text, node.members["a"], node.members["a"].items[0]) == '{ "a" :[ 2 ] , "b":{}\n}'


def test_the_built_wheel_installs_and_guards_without_the_checkout(bound: World, tmp_path: Path) -> None:
    """pip with the wheel alone; its `wt` registers hooks that answer."""
    built = tmp_path / "dist"
    done = subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = built.glob("*.whl")
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(env)], check=True)
    site = subprocess.run([str(env / "bin/python"), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], capture_output=True,
                          text=True, check=True).stdout.strip()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    packages = next(p for p in sys.path if p.endswith("site-packages"))
    wt = [str(env / "bin/python"), "-c", f"import sys; sys.path.append({packages!r}); from guard.wt.cli import entry; entry()"]
    ran = subprocess.run([*wt, "install", "claude-code"], env=bound.env, cwd=bound.R, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert f"{site}/guard/_plugin/hooks/run" in settings_of(bound).read_text()
    ran = subprocess.run([*wt, "doctor"], env=bound.env, cwd=bound.R, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "a harmless probe was refused" in ran.stdout
    ran = subprocess.run([*wt, "demo"], env=bound.env, cwd=bound.R, capture_output=True, text=True, check=False)
    assert "The main checkout: clean." in ran.stdout


def test_a_hook_that_somebody_put_beside_ours_stays(world: World) -> None:
    path = write(world, "{}")
    world.wt_json("install", "claude-code")
    found = json.loads(path.read_text())
    found["hooks"]["PreToolUse"][0]["hooks"].append({"type": "command", "command": "my-linter"})
    path.write_text(json.dumps(found))
    world.wt_json("uninstall", "claude-code")
    assert [hook["command"] for hook in json.loads(path.read_text())["hooks"]["PreToolUse"][0]["hooks"]] == ["my-linter"]


def test_after_a_move_the_way_back_is_to_before_the_first_installation(world: World) -> None:
    path = write(world, TEXTS["hooks of others"])
    world.wt_json("install", "claude-code")
    path.write_text(path.read_text().replace(str(ROOT), "/somewhere/else"))
    world.wt_json("install", "claude-code")
    world.wt_json("uninstall", "claude-code")
    assert path.read_text() == TEXTS["hooks of others"]


def test_private_settings_stay_private(world: World) -> None:
    path = write(world, "{}")
    path.chmod(0o600)
    world.wt_json("install", "claude-code")
    modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert modes == {"settings.json": 0o600, "settings.json.before-worktree-guard": 0o600}
