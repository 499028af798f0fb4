#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""encrypt.py CAPTURE KIND OUTPUT: sends the conversation of one client and its server in a capture again, through
OpenSSL.

KIND is dtls (each UDP payload becomes a record), tls (the same for TCP) or cut (the first TCP payloads, in records of
20 bytes). Two openssl processes exchange the payloads over loopback, in the order of the capture. The new capture then
gets the keys (editcap --inject-secrets). The cipher is AES-GCM, which Wireshark decrypts in DTLS, too. Needs openssl,
dumpcap and editcap, and the permission to capture.

The captures in this folder were made with:
    encrypt.py ../../captures/mp_rpc_godot4.6.pcapng dtls dtls_enet.pcapng
    encrypt.py ../../captures/game_godot4.6.pcapng dtls dtls_variants.pcapng
    encrypt.py ../../captures/sctp_udp_by_hand.pcapng dtls dtls_webrtc.pcapng
    encrypt.py ../../captures/tcp_types_godot4.6.pcapng tls tls_variants.pcapng
    encrypt.py ../../captures/tcp_types_godot4.6.pcapng cut tls_variants_cut.pcapng
    encrypt.py ../../captures/debug_script_godot4.6.pcapng tls tls_debug.pcapng
    encrypt.py ../../captures/debug_script_godot4.6.pcapng cut tls_debug_cut.pcapng
    encrypt.py taken_back.pcapng tls tls_taken_back.pcapng     (the conversation of revoked_detection_plugin_test.cpp, saved)
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "packets"))
import capture  # noqa: E402

PORT = 5557
MODES = {
    "dtls": (capture.UDP, "udp", ["-dtls1_2", "-mtu", "1500"], ["-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"]),
    "tls": (capture.TCP, "tcp", ["-tls1_3"], ["-ciphersuites", "TLS_AES_128_GCM_SHA256"]),
}
MODES["cut"] = MODES["tls"]


def talk_of(path, protocol):
    """Returns the first conversation as a list of (whether the client sent it, payload). The client is the side that
    sends first."""
    packets = [p for p in capture.read(path) if p.protocol == protocol and (p.payload or p.flags & capture.SYN)]
    first = packets[0]
    sent = set()
    for packet in packets:
        # Skip retransmitted TCP segments.
        segment = (packet.flow, packet.seq) if protocol == capture.TCP else len(sent)
        if packet.conversation == first.conversation and packet.payload and segment not in sent:
            sent.add(segment)
            yield packet.flow == first.flow, packet.payload


def cut(talk):
    """Splits the same bytes into chunks of 20 bytes."""
    for is_from_client, payload in itertools.islice(talk, 25):
        for at in range(0, len(payload), 20):
            yield is_from_client, payload[at : at + 20]


def play(talk, options, work):
    """Exchanges the payloads between two openssl processes. They send what they read at once, so each payload becomes a
    record."""
    certificate, key = work / "certificate.pem", work / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
         "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)  # fmt: skip
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(
        ["openssl", "s_server", "-quiet", "-accept", str(PORT), "-cert", certificate, "-key", key, *options], **pipes)
    time.sleep(0.5)
    client = subprocess.Popen(
        ["openssl", "s_client", "-quiet", "-connect", f"127.0.0.1:{PORT}", "-keylogfile", work / "keys", *options],
        **pipes)
    time.sleep(1)
    for is_from_client, payload in talk:
        speaker = client if is_from_client else server
        speaker.stdin.write(payload)
        speaker.stdin.flush()
        time.sleep(0.005)
    time.sleep(0.5)
    for process in (client, server):
        process.terminate()
        process.wait()


def main(path, kind, output):
    protocol, transport, version, cipher = MODES[kind]
    talk = list(cut(talk_of(path, protocol)) if kind == "cut" else talk_of(path, protocol))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        recorder = subprocess.Popen(
            ["dumpcap", "-q", "-i", "lo", "-f", f"{transport} port {PORT}", "-w", work / "encrypted.pcapng"],
            stderr=subprocess.DEVNULL)
        time.sleep(1)
        play(talk, version + cipher, work)
        recorder.terminate()
        recorder.wait()
        subprocess.run(
            ["editcap", "--inject-secrets", f"tls,{work / 'keys'}", "--capture-comment",
             f"{pathlib.Path(path).stem}, said again through OpenSSL", work / "encrypted.pcapng", output],
            check=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
