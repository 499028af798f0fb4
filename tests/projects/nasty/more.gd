# SPDX-License-Identifier: MIT
@tool
extends Node
# a comment that ends in a backslash \
@rpc func after_backslash_comment(): pass
func lambdas():
	get_tree().create_timer(1.0).timeout.connect(func():
		print("x")
		if true:
			print([func(): return 1, "@rpc"])
	, CONNECT_ONE_SHOT)
@rpc func after_lambda(): pass
var list = [func():
	return {
}, func(): pass,
]
@rpc func after_list_of_lambdas(): pass
		# a comment that is indented more
	
@rpc("any_peer")   
	# and one between
  	
func blanks_between(): pass
@export var short: int = 1: set = set_short, get = get_short
func set_short(value): short = value
func get_short(): return short
@export_category("@rpc func x(): pass")
@export var inline: int = 1:
	set(value): inline = value
static var shared := 1; const A_ = 1; const B_ = 2
signal long(a: int,
	b)
enum E_ { A = 1 << 2, B = 0b1_0 }
#region @rpc
var node = $"../Node#x" if has_node("../Node#x") else null; var other = ^"#"
@rpc func after_paths(): pass
#endregion
func numbers():
	return [1e3, .5, 1_0.5, 0xff, "a" % [], "%s # %d" % ["@rpc", 1] \
		+ "b" + \
"c"]
@rpc func after_continued(): pass
@abstract class Shape extends Node:
	@abstract @rpc func area()
	@rpc("authority")
	@abstract
	func size()

@abstract
class Flat extends Shape:
	func area(): pass
	@rpc
	func flat():
		if true: pass
		else:
			pass
class Square extends Flat:
	func size(): pass
	class Nothing: pass
	@rpc func square(): pass
@rpc func \
	split(a,
b): return [a, b]
@rpc("any_peer",
	"reliable"
) func closed_at_zero(
): pass
func docs():
	"""
@rpc func x(): pass
"""
	'not @rpc'
"""
@rpc func doc_at_class_level(): pass
"""
@rpc func after_doc(): pass
