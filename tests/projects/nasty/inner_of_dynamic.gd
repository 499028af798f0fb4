# SPDX-License-Identifier: MIT
extends "dynamic.gd"
