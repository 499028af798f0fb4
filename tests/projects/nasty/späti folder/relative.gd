# SPDX-License-Identifier: MIT
class_name Späti
extends "../child_by_path.gd"
@rpc func relative(): pass
