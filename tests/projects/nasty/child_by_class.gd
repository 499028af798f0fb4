# SPDX-License-Identifier: MIT
extends Base
func overridden(): pass
@rpc("any_peer", "unreliable") func shared(): pass
func to_be_made(): pass
func to_be_made_too(_a: int) -> void: pass
@rpc func own(): pass
