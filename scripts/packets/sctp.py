# SPDX-License-Identifier: MIT
"""Builds SCTP packets like those of WebRTC's data channels."""
import struct

PROTOCOL = 132  # of IP
PORT = 5000  # the port of all WebRTC connections
DATA, IDATA = 0, 64
FIRST, LAST, UNORDERED = 2, 1, 4
TEXT, BINARY, CHANNEL_OPENING = 51, 53, 50


def _remainders():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


_REMAINDERS = tuple(_remainders())


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _REMAINDERS[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def chunk(kind, flags, content):
    return struct.pack(">BBH", kind, flags, 4 + len(content)) + content + bytes(-len(content) % 4)


def packet(tag, chunks):
    """Returns header, checksum and chunks."""
    head = struct.pack(">HHI", PORT, PORT, tag)
    return head + struct.pack("<I", crc32c(head + bytes(4) + chunks)) + chunks
