#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""chromium_sctp.py LOG OUT.pcapng: extracts the WebRTC traffic of a browser game from a log of Chromium, Chrome or
Edge.

These browsers cannot write DTLS keys, but log every SCTP packet. Start the browser (after all its windows are closed)
with

    chromium --enable-logging=stderr --vmodule='*/webrtc/*=1' 2>log.txt

(on Windows: chrome --enable-logging --v=0 --vmodule=*/webrtc/*=1, the log is chrome_debug.log in the user data folder),
play, and run this script on the log. The capture has all connections of the browser: 10.0.N.1 is the end in the
browser, 10.0.N.2 the other end, N numbers the connections from 1. If both ends were in the same browser, so that each
packet is logged twice, the capture contains the packet once.
"""
import datetime
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "packets"))
import capture  # noqa: E402

SCTP = 132
INIT, INIT_ACK = 1, 2
LINE = re.compile(r"([IO]) (\d+):(\d\d):(\d\d)\.(\d{1,6}) 0000((?: [0-9a-fA-F]{2})+) # SCTP_PACKET (\S+)\s*$")


class Clock:
    """Makes the times increase from line to line. The seconds that Chromium 156 writes return to 0 without a new
    minute, and the time of day returns to 0 at midnight."""

    PERIODS = tuple(seconds * capture.NANOSECONDS for seconds in (60, 3600, 24 * 3600))

    def __init__(self):
        self.added = 0
        self.last = None

    def read(self, time):
        time += self.added
        if self.last is not None:
            # Two processes write the log, so a small step back is not a wrap-around.
            for period in self.PERIODS:
                if self.last - period <= time < self.last - period // 2:
                    self.added += period
                    time += period
                    break
        self.last = time
        return time


class Transport:
    """A connection as one of its two sides logged it."""

    def __init__(self):
        self.packets = []  # (time, whether the browser sent it, bytes)
        self.tags = {}  # verification tag of each direction; the key is whether the browser sent it

    def add(self, time, is_sent, content):
        self.packets.append((time, is_sent, content))
        if len(content) >= 20 and content[12] in (INIT, INIT_ACK):
            self.tags.setdefault(is_sent, content[16:20])

    def is_other_end_of(self, other):
        return len(self.tags) == 2 and self.tags == {not is_sent: tag for is_sent, tag in other.tags.items()}


def read_log(path):
    """Returns the transports in the log, in the order of their first packets."""
    transports = {}
    clock = Clock()
    with open(path, encoding="utf-8", errors="replace") as log:
        for line in log:
            found = LINE.search(line)
            if not found:
                continue
            direction, hours, minutes, seconds, fraction, content, name = found.groups()
            time = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * capture.NANOSECONDS
            time += int(fraction.ljust(9, "0"))
            transports.setdefault(name, Transport()).add(clock.read(time), direction == "O", bytes.fromhex(content))
    return list(transports.values())


def without_other_ends(transports):
    kept = []
    for transport in transports:
        if not any(transport.is_other_end_of(other) for other in kept):
            kept.append(transport)
    return kept


def packets_of(number, transport, start):
    here, there = (struct.pack(">BBBB", 10, number >> 8, number & 255, end) for end in (1, 2))
    for time, is_sent, content in transport.packets:
        ends = (here, there) if is_sent else (there, here)
        header = capture.ipv4(SCTP, *ends, content)
        yield capture.Packet(start + time, SCTP, raw=bytes(12) + b"\x08\0" + header)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    transports = without_other_ends(read_log(sys.argv[1]))
    if not transports:
        sys.exit("No SCTP packets in this log: was the browser started with --vmodule='*/webrtc/*=1', and no window of it open before?")
    day = datetime.date.fromtimestamp(pathlib.Path(sys.argv[1]).stat().st_mtime)
    start = int(datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.timezone.utc).timestamp())
    packets = []
    for number, transport in enumerate(transports, 1):
        packets += packets_of(number, transport, start * capture.NANOSECONDS)
    capture.write(sys.argv[2], sorted(packets, key=lambda packet: packet.time))
    print(f"{len(transports)} connections, {len(packets)} packets")


if __name__ == "__main__":
    main()
