# SPDX-License-Identifier: MIT
extends Node
var hp := 100
var pos := Vector2(1.5, 2.5)
var nick := "bob"
@rpc("any_peer","call_local","reliable") func strike(amount:int, from:String): hp -= amount
@rpc("any_peer","unreliable_ordered",) func point(dir:Vector2): pass
@rpc("authority","reliable") func start_round(d:Dictionary): pass
@rpc("any_peer","reliable") func upload(b:PackedByteArray): pass
@rpc("any_peer","reliable") func ready_up(): pass
@rpc("any_peer","reliable","call_remote",2) func say(s:String): pass
