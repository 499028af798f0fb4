#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays a game with a real engine, and compares each name that the plugin shows with the names that the engine logged.

    play.py play BUILD GAME [--godot COMMAND] [--host CLICKS] [--join CLICKS] …   a host and two clients, on loopback (root, Linux)
    play.py compare BUILD GAME CAPTURE LOG …                                      a game that was played before

GAME is a folder with a project.godot, of Godot 4 or 3; the script works on a copy. The copy has an additional autoload
(driver4.gd, driver3.gd). The autoload clicks the buttons of CLICKS, regular expressions for their names or texts, in
this order ("Multiplayer;Host"). Then it triggers random actions, and logs each synchronizer's properties after every
poll. It also logs each call, unless the game uses methods that only SceneMultiplayer has. BUILD is a build with the
plugin.

Prints the number of values and calls that have names, and how many of these are wrong: a value that the engine never
logged for this property, or a call that no script made. Names that the plugin marks as assumed are counted separately.
The exit code is 1 if a name is wrong, or if a value or call has no name. Godot 3 sends its names.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "tests"))
from nobody import copy_readable  # noqa: E402
from tshark import Tshark  # noqa: E402

# Features that MultiplayerAPIExtension lacks. If a game uses one, its calls are not logged.
ONLY_SCENE_MULTIPLAYER = re.compile(r"SceneMultiplayer|set_multiplayer\(|MultiplayerAPI|\bmultiplayer\."
                                    r"(auth|send_|peer_packet|peer_auth|complete_auth|server_relay|root_path|disconnect_peer|"
                                    r"allow_|refuse_|max_)")


# --- Texts, independent of their formatting

NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf|nan)", re.I)
TYPE = re.compile(r"(Vector[234]i?|Rect2i?|Transform[23]D|Quaternion|Color|Basis|AABB|Plane|Packed\w+Array|StringName|NodePath|"
                  r"Array|Dictionary)(\[[\w, ]+\])?(?=[(\[])")


def canonical(text):
    """@returns the text without numbers, spelling and type names; and the numbers"""
    text = TYPE.sub("", text)
    return re.sub(r"[\s\"&^()\[\],]", "", NUMBER.sub("#", text)), tuple(float(number) for number in NUMBER.findall(text))


def alike(some, others):
    return len(some) == len(others) and all(
        one == other or (one != one and other != other) or abs(one - other) <= 2e-4 * max(1, abs(one), abs(other))
        for one, other in zip(some, others))


class Written:
    """What the engines logged, by path: values of a property, or arguments of a call."""

    def __init__(self):
        self.texts = collections.defaultdict(lambda: collections.defaultdict(set))

    def add(self, path, text):
        shape, numbers = canonical(text)
        self.texts[path][shape].add(numbers)

    def full_path(self, path):
        """Returns the path that the engine logged for a shown path. If a spawner is known only by its id, the plugin
        shows the path without its beginning."""
        if path in self.texts:
            return path
        longer = [each for each in self.texts if each.endswith("/" + path)]
        return longer[0] if len(longer) == 1 else None

    def has(self, path, text):
        shape, numbers = canonical(text)
        known = self.texts[path].get(shape, set())
        return numbers in known or any(alike(each, numbers) for each in known)


def read_logs(logs):
    values, calls = Written(), Written()
    for log in logs:
        for line in log.read_text(errors="replace").splitlines():
            kind, path, text = (line.split("\t") + ["", ""])[:3]
            text = text.encode().decode("unicode_escape", "replace") if "\\" in text else text
            (values if kind == "value" else calls).add(path, text)
    return values, calls


# --- The plugin's output

FIELDS = ["frame.number", "godot_mp.property", "godot_mp.property_path", "godot_mp.property_full_path",
          "godot_mp.property_with_value", "godot_mp.property_source", "godot_mp.rpc.method_id", "godot_mp.rpc.method_source", "godot_mp.summary"]
NO_NAME = re.compile(r"(sync|delta|spawn)#")
CALL = re.compile(r"RPC (\S+\.\w+)\((.*)\)$", re.S)


def rows_of(tshark, capture, game):
    words = [word for field in FIELDS for word in ("-e", field)]
    table = tshark.run(tshark.copy(capture), "-2", "-o", f"godot_mp.project:{game}", "-Y", "godot_mp", "-T", "fields",
                       "-E", "aggregator=\x1f", *words)
    for line in table.split("\n")[:-1]:
        yield [cell.split("\x1f") if cell else [] for cell in line.split("\t")]


def check_values(frame, names, paths, full_paths, texts, sources, written, found):
    rest = list(full_paths)  # items without a name; they do not have a full path
    rest_of_sources = list(sources)
    for name, path, text in zip(names, paths, texts):
        found["values"] += 1
        if NO_NAME.match(name):
            found[f"no name: {path}"] += 1
            continue
        found["named values"] += 1
        path = rest.pop(0) if rest else path
        is_assumed = bool(rest_of_sources) and rest_of_sources.pop(0) == "assumed"
        found["assumed"] += is_assumed
        value = text.partition("=")[2]
        full_path = written.full_path(path)
        if full_path is None or "…" in value:
            found["values not compared"] += 1
        elif not written.has(full_path, value) and is_assumed:
            found["assumed and wrong"] += 1
        elif not written.has(full_path, value):
            found["wrong"] += 1
            print(f"  frame {frame}: {path}={value}: the engine has not logged this")


def check_call(frame, summary, written, found):
    call = CALL.search(summary)
    if call is None or not written.texts:
        found["calls not compared"] += 1
    elif call[1] not in written.texts or ("…" not in call[2] and not written.has(call[1], call[2])):
        found["wrong"] += 1
        print(f"  frame {frame}: {summary}: no script has called this")


def compare(build, game, capture, logs):
    values, calls = read_logs(logs)
    found = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        tshark = Tshark(pathlib.Path(folder), build / "plugins")
        for row in rows_of(tshark, capture, copy_readable(game, tshark.folder / "game")):
            frame, names, paths, full_paths, texts, origins, ids, sources, summaries = row
            check_values(frame[0], names, paths, full_paths, texts, origins, values, found)
            found["calls"] += max(len(ids), len(sources))  # Godot 3 sends the names
            found["named calls"] += len(sources)
            for summary in summaries:
                is_set = summary.startswith("Set ")  # rset() of Godot 3
                found.update({"values": is_set, "named values": is_set, "values not compared": is_set})
                if "RPC " in summary and ".#" not in summary:
                    check_call(frame[0], summary, calls, found)
    for name, count in found.most_common():
        if name.startswith("no name: "):
            print(f"  {name}: {count}")
    print(f"{found['named values']} of {found['values']} values, {found['named calls']} of {found['calls']} calls, "
          f"wrong: {found['wrong']} (assumed: {found['assumed']} values, wrong ones: {found['assumed and wrong']}; "
          f"not compared: {found['values not compared']} values, {found['calls not compared']} calls)")
    is_whole = (found["named values"], found["named calls"]) == (found["values"], found["calls"])
    is_played = found["values"] + found["calls"] > 0  # if no client connected, the clicks do not fit the game
    return 0 if is_played and is_whole and found["wrong"] == 0 else 1


# --- A match

def prepare(game, folder):
    """@returns a copy of the game with the driver, and whether its calls can be logged"""
    copy = folder / game.name
    shutil.copytree(game, copy, ignore=shutil.ignore_patterns(".godot", ".import"))
    is_godot4 = re.search(r"^config_version=5", (game / "project.godot").read_text(), re.M) is not None
    driver = "driver4.gd" if is_godot4 else "driver3.gd"
    for name in (driver, "calls4.gd") if is_godot4 else (driver,):
        shutil.copy(HERE / name, copy)
    with open(copy / "override.cfg", "a") as file:
        file.write(f'\n[autoload]\nPlayDriver="*res://{driver}"\n')
    scripts = "\n".join(path.read_text(errors="replace") for path in game.rglob("*.gd"))
    return copy, is_godot4, is_godot4 and not ONLY_SCENE_MULTIPLAYER.search(scripts)


def start(arguments, copy, there, name, clicks, words, seconds, writes_calls):
    headless = ["--headless"] if writes_calls is not None else []
    # Uses env instead of this process's environment, because a program that starts the engine may clear the
    # environment.
    settings = [f"PLAY_LOG=res://{name}.played", f"PLAY_CLICKS={clicks}", f"PLAY_SECONDS={seconds}",
                f"PLAY_CALLS={int(bool(writes_calls))}", f"XDG_DATA_HOME={there}.{name}"]
    launcher, engine = arguments.godot.split()[:-1], arguments.godot.split()[-1]
    command = [*launcher, "env", *settings, engine, *headless, "--path", str(there), *words.split()]
    log = open(copy.parent / f"{name}.txt", "wb")
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def play(arguments):
    if "PLAY_IN_NAMESPACE" not in os.environ:  # no other program uses the loopback interface of the namespace
        os.environ["PLAY_IN_NAMESPACE"] = "1"
        os.execvp("unshare", ["unshare", "-n", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    here, _, there = arguments.folder.partition(":")
    folder = pathlib.Path(tempfile.mkdtemp(dir=here))
    folder.chmod(0o755)
    copy, is_godot4, writes_calls = prepare(arguments.game, folder)
    there = pathlib.Path(there or here) / folder.name / copy.name
    once = ["--headless", "--import"] if is_godot4 else ["--quit"]
    subprocess.run([*arguments.godot.split(), *once, "--path", there], capture_output=True, timeout=600)
    capture = folder / f"{arguments.game.name}.pcapng"
    dumpcap = subprocess.Popen(["dumpcap", "-q", "-i", "lo", "-w", capture], stderr=subprocess.DEVNULL)
    time.sleep(1)
    peers = []
    for name, clicks, words, late in (("host", arguments.host, arguments.host_words, 0), ("join", arguments.join, arguments.join_words, 4),
                                      ("join2", arguments.join, arguments.join_words, 6)):
        time.sleep(min(late, 4) if name != "join2" else 2)
        peers.append(start(arguments, copy, there, name, clicks, words, arguments.seconds - late,
                           writes_calls if is_godot4 else None))
    for peer in peers:
        try:
            peer.wait(arguments.seconds + 30)
        except subprocess.TimeoutExpired:
            peer.kill()
    dumpcap.terminate()
    dumpcap.wait()
    print(f"capture and logs: {folder}")
    return compare(arguments.build, arguments.game, capture, sorted(copy.glob("*.played")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, run in (("play", play), ("compare", lambda each: compare(each.build, each.game, each.capture, each.logs))):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("build", type=pathlib.Path)
        command.add_argument("game", type=pathlib.Path)
        if name == "compare":
            command.add_argument("capture", type=pathlib.Path)
            command.add_argument("logs", type=pathlib.Path, nargs="*")
            continue
        command.add_argument("--godot", default="godot", help="the engine's command: godot, or godot3-server")
        command.add_argument("--host", default="host|create|server", metavar="CLICKS")
        command.add_argument("--join", default="join|connect|client", metavar="CLICKS")
        command.add_argument("--host-words", default="", help="the host's own command line")
        command.add_argument("--join-words", default="", help="a client's")
        command.add_argument("--seconds", type=int, default=25)
        command.add_argument("--folder", default=tempfile.gettempdir(), metavar="HERE[:THERE]",
                             help="where the copy is made; and where the engine sees that folder, if it has another root")
    arguments = parser.parse_args()
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
