# SPDX-License-Identifier: MIT
extends Node


@rpc("reliable")
func reveal(what: String) -> void:
	print(what)
