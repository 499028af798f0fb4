# SPDX-License-Identifier: MIT
extends Resource
## A script class for the objects that are sent. Only exported properties are stored, so only they are sent.

@export var hp := 87
@export var title := "Knight of the Harbour"
@export var pos := Vector2(8, 4)
@export var items: Array[String] = ["sword", "map"]
@export var friend: Resource
var mood := "not stored"
