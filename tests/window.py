#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""window.py PLUGINS

Checks what a newcomer sees in Wireshark's window, as text: the packet list, the menus, the plugin's tables, the
preferences. scripts/window.py opens the window. Exits with 77 if a program for that is missing.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from tshark import minor_release

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
CAPTURE = REPOSITORY / "captures/trouble_godot4.6.pcapng"

COUNTED = ["Count", "Bytes", "Share (%)", "Mean", "Largest", "Bytes/s"]
# In the order of the menu, the most important first. The titles of the columns, the beginning of the first row.
TABLES = {
    "Godot Problems": (
        ["Rank", "Count", "First frame", "Problem", "What to do", "Display filter", "From", "To", "Last frame"],
        ["1", "1", "13", "Peer 773484497 did not have the node Main/Lobby when the first message for it arrived. That message was lost, but later calls arrive if the node has been added since",
         "Add the node on the receiver before the first message, with the same name and parent.",
         'godot_mp.unconfirmed_path and godot_mp.path == "Main/Lobby"', "the server", "peer 773484497", "13"]),
    "Godot bytes: headers, calls, values": (["Rank", "Bytes of", *COUNTED], ["1", "IP", "221", "4420", "32.71"]),
    "Godot calls: what costs bandwidth": (
        ["Rank", "Call", "Nodes", "Saved", *COUNTED], ["1", "Main/Lobby.#1", "2", "0", "33", "969"]),
    "Godot connections over ENet": (
        ["Stream", "From", "To", "End", "Datagrams", "Bytes", "Commands/datagram", "RTT min (ms)", "RTT mean (ms)",
         "RTT 95 % (ms)", "RTT max (ms)", "Retransmitted", "Missing", "Unacknowledged max", "Unacknowledged at end", "Longest silence (s)",
         "Frame (ms)", "Bandwidth in/out", "Throttle", "Display filter"],
        ["0", "127.0.0.1:50001", "127.0.0.1:5035"]),
    "Godot connections over WebSocket": (
        ["Stream", "Client", "Server", "Path", "Subprotocols", "Accepted", "HTTP status", "End", "Longest silence (s)",
         "Bytes of client", "Bytes of server", "First frame", "Last frame", "Display filter"], None),
    "Godot debugger: messages to and from the editor": (["Rank", "Message", *COUNTED, "Display filter"], None),
    "Godot names: what the project folder provides": (
        ["Rank", "Node", "Calls", "Calls without a name", "Values", "Values without a name"],
        ["1", "No project folder is set (Edit > Preferences > Protocols > GodotMP > Project folder)", "61", "61", "0", "0"]),
    "Godot nodes: what spawns and syncs cost": (["Rank", "Object", "Message", "Nodes", "Saved", *COUNTED], None),
    "Godot peers: who sends how much to whom": (
        ["Rank", "From", "To", *COUNTED, "Display filter"], ["1", "server", "773484497", "32", "943"]),
    "Godot put_var(): what costs bandwidth": (["Rank", "Message", "Ways", "Saved", *COUNTED], None),
    "Godot syncs: interval, jitter, loss": (
        ["Synchronizer", "From", "To", "Count", "Sender interval (ms)", "mean (ms)", "max (ms)", "Jitter (ms)", "Lost",
         "Lost (%)", "Late", "Display filter"], None),
}
LIST = (["No.", "Time", "Source", "Destination", "From", "To", "Protocol", "Bytes", "Info"],
        ["1", "0.000000", "127.0.0.1", "127.0.0.1", "1666646781", "server", "ENet", "94", "Connect"])
# Filters of the entries in a call's context menu, since 4.4.
PACKET_MENU = ['godot_mp.path == "Main/Lobby" && godot_mp.rpc.method_id == 1', 'godot_mp.path == "Main/Lobby"']
PORTS = "Ports: only if the game is not detected"
ADVANCED = "Advanced: only if something is decoded wrongly"
PREFERENCES = {
    "ENet": ["ENet Protocol", PORTS, "UDP port(s)", "DTLS Port(s)", ADVANCED, "Compression", "Datagrams contain a checksum"],
    "Godot": ["Godot Engine Variant", "The project folder, for names, is on the page GodotMP", PORTS, "WebSocket port(s)", "UDP port(s)",
              "DTLS Port(s)", "TCP port(s)", "TLS Port(s)", ADVANCED, "Engine version", "Size of floats in vectors",
              "Maximum elements of a packed array", "Maximum packet length in a stream", "Decode embedded data",
              "Detect Godot on ports of other protocols"],
    "GodotDebug": ["Godot Remote Debugger", PORTS, "TCP port(s)", "TLS Port(s)"],
    "GodotMP": ["Godot High-level Multiplayer", "Project folder", PORTS, "WebSocket port(s)", "ENet server port(s)", "SCTP port(s)",
                ADVANCED, "Custom formats", "Method names", "Engine version"],
}


def differences(name, table, titles, row):
    rows = [[cell.strip() for cell in each] for each in table["rows"]]
    shown = [title.strip() for title in table["titles"]]
    if shown != titles:
        yield f"{name}: the columns are {shown}"
    begins = rows[0][: len(row)] == row if row and rows else rows == (row or [])
    if not begins:
        yield f"{name}: the first rows are {rows}"


def check(told):
    # In 4.6 they are in a submenu of that name.
    in_menu = "Godot " if minor_release() >= 6 else ""
    tables = {in_menu + name: table for name, table in told["tables"].items()}
    yield from differences("the list", told["list"], *LIST)
    entries = [in_menu + name for name in told["statistics"]]
    if entries != ["Godot Match page", *TABLES]:
        yield f"Statistics has {entries}"
    for name, (titles, row) in TABLES.items():
        yield from differences(name, tables[name], titles, row)
    if told["packet menu"] != (PACKET_MENU if minor_release() >= 4 else []):
        yield f"a packet's menu filters for {told['packet menu']}"
    if not told["page"]:
        yield "the match page is not whole"
    for page, names in PREFERENCES.items():
        # Since 4.4, the names of port preferences begin with the protocol's name.
        shown = [name.removeprefix(f"{page} ") if name.lower().endswith("port(s)") else name for name in told["preferences"][page]]
        if shown != names:
            yield f"the preferences of {page} are {shown}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        script = [sys.executable, REPOSITORY / "scripts/window.py", "--text", sys.argv[1], folder, CAPTURE]
        code = subprocess.run(script, check=False).returncode
        if code != 0:
            sys.exit(code)
        told = json.loads((pathlib.Path(folder) / "window.json").read_text(encoding="utf-8"))
    wrong = list(check(told))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"the window shows {len(TABLES)} tables, {len(PREFERENCES)} pages of preferences, the list and the match page")


if __name__ == "__main__":
    main()
