# SPDX-License-Identifier: MIT
extends Node2D

puppet var hp = 100


remote func heal(amount):
	hp += amount
