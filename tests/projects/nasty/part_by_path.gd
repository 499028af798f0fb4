# SPDX-License-Identifier: MIT
extends "base.gd".Part.Bit
@rpc func outside(): pass
