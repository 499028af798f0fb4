# SPDX-License-Identifier: MIT
"""Builds captures for the tests of the match page: malicious names, and very many messages."""
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "packets"))
import capture  # noqa: E402
import wire  # noqa: E402

SERVER = (b"\x0a\0\0\1", 5020)
START = 1_700_000_000 * 10**9
MD5 = b"3f9f838f849d808dbe055ee3eaa41817\0"

# Texts that try to break out of a script, an attribute, a comment or a text, and bytes that are not valid text.
NAMES = [
    b"</script><script>document.title='taken'</script>",
    b"<!--<script>",
    b"<img src=x onerror=\"document.title='taken'\">",
    b"\"'`${document.title='taken'}",
    b"__proto__",
    b"constructor",
    "line\u2028separator\u2029and \u202eturned".encode(),
    b"\xff\xfe broken \xc3",
    b"&lt;b&gt;&amp;",
    b"@DATA@ @CSP@ \\u003c",
]
LONG_NAME = b"long" * 250_000


class Line:
    """Builds a capture of ENet datagrams, at fixed intervals."""

    def __init__(self, step):
        self.time = START
        self.step = step

    def send(self, source, destination, commands, peer=0):
        self.time += self.step
        datagram = wire.Datagram(peer | wire.SENT_TIME, self.time // 10**6 % 65536, commands)
        return capture.Packet(time=self.time, source=source, destination=destination, payload=datagram.pack())

    def connect(self, client, number):
        yield self.send(client, SERVER, [wire.connect(1000 + number, data=number)], wire.NO_PEER)
        fields = (0, 0, 0, 1392, 65536, 3, 0, 0, 5000, 2, 2, 1000 + number)
        yield self.send(SERVER, client, [wire.Command(wire.VERIFY_CONNECT, 0x80, 255, 1, fields)])


def client(number):
    return (struct.pack(">BBBB", 10, 1, number >> 8, number & 255), 40000 + number)


def path(number, name):
    return b"\x01" + MD5 + struct.pack("<I", number) + name + b"\0"


def spawn(spawner, net_id, name, values):
    head = struct.pack("<BBIIII", 4, 0, spawner, net_id, 1, len(name) + 1)
    return head + struct.pack("<I", net_id + 1) + name + b"\0" + b"".join(values)


def sync(number, objects):
    body = b"".join(struct.pack("<II", net_id, len(values)) + values for net_id, values in objects)
    return struct.pack("<BH", 6, number & 0xFFFF) + body


def small_integer(value):
    """Encodes a small number in one byte, as the high-level multiplayer does."""
    return bytes([2, value & 0x7F])


def vector2(x, y):
    return struct.pack("<Iff", 5, x, y)


def hostile():
    """Builds an ENet game with paths, names, keys and texts from NAMES."""
    line = Line(10**7)
    peer = client(1)
    yield from line.connect(peer, 77)
    seq = 1
    names = [*NAMES, LONG_NAME[:1000]]
    for i, name in enumerate(names):
        node = b"Main/" + name
        yield line.send(SERVER, peer, [wire.reliable(seq := seq + 1, path(i, node))])
        call = struct.pack("<BBBB", 0, i, 0, 1) + wire.string(name)
        yield line.send(SERVER, peer, [wire.reliable(seq := seq + 1, call)])
    yield line.send(SERVER, peer, [wire.reliable(seq := seq + 1, path(100, b"Main/Spawner"))])
    for i, name in enumerate(names):
        values = [wire.string(name), wire.dictionary([(wire.string(name), vector2(i, 2))])]
        yield line.send(SERVER, peer, [wire.reliable(seq := seq + 1, spawn(100, 10 + 2 * i, name, values))])
    long = path(101, LONG_NAME)
    for fragment in wire.fragments(seq + 1, long, 1300):
        yield line.send(SERVER, peer, [fragment])


def packed_integers(arrays):
    """Builds an ENet game with a call for each of the arrays, which the call has as a PackedInt64Array."""
    line = Line(10**7)
    peer = client(1)
    yield from line.connect(peer, 77)
    for number, array in enumerate(arrays):
        argument = struct.pack(f"<II{len(array)}q", 31, len(array), *array)
        call = struct.pack("<BBBB", 0, number, 0, 1) + argument
        yield line.send(SERVER, peer, [wire.reliable(2 + 2 * number, path(number, b"Main/Player"))])
        yield line.send(SERVER, peer, [wire.reliable(3 + 2 * number, call)])


def large(messages, peers, seed=1):
    """Builds a game whose server sends all players' positions to its clients, with occasional calls; some syncs are
    lost."""
    chance = random.Random(seed)
    line = Line(20_000)
    clients = [client(i) for i in range(peers)]
    seqs = [1] * peers
    for i, peer in enumerate(clients):
        yield from line.connect(peer, 1000 + i)
        for number, name in [(1, b"Main/Spawner"), (2, b"Main/World")]:
            seqs[i] += 1
            yield line.send(SERVER, peer, [wire.reliable(seqs[i], path(number, name))])
        yield line.send(peer, SERVER, [wire.reliable(2, b"\x02\x01" + struct.pack("<I", 2))])
        for other in range(peers):
            seqs[i] += 1
            data = spawn(1, 2 + 2 * other, b"Player%d" % other, [vector2(0, 0)])
            yield line.send(SERVER, peer, [wire.reliable(seqs[i], data)])
    places = [(chance.uniform(0, 1000), chance.uniform(0, 1000)) for peer in clients]
    sent = peers * (peers + 4)
    unreliable = [0] * peers
    rounds = 0
    while sent < messages:
        rounds += 1
        mover = rounds % peers
        x, y = places[mover]
        places[mover] = (x + chance.uniform(-3, 3), y + chance.uniform(-3, 3))
        value = vector2(*places[mover]) + small_integer(rounds)
        for i, peer in enumerate(clients):
            unreliable[i] += 1
            sent += 1
            data = sync(rounds, [(3 + 2 * mover, value)])
            # Unreliable sequence numbers restart after each reliable command.
            if chance.random() < 0.01:
                seqs[i] += 1
                unreliable[i] = 0
                sent += 1
                call = struct.pack("<BBBB", 0, 2, chance.randrange(4), 1) + small_integer(rounds)
                yield line.send(SERVER, peer, [wire.reliable(seqs[i], call)])
                yield line.send(peer, SERVER, [wire.Command(wire.ACKNOWLEDGE, 0, 0, 0, (seqs[i] % 65536, line.time // 10**6 % 65536))])
                continue
            if chance.random() < 0.01:
                continue
            command = wire.Command(wire.UNRELIABLE, 0, 0, seqs[i], (unreliable[i] % 65536, len(data)), data)
            yield line.send(SERVER, peer, [command])


def write(file, packets):
    capture.write(file, packets)
    file.chmod(0o644)
    return file


if __name__ == "__main__":
    _, kind, name, *numbers = sys.argv
    write(pathlib.Path(name), {"hostile": hostile, "large": large}[kind](*map(int, numbers)))
