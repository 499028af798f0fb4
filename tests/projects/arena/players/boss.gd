# SPDX-License-Identifier: MIT
extends Player


@rpc("authority", "reliable")
func roar() -> void:
	pass
