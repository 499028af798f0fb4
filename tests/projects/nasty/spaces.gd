# SPDX-License-Identifier: MIT
@tool @abstract
class_name Spaces extends Base # two on one line


class Worker  extends  Node :
   var x = 1

   # a comment that is indented less
 # and one at 1
# and at 0
   @rpc("any_peer")
   func work():
      if x:
         pass

   class Nested extends Worker:
     @rpc func nested(): pass


   @rpc
   func rest(): pass

class OneLine extends Node: @rpc func only(): pass

class Empty extends Worker: pass

class ByLine:
 extends Worker
 @rpc func by_line(): pass

@rpc func spaced(): pass
