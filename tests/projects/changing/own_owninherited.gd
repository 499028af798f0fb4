extends "res://own_ownready.gd"
