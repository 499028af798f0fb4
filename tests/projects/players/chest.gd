# SPDX-License-Identifier: MIT
extends Node

var label
var hp := 5
var content
var is_open := false
