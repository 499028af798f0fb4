# SPDX-License-Identifier: MIT
"""Captures made by grammar: games that no engine has played, with everything that the transports and the multiplayer
can send.

A story uses one transport: ENet, UDP, TCP, a WebSocket, SCTP, ENet or SCTP inside of DTLS, DTLS hellos. Most of it is
valid, so that rare messages are reached; some numbers are off by one. Messages of Godot 3's multiplayer are taken from
captures.
"""
import struct
import zlib

import capture
import dtls as dtls_session
import wire
from capture import ACK, PSH, SYN, TCP, UDP, Packet

MILLISECOND = 10**6
SCTP = 132
CLIENT, SERVER = (b"\x0a\0\0\2", 40000), (b"\x0a\0\0\1", 5020)
BINARY = 53  # SCTP's payload protocol identifier for WebRTC binary data

# Nodes of tests/projects/arena, with the MD5s of their methods.
_NODES = (
    (b"Main/World", b"3f9f838f849d808dbe055ee3eaa41817"),
    (b"Main/Spawner", b"d41d8cd98f00b204e9800998ecf8427e"),
    (b"Main/Clock/Sync", b"d41d8cd98f00b204e9800998ecf8427e"),
    (b"Main/Players/Ogre", b"e3d379e8e365cdafd74fa08f65d87893"),
    (b"Main/Players/Nobody", b"00000000000000000000000000000000"),
)


def off(rng, value, share=0.04):
    """Returns the number, or sometimes a number that is slightly wrong."""
    return value if rng.random() > share else max(0, value + rng.choice((-1, 1, 1, 2, 255)))


def variant(rng, depth=0):
    kind = rng.randrange(7 if depth < 3 else 4)
    if kind == 0:
        return wire.integer(rng.randrange(-5, 2**33))
    if kind == 1:
        return wire.string(rng.choice((b"", b"fall", "ÄöÜ漢字🎲".encode() * rng.randrange(1, 40), rng.randbytes(9))))
    if kind == 2:
        return struct.pack("<Iff", 5, 1.5, -3.0)
    if kind == 3:
        return struct.pack("<II", 1, rng.randrange(3))
    if kind == 4:
        return wire.array([variant(rng, depth + 1) for _ in range(rng.randrange(4))])
    if kind == 5:
        return wire.dictionary([(wire.string(b"k%d" % i), variant(rng, depth + 1)) for i in range(rng.randrange(4))])
    count = rng.randrange(9)
    return struct.pack("<II", 29, off(rng, count)) + rng.randbytes((count + 3) // 4 * 4)


class Game:
    """Messages of peers of Godot 4's multiplayer, with occasional other content."""

    def __init__(self, rng):
        self.rng, self.time, self.ids, self.synchronizers = rng, 0, [5], [[6, 7]]
        self.said = 0

    def greeting(self):
        return [self.path(i) for i in range(len(_NODES))]

    def path(self, i):
        node, md5 = _NODES[i]
        return b"\x01" + md5 + b"\0" + struct.pack("<I", off(self.rng, i + 1)) + node + b"\0"

    def message(self, depth=0):
        self.said += 1
        kinds = (self.call, self.call, self.spawn, self.spawn, self.sync, self.sync, self.delta, self.despawn)
        kinds += (self.confirm, self.raw, self.system, lambda: self.path(self.rng.randrange(len(_NODES))))
        made = self.rng.choice(kinds)()
        if depth == 0 and self.rng.random() < 0.1:
            made = b"\x07\x03" + struct.pack("<i", self.rng.choice((1, 2, -2, 0, 77))) + self.message(1)
        if self.rng.random() < 0.03:
            made = made[: self.rng.randrange(len(made) + 1)]
        return made

    def call(self):
        rng = self.rng
        size, method_size, is_raw = rng.randrange(3), rng.randrange(2), rng.random() < 0.2
        node = rng.randrange(1, len(_NODES) + 2) | (0x80000000 if size == 2 and rng.random() < 0.2 else 0)
        head = bytes([size << 4 | method_size << 6 | is_raw << 7])
        head += node.to_bytes((1, 2, 4)[size], "little") + rng.randrange(8).to_bytes(1 + method_size, "little")
        if is_raw:
            return head + rng.randbytes(rng.randrange(6))
        values = [variant(rng) for _ in range(rng.randrange(5))]
        return head + bytes([off(rng, len(values)) % 256]) + b"".join(values) + (b"Main/World\0" if node >> 31 else b"")

    def spawn(self):
        rng = self.rng
        net_id = rng.choice((rng.choice(self.ids), rng.randrange(5, 400)))
        listed = [net_id + 1 + i for i in range(rng.choice((0, 1, 2, 2, 3, 70)))]
        if net_id not in self.ids:
            self.ids.append(net_id)
            self.synchronizers.append(listed)
        scene = rng.choice((0, 0, 1, 1, 2, 3, 9, 254, 255))
        name = rng.choice((b"Ogre", b"P%d" % net_id, "Spieler_ß".encode(), b"\x1b[2J", b""))
        head = struct.pack("<BBIIII", 4, scene, off(rng, 2), net_id, off(rng, len(listed)), off(rng, len(name) + 1))
        if scene == 255:
            custom = variant(rng)
            values = struct.pack("<I", off(rng, len(custom))) + custom
        else:
            values = b""
        states = b"".join(variant(rng) for _ in range(rng.choice((0, 1, 2, 3, 3))))
        return head + b"".join(struct.pack("<I", each) for each in listed) + name + b"\0" + values + states

    def _target(self):
        rng = self.rng
        some = [each for listed in self.synchronizers for each in listed]
        return rng.choice((rng.choice(some or [1]), rng.choice(some or [1]), 0x80000003, rng.randrange(900)))

    def sync(self):
        self.time += self.rng.choice((0, 1, 1, 1, -1, 40000))
        made = b"\x06" + struct.pack("<H", self.time % 65536)
        for _ in range(self.rng.randrange(1, 4)):
            values = b"".join(variant(self.rng, 3) for _ in range(self.rng.randrange(4)))
            made += struct.pack("<II", self._target(), off(self.rng, len(values))) + values
        return made

    def delta(self):
        mask = self.rng.choice((1, 2, 3, 1 << 63, self.rng.getrandbits(64)))
        values = b"".join(variant(self.rng, 3) for _ in range(min(4, mask.bit_count())))
        return b"\x16" + struct.pack("<IQI", self._target(), mask, off(self.rng, len(values))) + values

    def despawn(self):
        return b"\x05" + struct.pack("<I", self.rng.choice(self.ids))

    def confirm(self):
        return b"\x02" + bytes([self.rng.randrange(2)]) + struct.pack("<I", self.rng.randrange(1, 7))

    def raw(self):
        return b"\x03" + self.rng.randbytes(self.rng.randrange(40))

    def system(self):
        return b"\x07" + bytes([self.rng.choice((0, 1, 1, 2, 2, 9))]) + struct.pack("<i", self.rng.randrange(-1, 9))


class Line:
    """Collects packets, one after another."""

    def __init__(self, rng):
        self.rng, self.time, self.packets = rng, rng.choice((0, 1_700_000_000 * 10**9)), []

    def add(self, is_from_client, payload, ends, **more):
        self.time += self.rng.choice((0, MILLISECOND, MILLISECOND, 16 * MILLISECOND, 900 * MILLISECOND))
        source, destination = ends if is_from_client else ends[::-1]
        made = Packet(time=self.time, source=source, destination=destination, payload=payload, **more)
        self.packets.append(made)


class Encrypted:
    """A Line that sends each datagram as a record of a DTLS session with known keys."""

    def __init__(self, line, ends):
        self.line, self.session = line, dtls_session.Session()
        for is_from_client, datagram in self.session.hello():
            line.add(is_from_client, datagram, ends)

    def add(self, is_from_client, payload, ends):
        if len(payload) < 2**14:  # maximum length of a record
            self.line.add(is_from_client, self.session.datagram(is_from_client, payload), ends)


# --- ENet


class Enet:
    def __init__(self, rng, line, is_met, is_encrypted=False):
        self.rng, self.ends = rng, ((CLIENT[0], 40000 + rng.randrange(99)), SERVER)
        self.line = Encrypted(line, self.ends) if is_encrypted else line
        self.seqs, self.sent, self.waiting = {}, [0, 0], []
        self.compress = rng.choice((None, None, None, zlib.compress, wire.fastlz_store, wire.zstd_store))
        if is_met:
            self.connect()

    def connect(self):
        client = self.rng.choice((2, 77, 2**31 - 1))
        self.send(True, [wire.connect(0x1234, channels=self.rng.choice((3, 6)), data=client)], wire.NO_PEER)
        fields = (0, 0, 0, 1392, 65536, 3, 0, 0, 5000, 2, 2, 0x1234)
        self.send(False, [wire.Command(wire.VERIFY_CONNECT, 0x80, 255, 1, fields)])

    def send(self, is_from_client, commands, peer=0):
        self.sent[is_from_client] += 7
        datagram = wire.Datagram(peer | wire.SENT_TIME, self.sent[is_from_client] % 65536, commands)
        self.waiting += [(is_from_client, datagram.sent_time, each) for each in commands if each.flags & 0x80]
        payload = datagram.compressed(self.compress) if self.compress else datagram.pack()
        if self.rng.random() > 0.03:
            self.line.add(is_from_client, payload, self.ends)
        if self.rng.random() < 0.03:
            self.line.add(is_from_client, payload, self.ends)

    def acknowledgements(self, is_from_client):
        rng = self.rng
        mine = [each for each in self.waiting if each[0] != is_from_client]
        self.waiting = [each for each in self.waiting if each[0] == is_from_client]
        return [
            wire.Command(wire.ACKNOWLEDGE, 0, each.channel, off(rng, each.seq), (off(rng, each.seq), off(rng, sent)))
            for _, sent, each in mine[:30]
            if rng.random() > 0.05
        ]

    def next_seq(self, *key):
        self.seqs[key] = self.seqs.get(key, 0) + 1
        return off(self.rng, self.seqs[key], 0.01)

    def command(self, is_from_client, data):
        rng, channel = self.rng, self.rng.choice((0, 0, 0, 1, 2, 254))
        kind = rng.randrange(10)
        if kind < 6:
            return [wire.reliable(self.next_seq(is_from_client, channel), data, channel)]
        if kind == 6:
            fields = (self.next_seq(is_from_client, channel, "unreliable"), len(data))
            before = self.seqs.get((is_from_client, channel), 0)
            return [wire.Command(wire.UNRELIABLE, 0, channel, before, fields, data)]
        if kind == 7:
            fields = (self.next_seq(is_from_client, "group"), len(data))
            return [wire.Command(wire.UNSEQUENCED, 0x40, channel, 0, fields, data)]
        return self.fragments(is_from_client, data, channel)

    def fragments(self, is_from_client, data, channel):
        """Sends fragments in any order. Some fragments are a byte longer, or begin a byte later, than they should."""
        rng = self.rng
        number = rng.choice((wire.FRAGMENT, wire.FRAGMENT, wire.UNRELIABLE_FRAGMENT))
        seq = self.next_seq(is_from_client, channel)
        made = wire.fragments(seq, data or b"x", max(1, len(data) // rng.randrange(1, 5)), channel, number)
        self.seqs[(is_from_client, channel)] += len(made)
        if rng.random() < 0.3:
            at = rng.randrange(len(made))
            longer = made[at].with_data(made[at].data + b"!")
            fields = list(longer.fields)
            fields[5] += rng.choice((0, 0, 1, -1))
            made[at] = wire.Command(number, longer.flags, channel, longer.seq, tuple(fields), longer.data)
        rng.choice((made.reverse, lambda: rng.shuffle(made), lambda: None))()
        return made

    def say(self, is_from_client, messages):
        commands = self.acknowledgements(is_from_client)
        for each in messages:
            commands += self.command(is_from_client, each)
        if self.rng.random() < 0.1:
            commands.append(wire.Command(wire.PING, 0x80, 255, self.next_seq(is_from_client, 255)))
        while commands:
            count = self.rng.choice((1, 4, 32))
            self.send(is_from_client, commands[:count])
            commands = commands[count:]


def enet(rng, line, source, is_encrypted=False):
    talk = Enet(rng, line, rng.random() < 0.7, is_encrypted)
    # Both sides send their peer ids.
    talk.say(False, source.greeting())
    talk.say(True, source.greeting())
    for _ in range(rng.choice((10, 40, 150))):
        talk.say(rng.random() < 0.5, [source.message() for _ in range(rng.randrange(1, 5))])


def enet_dtls(rng, line, source):
    enet(rng, line, source, True)


def enet_relays(rng, line, source):
    """Opens more connections than the plugin stores: 1,024 that wait for a client's name, and then another 1,024."""
    talk = Enet(rng, line, False)
    talk.compress = None
    talk.say(True, source.greeting() + [source.message()])
    relays = [b"\x07\x03" + struct.pack("<i", 2) + b"\x03relayed %05d" % i for i in range(rng.choice((1100, 1500)))]
    for at in range(0, len(relays), 30):
        commands = [wire.reliable(talk.next_seq(True, 0), each) for each in relays[at : at + 30]]
        talk.send(True, commands)
    other = Enet(rng, line, False)
    other.compress = None
    other.ends = ((CLIENT[0], 40999), other.ends[1])
    other.say(False, source.greeting())
    for each in rng.sample(relays, 60):
        other.say(False, [b"\x07\x03" + struct.pack("<i", 7) + each[6:]])


# --- Other transports


def udp(rng, line, source):
    ends = (CLIENT, (SERVER[0], rng.choice((5009, 53, 4433))))
    for _ in range(rng.choice((5, 60))):
        line.add(rng.random() < 0.5, rng.choice((variant(rng), source.message())), ends)


class Stream:
    """A TCP connection."""

    def __init__(self, rng, line, port):
        self.rng, self.line, self.ends, self.seqs = rng, line, (CLIENT, (SERVER[0], port)), [1, 1]
        line.add(True, b"", self.ends, protocol=TCP, flags=SYN, seq=0)
        line.add(False, b"", self.ends, protocol=TCP, flags=SYN | ACK, seq=0, ack=1)

    def say(self, is_from_client, data):
        size = self.rng.choice((1400, 1400, 7, 60))
        for at in range(0, len(data), size):
            piece, seq = data[at : at + size], self.seqs[is_from_client]
            self.line.add(is_from_client, piece, self.ends, protocol=TCP, flags=PSH | ACK, seq=seq, ack=1)
            self.seqs[is_from_client] += len(piece)


def tcp(rng, line, source):
    stream = Stream(rng, line, rng.choice((5006, 6007, 80)))
    for _ in range(rng.choice((5, 60))):
        value = variant(rng)
        if rng.random() < 0.3:  # Godot 4's debugger sends this form
            value = wire.array([wire.string(b"stack_dump"), wire.integer(1), wire.array([variant(rng), variant(rng)])])
        stream.say(rng.random() < 0.5, struct.pack("<I", off(rng, len(value), 0.01)) + value)


def websocket(rng, line, source):
    stream = Stream(rng, line, 5011)
    upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
    key = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    stream.say(True, b"GET / HTTP/1.1\r\nHost: a\r\n" + upgrade + key)
    accept = b"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"
    stream.say(False, b"HTTP/1.1 101 Switching Protocols\r\n" + upgrade + accept)
    said = source.greeting() + source.greeting() + [source.message() for _ in range(rng.choice((5, 60)))]
    for number, message in enumerate(said):
        is_from_client = rng.random() < 0.5 if number >= 2 * len(_NODES) else number >= len(_NODES)
        mask = rng.randbytes(4) if is_from_client else None
        stream.say(is_from_client, wire.websocket_frame(message, rng.choice((2, 2, 2, 2, 1)), True, mask))


def sctp_packets(rng, source):
    """Returns a list of (whether the client sends it, packet), as WebRTC's data channels send them."""
    tsns, orders = [1000, 2000], {}
    said = source.greeting() + source.greeting() + [source.message() for _ in range(rng.choice((10, 80)))]
    for number, message in enumerate(said):
        side = rng.randrange(2) if number >= 2 * len(_NODES) else int(number >= len(_NODES))
        stream = rng.choice((1, 1, 2, 3, 4))
        parts = [message] if rng.random() < 0.8 else [message[:9], message[9:]]
        chunks = b""
        order = orders[(side, stream)] = orders.get((side, stream), 0) + 1
        for i, part in enumerate(parts):
            flags = (2 if i == 0 else 0) | (1 if i == len(parts) - 1 else 0)
            fixed = struct.pack(">IHHI", tsns[side], stream, order % 65536, rng.choice((BINARY,) * 8 + (51, 50)))
            content = fixed + part
            chunks += struct.pack(">BBH", 0, flags, 4 + len(content)) + content + bytes(-len(content) % 4)
            tsns[side] += 1
        yield side == 1, struct.pack(">HHII", 5000, 5000, 0x5E000000 + side, 0) + chunks


def sctp(rng, line, source):
    for is_from_client, packet in sctp_packets(rng, source):
        ends = (CLIENT[0], SERVER[0]) if is_from_client else (SERVER[0], CLIENT[0])
        line.time += MILLISECOND
        if rng.random() < 0.5:
            line.add(is_from_client, packet, (CLIENT, (SERVER[0], 9899)))
        else:
            raw = bytes(12) + b"\x08\0" + capture.ipv4(SCTP, *ends, packet)
            line.packets.append(Packet(time=line.time, protocol=SCTP, raw=raw))


def sctp_dtls(rng, line, source):
    """Sends SCTP packets in DTLS records. Wireshark recognizes SCTP in a record by its checksum."""
    ends = ((CLIENT[0], 40000 + rng.randrange(99)), SERVER)
    encrypted = Encrypted(line, ends)
    for is_from_client, packet in sctp_packets(rng, source):
        checksum = struct.pack("<I", off(rng, _crc32c(packet)))
        encrypted.add(is_from_client, packet[:8] + checksum + packet[12:], ends)


def _crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


_GODOTS_EXTENSIONS = (13, 10, 11, 22, 23, 35)


def dtls(rng, line, source):
    """Sends hellos without an answer, and records that may be an answer."""
    ends = (CLIENT, (SERVER[0], rng.choice((5020, 4433))))
    for number in range(rng.choice((3, 30))):
        kinds = [0, *_GODOTS_EXTENSIONS][rng.randrange(2) :]
        kinds += [rng.randrange(99) for _ in range(rng.choice((0, 0, 1, 30)))]
        listed = b"".join(struct.pack(">HH", kind, 2) + b"\0\0" for kind in kinds)
        body = b"\xfe\xfd" + rng.randbytes(32) + b"\0\0" + struct.pack(">HHH", 4, 0xC02B, 0xC02C) + b"\1\0"
        body += struct.pack(">H", off(rng, len(listed))) + listed
        message = struct.pack(">I", 1 << 24 | len(body)) + struct.pack(">H", 0) + bytes(3)
        message += struct.pack(">I", len(body))[1:] + body
        kind = rng.choice((22, 22, 22, 22, 20, 21, 23))
        head = bytes([kind]) + b"\xfe\xfd" + struct.pack(">HIHH", 0, 0, number, off(rng, len(message)))
        line.add(rng.random() < 0.9, head + message, ends)


CARRIERS = (enet, enet, enet, enet, enet_dtls, enet_relays, udp, tcp, websocket, websocket, sctp, sctp_dtls, dtls)
SECRETS = (dtls_session.secrets_block(),)


class Said:
    """Sends the multiplayer messages of a capture again, in another order. This covers Godot 3, for example."""

    def __init__(self, rng, packets):
        self.rng = rng
        datagrams = [wire.read_datagram(each.payload) for each in packets if each.protocol == UDP]
        self.messages = [each.data for found in datagrams if found for each in found.commands if each.data] or [b"\x01"]

    def greeting(self):
        return self.messages[:12]

    def message(self):
        made = self.rng.choice(self.messages)
        mark = self.rng.choice(wire.payload_marks(made)) if self.rng.random() < 0.1 and len(made) > 1 else None
        return mark.write(made, off(self.rng, mark.read(made), 1)) if mark else made


def tell(rng, read_any):
    """Returns a story's packets and its name. `read_any` returns the name and the packets of a capture."""
    line, name = Line(rng), "godot4"
    source = Game(rng)
    if rng.random() < 0.3:
        name, packets = read_any()
        source = Said(rng, packets)
    carriers = [rng.choice(CARRIERS) for _ in range(rng.choice((1, 1, 1, 2)))]
    for carrier in carriers:
        carrier(rng, line, source)
    return line.packets, ["story of", name, *(each.__name__ for each in carriers)]
