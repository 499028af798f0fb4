# SPDX-License-Identifier: MIT
"""Runs tshark with the plugin, as a user other than root."""

import os
import re
import subprocess

from nobody import as_nobody, copy_readable, open_folder


def minor_release():
    """Returns Wireshark's minor release: 0, 4 or 6."""
    said = subprocess.run(["tshark", "--version"], check=True, capture_output=True, text=True).stdout
    return int(re.search(r" 4\.(\d+)\.", said)[1])


class Tshark:
    """@param folder for the files that tshark reads; is made readable for tshark's user"""

    def __init__(self, folder, plugins):
        self.folder = folder
        open_folder(folder)
        copy_readable(plugins, folder / "plugins")
        self.environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8",
                            "WIRESHARK_PLUGIN_DIR": str(folder / "plugins")}

    def copy(self, capture):
        """Copies a capture to where tshark's user may read it."""
        return copy_readable(capture, self.folder / capture.name)

    def run_options(self, options):
        done = subprocess.run(["tshark", *options], env=self.environment, check=False, capture_output=True,
                              **as_nobody(self.folder))
        assert done.returncode == 0 and not done.stderr, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8")

    def run(self, capture, *options):
        return self.run_options(["-n", "-r", capture, *options])
