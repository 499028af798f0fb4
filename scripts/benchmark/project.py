#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""project.py --build build

Measures the cost of a large project folder: makes one with 2,000 scripts, 500 scenes and 2 GB of art (sparse files),
and measures godot-project on it: the instructions that callgrind counts, and the peak of its memory.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SCRIPTS, SCENES, PICTURES, PICTURE_SIZE = 2000, 500, 1000, 2 << 20
WORDS = "health speed target armor weapon level state player enemy world timer input aim fire reload jump".split()


def script(number, chance):
    """Returns a script of about 230 lines. Every seventh script adds a scene to a node."""
    adds = number % 7 == 0
    lines = ["extends Node2D", "", f"@export var hp_{number} := 3", "@onready var spawner = $Spawner"]
    if adds:
        lines.append(f'const THING = preload("res://scenes/{number % SCENES}.tscn")')
    for function in range(4 + chance.randrange(16)):
        lines += ["", "", '@rpc("any_peer", "reliable")'] if function == 0 else ["", ""]
        lines.append(f"func {chance.choice(WORDS)}_{chance.choice(WORDS)}_{function}(amount: int, who := \"none\") -> void:")
        for line in range(8):
            a, b = chance.choice(WORDS), chance.choice(WORDS)
            lines += [f"\tif {a} > amount + {line}:", f"\t\tself.{b}_{a} = lerp({a}, {b}, 0.5) # {a} of {b}"]
        if adds and function == 1:
            lines.append("\t$Players.add_child(THING.instantiate(), true)")
    return "\n".join(lines) + "\n"


def scene(number):
    """Returns a scene of 64 nodes and six meshes. Every third scene instances the previous scene."""
    lines = [f'[gd_scene format=3 uid="uid://b{number:05d}"]']
    lines += [f'[ext_resource type="Script" path="res://scripts/{number * 4 + i}.gd" id="{i}"]' for i in range(4)]
    holds = number % 3 == 0 and number > 0
    if holds:
        lines.append(f'[ext_resource type="PackedScene" path="res://scenes/{number - 1}.tscn" id="scene"]')
    lines.append('[sub_resource type="SceneReplicationConfig" id="config"]')
    for place, name in enumerate(["position", "rotation", f"hp_{number * 4}"]):
        lines += [f'properties/{place}/path = NodePath(".:{name}")', f"properties/{place}/spawn = true",
                  f"properties/{place}/replication_mode = {1 + place % 2}"]
    for mesh in range(6):
        lines += [f'[sub_resource type="ArrayMesh" id="{mesh}"]', f'_surfaces = [{{"data": PackedByteArray("{"A" * 3200}")}}]']
    lines += [f'[node name="Scene{number}" type="Node2D"]', 'script = ExtResource("0")',
              '[node name="Sync" type="MultiplayerSynchronizer" parent="."]', 'replication_config = SubResource("config")',
              '[node name="Spawner" type="MultiplayerSpawner" parent="."]', 'spawn_path = NodePath("../Players")',
              f'_spawnable_scenes = PackedStringArray("res://scenes/{(number + 7) % SCENES}.tscn")',
              '[node name="Players" type="Node2D" parent="."]']
    for node in range(60):
        lines += [f'[node name="N{node}" type="Sprite2D" parent="{"." if node < 20 else f"N{node - 20}"}"]',
                  f"position = Vector2({node}, {number})"]
        lines += [f'script = ExtResource("{1 + node % 3}")'] if node % 10 == 0 else []
    lines += ['[node name="Held" parent="." instance=ExtResource("scene")]'] if holds else []
    return "\n".join(lines) + "\n"


def make_project(folder):
    chance = random.Random(5)
    for name in ("scripts", "scenes", "art"):
        (folder / name).mkdir()
    (folder / "project.godot").write_text('config_version=5\n[application]\nrun/main_scene="res://scenes/0.tscn"\n')
    for number in range(SCRIPTS):
        (folder / "scripts" / f"{number}.gd").write_text(script(number, chance))
    for number in range(SCENES):
        (folder / "scenes" / f"{number}.tscn").write_text(scene(number))
    for number in range(PICTURES):
        with open(folder / "art" / f"{number}.png", "wb") as picture:
            picture.truncate(PICTURE_SIZE)
        (folder / "art" / f"{number}.png.import").write_text('[remap]\nimporter="texture"\n')


def peak_of(command):
    """Returns the peak memory of the command in KiB."""
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,"
            " stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    return int(subprocess.run([sys.executable, "-c", code, *command], capture_output=True, check=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    program = str(parser.parse_args().build / "codec" / "godot-project")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "game"
        folder.mkdir()
        make_project(folder)
        counted = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={name}/counts", program, folder],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
        instructions = re.search(r"refs:\s+([\d,]+)", counted.stderr)
        print(f"{instructions.group(1)} instructions")
        none = peak_of([program, str(folder / "none")])
        print(f"{(peak_of([program, str(folder)]) - none) / 1024:.1f} MiB more than without a project")


if __name__ == "__main__":
    main()
