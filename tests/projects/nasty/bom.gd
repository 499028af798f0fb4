@tool
extends Node # SPDX-License-Identifier: MIT
@rpc func behind_mark(): pass
