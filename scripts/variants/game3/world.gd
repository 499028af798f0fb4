# SPDX-License-Identifier: MIT
extends Node

var rounds = 0


remote func take_damage(_amount, _by = ""):
	pass


puppet func announce(_text):
	rounds += 1
