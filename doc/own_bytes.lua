-- SPDX-License-Identifier: MIT
-- Decodes custom payload on any transport: a byte for the kind of message, then a Variant written by var_to_bytes().
--   tshark -X lua_script:own_bytes.lua -r game.pcapng
local server_port = 7777
local own = Proto("mygame", "My game")
local kind = ProtoField.uint8("mygame.kind", "Kind", base.DEC, { [1] = "Move", [2] = "Hit" })
own.fields = { kind }
local names = { [1] = "Move", [2] = "Hit" }

function own.dissector(buffer, pinfo, root)
  root:add(own, buffer(0, 1)):add(kind, buffer(0, 1))
  if buffer:len() > 1 then
    Dissector.get("godot"):call(buffer(1):tvb(), pinfo, root) -- writes the Variant's text to the column Info
  end
  pinfo.cols.protocol = "MyGame"
  pinfo.cols.info:prepend((names[buffer(0, 1):uint()] or "Unknown") .. " ") -- the first word is the row in tables
  return buffer:len()
end

DissectorTable.get("godot.raw"):add(server_port, own)
