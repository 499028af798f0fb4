-- SPDX-License-Identifier: MIT
-- Decodes the PackedByteArray argument of arena's World.blob(), which arena_play.gd writes with a StreamPeerBuffer:
--   tshark -X lua_script:arena.lua -o godot_mp.project:tests/projects/arena -r tests/projects/arena.pcapng -V
local arena = Proto("arena", "Arena command")
local kind = ProtoField.uint8("arena.kind", "Kind", base.DEC, { [1] = "heal", [2] = "hit" })
local target = ProtoField.string("arena.target", "Target")
local amount = ProtoField.float("arena.amount", "Amount")
arena.fields = { kind, target, amount }

function arena.dissector(buffer, pinfo, root)
  local tree = root:add(arena, buffer())
  local length = buffer(1, 4):le_uint() -- put_utf8_string()
  tree:add_le(kind, buffer(0, 1))
  tree:add(target, buffer(5, length))
  tree:add_le(amount, buffer(5 + length, 4))
  return buffer:len()
end

DissectorTable.get("godot_mp.call"):add("Main/World.blob", arena)
