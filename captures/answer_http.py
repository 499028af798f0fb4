#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""answer_http.py PORT ANSWER: a server that is no game's. Answers each client's first bytes, as record_connect_ws.sh asks.

ANSWER is a status line's end ("404 Not Found"), or "101" with the subprotocol that is taken, if any ("101 other").
"""
import base64
import hashlib
import re
import socket
import sys
import time


def main():
    port, answer = int(sys.argv[1]), sys.argv[2]
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        client, _ = listener.accept()
        request = client.recv(4096)
        if answer.startswith("101"):
            key = re.search(rb"Sec-WebSocket-Key: (\S+)", request).group(1)
            accept = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()
            reply = f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n"
            protocol = answer[4:]
            reply += f"Sec-WebSocket-Protocol: {protocol}\r\n\r\n" if protocol else "\r\n"
        else:
            text = answer.split(" ", 1)[1]
            reply = f"HTTP/1.1 {answer}\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}"
        client.sendall(reply.encode())
        if answer.startswith("101"):
            client.settimeout(3)
            try:
                client.recv(4096)
            except OSError:
                pass
        time.sleep(0.05)
        client.close()


main()
