# SPDX-License-Identifier: MIT
extends Node
## A node of the level. It exists from the start, so its synchronizer is identified by a path.

const Mp := preload("../mp.gd")

var seconds := 0.0:
	set(value):
		seconds = value
		Mp.note_set(self, "seconds", value)
var weather := "sunny":
	set(value):
		weather = value
		Mp.note_set(self, "weather", value)
var map := PackedByteArray():
	set(value):
		map = value
		Mp.note_set(self, "map", value)
