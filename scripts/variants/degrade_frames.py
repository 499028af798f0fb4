#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes a capture as a capturing machine may: removes or reorders frames.

    degrade_frames.py CAPTURE OUTPUT every=N [first=K]   removes every Nth frame, from the Kth on
    degrade_frames.py CAPTURE OUTPUT swap=N              swaps every Nth frame with the next one, if that arrives within
                                                two milliseconds; the times stay in order
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

ENHANCED_PACKET = 6
SOON = 0.002


def blocks_of(data):
    """Yields the blocks of a pcapng file in this machine's byte order."""
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        yield kind, data[at:at + length]
        at += length


def time_of(block):
    high, low = struct.unpack_from("<II", block, 12)
    return (high << 32 | low) / 1e6


def swapped(blocks, every):
    """Swaps two frames and their times."""
    packets = [i for i, (kind, _) in enumerate(blocks) if kind == ENHANCED_PACKET]
    for n in range(every - 1, len(packets) - 1, every):
        a, b = packets[n], packets[n + 1]
        (_, first), (_, second) = blocks[a], blocks[b]
        if time_of(second) - time_of(first) > SOON:
            continue
        blocks[a] = (ENHANCED_PACKET, second[:12] + first[12:20] + second[20:])
        blocks[b] = (ENHANCED_PACKET, first[:12] + second[12:20] + first[20:])
    return blocks


def without(blocks, every, first):
    kept, number = [], 0
    for kind, block in blocks:
        number += kind == ENHANCED_PACKET
        if kind != ENHANCED_PACKET or number < first or (number - first) % every:
            kept.append((kind, block))
    return kept


def degrade(capture, output, every=0, first=0, swap=0):
    with tempfile.NamedTemporaryFile(suffix=".pcapng") as plain:
        subprocess.run(["editcap", "-F", "pcapng", str(capture), plain.name], check=True)
        blocks = list(blocks_of(pathlib.Path(plain.name).read_bytes()))
    if every:
        blocks = without(blocks, every, first or every)
    if swap:
        blocks = swapped(blocks, swap)
    pathlib.Path(output).write_bytes(b"".join(block for _, block in blocks))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    degrade(sys.argv[1], sys.argv[2], **{key: int(value) for key, value in (each.split("=") for each in sys.argv[3:])})


if __name__ == "__main__":
    main()
