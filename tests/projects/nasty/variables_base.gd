# SPDX-License-Identifier: MIT
extends Node2D

enum Mood { CALM, ANGRY }

var inherited: int = 3
var inherited_any
