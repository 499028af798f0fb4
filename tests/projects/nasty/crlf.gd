extends Node
# SPDX-License-Identifier: MIT
@rpc("any_peer")

func crlf_one():
	var x = """
@rpc
func no(): pass
"""
	print(x)
@rpc(
"authority"
) \
func crlf_two(): pass
class Inner:
	class Deeper extends Node:
		@rpc
		func deeper(): pass
	@rpc func not_a_node(): pass
