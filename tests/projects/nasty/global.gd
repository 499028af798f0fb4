# SPDX-License-Identifier: MIT
extends Node
@rpc("any_peer", "call_local", "reliable", 2) func everywhere(): pass
