# SPDX-License-Identifier: MIT
extends Node


@rpc
func aim() -> void:
	print("aim")


@rpc
func announce() -> void:
	print("announce")


@rpc
func blob() -> void:
	print("blob")


@rpc
func chat() -> void:
	print("chat")


@rpc
func take_damage() -> void:
	print("damage")
