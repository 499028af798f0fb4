# SPDX-License-Identifier: MIT
# godot --headless --script bytes_to_var.gd -- write FOLDER   writes the values below as files
# godot --headless --script bytes_to_var.gd -- time FILE ...  prints "NAME NANOSECONDS" of bytes_to_var(): the fastest of
#                                                             batches, an empty loop's time taken off
extends SceneTree

const BATCH_USEC = 2000
const BATCHES = 30

func player(number: int) -> Dictionary:
	return {"id": number, "name": "player %d" % (number % 100), "pos": Vector2(number, -1.5)}

# About 400 bytes, as a game sends of itself several times a second.
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

func time_batch(bytes: PackedByteArray, count: int) -> int:
	var start := Time.get_ticks_usec()
	for i in count:
		bytes_to_var(bytes)
	var all := Time.get_ticks_usec() - start
	start = Time.get_ticks_usec()
	for i in count:
		pass
	return all - (Time.get_ticks_usec() - start)

func time_reading(bytes: PackedByteArray) -> float:
	var count := clampi(int(BATCH_USEC / maxf(time_batch(bytes, 1), 1)), 1, 100000)
	var fastest := time_batch(bytes, count)
	for i in BATCHES:
		fastest = mini(fastest, time_batch(bytes, count))
	return fastest * 1000.0 / count

func _init() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments[0] == "write":
		var all := values()
		for name in all:
			FileAccess.open(arguments[1].path_join(name), FileAccess.WRITE).store_buffer(var_to_bytes(all[name]))
	else:
		for file in arguments.slice(1):
			var bytes := FileAccess.get_file_as_bytes(file)
			print("%s %.1f" % [file.get_file(), time_reading(bytes)])
	quit()
