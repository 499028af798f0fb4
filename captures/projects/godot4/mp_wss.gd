# SPDX-License-Identifier: MIT
extends "mp_ws.gd"
## The same game over WebSockets in TLS.


func run(to_expected: Expected) -> void:
	_tls = true
	await play(to_expected, 5042)
