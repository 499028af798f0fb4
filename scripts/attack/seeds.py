#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows that attack.py finds faults: plants one at a time and expects it to be found.

    seeds.py --work FOLDER [--only NAME] [--packets N]
    seeds.py --check     # whether each check that is taken out stands in the sources

Each fault is one check taken out of a copy of the sources in FOLDER, which is built under the sanitizers there (a
second run builds less). First the sources as they are: nothing may be found in them.
"""
import argparse
import dataclasses
import pathlib
import shutil
import subprocess
import sys

repo = pathlib.Path(__file__).resolve().parents[2]
COPIED = ("CMakeLists.txt", "CMakePresets.json", "captures", "codec", "page", "plugin", "scripts")


@dataclasses.dataclass(frozen=True)
class Seed:
    name: str
    file: str
    before: str  # stands there once
    after: str
    found: str  # a part of what attack.py calls the fault


CODEC = "codec/godot-codec"

SEEDS = (
    Seed(
        "captured",
        f"{CODEC}/core/bytes.h",
        "if (!has(length)) [[unlikely]] {",
        "if (!has(0)) [[unlikely]] {",
        "core/bytes.h",
    ),
    Seed(
        "type-number",
        f"{CODEC}/variant/walker.h",
        "if (number >= table_.types.size() || depth_ >= max_depth_) [[unlikely]] {",
        "if (depth_ >= max_depth_) [[unlikely]] {",
        "variant/walker.h",
    ),
    Seed(
        "nesting",
        f"{CODEC}/variant/walker.h",
        "if (number >= table_.types.size() || depth_ >= max_depth_) [[unlikely]] {",
        "if (number >= table_.types.size()) [[unlikely]] {",
        "variant/walker.h",
    ),
    Seed(
        "text-room",
        f"{CODEC}/variant/text_buffer.h",
        "return text.size() < end_ - size_;",
        "return text.size() < end_;",
        "text_buffer.h",
    ),
    Seed(
        "path-end",
        f"{CODEC}/multiplayer/field_reader.h",
        "const std::size_t available = start < bytes_.captured ? bytes_.captured - start : 0;\n    const void *zero",
        "const std::size_t available = bytes_.reported - std::min(start, bytes_.reported);\n    const void *zero",
        "multiplayer/field_reader.h",
    ),
    Seed(
        "confirm-end",
        f"{CODEC}/multiplayer/message.cpp",
        "const bool ends_in_zero = bytes_.captured < bytes_.reported || bytes_.data[last] == 0;",
        "const bool ends_in_zero = bytes_.data[last] == 0;",
        "multiplayer/message.cpp",
    ),
    Seed(
        "spawn-name",
        f"{CODEC}/multiplayer/field_reader.h",
        "    const std::uint8_t *text = cursor_.take(length);\n    if (text == nullptr) return;\n",
        "    const std::uint8_t *text = cursor_.take(length);\n",
        "multiplayer/field_reader.h",
    ),
    Seed(
        "command-number",
        f"{CODEC}/enet/datagram.cpp",
        "return number >= 1 && number <= std::size(layouts) ? &layouts[number - 1] : nullptr;",
        "return number >= 1 ? &layouts[number - 1] : nullptr;",
        "enet/datagram.cpp",
    ),
    Seed(
        "match-distance",
        f"{CODEC}/enet/compression.cpp",
        "is_good_ = is_good_ && distance < written_ && length <= out_.size() - written_;",
        "is_good_ = is_good_ && length <= out_.size() - written_;",
        "enet/compression.cpp",
    ),
    Seed(
        "message-count",
        "plugin/enet/commands.cpp",
        "has_data(command) && is_whole && !is_repeated && index < max_messages;",
        "has_data(command) && is_whole && !is_repeated;",
        "SIGABRT",
    ),
    Seed(
        "fragment-end",
        f"{CODEC}/enet/datagram.cpp",
        """if (length > total - start) return "it goes past""",
        """if (length > total - start + 1) return "it goes past""",
        "enet/fragments.cpp",
    ),
    Seed(
        "hello-extensions",
        f"{CODEC}/stream/tls_hello.cpp",
        "    if (count == kinds.size()) return false;\n",
        "",
        "stream/tls_hello.cpp",
    ),
    Seed(
        "evicted-relay",
        f"{CODEC}/multiplayer/relays.cpp",
        "    by_command_.erase(oldest.command);\n",
        "",
        "multiplayer/relays.cpp",
    ),
    Seed(
        "spawn-choice",
        f"{CODEC}/project/project.cpp",
        "return scene_index < spawner.scenes.size() ? find_scene(spawner.scenes[scene_index]) : nullptr;",
        "return find_scene(spawner.scenes[scene_index]);",
        "project/project.cpp",
    ),
)


class Tree:
    """A copy of the sources and its build."""

    def __init__(self, folder):
        self.source, self.build = folder / "tree", folder / "build"
        self.source.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            update(repo / name, self.source / name)
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        command = ["cmake", "--preset", "asan", "-B", self.build, "-DBUILD_TESTING=OFF", *launcher]
        subprocess.run(command, cwd=self.source, check=True, stdout=subprocess.DEVNULL)

    def make(self):
        command = ["ninja", "-C", self.build, "godot", "exact_tvb"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def attack(self, packets, text):
        """Whether a fault was found that says the text, and the lines that attack.py prints."""
        script = repo / "scripts" / "attack" / "attack.py"
        command = [sys.executable, script, "--build", self.build, "--packets", str(packets)]
        command += ["--stop", text, "--keep", "0"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1) or not done.stdout:
            raise RuntimeError(f"{command}: {done.returncode}\n{done.stderr}")
        lines = done.stdout.splitlines()
        return any(line.startswith("FAULT") and text in line for line in lines), lines


def update(source, target):
    """Copies what differs, so that what was built stays."""
    for path in [source] if source.is_file() else sorted(each for each in source.rglob("*") if each.is_file()):
        copy = target / path.relative_to(source) if source.is_dir() else target
        if not copy.exists() or copy.read_bytes() != path.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)


def planted(seed):
    """The file's text with the fault."""
    text = (repo / seed.file).read_text(encoding="utf-8")
    if text.count(seed.before) != 1:
        sys.exit(f"seeds.py: {seed.name}: {text.count(seed.before)} times in {seed.file}: {seed.before}")
    return text.replace(seed.before, seed.after)


def main():
    parser = argparse.ArgumentParser(description="Shows that attack.py finds faults.")
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--work", type=pathlib.Path, help="folder for the copy and its build")
    task.add_argument("--check", action="store_true", help="whether the faults can be planted")
    parser.add_argument("--only", metavar="NAME", help="this fault alone")
    parser.add_argument("--packets", type=int, default=100_000, help="until when (default %(default)s)")
    options = parser.parse_args()
    seeds = [seed for seed in SEEDS if options.only in (None, seed.name)]
    texts = {seed.name: planted(seed) for seed in seeds}  # all of them, before anything takes long
    if options.check:
        print(f"{len(seeds)} faults can be planted")
        return
    tree = Tree(options.work.resolve())
    tree.make()
    if options.only is None:
        is_found, lines = tree.attack(options.packets // 10, "")
        print("as it is:", lines[-2 if is_found else -1], flush=True)
        if is_found:
            sys.exit("seeds.py: the sources have a fault of their own")
    missed = []
    for seed in seeds:
        file = tree.source / seed.file
        whole = file.read_text(encoding="utf-8")
        file.write_text(texts[seed.name], encoding="utf-8")
        try:
            tree.make()
            is_found, lines = tree.attack(options.packets, seed.found)
        finally:
            file.write_text(whole, encoding="utf-8")
        where = next((line for line in lines if seed.found in line), "NOT FOUND")
        total = next(line for line in lines if " with a fault" in line)
        print(f"{seed.name}: {where}; {total}", flush=True)
        if not is_found:
            missed.append(seed.name)
    if missed:
        sys.exit(f"seeds.py: not found: {', '.join(missed)}")


if __name__ == "__main__":
    main()
