#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record.py GODOT [NAME ...]

Records the captures in states/ with Godot 4 (as root, on Linux, with dumpcap). The game's server and clients print
their state about once per second, each line with its time. Each capture is taken at one end of the link: it contains
what the peers at this end received, but not packets that were lost before. NAME.json has the lines of these peers.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts" / "variants"))
from variants import BEHIND_RELAY, PORT, Relay  # noqa: E402

# The server's options, the number of clients, the link's behaviour, and at which end of the link the capture is taken.
GAMES = {
    "calm": dict(server="", clients=2, line=None),
    "lossy_client": dict(server="", clients=1, line=dict(loss=0.12, delay=0.03), at="client"),
    "lossy_server": dict(server="handover", clients=2, line=dict(loss=0.12, delay=0.03), at="server"),
    "jitter": dict(server="", clients=1, line=dict(jitter=0.15, delay=0.02), at="client"),
    "respawn": dict(server="respawn", clients=2, line=dict(loss=0.05, delay=0.02), at="client"),
}
LASTS = 14000


def record(godot, name, work):
    game = GAMES[name]
    port = BEHIND_RELAY if game.get("at") == "server" else PORT
    capture = work / "capture.pcap"
    dump = subprocess.Popen(["dumpcap", "-q", "-i", "lo", "-w", str(capture), "-f", f"udp port {port}"],
                            stderr=subprocess.PIPE, text=True)
    while not dump.stderr.readline().startswith("File:"):
        assert dump.poll() is None, "dumpcap does not run"
    if game["line"] is not None:
        Relay(dict(game["line"])).start()
    server_port = BEHIND_RELAY if game["line"] is not None else PORT
    sides = [f"role=server port={server_port} quit={LASTS + 1500} {game['server']}"]
    sides += [f"role=client port={PORT} quit={LASTS - 900 * i}" for i in range(game["clients"])]
    logs, processes = [], []
    for i, options in enumerate(sides):
        logs.append(work / f"{i}.log")
        shutil.copytree(HERE / "game", work / str(i))
        environment = {**os.environ, **{f"XDG_{kind}_HOME": str(work / kind) for kind in ("DATA", "CONFIG", "CACHE")}}
        processes.append(subprocess.Popen([*godot, "--headless", "--path", str(work / str(i)), "--", *options.split()],
                                          stdout=open(logs[-1], "w"), stderr=subprocess.STDOUT, env=environment))
        time.sleep(0.7)
    for process in processes:
        process.wait(LASTS / 1000 + 60)
    time.sleep(0.3)
    dump.send_signal(signal.SIGINT)
    dump.wait()
    comment = f"Godot {subprocess.run([*godot, '--version'], capture_output=True, text=True, check=False).stdout.strip()[:5]}"
    subprocess.run(["editcap", "-F", "pcapng", "--capture-comment", comment, str(capture), str(HERE / "states" / f"{name}.pcapng")],
                   check=True)
    seen = {None: logs, "server": logs[:1], "client": logs[1:]}[game.get("at")]
    said = [json.loads(line) for log in seen for line in log.read_text().splitlines() if line.startswith("{")]
    (HERE / "states" / f"{name}.json").write_text("[\n" + ",\n".join(map(json.dumps, said)) + "\n]\n")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "play":  # in a network namespace
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        with tempfile.TemporaryDirectory() as folder:
            record(sys.argv[2].split(), sys.argv[3], pathlib.Path(folder))
        return os._exit(0)  # although the relay's thread is still running
    for name in sys.argv[2:] or GAMES:
        subprocess.run(["unshare", "--net", sys.executable, __file__, "play", sys.argv[1], name], check=True)
        print(name)
    return None


if __name__ == "__main__":
    main()
