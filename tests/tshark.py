# SPDX-License-Identifier: MIT
"""Runs tshark with the plugin, as somebody who is not root: it would look for no plugins but the system's."""

import os
import pathlib
import shutil
import subprocess

NOBODY = 65534


class Tshark:
    """@param folder where that user may read"""

    def __init__(self, folder, plugins):
        self.folder = folder
        shutil.copytree(plugins, folder / "plugins")
        self.environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8",
                            "WIRESHARK_PLUGIN_DIR": str(folder / "plugins")}

    def copy(self, capture):
        """A capture where that user may read it, as an option. Dumpcap lets nobody else read what it writes."""
        copied = pathlib.Path(shutil.copy(capture, self.folder / capture.name))
        copied.chmod(0o644)
        return copied

    def run_options(self, options):
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run(["tshark", *options], env=self.environment, check=True, capture_output=True, **user)
        assert not done.stderr, done.stderr
        return done.stdout.decode("utf-8")

    def run(self, capture, *options):
        return self.run_options(["-n", "-r", capture, *options])
