#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plays broken games with a real engine, and records the messages of the engine and the problems that the plugin
reports.

    variants.py record GODOT FOLDER [NAME ...]     a capture and the engine's log of each variant (as root, on Linux);
                                                   GODOT3 in the environment plays those of Godot 3; NAME@LINE plays
                                                   a variant on one of the links of catalogue.py
    variants.py table FOLDER PLUGINS [NAME ...]    the table of them, in Markdown, to standard output
    variants.py lines FOLDER PLUGINS               the table of pairs of games on bad links, and with frames missing
    variants.py list                               the variants

GODOT is a binary of Godot 4 that runs with --headless, GODOT3 one of godot3-server; PLUGINS is the folder from which
Wireshark loads plugins (build/plugins). Each variant has its own network namespace. Bad links are simulated by a relay
between server and clients.
"""
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from catalogue import LEFT, LINES, PAIRS, VARIANTS
from degrade_frames import degrade

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "tests"))
from tshark import Tshark  # noqa: E402

GAME = HERE / "game"
PORT = 7000           # the clients' destination
BEHIND_RELAY = 7001   # the server's port if there is a relay
MAX_WORDS = 2         # number of rows shown per column


# --- A link

class Relay(threading.Thread):
    """Simulates a bad link for UDP. It has one socket per client towards the server, as a router has one port per
    client."""

    def __init__(self, faults):
        super().__init__(daemon=True)
        self.faults = faults
        self.random = random.Random(1)
        self.front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.front.bind(("127.0.0.1", PORT))
        self.answering = self.front
        if faults.get("answers_from"):
            self.answering = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.answering.bind(("127.0.0.1", faults["answers_from"]))
        self.backs = {}    # by client
        self.queue = []    # time, socket, destination, bytes
        self.free_at = {}  # time at which the link is free again, by direction, if its bandwidth is limited
        self.started = None

    def run(self):
        while True:
            ready, _, _ = select.select([self.front, *self.backs.values()], [], [], 0.002)
            for each in ready:
                try:
                    data, sender = each.recvfrom(65536)
                except ConnectionError:
                    continue
                self.started = self.started or time.monotonic()
                if each is self.front:
                    self.pass_on(data, "up", sender, self.back_of(sender), ("127.0.0.1", BEHIND_RELAY))
                else:
                    client = next(key for key, back in self.backs.items() if back is each)
                    self.pass_on(data, "down", client, self.answering, client)
            now = time.monotonic()
            due = [entry for entry in self.queue if entry[0] <= now]
            self.queue = [entry for entry in self.queue if entry[0] > now]
            for _, out, destination, data in sorted(due, key=lambda entry: entry[0]):
                try:
                    out.sendto(data, destination)
                except OSError:
                    pass

    def back_of(self, client):
        rebind = self.faults.get("rebind")
        if rebind and client in self.backs and time.monotonic() - self.started > rebind and not self.faults.get("rebound"):
            self.faults["rebound"] = True
            del self.backs[client]
        if client not in self.backs:
            self.backs[client] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.backs[client].bind(("127.0.0.1", 0))
        return self.backs[client]

    def pass_on(self, data, direction, client, out, destination):
        faults, now = self.faults, time.monotonic()
        if faults.get("icmp") is not None:
            return refuse(data, client, faults["icmp"])
        if faults.get("only") in (None, direction):
            since = now - self.started
            if self.random.random() < faults.get("loss", 0) or len(data) > faults.get("largest", 65536):
                return
            if faults.get("cut_from", 1e9) <= since < faults.get("cut_to", 1e9):
                return
            if self.random.random() < faults.get("garble", 0) and len(data) > 8:
                at = self.random.randrange(4, len(data))
                data = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:]
        when = now + faults.get("delay", 0) + self.random.random() * faults.get("jitter", 0)
        if faults.get("bytes_a_second"):
            start = max(now, self.free_at.get(direction, 0))
            if start - now > 0.5:
                return  # the queue is full
            when = self.free_at[direction] = start + len(data) / faults["bytes_a_second"]
        for _ in range(2 if self.random.random() < faults.get("twice", 0) else 1):
            self.queue.append((when, out, destination, data))


def refuse(data, client, code):
    """Returns the ICMP "destination unreachable" for a datagram."""
    def checksum(words):
        total = sum(struct.unpack(f"!{len(words) // 2}H", words))
        total = (total & 0xFFFF) + (total >> 16)
        return ~(total + (total >> 16)) & 0xFFFF
    local = socket.inet_aton("127.0.0.1")
    udp = struct.pack("!HHHH", client[1], PORT, 8 + len(data), 0)
    quoted = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28 + len(data), 0, 0, 64, 17, 0, local, local) + udp + data
    body = struct.pack("!I", 0) + quoted[:548]
    body += b"\0" * (len(body) % 2)
    head = struct.pack("!BBH", 3, code, 0)
    head = struct.pack("!BBH", 3, code, checksum(head + body))
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.sendto(head + body, ("127.0.0.1", 0))


class Other(threading.Thread):
    """Another program on the port: it stays silent, sends an arbitrary text, echoes, or is a web server."""

    def __init__(self, kind):
        super().__init__(daemon=True)
        self.kind = kind
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM if kind == "web" else socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(("127.0.0.1", PORT))
        if kind == "web":
            self.socket.listen()

    def run(self):
        while True:
            if self.kind == "web":
                connection, _ = self.socket.accept()
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                connection.close()
                continue
            data, sender = self.socket.recvfrom(65536)
            if self.kind != "silent":
                self.socket.sendto(data if self.kind == "echo" else b"ERR unknown command\n", sender)


# --- Recording

def game_of(variant):
    return GAME if variant.get("engine", 4) == 4 else HERE / "game3"


def copy_game(game, folder, edits):
    """Makes a copy of the game for one side. @param edits: file, a text in it, its replacement"""
    shutil.copytree(game, folder)
    for file, before, after in edits:
        path = folder / file
        text = path.read_text()
        if before not in text:
            sys.exit(f"variants.py: {file} has no {before!r}")
        path.write_text(text.replace(before, after))


def variant_of(name):
    """Returns a variant. "own_all@loss_5" is the variant own_all on the link loss_5."""
    name, _, line = name.partition("@")
    return {**VARIANTS[name], "line": LINES[line]} if line else VARIANTS[name]


def play(godot, name, folder):
    variant = variant_of(name)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("50001 50999")
    work = pathlib.Path(tempfile.mkdtemp())
    try:
        play_in(godot, name, variant, folder, work)
    finally:
        shutil.rmtree(work)


def play_in(godot, name, variant, folder, work):
    capture = work / "capture.pcap"
    line = variant.get("line")
    port = BEHIND_RELAY if variant.get("is_at_server") else PORT
    dump = subprocess.Popen(["dumpcap", "-q", "-i", "lo", "-P", "-w", str(capture), "-f", f"port {port} or port {(line or {}).get('answers_from', port)} or icmp"],
                            stderr=subprocess.PIPE, text=True)
    while not dump.stderr.readline().startswith("File:"):
        if dump.poll() is not None:
            sys.exit("variants.py: dumpcap does not run")
    relay = None
    if line is not None:
        relay = Relay(dict(line))
        relay.start()
    if variant.get("other"):
        Other(variant["other"]).start()
    sides = {}
    lasts, apart = variant.get("lasts", 4000), variant.get("apart", 1.2)
    clients = variant.get("clients", [""])
    for i, client in enumerate(clients):
        sides[f"client{i + 1}" if i else "client"] = f"role=client port={PORT} quit={lasts - 200 * i} {client}"
    if variant.get("server") is not None:
        quits = lasts + 700 + int(1000 * apart * len(clients))
        sides["server"] = f"role=server port={BEHIND_RELAY if relay else PORT} quit={quits} {variant['server']}"
        if not variant.get("is_server_late"):
            sides = {side: sides[side] for side in reversed(sorted(sides))}
    running = {}
    for side, options in sides.items():
        game = work / side
        kind = side.rstrip("0123456789")
        copy_game(game_of(variant), game, variant.get("edits", {}).get(side, variant.get("edits", {}).get(kind, [])))
        log = open(work / f"{side}.log", "w")
        home = {"XDG_DATA_HOME": str(work / "data"), "XDG_CONFIG_HOME": str(work / "config"),
                "XDG_CACHE_HOME": str(work / "cache")}
        # If an option occurs twice, the engine uses the last value.
        running[side] = subprocess.Popen(command_of(godot, variant, game, options),
                                         stdout=log, stderr=subprocess.STDOUT, env={**os.environ, **home})
        time.sleep(apart)
    for process in running.values():
        try:
            process.wait(lasts / 1000 + 30)
        except subprocess.TimeoutExpired:
            process.kill()
    time.sleep(0.3)
    dump.send_signal(signal.SIGINT)
    dump.wait()
    subprocess.run(["editcap", "-F", "pcapng", "--capture-comment", f"{version_of(godot, variant)}, variant {name}", str(capture),
                    str(folder / f"{name}.pcapng")], check=True)
    said = {side: words_of((work / f"{side}.log").read_text(errors="replace")) for side in sides}
    (folder / f"{name}.json").write_text(json.dumps(said, indent=1))


def command_of(godot, variant, game, options):
    if variant.get("engine", 4) == 4:
        return [godot, "--headless", "--path", str(game), "--", *options.split()]
    return [os.environ["GODOT3"], "--path", str(game), *options.split()]


def version_of(godot, variant):
    command = [godot, "--headless"] if variant.get("engine", 4) == 4 else [os.environ["GODOT3"]]
    text = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    return "Godot " + ".".join(text.split(".")[:3]).strip()


def words_of(log):
    """Returns each message of a side's log once, without source locations of the engine, and without variable parts."""
    words = []
    for each in log.splitlines():
        each = re.sub(r"\b\d{6,10}\b", "N", each.strip())
        is_word = each and not each.startswith(("at: ", "Godot Engine", "GDScript backtrace", "[0]", "[1]", "---"))
        if is_word and each not in words:
            words.append(each)
    return words


# --- The table

def problems_of(capture, plugins, project):
    with tempfile.TemporaryDirectory() as folder:
        tshark = Tshark(pathlib.Path(folder), plugins)
        options = ["-o", f"godot_mp.project:{tshark.copy(project)}"] if project else []
        text = tshark.run(tshark.copy(capture), "-2", *options, "-T", "fields", "-e", "_ws.col.Info", "-z", "godot,problems")
    infos, _, text = text.partition("\n===")
    rows, titles = [], []
    for row in text.splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        if "Problem" in cells:
            titles = cells
        elif len(cells) == len(titles) and titles:
            cell = dict(zip(titles, cells))
            rows.append((cell["Problem"], cell["What to do"], int(cell["Count"])))
    marks = []
    for mark in re.findall(r"\[([^\[\]]+)\]", infos):
        is_mark = " " in mark and not mark.startswith(("Reliable", "Unreliable", "Unsequenced"))
        if is_mark and mark not in marks:
            marks.append(mark)
    return rows, marks


def quoted(texts, count=MAX_WORDS):
    # Escapes a pipe, because it would end the cell.
    shown = [text.replace("|", "\\|").replace("<", "&lt;") for text in texts[:count]]
    more = len(texts) - len(shown)
    return "<br>".join(shown) + (f"<br>… {more} more" if more > 0 else "")


def folder_of(variant, work):
    """Returns the folder that the game's author would use: the server's, or a client's if the variant requests it."""
    side = variant.get("folder")
    if not side:
        return None
    if variant.get("engine", 4) == 4 and side != "client":
        return GAME
    folder = pathlib.Path(work) / "game"
    copy_game(game_of(variant), folder, variant.get("edits", {}).get("client" if side == "client" else "server", []))
    return folder


def is_named(variant, rows):
    """Returns True if the first rows of the table name the fault, in the problem or in the advice. For a healthy game,
    returns True if there is no problem."""
    if variant.get("expected") is None:
        return None
    expected = re.compile(variant["expected"])
    problems = "\n".join(row[0] for row in rows[:3])
    with_advice = "\n".join(" ".join(row[:2]) for row in rows[:3])
    return expected.search(problems) is not None or expected.search(with_advice) is not None


def table(folder, plugins, names):
    print("| Variant | What is wrong | The engine said | Problems | Info | |")
    print("|---|---|---|---|---|---|")
    count = {True: 0, False: 0, None: 0}
    for name in names:
        capture = folder / f"{name}.pcapng"
        if not capture.exists():
            continue
        variant = VARIANTS[name]
        said = json.loads((folder / f"{name}.json").read_text())
        words = [f"{side}: {text}" for side, texts in said.items() for text in texts if text.startswith("ERROR")]
        words += [f"{side}: {text}" for side, texts in said.items() for text in texts if not text.startswith("ERROR")]
        with tempfile.TemporaryDirectory() as work:
            rows, marks = problems_of(capture, plugins, folder_of(variant, work))
        named = is_named(variant, rows)
        count[named] += 1
        rows = [f"{re.sub(chr(92) + 'b' + chr(92) + 'd{6,10}' + chr(92) + 'b', 'N', row[0])} ({row[2]})" for row in rows]
        verdict = {True: "named", False: "not named", None: "not on the wire"}[named]
        print(f"| {name} | {variant['fault']} | {quoted(words)} | {quoted(rows, 3)} | {quoted(marks)} | {verdict} |")
        sys.stdout.flush()
    print(f"\n{count[True]} of {count[True] + count[False]} are named in the first three rows of the table of problems; "
          f"{count[None]} leave no trace on the wire.")


SPOILED = {"without every 50th frame": dict(every=50), "without every 20th frame": dict(every=20),
           "in another order": dict(swap=3)}


def lines(folder, plugins):
    """Prints the reported problems of each pair: as played, on the bad links, and with frames missing."""
    columns = ["as played", *(f"{line['loss']:.0%} lost, {line['jitter'] * 1000:.0f} ms" for line in LINES.values()), *SPOILED]
    print("| Game | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in [each for pair in PAIRS for each in pair]:
        captures = [folder / f"{name}.pcapng", *(folder / f"{name}@{line}.pcapng" for line in LINES)]
        with tempfile.TemporaryDirectory() as work:
            for each, how in SPOILED.items():
                captures.append(pathlib.Path(work) / f"{each.replace(' ', '_')}.pcapng")
                degrade(captures[0], captures[-1], **how)
            cells = [judgement(VARIANTS[name], capture, plugins, work) for capture in captures]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def judgement(variant, capture, plugins, work):
    rows, _ = problems_of(capture, plugins, folder_of(variant, work))
    others = [row[0] for row in rows if re.search(variant["expected"], row[0]) is None and re.search(LEFT, row[0]) is None]
    others = quoted([re.sub(r"\b\d{6,10}\b", "N", each)[:60] for each in others])
    if variant["expected"].startswith(LEFT):
        return others or "quiet"
    named = "named" if is_named(variant, rows) else "not named"
    return f"{named}; {others}" if others else named


def main():
    action, arguments = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if action == "list":
        for name, variant in VARIANTS.items():
            print(f"{name}: {variant['fault']}")
    elif action == "play" and len(arguments) == 3:  # in a namespace, by "record"
        play(arguments[0], arguments[2], pathlib.Path(arguments[1]))
    elif action == "record" and len(arguments) >= 2:
        folder = pathlib.Path(arguments[1]).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        is_played = lambda each: not each.get("is_long") and (each.get("engine", 4) == 4 or "GODOT3" in os.environ)
        for name in arguments[2:] or [each for each in VARIANTS if is_played(VARIANTS[each])]:
            done = subprocess.run(["unshare", "--net", sys.executable, __file__, "play", arguments[0], str(folder), name],
                                  check=False)
            print(f"{name}: {'recorded' if done.returncode == 0 else 'failed'}", flush=True)
    elif action == "lines" and len(arguments) == 2:
        lines(pathlib.Path(arguments[0]), arguments[1])
    elif action == "table" and len(arguments) >= 2:
        table(pathlib.Path(arguments[0]), arguments[1], arguments[2:] or VARIANTS)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
