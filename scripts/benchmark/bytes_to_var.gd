# SPDX-License-Identifier: MIT
# godot --headless --script bytes_to_var.gd -- write FOLDER       writes the values below as files godot --headless
# --script bytes_to_var.gd -- read FILE COUNT    reads COUNT times; the calling script measures the time
extends SceneTree

func player(number: int) -> Dictionary:
	return {"id": number, "name": "player %d" % (number % 100), "pos": Vector2(number, -1.5)}

# About 400 bytes: a state that a game sends several times per second.
func state() -> Dictionary:
	return {
		"cmd": "state", "tick": 123456, "pos": Vector3(1.5, 0, -2.25), "vel": Vector3(0, -9.81, 0), "hp": 87,
		"ammo": [30, 90, 2], "weapon": "rifle", "alive": true, "name": "Ada", "aim": 0.785,
		"inventory": {"gold": 12, "potion": 3, "key": "north gate"}, "team": 2,
	}

func values() -> Dictionary:
	var dictionaries := []
	var ints := []
	for i in 100000:
		dictionaries.append(player(i))
		ints.append(i)
	var floats := PackedFloat32Array()
	for i in 1000000:
		floats.append(i * 0.1)
	return {"dictionary": state(), "dictionaries": dictionaries, "ints": ints, "packed_floats": floats}

func _init() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments[0] == "write":
		var all := values()
		for name in all:
			FileAccess.open(arguments[1].path_join(name), FileAccess.WRITE).store_buffer(var_to_bytes(all[name]))
	else:
		var bytes := FileAccess.get_file_as_bytes(arguments[1])
		for i in int(arguments[2]):
			bytes_to_var(bytes)
	quit()
