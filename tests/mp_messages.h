// SPDX-License-Identifier: MIT
// Handmade messages of the high-level multiplayer: of Godot 4, or of Godot 3 if the name ends in 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events.h"

namespace godot_codec::test {

inline const std::string no_methods = "d41d8cd98f00b204e9800998ecf8427e";

inline Data simplify(std::uint32_t id, std::string_view path, std::string_view md5 = no_methods) {
  return hex("01") + zero_terminated(md5) + u32(id) + zero_terminated(path);
}
inline Data confirm(std::uint32_t id, bool is_valid = true) { return hex(is_valid ? "02 01" : "02 00") + u32(id); }
inline Data call(std::uint8_t id) { return hex("80") + little_endian(id, 1) + hex("04"); }
inline Data call_by_path(std::string_view path) { return hex("a0 06000080 04") + zero_terminated(path); }
inline Data relay(std::int32_t peer, const Data &command) {
  return hex("0703") + u32(static_cast<std::uint32_t>(peer)) + command;
}
inline Data add_peer(std::int32_t peer) { return hex("0701") + u32(static_cast<std::uint32_t>(peer)); }
inline Data spawn(std::uint32_t net_id, const std::vector<std::uint32_t> &syncs, std::string_view name,
                  std::uint32_t spawner = 1) {
  Data data = hex("04 00") + u32(spawner) + u32(net_id) + u32(syncs.size()) + u32(name.size() + 1);
  for (const std::uint32_t id : syncs) data += u32(id);
  return data + zero_terminated(name);
}
inline Data despawn(std::uint32_t net_id) { return hex("05") + u32(net_id); }
inline Data sync(std::uint16_t time, const std::vector<std::uint32_t> &ids) {
  Data data = hex("06") + little_endian(time, 2);
  for (const std::uint32_t id : ids) data += u32(id) + u32(2) + hex("0263");
  return data;
}
inline Data prefixed(std::int32_t source, std::int32_t target, const Data &command) {
  return u32(static_cast<std::uint32_t>(source)) + u32(static_cast<std::uint32_t>(target)) + command;
}
inline Data simplify3(std::uint32_t id, std::string_view path) { return hex("02") + u32(id) + zero_terminated(path); }
inline Data confirm3(std::string_view path) { return hex("03") + zero_terminated(path); }
inline Data call3(std::uint32_t id) { return hex("00") + u32(id) + zero_terminated("hit") + hex("00"); }

}  // namespace godot_codec::test
