#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo.py PLUGINS

scripts/demo.sh with a plugin that is built: of the sample and of a capture with trouble, what it prints last; and that it
prints nothing that would worry a newcomer.
"""

import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PLUGINS = pathlib.Path(sys.argv[1]).resolve()
HEADER = " Rank | Problem | Count | First frame | Display filter | What to do | From | To | Last frame | "
PAGE = f"file://{PLUGINS.parent}/match.html"


def sections(*options):
    """What is printed below each title."""
    done = subprocess.run([REPOSITORY / "scripts/demo.sh", "--built", PLUGINS, *options], capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"demo.sh {options} ended with {done.returncode} and says\n{done.stderr}")
    parts = re.split("\n\x1b\\[1m==> (.*)\x1b\\[0m\n", "\n" + done.stdout)
    return {title: text.rstrip("\n").splitlines() for title, text in zip(parts[1::2], parts[2::2])}


def expect(name, shown, wanted):
    if shown != wanted:
        sys.exit(f"{name}: {shown} instead of {wanted}")


def check(shown, capture, packets, problems):
    titles = [f"The packets of {capture}", "The same in Wireshark's window", f"What is wrong in {capture}",
              "The match on one page, for a browser"]
    expect("the titles", [title for title in shown if not re.fullmatch("Packet \\d+ in full", title)], titles)
    expect("the packets", len(shown[titles[0]]), packets)
    expect("the problems", shown[titles[2]], [HEADER, *problems])
    expect("the page", shown[titles[3]], [PAGE])


def main():
    check(sections(), "game_godot4.6.pcapng", 41, [" 1 | Nothing found: Godot's and ENet's frames look healthy | 0 | 0 |  | With the game's folder (Preferences, Protocols, GodotMP) calls are checked against the scripts, too. |  |  | 0 | "])
    check(sections(REPOSITORY / "captures/trouble_godot4.6.pcapng"), "trouble_godot4.6.pcapng", 221, [
        " 1 | Main/Lobby is missing at the receiver: what is sent to it gets lost there | 5 | 13 |"
        ' godot_mp.unconfirmed_path and godot_mp.path == "Main/Lobby" | The receiver needs a node of this path before the first'
        " call: is it added later there, in another place, or under another name? | the server | peer 773484497 | 33 | ",
        " 2 | Packets were lost and sent again (the first: RPC Main/World.#7()) | 23 | 68 | enet.retransmitted and godot.problem and"
        " enet.stream == 0 | A few are the network's. Many on Wi-Fi: send less at once, and unreliable what a newer value replaces."
        " | 127.0.0.1:50001 | 127.0.0.1:5035 | 155 | "])
    print("demo.sh shows the sample and what is wrong with a game")


if __name__ == "__main__":
    main()
