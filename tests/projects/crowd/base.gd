# SPDX-License-Identifier: MIT
class_name CrowdBase
extends Node2D

const CHANNEL := 3

@export var fuel := 0


@rpc(
	"any_peer",
	"call_remote",
	"reliable",
	CHANNEL
)
func shout(
	word: String,
	times := 1,
) -> void:
	print(word, times)


@rpc("any_peer", \
	"unreliable") func whisper(word: String) -> void: print(word)
