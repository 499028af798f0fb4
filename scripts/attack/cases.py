# SPDX-License-Identifier: MIT
"""Makes the mutated captures of an attack: each depends only on a seed and its number."""
import pathlib
import random
import sys

repo = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(repo / "scripts" / "packets"))

import capture  # noqa: E402
import mutate  # noqa: E402
import stories  # noqa: E402

PROJECT = "the game's folder"
PORTS = ("", "5000-5050,6007,9899,40000", "1-65535")

# Preferences that a case may set, with their values. The first value is the default.
PREFERENCES = {
    "enet.checksum": ("FALSE", "TRUE"),
    "enet.compression": ("auto", "none", "range_coder", "fastlz", "zlib", "zstd"),
    "godot.dialect": ("auto", "4", "3", "docs"),
    "godot.real": ("flag", "double"),
    "godot.max_elements": ("1000", "0", "1"),
    "godot_mp.generation": ("auto", "4", "3"),
    "godot_mp.project": ("", PROJECT, PROJECT),
    "godot.tcp.max_length": ("8388608", "40"),
    "godot.owned_ports": ("TRUE", "FALSE"),
    "godot_debug.tcp.port": ("6007-6013", *PORTS),
    **{f"enet.{name}.port": PORTS for name in ("udp", "dtls")},
    **{f"godot.{name}.port": PORTS for name in ("udp", "dtls", "tcp", "tls", "ws")},
    **{f"godot_mp.{name}.port": PORTS for name in ("ws", "enet", "sctp")},
    "godot_debug.tls.port": PORTS,
    "tcp.reassemble_out_of_order": ("FALSE", "TRUE"),
    "tcp.desegment_tcp_streams": ("TRUE", "FALSE"),
    "udp.try_heuristic_first": ("FALSE", "TRUE"),
    "tcp.try_heuristic_first": ("FALSE", "TRUE"),
}


class Case:
    """A capture, and the preferences with which it is read."""

    def __init__(self, packets, preferences, story, secrets=()):
        self.packets, self.preferences, self.story, self.secrets = packets, preferences, story, secrets

    def write(self, path):
        capture.write(path, self.packets, self.secrets)


class Captures:
    def __init__(self, folder):
        self.scenarios = {}
        for path in [*sorted(folder.glob("*.pcapng")), *sorted((repo / "tests" / "data").glob("*tls*.pcapng"))]:
            self.scenarios.setdefault(path.stem.partition("_godot")[0], []).append(path)
        self.read, self.secrets = {}, {}

    def any(self, rng):
        """Chooses each scenario with the same probability, however many engines have recorded it."""
        path = rng.choice(self.scenarios[rng.choice(sorted(self.scenarios))])
        if path not in self.read:
            self.read[path] = capture.read(path)
            self.secrets[path.name] = capture.read_secrets(path)
        return path.name, self.read[path]


def make_case(seed, number, captures):
    rng = random.Random(f"{seed}:{number}")
    packets, story = mutate.mutate(rng, lambda: captures.any(rng))
    preferences = {}
    if rng.random() < 0.4:
        preferences["godot_mp.project"] = PROJECT
    if rng.random() < 0.4:
        for name in rng.sample(sorted(PREFERENCES), rng.choice((1, 1, 2, 5))):
            preferences[name] = rng.choice(PREFERENCES[name])
    return Case(packets, preferences, story, captures.secrets.get(story[0], stories.SECRETS))
