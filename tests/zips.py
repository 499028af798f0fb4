#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the zips for Windows and macOS with a stand-in for the plugin: their content, that repeated builds give the
same bytes, and what install.command and uninstall.command do. install.cmd needs Windows."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

REPO = pathlib.Path(__file__).resolve().parents[1]
RELEASE = "4.6"
COMMON = {"README.txt", "LICENSES/GPL-2.0-or-later.txt", "LICENSES/MIT.txt", "LICENSES/enet.txt"} | {
    f"profiles/Godot/{path.name}" for path in (REPO / "profile" / "Godot").iterdir()} | {
    f"doc/{path.name}" for path in (REPO / "doc").glob("*.md")}


class Zips(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ä zip "))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "licences").mkdir()
        (self.folder / "licences" / "enet.txt").write_text("Copyright\n")

    def make(self, system, plugin, out="out"):
        path = self.folder / "plugins" / RELEASE / "epan" / plugin
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\x7fplugin\n")
        made = subprocess.run([REPO / "packaging" / "zip.sh", system, self.folder / "plugins", self.folder / "licences",
                               self.folder / out], check=True, capture_output=True, text=True).stdout.strip()
        version = re.search(r"project\(godot-wireshark VERSION ([0-9.]+)", (REPO / "CMakeLists.txt").read_text()).group(1)
        self.assertEqual(pathlib.Path(made).name, f"godot-wireshark-{version}-{system}-wireshark-{RELEASE}.zip")
        return pathlib.Path(made)

    def run_script(self, name, *arguments):
        return subprocess.run(["sh", self.folder / "content" / name, *map(str, arguments)], capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home")})

    def test_windows(self):
        with zipfile.ZipFile(self.make("windows-x64", "godot.dll")) as archive:
            self.assertEqual(set(archive.namelist()),
                             COMMON | {"install.cmd", "uninstall.cmd", f"plugins/{RELEASE}/epan/godot.dll"})
            self.assertEqual(archive.read(f"plugins/{RELEASE}/epan/godot.dll"), b"\x7fplugin\n")
            for text in ("README.txt", "install.cmd", "uninstall.cmd", "LICENSES/enet.txt"):
                lines = archive.read(text).split(b"\n")
                self.assertEqual(lines.pop(), b"")
                self.assertTrue(all(line.endswith(b"\r") and not line.endswith(b"\r\r") for line in lines), text)
            readme = archive.read("README.txt").decode("ascii")
            self.assertEqual(readme.count("\n"), 5)
            self.assertIn(f"This plugin is for Wireshark {RELEASE} only", readme)

    def test_the_same_files_give_the_same_zip(self):
        first, second = (self.make("windows-x64", "godot.dll", out).read_bytes() for out in ("first", "second"))
        self.assertEqual(first, second)

    def test_macos(self):
        with zipfile.ZipFile(self.make("macos-arm64", "godot.so")) as archive:
            self.assertEqual(set(archive.namelist()),
                             COMMON | {"install.command", "uninstall.command", "plugins/4-6/epan/godot.so"})
            self.assertEqual(archive.getinfo("install.command").external_attr >> 16, 0o755)
            archive.extractall(self.folder / "content")
        application = self.folder / "Wireshark.app"
        releases = application / "Contents" / "PlugIns" / "wireshark"
        (releases / "4-4").mkdir(parents=True)
        home = self.folder / "home"
        refused = self.run_script("install.command", application)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("You have Wireshark 4.4, and this plugin is for 4.6", refused.stdout)
        self.assertFalse(home.exists())

        (releases / "4-4").rename(releases / "4-6")
        plugin = home / ".local/lib/wireshark/plugins/4-6/epan/godot.so"
        profile = home / ".config/wireshark/profiles/Godot"
        installed = self.run_script("install.command", application)
        self.assertEqual(installed.returncode, 0, installed.stdout + installed.stderr)
        self.assertEqual(plugin.read_bytes(), b"\x7fplugin\n")
        (profile / "preferences").write_text("mine\n")
        self.assertEqual(self.run_script("install.command", application).returncode, 0)
        self.assertEqual((profile / "preferences").read_text(), "mine\n")

        (plugin.parent.parent / "other").touch()
        self.assertEqual(self.run_script("uninstall.command").returncode, 0)
        self.assertFalse(plugin.parent.exists() or profile.exists())
        self.assertTrue((home / ".local/lib/wireshark/plugins/4-6/other").exists())


if __name__ == "__main__":
    unittest.main()
