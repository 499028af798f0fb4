# SPDX-License-Identifier: MIT
"""Captures that grow with n: everything that a game or an attacker can make large."""
import ctypes
import ctypes.util
import functools
import struct
import zlib

import sctp
import wire
from capture import ACK, PSH, SYN, TCP, Packet, ipv4

MILLISECOND = 10**6
SERVER = (b"\x0a\0\0\1", 5020)
_SEGMENT = 1400


def client(number):
    """Returns address and port of a client."""
    return (struct.pack(">BBH", 10, 1, number >> 14), 40000 + (number & 0x3FFF))


class Line:
    """Makes packets, one millisecond apart."""

    def __init__(self):
        self.count = 0

    def packet(self, source, destination, payload, **more):
        self.count += 1
        return Packet(time=self.count * MILLISECOND, source=source, destination=destination, payload=payload, **more)

    def enet(self, source, destination, commands, peer=0):
        word = peer | wire.SENT_TIME
        return self.packet(source, destination, wire.Datagram(word, self.count % 65536, commands).pack())

    def tcp(self, payloads, port=5006):
        """Yields a TCP connection on which the client sends these payloads."""
        ends = (client(0), (SERVER[0], port))
        yield self.packet(*ends, b"", protocol=TCP, flags=SYN, seq=0)
        yield self.packet(*reversed(ends), b"", protocol=TCP, flags=SYN | ACK, seq=0, ack=1)
        yield from self.tcp_one_way(ends, payloads)

    def tcp_one_way(self, ends, payloads):
        """Yields the segments of one side. The other side acknowledges them, because with each new segment TCP
        iterates over all unacknowledged segments."""
        seq = 1
        for i, payload in enumerate(payloads):
            yield self.packet(*ends, payload, protocol=TCP, flags=PSH | ACK, seq=seq, ack=1)
            seq += len(payload)
            if i % 16 == 15:
                yield self.packet(*reversed(ends), b"", protocol=TCP, flags=ACK, seq=1, ack=seq)


    def sctp(self, source, destination, chunks):
        self.count += 1
        header = ipv4(sctp.PROTOCOL, source, destination, sctp.packet(0x5E000001, chunks))
        return Packet(self.count * MILLISECOND, sctp.PROTOCOL, raw=bytes(12) + b"\x08\0" + header)


def segments(data, size=_SEGMENT):
    return (data[at : at + size] for at in range(0, len(data), size))


def _greeting():
    """Returns a message that is detected as Godot's with certainty."""
    return wire.dictionary([(wire.string(b"cmd"), wire.string(b"hello")), (wire.string(b"id"), wire.integer(7))])


def _connected(line, commands_of_first=()):
    yield line.enet(client(0), SERVER, [wire.connect(0x1234, data=7)], wire.NO_PEER)
    verify = wire.Command(wire.VERIFY_CONNECT, 0x80, 255, 1, (0, 0, 0, 1392, 65536, 3, 0, 0, 5000, 2, 2, 0x1234))
    yield line.enet(SERVER, client(0), [verify])
    for command in commands_of_first:
        yield line.enet(client(0), SERVER, [command])


# --- ENet


def enet_connects(n):
    """Clients of one server, each of which joins its game."""
    line = Line()
    md5 = b"3f9f838f849d808dbe055ee3eaa41817\0"
    for i in range(n):
        peer, before, number = client(i), client(max(0, i - 1)), 2 + i
        yield line.enet(peer, SERVER, [wire.connect(1000 + i, data=number)], wire.NO_PEER)
        verify = wire.Command(wire.VERIFY_CONNECT, 0x80, 255, 1, (0, 0, 0, 1392, 65536, 3, 0, 0, 5000, 2, 2, 1000 + i))
        yield line.enet(SERVER, peer, [verify])
        if i > 0:
            yield line.enet(SERVER, peer, [wire.reliable(1, b"\x07\x01" + struct.pack("<i", number - 1))])
            yield line.enet(SERVER, before, [wire.reliable(4, b"\x07\x01" + struct.pack("<i", number))])
        path = b"\x01" + md5 + struct.pack("<I", 1) + b"Main/World\0"
        yield line.enet(SERVER, peer, [wire.reliable(2, path)])
        yield line.enet(peer, SERVER, [wire.reliable(1, b"\x02\x01" + struct.pack("<I", 1))])
        yield line.enet(SERVER, peer, [wire.reliable(3, b"\x00\x01\x05\x01\x02\x05")])


def enet_fragments(n):
    """Fragments of one message."""
    line = Line()
    yield from _connected(line)
    message = wire.string(bytes(64 * n - 8))
    for fragment in wire.fragments(2, message, 64):
        yield line.enet(client(0), SERVER, [fragment])


def enet_unacknowledged(n):
    """Reliable commands without acknowledgements."""
    line = Line()
    yield from _connected(line)
    for i in range(n):
        yield line.enet(client(0), SERVER, [wire.reliable(i % 65536, wire.integer(i), i // 65536)])


def enet_gaps(n):
    """Unreliable messages on 255 channels. Two of three messages are missing."""
    line = Line()
    yield from _connected(line)
    for i in range(n):
        data = wire.integer(i)
        fields = (3 * (i // 255) % 65536, len(data))
        yield line.enet(client(0), SERVER, [wire.Command(wire.UNRELIABLE, 0, i % 255, 0, fields, data)])


def enet_unreliable(n):
    """Unreliable messages in a complete sequence, so the plugin needs to store nothing."""
    line = Line()
    yield from _connected(line)
    for i in range(n):
        data = wire.integer(i)
        fields = (i % 65536, len(data))
        yield line.enet(client(0), SERVER, [wire.Command(wire.UNRELIABLE, 0, 0, i // 65536, fields, data)])


def enet_long_datagrams(n):
    """Datagrams of 1,350 bytes, one message in each."""
    line = Line()
    yield from _connected(line)
    data = wire.string(bytes(1350 - 4 - 6 - 8))
    for i in range(n):
        yield line.enet(client(0), SERVER, [wire.reliable(i % 65536, data, i // 65536)])


def enet_again(n):
    """One datagram that is captured again and again. It adds no information."""
    line = Line()
    yield from _connected(line)
    packet = line.enet(client(0), SERVER, [wire.reliable(1, wire.integer(7))])
    for _ in range(n):
        yield packet


def multiplayer_paths(n):
    """Path ids that a game announces for its nodes, 20 in a datagram."""
    line = Line()
    yield from _connected(line)
    md5 = b"3f9f838f849d808dbe055ee3eaa41817\0"
    for first in range(0, n, 20):
        commands = [
            wire.reliable(i % 65536, b"\x01" + md5 + struct.pack("<I", i) + b"Main/N%d\0" % i, i // 65536)
            for i in range(first, min(n, first + 20))
        ]
        yield line.enet(client(0), SERVER, commands)


# --- Decompression bombs: datagrams that decompress to many bytes


def _bombs(n, compressed):
    line = Line()
    yield from _connected(line, [wire.reliable(2, _greeting())])
    for i in range(n):
        yield line.packet(client(0), SERVER, _compressed_at(i) + compressed)


def _compressed_at(i):
    """Returns a header that differs for each datagram, because a duplicate counts only once."""
    return struct.pack(">HH", wire.COMPRESSED | wire.SENT_TIME, i % 65536)


@functools.cache
def _bomb_content():
    """Returns pings, so that the decompressed data is parsed to its end."""
    return b"\x85\xff\0\1" * (1 << 20)


def zlib_bombs(n):
    return _bombs(n, zlib.compress(_bomb_content(), 9))


def zstd_bombs(n):
    """Datagrams with Zstandard blocks that repeat one byte 131,072 times."""
    block = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"\x85"
    return _bombs(n, struct.pack("<IBB", 0xFD2FB528, 0, 0x58) + block * 300 + b"\1\0\0")


def fastlz_bombs(n):
    """FastLZ level 1 data: a literal, then matches of 264 bytes at a distance of 4."""
    return _bombs(n, b"\x03\x85\xff\0\1" + b"\xe0\xff\x03" * 400)


def _fastlz(*parts):
    """Returns FastLZ level 1 data: literals of at most 32 bytes, and matches (distance, size) at most 256 bytes
    back."""
    out = b""
    for part in parts:
        if isinstance(part, bytes):
            out += bytes([len(part) - 1]) + part
            continue
        distance, left = part
        while left >= 9:
            size = min(left, 264)
            out += bytes([0xE0, size - 9, distance - 1])
            left -= size
    return out


def ping_bombs(n):
    """Datagrams of 57 bytes that decompress to 1,024 pings. Each ping requests an acknowledgement."""
    line = Line()
    yield from _connected(line, [wire.reliable(2, _greeting())])
    for i in range(n):
        pings = _fastlz(wire.Command(wire.PING, 0x80, 255, i).pack(), (4, 4092))
        yield line.packet(client(0), SERVER, _compressed_at(i) + pings)


def path_bombs(n):
    """Datagrams of 100 bytes that contain a path id and a path of 3,960 characters. Each of these characters is
    displayed as six."""
    line = Line()
    size = 15 * 264
    yield from _connected(line)
    for i in range(n):
        # An MD5 in 33 bytes, the path id, and the path with its terminating zero.
        head = wire.reliable(i, b"").pack()[:4] + struct.pack(">H", 1 + 33 + 4 + 9 + 1 + size + 3)
        data = (head + b"\1", b"0" * 32, b"\0" + struct.pack("<I", i) + b"N%08d" % i, b"\x02", (1, size), b"bb\0")
        yield line.packet(client(0), SERVER, _compressed_at(i) + _fastlz(*data))


def range_coder_bombs(n):
    """Compresses with libenet's range coder. libenet must be installed, as it must be for the plugin."""
    enet = ctypes.CDLL(ctypes.util.find_library("enet") or "libenet.so.7")

    class Buffer(ctypes.Structure):
        _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    enet.enet_range_coder_create.restype = ctypes.c_void_p
    enet.enet_range_coder_compress.restype = ctypes.c_size_t
    coder, content = ctypes.c_void_p(enet.enet_range_coder_create()), _bomb_content()[: 1 << 18]
    buffer, out = Buffer(content, len(content)), ctypes.create_string_buffer(1 << 18)
    size = enet.enet_range_coder_compress(
        coder, ctypes.byref(buffer), ctypes.c_size_t(1), ctypes.c_size_t(len(content)), out, ctypes.c_size_t(1 << 18)
    )
    enet.enet_range_coder_destroy(coder)
    return _bombs(n, out.raw[:size])


# --- TCP


def debugger_segments(n):
    """Messages of Godot 3's debugger: a text, a count, and that many values. Each value is in a separate segment."""
    line = Line()
    said = struct.pack("<II", 19, 2) + wire.string(b"a line that the game has printed") + wire.integer(0)
    value = wire.prefixed(said)
    head = wire.prefixed(wire.string(b"output")) + wire.prefixed(wire.integer(n))
    yield from line.tcp([head] + [value] * n, 6007)


def short_packets_in_segment(n):
    """Packets of 8 bytes, including the length prefix, in 160 segments of up to 64 KB."""
    line = Line()
    yield from line.tcp([wire.prefixed(_greeting())] + [wire.prefixed(bytes(4)) * n] * 160)


def dictionary_keys(n):
    """Eight Dictionaries of many keys."""
    line = Line()
    value = wire.dictionary([(wire.string(b"k%06d" % i), wire.integer(i)) for i in range(n)])
    yield from line.tcp([wire.prefixed(_greeting()), *segments(wire.prefixed(value) * 8)])


def long_string(n):
    """Ten Strings of n KiB."""
    line = Line()
    value = wire.prefixed(wire.string(b"abcdefg " * (n * 128 - 2)))
    yield from line.tcp([wire.prefixed(_greeting()), *segments(value * 10)])


def _upgraded(line, payloads):
    ends = (client(0), (SERVER[0], 5011))
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    key = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    yield from line.tcp([b"GET / HTTP/1.1\r\nHost: a\r\n" + upgrade + key], 5011)
    accept = b"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"
    answer = b"HTTP/1.1 101 Switching Protocols\r\n" + upgrade + accept
    yield from line.tcp_one_way(tuple(reversed(ends)), (answer, *payloads))


def websocket_in_segment(n):
    """WebSocket messages that share a segment, in 2,000 such segments."""
    line = Line()
    frames = wire.websocket_frame(wire.integer(5)) * n
    yield from _upgraded(line, [wire.websocket_frame(_greeting())] + [frames] * 2000)


def websocket_message(n):
    """One WebSocket message of n KiB."""
    line = Line()
    message = wire.websocket_frame(wire.string(b"abcdefg " * (n * 128 - 1)))
    yield from _upgraded(line, [wire.websocket_frame(_greeting()), *segments(message)])


# --- WebRTC


def webrtc_fragments(n):
    """First fragments of messages that never become complete, 55 in a packet."""
    line = Line()
    for i in range(n):
        first = b"".join(
            sctp.chunk(sctp.IDATA, sctp.FIRST, struct.pack(">IHHIIB", number, 1, 0, number, sctp.BINARY, 7))
            for number in range(55 * i, 55 * i + 55)
        )
        yield line.sctp(client(0)[0], SERVER[0], first)


def webrtc_channels(n):
    """Opens channels, 40 in a packet, and then opens them again."""
    line = Line()
    opening = struct.pack(">BBHIHH", 3, 0, 0, 0, 4, 0) + b"chat"
    for i in range(n):
        opened = b"".join(
            sctp.chunk(sctp.DATA, sctp.FIRST | sctp.LAST, struct.pack(">IHHI", 40 * i + k, k, i % 65536, sctp.CHANNEL_OPENING) + opening)
            for k in range(40)
        )
        yield line.sctp(client(0)[0], SERVER[0], opened)


def webrtc_associations(n):
    """Pairs of hosts, each with one message of a game."""
    line = Line()
    for i in range(n):
        said = struct.pack(">IHHI", 1, 1, 0, sctp.BINARY) + b"\x00\x01\x05\x01\x02\x05"
        yield line.sctp(struct.pack(">BBH", 10, 2 + (i >> 16), i & 0xFFFF), SERVER[0], sctp.chunk(sctp.DATA, sctp.FIRST | sctp.LAST, said))


def webrtc_checks(n):
    """ICE checks. Each is between two new addresses."""
    line = Line()
    for i in range(n):
        name = b"%08d:%08d" % (2 * i, 2 * i + 1)
        attribute = struct.pack(">HH", 6, len(name)) + name + bytes(-len(name) % 4)
        yield line.packet(client(i), SERVER, struct.pack(">HHI", 1, len(attribute), 0x2112A442) + bytes(12) + attribute)


# --- UDP


def settled_conversation(n):
    """A game that the plugin detected long ago. It sends the movements of its players."""
    line = Line()
    yield line.packet(client(0), (SERVER[0], 5009), _greeting())
    move = wire.dictionary([(wire.string(b"x"), wire.integer(12)), (wire.string(b"y"), wire.integer(34))])
    for _ in range(n):
        yield line.packet(client(0), (SERVER[0], 5009), move)
