# SPDX-License-Identifier: MIT
extends Base.Part
const Other = preload("sp\u00e4ti folder/relative.gd")
const Again := preload("part_by_path.gd")
const Alias = Again
const ABit = preload("base.gd").Part.Bit
class FromConstant extends Other:
	@rpc func from_constant(): pass
class FromAlias extends Alias:
	@rpc func from_alias(): pass
class FromBit extends ABit:
	@rpc func from_bit(): pass
class FromGlobal extends Base.Part.Bit:
	pass
# Bit is what Base.Part has of that name.
class Sibling extends Bit:
	@rpc func sibling(): pass
@rpc func of_part(): pass
