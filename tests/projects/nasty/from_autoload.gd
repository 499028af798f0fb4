# SPDX-License-Identifier: MIT
extends Global
@rpc func more(): pass
