#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""demo.py PLUGINS [--build]

Runs the first command of README, scripts/demo.sh, in a clean checkout: a copy of the files that Git tracks. Checks the
last lines that it prints for the sample and for a capture with problems, and that it prints no warning or error that
would worry a newcomer. To save five minutes, the test configures the checkout and lets ninja look for missing files,
but shows the plugin that is already built in PLUGINS (demo.sh --built). With --build, the command runs as README has it
and builds the plugin.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PLUGINS = pathlib.Path(sys.argv[1]).resolve()
IS_BUILT = "--build" in sys.argv  # then demo.sh itself builds the plugin
TEMPORARY = tempfile.TemporaryDirectory()
CHECKOUT = pathlib.Path(TEMPORARY.name).resolve()
PAGE = f"file://{CHECKOUT / 'build' if IS_BUILT else PLUGINS.parent}/match.html"
HEADER = " Rank | Count | First frame | Problem | What to do | Display filter | From | To | Last frame | "


def clean_checkout(folder):
    """Copies the files that Git tracks. Without Git, as in a package's build, copies everything except build folders.
    """
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", REPOSITORY, "ls-files", "-z"], capture_output=True, text=True,
                            check=False)
    if listed.returncode != 0:
        shutil.copytree(REPOSITORY, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build*", ".git"))
        return
    for name in filter(None, listed.stdout.split("\0")):
        if (REPOSITORY / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)


def check_sources(folder):
    """Fails if a file that the build needs is not in the checkout."""
    build = folder / "build-check"
    for command in (["cmake", "-S", folder, "-B", build, "-G", "Ninja", "-DBUILD_TESTING=OFF"], ["ninja", "-C", build, "-n", "godot"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{command} fails in a clean checkout:\n{done.stdout}\n{done.stderr}")


def first_command():
    """Returns the command of README's quick start."""
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    return re.search(r"^## Quick start\n.*?^ {4}(\S[^\n]*)$", text, re.MULTILINE | re.DOTALL)[1]


def sections(*options):
    """Runs demo.sh in the checkout. @returns the printed lines, by the title before them"""
    built = [] if IS_BUILT else ["--built", PLUGINS]
    done = subprocess.run([CHECKOUT / "scripts/demo.sh", *built, *options], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"demo.sh {options} ended with {done.returncode} and prints\n{done.stderr}")
    parts = re.split("\n\x1b\\[1m==> (.*)\x1b\\[0m\n", "\n" + done.stdout)
    found = {title: text.rstrip("\n").splitlines() for title, text in zip(parts[1::2], parts[2::2])}
    return {title: lines for title, lines in found.items() if not title.startswith(("Installing ", "Building "))}


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
    clean_checkout(CHECKOUT)
    if not IS_BUILT:
        check_sources(CHECKOUT)
    expect("README's command", first_command(), "scripts/demo.sh captures/trouble_godot4.6.pcapng")
    check(sections(), "game_godot4.6.pcapng", 41, [" 1 | 0 | 0 | No problems found in 41 messages |"
        ' If the game still fails, read "What a capture cannot show" in doc/recipes.md of the plugin. |  |  |  | 0 | '])
    check(sections("captures/trouble_godot4.6.pcapng"), "trouble_godot4.6.pcapng", 221, [
        " 1 | 1 | 13 | Peer 773484497 did not have the node Main/Lobby when the first message for it arrived."
        " That message was lost, but later calls arrive if the node has been added since |"
        " Add the node on the receiver before the first message, with the same name and parent. |"
        ' godot_mp.unconfirmed_path and godot_mp.path == "Main/Lobby" | the server | peer 773484497 | 13 | ',
        " 2 | 23 | 68 | Packets were lost and retransmitted | A few are normal. If there are many,"
        ' send less at once, and use "unreliable" for values that are soon replaced. | enet.retransmitted and godot.problem and'
        " enet.stream == 0 | 127.0.0.1:50001 | 127.0.0.1:5035 | 155 | "])
    print("demo.sh shows the sample and what is wrong with a game")


if __name__ == "__main__":
    main()
