# SPDX-License-Identifier: MIT
extends Node

const Mp := preload("../mp.gd")

@export var angle := 0.0:
	set(value):
		angle = value
		Mp.note_set(self, "angle", value)
