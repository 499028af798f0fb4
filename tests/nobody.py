# SPDX-License-Identifier: MIT
"""Runs Wireshark's programs as another user if the tests run as root, because as root they load only the system's
plugins. Copies files for this user, because the sources and the build may be readable only for root."""

import os
import pathlib
import shutil
import subprocess

NOBODY = 65534


def as_nobody(folder):
    """Returns options for subprocess: a user other than root, and a working directory that this user can read. Some of
    Wireshark's dissectors look for files in the working directory and print a message if it is not readable."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return {"cwd": folder, **user}


def open_folder(folder):
    """Lets that user read and write in the folder, and read files that are written there later."""
    os.umask(os.umask(0) & 0o022)
    folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)


def copy_readable(source, target):
    """Copies a file or folder so that this user can read it."""
    (shutil.copytree if pathlib.Path(source).is_dir() else shutil.copy)(source, target)
    subprocess.run(["chmod", "-R", "a+rX", str(target)], check=True)
    return pathlib.Path(target)
