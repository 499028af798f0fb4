# SPDX-License-Identifier: MIT
"""A chat over WebSocket, its server and its clients, that is no Godot game. Usage: chat.py text|binary PORT

The binary one is the worst case for whoever looks for Godot's multiplayer: the server's first message is the user's
number in 4 bytes, as Godot's is the peer's id, and then a message begins with a small number that tells its kind.
"""
import asyncio
import struct
import sys

import websockets

KINDS = {"hello": 0, "join": 1, "said": 2, "say": 3, "list": 4, "leave": 5, "typing": 6, "seen": 7}


def packed(kind, name, text):
    name, text = name.encode(), text.encode()
    return struct.pack("<BBH", KINDS[kind], len(name), len(text)) + name + text


async def serve_text(socket):
    await socket.send('{"welcome": 7}')
    async for message in socket:
        await socket.send("you said: " + message)


async def serve_binary(socket):
    await socket.send(struct.pack("<I", 0x2B3A4F1D))
    for name in ("Bo", "Cy"):
        await socket.send(packed("join", name, ""))
    async for message in socket:
        kind, name_length, text_length = struct.unpack_from("<BBH", message)
        text = message[4 + name_length:].decode()
        assert len(text) == text_length
        if kind == KINDS["say"]:
            await socket.send(packed("said", "Ada", text))
            await socket.send(packed("seen", "Bo", ""))
        elif kind == KINDS["list"]:
            await socket.send(packed("list", "", "Ada Bo Cy"))


async def talk_text(socket):
    print(await socket.recv())
    for text in ("hello", '{"say": "how are you"}', "a longer line " * 20, "ok"):
        await socket.send(text)
        print(await socket.recv())


async def talk_binary(socket):
    for _ in range(3):
        print(await socket.recv())
    await socket.send(packed("hello", "Ada", ""))
    for text in ("hello", "how are you", "a longer line " * 20, "ok"):
        await socket.send(packed("typing", "Ada", ""))
        await socket.send(packed("say", "Ada", text))
        print(await socket.recv())
        print(await socket.recv())
    await socket.send(packed("list", "", ""))
    print(await socket.recv())
    await socket.send(packed("leave", "Ada", ""))


async def main():
    kind, port = sys.argv[1], int(sys.argv[2])
    serve, talk = (serve_text, talk_text) if kind == "text" else (serve_binary, talk_binary)
    async with websockets.serve(serve, "127.0.0.1", port):
        for _ in range(2):
            async with websockets.connect(f"ws://127.0.0.1:{port}/chat") as socket:
                await talk(socket)
                await socket.ping()
        # Sends a whole message without compression, so the capture has the bytes that the program wrote.
        async with websockets.connect(f"ws://127.0.0.1:{port}/chat", compression=None) as socket:
            await talk(socket)


asyncio.run(main())
