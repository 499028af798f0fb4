# SPDX-License-Identifier: MIT
extends SceneTree
## godot --headless --path captures/projects/web --script pack.gd -- OUT.pck: the project as browsers load it.


func _init() -> void:
	var packer := PCKPacker.new()
	packer.pck_start(OS.get_cmdline_user_args()[0])
	for file in DirAccess.get_files_at("res://"):
		if file.get_extension() in ["godot", "gd", "tscn"]:
			packer.add_file("res://" + file, "res://" + file)
	packer.flush()
	quit()
