#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""project_reload.py BUILD

Changes the project folder while Wireshark runs. The plugin reads the folder again when the next capture is loaded, and
reports problems of the folder once per capture. Uses sharkd with the plugin in BUILD, because tshark loads only one
capture while sharkd loads several, like Wireshark's window.
"""

import json
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parent / "scripts" / "attack"))

from nobody import copy_readable  # noqa: E402
from sharkd import Folder, Sharkd  # noqa: E402

class Game:
    """The arena's capture, and a copy of its project that the test may change."""

    def __init__(self, build):
        self.folder = Folder(build)
        self.project = copy_readable(TESTS / "projects" / "arena", self.folder.path / "game")
        self.capture = copy_readable(TESTS / "projects" / "arena.pcapng", self.folder.path / "arena.pcapng")
        self.sharkd = Sharkd(self.folder, "simple")
        self.asked = 0
        self.ask("setconf", name="godot_mp.project", value=str(self.project))

    def ask(self, method, **parameters):
        return json.loads(self.sharkd.ask([(method, parameters)])[0])["result"]

    def load(self):
        self.ask("load", file=str(self.capture))

    def frames(self, display_filter):
        # sharkd caches the result of a filter even if the preferences or the project change. Therefore each filter must
        # be different.
        self.asked += 1
        return [row["num"] for row in self.ask("frames", filter=f"({display_filter}) and frame.number != {1_000_000 + self.asked}")]

    def count(self, display_filter):
        return len(self.frames(display_filter))

    def told(self):
        """Returns the expert items about the folder, by frame."""
        texts = []

        def walk(number, nodes):
            for node in nodes:
                if node["l"].startswith(("No names were read: ", "Not read from the project folder: ")):
                    texts.append((number, node["l"].replace(str(self.project), "GAME")))
                walk(number, node.get("n", []))

        for number in self.frames("godot_mp.project_unreadable or godot_mp.project_incomplete"):
            walk(number, self.ask("frame", frame=number, proto=True)["tree"])
        return texts

    def replace(self, name, old, new):
        path = self.project / name
        text = path.read_text(encoding="utf-8")
        assert old in text, (name, old)
        path.write_text(text.replace(old, new), encoding="utf-8")


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r} instead of {expected!r}")


def check_names(game):
    """Changes a name in a configuration, and changes it back."""
    game.load()
    before = game.count('godot_mp.property == "Input:firing"')
    if before == 0:
        sys.exit("the project gives no names")
    game.replace("players/player.tscn", "Input:firing", "Input:burning")
    expect("before the capture is loaded again", game.count('godot_mp.property == "Input:firing"'), before)
    game.load()
    expect("the old name", game.count('godot_mp.property == "Input:firing"'), 0)
    expect("the new name", game.count('godot_mp.property == "Input:burning"'), before)
    game.replace("players/player.tscn", "Input:burning", "Input:firing")
    game.load()
    expect("the name of before", game.count('godot_mp.property == "Input:firing"'), before)


def check_reports(game):
    """Checks that missing, broken and omitted files are reported on one packet, until they are repaired."""
    first = game.frames("godot_mp")[0]
    calls = game.count("godot_mp.rpc.method")
    expect("of a folder without fault", game.told(), [])
    settings = game.project / "project.godot"
    kept = settings.rename(game.project / "kept")
    game.load()
    expect("without project.godot", game.told(), [(first, "No names were read: GAME has no project.godot: choose the folder of "
                                           "one game, or its export")])
    expect("names without project.godot", game.count("godot_mp.rpc.method"), 0)
    kept.rename(settings).chmod(0)
    game.load()
    expect("of one that may not be read", game.told(), [(first, "No names were read: GAME: project.godot cannot be read")])
    settings.chmod(0o644)
    game.load()
    expect("names once it can be read", game.count("godot_mp.rpc.method"), calls)
    moved = game.project.rename(game.project.with_name("moved"))
    game.load()
    expect("without the folder", game.told(), [(first, "No names were read: GAME is not a folder")])
    moved.rename(game.project)
    for name in ("a.scn", "players/b.res"):
        (game.project / name).write_bytes(b"RSRC")
    game.load()
    left_out = "res://a.scn: not read, it is cut off; res://players/b.res: not read, it is cut off"
    expect("with binary files that are cut off", game.told(), [(first, "Not read from the project folder: " + left_out)])
    expect("names beside binary files", game.count("godot_mp.rpc.method"), calls)
    for number in range(9):
        (game.project / f"c{number}.res").write_bytes(b"RSRC")
    game.load()
    expect("with many", game.told()[0][1].rsplit("; ", 1)[1], "and 6 more")


def check_layouts(game):
    """Checks that the fields of layouts.txt appear, change and disappear with the file. This includes changes while
    a capture is loaded and a filter uses the fields."""
    file = game.project / "layouts.txt"

    def knows(field):
        return "error" not in json.loads(game.sharkd.ask([("check", {"filter": field})])[0])

    expect("before there is a file", knows("game.kind"), False)
    text = "call World.blob\n  kind: u8 {1: heal, 2: hit}\n  target: utf8_string\n  amount: float\n"
    file.write_text(text, encoding="utf-8")
    game.load()
    expect("by name", game.count('game.kind == "hit"'), 3)
    expect("by number", game.count("game.amount > 0.5"), 3)
    # The file changes while the capture with its fields is loaded.
    file.write_text(text.replace("kind: u8 {1: heal, 2: hit}", "what: u8").replace("amount", "strength"), encoding="utf-8")
    expect("until it is loaded again", game.count('game.kind == "hit"'), 3)
    game.load()
    expect("the new field", game.count("game.what == 2"), 3)
    expect("the old field", (knows("game.kind"), knows("game.what"), knows("game.strength")), (False, True, True))
    # The same name, with another type.
    file.write_text(text.replace("kind: u8 {1: heal, 2: hit}", "kind: 8 = 1"), encoding="utf-8")
    game.load()
    expect("of a constant that is another one", (game.count("game.kind"), game.count("godot.layout.error")), (0, 0))
    file.write_text("call World.blob\n  kind: u24\n", encoding="utf-8")
    game.load()
    expect("of a file that is wrong", (game.count("godot.layout.error"), knows("game.target")), (1, False))
    for turn in range(20):
        file.write_text(text.replace("target", f"target{turn}"), encoding="utf-8")
        game.load()
        expect("of each of many files", game.count(f'game.target{turn} == "Ogre"') > 0, True)
    file.unlink()
    game.load()
    expect("once it is gone", (knows("game.kind"), knows("game.target19")), (False, False))


def main():
    game = Game(sys.argv[1])
    try:
        check_names(game)
        check_layouts(game)
        check_reports(game)
        game.sharkd.check()
    finally:
        game.sharkd.close()
        game.folder.remove()


if __name__ == "__main__":
    main()
