# SPDX-License-Identifier: MIT
extends Node
var hp = 100
remotesync func strike(amount, from): hp -= amount
remote func point(dir): pass
remotesync func start_round(d): pass
remote func upload(b): pass
remote func ready_up(): pass
remote func say(s): pass
remote var target = Vector2()
