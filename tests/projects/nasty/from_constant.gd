# SPDX-License-Identifier: MIT
extends Parent
const Parent = preload("base.gd").Part
@rpc func late(): pass
