# SPDX-License-Identifier: MIT
"""Builds sessions of DTLS 1.2 that need nothing but Python: their cipher suite (TLS_RSA_WITH_NULL_SHA256) signs and
does not encrypt. Wireshark reads them with the keys."""
import hashlib
import hmac
import struct

_VERSION = b"\xfe\xfd"
_SUITE = 0x003B
_CLIENT_RANDOM, _SERVER_RANDOM = bytes(range(32)), bytes(range(32, 64))
_MASTER = b"no secret: anybody may read what is in this capture!"[:48]
_KEY_SIZE = 32  # of SHA-256
_CHANGE, _HANDSHAKE, _DATA = 20, 22, 23


def secrets_block():
    """Returns the sessions' keys as a block of a pcapng file, for capture.write()."""
    line = f"CLIENT_RANDOM {_CLIENT_RANDOM.hex()} {_MASTER.hex()}\n".encode()
    body = struct.pack("<II", 0x544C534B, len(line)) + line + bytes(-len(line) % 4)
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", 10) + length + body + length


def _keys():
    """Returns the keys that sign the server's messages and the client's."""
    seed = b"key expansion" + _SERVER_RANDOM + _CLIENT_RANDOM
    block, each = b"", seed
    while len(block) < 2 * _KEY_SIZE:
        each = hmac.new(_MASTER, each, hashlib.sha256).digest()
        block += hmac.new(_MASTER, each + seed, hashlib.sha256).digest()
    return block[_KEY_SIZE : 2 * _KEY_SIZE], block[:_KEY_SIZE]


def _handshake(kind, number, body):
    length = struct.pack(">I", len(body))[1:]
    return bytes([kind]) + length + struct.pack(">H", number) + bytes(3) + length + body


class Session:
    def __init__(self):
        self.keys, self.sent = _keys(), [0, 0]

    def _record(self, kind, epoch, number, content):
        return bytes([kind]) + _VERSION + struct.pack(">H", epoch) + struct.pack(">Q", number)[2:] + content

    def hello(self):
        """Returns the handshake, as a list of (whether the client sends it, datagram)."""
        client = _VERSION + _CLIENT_RANDOM + b"\0\0" + struct.pack(">HH", 2, _SUITE) + b"\1\0"
        server = _VERSION + _SERVER_RANDOM + b"\0" + struct.pack(">H", _SUITE) + b"\0"
        exchange = struct.pack(">H", 48) + bytes(48)
        said = [
            (True, [(_HANDSHAKE, _handshake(1, 0, client))]),
            (False, [(_HANDSHAKE, _handshake(2, 0, server)), (_HANDSHAKE, _handshake(14, 1, b""))]),
            (True, [(_HANDSHAKE, _handshake(16, 1, exchange)), (_CHANGE, b"\1")]),
            (False, [(_CHANGE, b"\1")]),
        ]
        numbers = [0, 0]
        for is_from_client, records in said:
            datagram = b""
            for kind, content in records:
                head = self._record(kind, 0, numbers[is_from_client], struct.pack(">H", len(content)))
                numbers[is_from_client] += 1
                datagram += head + content
            yield is_from_client, datagram

    def datagram(self, is_from_client, data):
        """Returns one record of application data."""
        epoch_and_number = struct.pack(">HQ", 1, self.sent[is_from_client])
        epoch_and_number = epoch_and_number[:2] + epoch_and_number[4:]
        signed = epoch_and_number + bytes([_DATA]) + _VERSION + struct.pack(">H", len(data)) + data
        signature = hmac.new(self.keys[is_from_client], signed, hashlib.sha256).digest()
        content = data + signature
        made = self._record(_DATA, 1, self.sent[is_from_client], struct.pack(">H", len(content)) + content)
        self.sent[is_from_client] += 1
        return made
