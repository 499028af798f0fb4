# SPDX-License-Identifier: MIT
"""The user that root runs Wireshark's programs as, since as root they look for no plugins but the system's; and copies
that this user may read: the sources and the build may lie where only root may look."""

import os
import pathlib
import shutil
import subprocess

NOBODY = 65534


def as_nobody(folder):
    """For subprocess: somebody who is not root, in a folder of his own. Wireshark looks for files of some dissectors where
    it is started, and complains where it may not."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return {"cwd": folder, **user}


def open_folder(folder):
    """Lets that user read and write there, and read what is written there from now on."""
    os.umask(os.umask(0) & 0o022)
    folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)


def copy_readable(source, target):
    """A copy of a file or folder."""
    (shutil.copytree if pathlib.Path(source).is_dir() else shutil.copy)(source, target)
    subprocess.run(["chmod", "-R", "a+rX", str(target)], check=True)
    return pathlib.Path(target)
