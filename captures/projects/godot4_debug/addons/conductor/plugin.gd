# SPDX-License-Identifier: MIT
@tool
extends EditorPlugin
## Runs only if the editor was started with a file for expectations: editor -- FILE

const Conductor := preload("conductor.gd")

var _conductor: EditorDebuggerPlugin


func _enter_tree() -> void:
	var arguments := OS.get_cmdline_user_args()
	if arguments.size() == 1:
		_conductor = Conductor.new(arguments[0])
		add_debugger_plugin(_conductor)


func _exit_tree() -> void:
	if _conductor:
		remove_debugger_plugin(_conductor)
