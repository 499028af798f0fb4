# SPDX-License-Identifier: MIT
extends Label

var own: int = 1


func _get(property: StringName) -> Variant:
	return 7 if property == &"text" or property == &"position" else null
