// SPDX-License-Identifier: GPL-2.0-or-later
#include "mp_state.h"

#include "draw.h"

namespace godot_plugin {
namespace {

std::uint64_t key_of(std::int32_t sender, std::uint32_t number) {
  return std::uint64_t{static_cast<std::uint32_t>(sender)} << 32 | number;
}

}  // namespace

MpGame *new_game(unsigned client_direction) {
  MpGame *game = wmem_new0(wmem_file_scope(), MpGame);
  game->client_direction = client_direction;
  game->paths = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
  game->nodes = wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal);
  return game;
}

void define_name(wmem_map_t *names, std::int32_t sender, std::uint32_t number, std::string_view text, MpMoment moment) {
  const std::uint64_t key = key_of(sender, number);
  auto *before = static_cast<MpName *>(wmem_map_lookup(names, &key));
  MpName *name = wmem_new0(wmem_file_scope(), MpName);
  name->text = printable(wmem_file_scope(), text);
  name->defined = moment;
  name->before = before;
  wmem_map_insert(names, wmem_memdup(wmem_file_scope(), &key, sizeof key), name);
}

MpName *find_name(wmem_map_t *names, std::int32_t sender, std::uint32_t number, MpMoment moment) {
  const std::uint64_t key = key_of(sender, number);
  auto *name = static_cast<MpName *>(wmem_map_lookup(names, &key));
  while (name != nullptr && name->defined.is_after(moment)) name = name->before;
  return name;
}

}  // namespace godot_plugin
