#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""chromium_sctp.py SCRIPTS DATA: tests scripts/chromium_sctp.py with a log of Chromium 156. The log has a server and a
client in one browser and a second client; its timestamps wrap around to zero once."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS, DATA = (pathlib.Path(each) for each in sys.argv[1:])
sys.path.insert(0, str(SCRIPTS / "packets"))
import capture  # noqa: E402


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def main():
    lines = (DATA / "chromium_sctp.log").read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.pcapng"
        command = [sys.executable, SCRIPTS / "chromium_sctp.py", DATA / "chromium_sctp.log", out]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        packets = list(capture.read(out))
        empty = pathlib.Path(folder) / "empty.log"
        empty.write_text("nothing of the kind\n")
        refused = subprocess.run([*command[:2], empty, out], check=False, capture_output=True, text=True)
        check(refused.returncode != 0 and "No SCTP packets" in refused.stderr, "a log without packets is refused")
    # The log contains both ends of each connection.
    check(told == "2 connections, %d packets\n" % len(packets), told)
    frames = [packet.raw for packet in packets]
    ends = {(frame[26:30], frame[30:34]) for frame in frames}
    check(ends == {(bytes([10, 0, n, a]), bytes([10, 0, n, 3 - a])) for n in (1, 2) for a in (1, 2)}, ends)
    check(all(frame[23] == 132 for frame in frames), "SCTP over IP")
    contents = {bytes.fromhex(line.split(" 0000 ")[1].split(" #")[0]) for line in lines}
    check({frame[34:] for frame in frames} <= contents, "the packets are those of the log")
    times = [packet.time for packet in packets]
    check(times == sorted(times), "times rise")
    check(28 * capture.NANOSECONDS < times[-1] - times[0] < 40 * capture.NANOSECONDS, "seconds that begin again")


if __name__ == "__main__":
    main()
