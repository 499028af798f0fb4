# SPDX-License-Identifier: MIT
class_name Ignored
@rpc func ignored(): pass
