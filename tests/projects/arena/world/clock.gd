# SPDX-License-Identifier: MIT
extends Node

var seconds := 0.0
var weather := "sun"
