# SPDX-License-Identifier: MIT
# Extends RefCounted, as nothing is said.
@rpc func of_no_node(): pass
class Child extends "no_extends.gd":
	@rpc func grown(): pass
