#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damages captures of real engines as users do, and compares the messages that are shown with those of the whole
capture.

    degraded_captures.py build/plugins
    degraded_captures.py build/plugins CAPTURE ...

Prints the share of messages that is still shown. No message may be shown that was not sent, and Problems may not report
problems that only the damage causes. For captures on the command line (little-endian pcapng), removes each 50th and
each 20th frame, at each offset, and prints the rows of Problems that the whole capture does not have. Rows about
disconnects and unreadable data are correct, and are not counted.
"""
import collections
import pathlib
import re
import sys
import tempfile

from tshark import Tshark

repo = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(repo / "scripts/packets"))
import capture  # noqa: E402
import degrade  # noqa: E402

CAPTURES = [
    "captures/mp_spawn_godot4.6.pcapng",  # ENet, spawns and syncs
    "captures/mp_rpc_godot3.6.pcapng",  # ENet, calls; fragments and relays
    "captures/mp_ws_godot4.6.pcapng",
    "captures/mp_ws_godot3.2.3.pcapng",
    "captures/udp_types_godot4.6.pcapng",
    "captures/tcp_types_godot4.6.pcapng",
    "captures/debug_script_godot4.6.pcapng",
    "tests/data/web_star.pcapng",  # WebRTC, with keys
    "tests/data/web_turn.pcapng",  # three views of the same messages, sent by a relay
]
# Minimum share of shown messages in percent, by damage and capture. With a smaller share, the test fails. All other
# captures must show every message.
LEAST = {
    "begun late": {"mp_ws": 65, "mp_": 65, "udp": 74, "tcp": 92, "debug": 57, "web_star": 49, "web_turn": 0},
    "cut to 120 bytes": {"mp_spawn": 95, "mp_rpc": 80, "mp_ws_godot4": 99, "mp_ws_godot3": 45, "udp": 90, "tcp": 24,
                         "debug": 18, "web_": 0},
    # If the capture lacks a part of the DTLS handshake, a WebRTC connection is not decrypted.
    "each 50th frame missing": {"web_star": 70, "": 90},
    "each 20th frame missing": {"tcp": 60, "": 90},
    # If data was already acknowledged, Wireshark takes it for a retransmission, so users must put TCP in order
    # (reordercap).
    "merged by clocks 3 ms apart": {"mp_ws": 0, "tcp": 50, "debug": 90},
    "TCP out of order": {"tcp": 99, "debug": 90},
}
FRAMED = ["tests/projects/session.pcapng", "captures/tcp_types_godot4.6.pcapng"]  # the first has ICMP errors
# For captures that are out of order, users let Wireshark reorder the segments. Data after a missing segment is then not
# shown.
IN_ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
OPTIONS = ["-2", "-n", "-z", "godot,problems", "-T", "fields", "-E",
           "aggregator=\x1f", "-e", "enet.duplicate_of", "-e", "godot_mp.summary", "-e", "godot.value"]


class Shown:
    """The output of tshark for a capture: messages and values, and the rows of Problems without the numbers in their
    texts."""

    def __init__(self, text):
        self.messages, self.values, self.problems = collections.Counter(), collections.Counter(), set()
        for line in text.splitlines():
            if line.count("\t") == 2:
                copy_of, messages, values = line.split("\t")
                if not copy_of:
                    self.messages.update(filter(None, messages.split("\x1f")))
                    self.values.update(filter(None, values.split("\x1f")))
            elif row := re.match(r" *\d+ \| *\d+ \| *\d+ \|(.*?) *\|", line):
                self.problems.add(re.sub(r"\d+", "N", row[1]))

    @property
    def all(self):
        return self.messages or self.values


NO_ACCUSATIONS = ("No problems found", "WebRTC cannot be decrypted", "WebRTC, perhaps of a game, cannot be decrypted", "WebSocket messages from frame N on cannot be decompressed",
                  "No Godot or ENet traffic was detected, and")


def take_out_at_each_offset(tshark, path):
    """Prints the rows of Problems that only the capture with missing frames has, and the missing frames."""
    packets, secrets = capture.read(path), capture.read_secrets(path)
    degraded = tshark.folder / "degraded.pcapng"

    def look(some):
        capture.write(degraded, some, secrets)
        return Shown(tshark.run(degraded, *OPTIONS)).problems

    whole, found = look(packets), collections.defaultdict(list)
    for number in (50, 20):
        for offset in range(number):
            for row in look(degrade.without_each(number, offset)(packets)) - whole:
                found[row].append(f"{number}:{offset}")
    print(path, "" if found else "no other row")
    for row, offsets in found.items():
        print(f"    {row} | {' '.join(offsets)}")


# Plain datagrams have no sequence number, so two equal datagrams may both have been sent.
UNTOLD_COPIES = ("udp_types_godot4.6.pcapng", "each frame twice")


def compare(name, path, whole, shown, faults):
    share = 100 * shown.all.total() / whole.all.total()
    least = next((least for start, least in LEAST.get(name, {}).items() if path.name.startswith(start)), 100)
    most = 200 if (path.name, name) == UNTOLD_COPIES else 100
    if not least <= share <= most:
        faults.append(f"{path.name}, {name}: {share:.1f} % shown")
    # A truncated value is shown up to its truncation, so it differs from the whole value.
    added = shown.values - whole.values if most == 100 and not name.startswith("cut") else None
    if added:
        faults.append(f"{path.name}, {name}: never sent: {list(added)[:3]}")
    # Rows about unreadable data do not blame the game, so they are permitted.
    accused = {row for row in shown.problems - whole.problems if not row.startswith(NO_ACCUSATIONS)}
    if accused:
        faults.append(f"{path.name}, {name}: {sorted(accused)}")
    return f"{share:.0f} %"


def main():
    faults, rows = [], collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tshark = Tshark(folder, pathlib.Path(sys.argv[1]))
        for path in map(pathlib.Path, sys.argv[2:]):
            take_out_at_each_offset(tshark, path)
        if sys.argv[2:]:
            return 0

        def look(path, *options):
            return Shown(tshark.run(path, *OPTIONS, *options))

        for name in dict.fromkeys(CAPTURES + FRAMED):
            path = repo / name
            packets, secrets = capture.read(path), capture.read_secrets(path)
            degraded = folder / "degraded.pcapng"
            capture.write(degraded, packets, secrets)
            whole = look(degraded)
            for kind, function in degrade.DEGRADATIONS.items() if name in CAPTURES else ():
                capture.write(degraded, function(packets), secrets)
                rows[kind].append(compare(kind, path, whole, look(degraded), faults))
                if kind in ("merged by clocks 3 ms apart", "TCP out of order"):
                    ordered = f"{kind}, put in order"
                    rows[ordered].append(compare(ordered, path, whole, look(degraded, *IN_ORDER), faults))
            for header in degrade.HEADERS if name in FRAMED else ():
                for version, inner in (("4", packets), ("6", degrade.over_ip6(packets))):
                    degrade.write_framed(folder / "framed.pcap", inner, header)
                    compare(f"{header}, IPv{version}", path, whole, look(folder / "framed.pcap"), faults)
    print("| | " + " | ".join(pathlib.Path(name).stem for name in CAPTURES) + " |")
    print("|---" * (len(CAPTURES) + 1) + "|")
    for kind, shares in rows.items():
        print(f"| {kind} | " + " | ".join(shares) + " |")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
