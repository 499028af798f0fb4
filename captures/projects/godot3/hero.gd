# SPDX-License-Identifier: MIT
extends Resource
# A script class for the objects that are sent. Only exported properties are stored, so only they are sent.

export(int) var hp := 87
export(String) var title := "Knight of the Harbour"
export(Vector2) var pos := Vector2(8, 4)
export(Array) var items := ["sword", "map"]
export(Resource) var friend
var mood := "not stored"
