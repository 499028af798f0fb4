# SPDX-License-Identifier: MIT
extends Node
const Moved = preload("uid://cp8udncojyup8")
class Inner extends Moved:
	@rpc func by_uid(): pass
