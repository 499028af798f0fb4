# SPDX-License-Identifier: MIT
extends "res://child_by_class.gd"
@rpc func by_path(): pass
