# SPDX-License-Identifier: MIT
"""Formats that Godot and ENet write: enough to build packets, and to find the numbers in them that a reader must not
trust.

A Mark is such a number: its offset, size, byte order and kind.
"""
import dataclasses
import struct
import zlib

# Kinds of marks.
TYPE, COUNT, LENGTH, NUMBER = "type", "count", "length", "number"


@dataclasses.dataclass(frozen=True)
class Mark:
    offset: int
    size: int
    kind: str
    order: str = "little"

    def read(self, data):
        return int.from_bytes(data[self.offset : self.offset + self.size], self.order)

    def write(self, data, value):
        number = (value % 2 ** (8 * self.size)).to_bytes(self.size, self.order)
        return data[: self.offset] + number + data[self.offset + self.size :]


# --- Variants

# Bytes after the type header, for types with a fixed size. The table is for reals of 32 bits.
_FIXED4 = {0: 0, 1: 4, 5: 8, 6: 8, 7: 16, 8: 16, 9: 12, 10: 12, 11: 24, 12: 16, 13: 16, 14: 16, 15: 16, 16: 24, 17: 36}
_FIXED4 |= {18: 48, 19: 64, 20: 16, 23: 8, 25: 0}
_FIXED3 = {0: 0, 1: 4, 5: 8, 6: 16, 7: 12, 8: 24, 9: 16, 10: 16, 11: 24, 12: 36, 13: 48, 14: 16, 16: 0}
_PACKED4 = {29: 1, 30: 4, 31: 8, 32: 4, 33: 8, 35: 8, 36: 12, 37: 16, 38: 16}
_PACKED3 = {20: 1, 21: 4, 22: 4, 24: 8, 25: 12, 26: 16}


@dataclasses.dataclass(frozen=True)
class Dialect:
    fixed: dict
    packed: dict
    node_path: int
    object: int
    dictionary: int
    array: int
    strings: int
    string_name: int = -1
    signal: int = -1
    is_typed: bool = False


GODOT4 = Dialect(_FIXED4, _PACKED4, 22, 24, 27, 28, 34, 21, 26, True)
GODOT3 = Dialect(_FIXED3, _PACKED3, 15, 17, 18, 19, 23)


class _Unreadable(Exception):
    pass


class _VariantMarks:
    """Walks one Variant and records its types, counts and lengths."""

    def __init__(self, data, at, dialect):
        self.data, self.at, self.dialect, self.marks = data, at, dialect, []

    def word(self, kind):
        if self.at + 4 > len(self.data):
            raise _Unreadable
        self.marks.append(Mark(self.at, 4, kind))
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def skip(self, length):
        self.at += length
        if self.at > len(self.data):
            raise _Unreadable

    def string(self):
        self.skip((self.word(LENGTH) + 3) // 4 * 4)

    def repeat(self, count, read):
        if count > len(self.data):
            raise _Unreadable
        for _ in range(count):
            read()

    def container_type(self, kind):
        if kind == 1:
            self.word(TYPE)
        elif kind:
            self.string()

    def value(self, depth=0):
        header = self.word(TYPE)
        kind, dialect = header & 0xFF, self.dialect
        is_flagged = bool(header & 0x10000)
        if depth > 100 or kind > 38:
            raise _Unreadable
        if kind in (2, 3):
            self.skip(8 if is_flagged else 4)
        elif kind in dialect.fixed:
            self.skip(dialect.fixed[kind])
        elif kind in dialect.packed:
            self.skip((self.word(COUNT) * dialect.packed[kind] + 3) // 4 * 4)
        elif kind in (4, dialect.string_name):
            self.string()
        elif kind == dialect.strings:
            self.repeat(self.word(COUNT), self.string)
        elif kind == dialect.signal:
            self.string()
            self.skip(8)
        else:
            self.composed(kind, header, depth)

    def composed(self, kind, header, depth):
        dialect = self.dialect

        def child():
            self.value(depth + 1)

        def property_():
            self.string()
            child()

        if kind == dialect.node_path:
            names = self.word(COUNT) & 0x7FFFFFFF
            names += self.word(COUNT)
            self.word(NUMBER)
            self.repeat(names, self.string)
        elif kind == dialect.object:
            if header & 0x10000:
                self.skip(8)
                return
            self.string()
            self.repeat(self.word(COUNT), property_)
        elif kind == dialect.array:
            self.container_type(header >> 16 & 3 if dialect.is_typed else 0)
            self.repeat(self.word(COUNT) & 0x7FFFFFFF, child)
        elif kind == dialect.dictionary:
            self.container_type(header >> 16 & 3 if dialect.is_typed else 0)
            self.container_type(header >> 18 & 3 if dialect.is_typed else 0)
            self.repeat(2 * (self.word(COUNT) & 0x7FFFFFFF), child)
        else:
            raise _Unreadable


def variant_marks(data, at=0):
    """Returns the marks of a Variant of Godot 3 or 4 at an offset, and where the Variant ends. Returns no marks if
    the bytes are not a Variant.
    """
    best = ([], at)
    for dialect in (GODOT4, GODOT3):
        walk = _VariantMarks(data, at, dialect)
        try:
            walk.value()
        except _Unreadable:
            continue
        if walk.at > best[1]:
            best = (walk.marks, walk.at)
    return best


def payload_marks(data):
    """Returns the marks of a message: its first bytes, and the Variants at any offset."""
    marks = [Mark(at, 1, NUMBER) for at in range(min(2, len(data)))]
    marks += [Mark(at, 4, NUMBER) for at in (0, 1, 2, 4, 5, 8) if at + 4 <= len(data)]
    marks += multiplayer_marks(data)
    at = 0
    while at + 4 <= len(data):
        found, end = variant_marks(data, at)
        if end - at < 8:
            at += 1
            continue
        if at >= 4:
            marks.append(Mark(at - 4, 4, LENGTH))
        marks += found
        at = end
    return marks


# --- The high-level multiplayer of Godot 4

_RPC, _SIMPLIFY_PATH, _CONFIRM_PATH, _RAW, _SPAWN, _DESPAWN, _SYNC, _SYSTEM = range(8)
_RELAY = 3  # of the system commands
_HEADS = {
    _SIMPLIFY_PATH: ((33, NUMBER), (4, NUMBER)),
    _CONFIRM_PATH: ((1, NUMBER), (4, NUMBER)),
    _SPAWN: ((1, TYPE), (4, NUMBER), (4, NUMBER), (4, COUNT), (4, LENGTH)),
    _DESPAWN: ((4, NUMBER),),
    _SYSTEM: ((1, TYPE), (4, NUMBER)),
}


def _marks_one_after_another(at, sizes):
    marks = []
    for size, kind in sizes:
        marks.append(Mark(at, size, kind))
        at += size
    return marks


def _sync_marks(data, at, sizes):
    """Returns the marks of a sync's objects. The last field of an object's header is its length."""
    marks = []
    while at + sum(size for size, _ in sizes) <= len(data):
        marks += _marks_one_after_another(at, sizes)
        at = marks[-1].offset + marks[-1].size + marks[-1].read(data)
    return marks


def multiplayer_marks(data, at=0):
    """Returns the marks of a multiplayer message, without those of its Variants. Returns no marks for other
    messages."""
    if at + 2 > len(data):
        return []
    first = data[at]
    command = first & 7
    if command == _RPC:
        sizes = [((1, 2, 4, 4)[first >> 4 & 3], NUMBER), (2 if first & 0x40 else 1, NUMBER), (1, COUNT)]
        marks = _marks_one_after_another(at + 1, sizes)
    elif command == _SYNC and first & 0x10:
        marks = _sync_marks(data, at + 1, ((4, NUMBER), (8, NUMBER), (4, LENGTH)))
    elif command == _SYNC:
        marks = [Mark(at + 1, 2, NUMBER), *_sync_marks(data, at + 3, ((4, NUMBER), (4, LENGTH)))]
    else:
        marks = _marks_one_after_another(at + 1, _HEADS.get(command, ()))
    if command == _SYSTEM and data[at + 1] == _RELAY:
        marks += multiplayer_marks(data, at + 6)
    return [mark for mark in marks if mark.offset + mark.size <= len(data)]


# --- Variants to build packets from, as Godot 4 writes them


def integer(value):
    return struct.pack("<Iq", 0x10002, value) if not -(2**31) <= value < 2**31 else struct.pack("<Ii", 2, value)


def _padded(text):
    return struct.pack("<I", len(text)) + text + bytes(-len(text) % 4)


def string(text):
    return struct.pack("<I", 4) + _padded(text)


def array(values):
    return struct.pack("<II", 28, len(values)) + b"".join(values)


def dictionary(pairs):
    return struct.pack("<II", 27, len(pairs)) + b"".join(key + value for key, value in pairs)


def prefixed(packet):
    """Adds the prefix of PacketPeerStream."""
    return struct.pack("<I", len(packet)) + packet


# --- ENet

ACKNOWLEDGE, CONNECT, VERIFY_CONNECT, DISCONNECT, PING, RELIABLE, UNRELIABLE, FRAGMENT = range(1, 9)
UNSEQUENCED, BANDWIDTH, THROTTLE, UNRELIABLE_FRAGMENT = range(9, 13)

NO_PEER = 0xFFF
COMPRESSED, SENT_TIME = 0x4000, 0x8000

# Sizes of the fields after a command's header, and the index of the field that is the length of the data.
_FIELDS = {
    ACKNOWLEDGE: (2, 2),
    CONNECT: (2, 1, 1) + (4,) * 10,
    VERIFY_CONNECT: (2, 1, 1) + (4,) * 9,
    DISCONNECT: (4,),
    PING: (),
    RELIABLE: (2,),
    UNRELIABLE: (2, 2),
    FRAGMENT: (2, 2, 4, 4, 4, 4),
    UNSEQUENCED: (2, 2),
    BANDWIDTH: (4, 4),
    THROTTLE: (4, 4, 4),
    UNRELIABLE_FRAGMENT: (2, 2, 4, 4, 4, 4),
}
_LENGTH_FIELD = {RELIABLE: 0, UNRELIABLE: 1, FRAGMENT: 1, UNSEQUENCED: 1, UNRELIABLE_FRAGMENT: 1}


@dataclasses.dataclass
class Command:
    number: int
    flags: int = 0
    channel: int = 0
    seq: int = 0
    fields: tuple = ()
    data: bytes = b""

    @property
    def has_data(self):
        return self.number in _LENGTH_FIELD

    def pack(self):
        out = struct.pack(">BBH", self.number | self.flags, self.channel, self.seq % 2**16)
        for value, size in zip(self.fields, _FIELDS[self.number]):
            out += (value % 2 ** (8 * size)).to_bytes(size, "big")
        return out + self.data

    def with_data(self, data):
        at = _LENGTH_FIELD[self.number]
        fields = self.fields[:at] + (len(data),) + self.fields[at + 1 :]
        return dataclasses.replace(self, fields=fields, data=data)


def reliable(seq, data, channel=0):
    return Command(RELIABLE, 0x80, channel, seq, (len(data),), data)


def connect(connect_id, channels=3, data=0):
    fields = (0, 255, 255, 1392, 65536, channels, 0, 0, 5000, 2, 2, connect_id, data)
    return Command(CONNECT, 0x80, 255, 1, fields)


def fragments(seq, message, size, channel=0, number=FRAGMENT):
    """Splits a message into fragments of this size."""
    parts = [message[at : at + size] for at in range(0, len(message), size)]
    flags = 0x80 if number == FRAGMENT else 0
    return [
        Command(number, flags, channel, seq + i, (seq, len(part), len(parts), i, len(message), i * size), part)
        for i, part in enumerate(parts)
    ]


def read_commands(data):
    """Returns the commands after the header of an uncompressed datagram. Returns None if they do not exactly fill
    the datagram."""
    commands, at = [], 0
    while at < len(data):
        if at + 4 > len(data) or data[at] & 15 not in _FIELDS:
            return None
        first, channel, seq = struct.unpack_from(">BBH", data, at)
        sizes = _FIELDS[first & 15]
        at += 4
        if at + sum(sizes) > len(data):
            return None
        fields = []
        for size in sizes:
            fields.append(int.from_bytes(data[at : at + size], "big"))
            at += size
        length = fields[_LENGTH_FIELD[first & 15]] if first & 15 in _LENGTH_FIELD else 0
        if at + length > len(data):
            return None
        commands.append(Command(first & 15, first & 0xF0, channel, seq, tuple(fields), data[at : at + length]))
        at += length
    return commands or None


@dataclasses.dataclass
class Datagram:
    """An ENet datagram. `checksum` is the number after its header; None if the datagram has no checksum."""

    word: int
    sent_time: int
    commands: list
    checksum: int | None = None

    def head(self):
        out = struct.pack(">H", self.word)
        return out + struct.pack(">H", self.sent_time) if self.word & SENT_TIME else out

    def body(self):
        return b"".join(command.pack() for command in self.commands)

    def pack(self):
        checksum = b"" if self.checksum is None else struct.pack(">I", self.checksum)
        return self.head() + checksum + self.body()

    def compressed(self, compress):
        """Returns the datagram with compressed commands, even if compression makes it longer."""
        checksum = b"" if self.checksum is None else struct.pack(">I", self.checksum)
        return struct.pack(">H", self.word | COMPRESSED) + self.head()[2:] + checksum + compress(self.body())

    def right_checksum(self, key):
        """Returns the checksum that an ENet host would send. The key is the connect id, or 0 if the peer id is not
        assigned."""
        return zlib.crc32(self.head() + struct.pack(">I", key) + self.body())


def read_datagram(data):
    """Parses an uncompressed datagram, with or without a checksum. Returns None for anything else."""
    if len(data) < 6:
        return None
    word = struct.unpack_from(">H", data)[0]
    if word & COMPRESSED:
        return None
    at = 4 if word & SENT_TIME else 2
    sent_time = struct.unpack_from(">H", data, 2)[0] if word & SENT_TIME else 0
    commands = read_commands(data[at:])
    if commands:
        return Datagram(word, sent_time, commands)
    commands = read_commands(data[at + 4 :])
    if commands:
        return Datagram(word, sent_time, commands, struct.unpack_from(">I", data, at)[0])
    return None


def enet_marks(data):
    """Returns the marks of an uncompressed datagram: in its header, its commands and their messages."""
    datagram = read_datagram(data)
    if datagram is None:
        return [Mark(0, 2, NUMBER, "big")] if len(data) >= 2 else []
    marks = [Mark(0, 2, NUMBER, "big")]
    at = len(datagram.head()) + (0 if datagram.checksum is None else 4)
    for command in datagram.commands:
        marks += [Mark(at, 1, TYPE, "big"), Mark(at + 1, 1, NUMBER, "big"), Mark(at + 2, 2, NUMBER, "big")]
        at += 4
        for size in _FIELDS[command.number]:
            marks.append(Mark(at, size, LENGTH, "big"))
            at += size
        marks += [dataclasses.replace(mark, offset=at + mark.offset) for mark in payload_marks(command.data)]
        at += len(command.data)
    return marks


# --- Compressors of ENet hosts: the output is valid, but not small


def fastlz_store(data):
    """Returns FastLZ level 1 data that consists of literals only. Short data is padded, as Godot's ENet hosts do."""
    data += bytes(max(0, 16 - len(data)))
    return b"".join(bytes([len(data[at : at + 32]) - 1]) + data[at : at + 32] for at in range(0, len(data), 32))


def zstd_store(data):
    """Returns a Zstandard frame of raw blocks."""
    out = struct.pack("<IBB", 0xFD2FB528, 0, 0x58)
    blocks = [data[at : at + 65536] for at in range(0, len(data), 65536)] or [b""]
    for i, block in enumerate(blocks):
        is_last = i == len(blocks) - 1
        out += (len(block) << 3 | is_last).to_bytes(3, "little") + block
    return out


# --- WebSocket


def websocket_frame(payload, opcode=2, is_final=True, mask=None):
    head = bytes([(0x80 if is_final else 0) | opcode])
    bit = 0x80 if mask is not None else 0
    if len(payload) < 126:
        head += bytes([bit | len(payload)])
    elif len(payload) < 65536:
        head += struct.pack(">BH", bit | 126, len(payload))
    else:
        head += struct.pack(">BQ", bit | 127, len(payload))
    if mask is None:
        return head + payload
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def websocket_frames(data):
    """Returns (opcode, is final, mask or None, payload) of each whole frame, and the remaining bytes."""
    frames, at = [], 0
    while at + 2 <= len(data):
        first, second = data[at], data[at + 1]
        length, head = second & 127, at + 2
        if length == 126:
            length, head = int.from_bytes(data[head : head + 2], "big"), head + 2
        elif length == 127:
            length, head = int.from_bytes(data[head : head + 8], "big"), head + 8
        mask = data[head : head + 4] if second & 128 else None
        head += 4 if second & 128 else 0
        payload = data[head : head + length]
        if len(payload) < length:
            break
        if mask:
            payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        frames.append((first & 15, bool(first & 128), mask, payload))
        at = head + length
    return frames, data[at:]
