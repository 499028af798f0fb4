# SPDX-License-Identifier: MIT
# Another script says which of its methods may be called.
extends Node


func honk(how_often: int) -> void:
	print(how_often)


func toot() -> void:
	print("toot")


func polish() -> void:
	print("polish")
