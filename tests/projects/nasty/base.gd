# SPDX-License-Identifier: MIT
@icon("res://icon.svg")
@abstract
class_name Base
extends \
	Node


@rpc("any_peer")
func shared(): pass
@rpc
func overridden(): pass
@rpc @abstract
func to_be_made()
@rpc("any_peer")
@abstract func to_be_made_too(a: int) -> void

class Part extends Node:
	@rpc func part(): pass
	class Bit extends Node:
		@rpc func bit(): pass
