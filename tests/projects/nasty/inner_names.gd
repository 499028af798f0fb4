# SPDX-License-Identifier: MIT
extends Node
class Transport extends Node:
	@rpc func transport(): pass
class First extends Node:
	class Transport extends Node:
		@rpc func first_transport(): pass
	class User extends Transport:
		@rpc func user(): pass
class Second extends First:
	class User2 extends Transport:
		@rpc func user2(): pass
class Third extends Node:
	class User extends Transport:
		@rpc func third(): pass
class Later extends Latest:
	@rpc func later(): pass
class Latest extends First.Transport:
	@rpc func latest(): pass
