# SPDX-License-Identifier: MIT
extends Node
# @rpc func in_comment(): pass
## @rpc
## func in_doc(): pass

const A_ = "@rpc func in_string(): pass # not a comment"
const B_ = '@rpc("any_peer") func in_single(): pass \' still "inside"'
const C_ = """
@rpc
func in_multiline():
	pass
" "" \""" # @rpc
"""
const D_ = '''
@rpc func in_single_multiline(): pass
''' # the end of ''' is there
const E_ = r"raw \" @rpc func in_raw(): pass \\"
const F_ = r'''
@rpc
func in_raw_multiline(): pass \'''
'''
const G_ = &"@rpc # name"
const H_ = ^"@rpc/path:#x"
const I_ = "over
@rpc
func in_string_of_two_lines(): pass
lines"
const J_ = "a backslash \\"
const K_ = """a""" # "
const L_ = '\\' + "#" + '"' + "'" + """'"'"""
const M_ = {"@rpc": "func in_dictionary():", 'b': [1, 2, # comment with ( [ {
	"#)"], }


@rpc # a comment with ( and "
func after_comment(): # "
	var x = "# @rpc"; var y = '"' # '
	print(x, y, """
@rpc
func in_function_string(): pass
""")


@rpc(
	"any_peer", # one line
	"call_local",


	# a whole line, with ) in it
	"unreliable",
	3
)


# more
func annotation_over_lines(
	a,
	b = "):",
	c = func(): return 1
):
	print(a, b, c)


@rpc("unreliable_ordered", "authority", "call_remote") func on_one_line(): pass
@warning_ignore("unused_parameter") @rpc("any_peer") func two_on_one_line(a): pass
@rpc("any_peer")
@warning_ignore("unused_parameter")
func two_annotations(a): pass
@warning_ignore("unused_parameter")

@rpc()

func empty_arguments(a): pass
@rpc("any_peer",) func trailing_comma(): pass
@rpc('any_peer') func single_quotes(): pass
@rpc("""any_peer""") func long_quotes(): pass
@rpc(r"any_peer") func raw_mode(): pass
@rpc("any" + "_peer") func computed_mode(): pass
@rpc("any_peer") \
func continued(): pass
@rpc(	"any_peer"	)	func	tabs	(	)	:	pass
var before := 1; @rpc func after_semicolon(): pass
@rpc \
	# a comment behind the backslash

func continued_over_comments(): pass
@rpc func é(): pass
@rpc func 日(): pass
@rpc func z(): pass
@rpc func a10(): pass
@rpc func a2(): pass
@rpc func aa(): pass
@rpc func B(): pass
@rpc func _x(): pass
@rpc func match(): pass
@rpc func func_name(): pass
@rpc func rpc_(): pass


func not_remote(): pass
# @rpc
func not_remote_either(): pass


var property := 1:
	set(value):
		property = value
	get:
		return property

var lambda = func named(x):
	print(x)
	return func():
		return x

@rpc
func with_nested():
	var f = func inner_lambda():
		pass
	if true:
		match f:
			_: pass
	call(&"x", func(): return """
@rpc
func y(): pass
""")

@export_range(0, 10) var exported = 1
@onready var ready_value = [
	1,
(2),
{
"x":
3}
]
signal s(a, b)
enum {ONE, TWO,
THREE}
enum Named { FOUR = 4, FIVE }

@rpc func async_one() -> void:
	await get_tree().process_frame
@rpc func typed(a: Array[int], b: Dictionary[String, int] = {"a": 1}) -> Dictionary: return {a = a, b = b}
@rpc static func fixed(): pass
static func not_remote_fixed(): pass
@rpc func last_without_newline(): pass
@rpc func really_last(): pass