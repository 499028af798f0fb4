// SPDX-License-Identifier: GPL-2.0-or-later
#include "mp_state.h"

#include "draw.h"

namespace godot_plugin {
namespace {

std::uint64_t number_key(std::int32_t sender, std::uint32_t number) {
  return std::uint64_t{static_cast<std::uint32_t>(sender)} << 32 | number;
}

char *text_key(wmem_allocator_t *scope, std::int32_t sender, const char *text) {
  return wmem_strdup_printf(scope, "%d %s", sender, text);
}

MpNames new_names() {
  return {wmem_map_new(wmem_file_scope(), wmem_int64_hash, g_int64_equal),
          wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal)};
}

// The tree of a key's definitions. @param lasting_key makes the key that the map keeps
template <typename MakeKey>
wmem_tree_t *definitions_of(wmem_map_t *map, const void *key, MakeKey lasting_key) {
  auto *definitions = static_cast<wmem_tree_t *>(wmem_map_lookup(map, key));
  if (definitions != nullptr) return definitions;
  definitions = wmem_tree_new(wmem_file_scope());
  wmem_map_insert(map, lasting_key(), definitions);
  return definitions;
}

MpName *find_at(wmem_tree_t *definitions, MpMoment moment) {
  if (definitions == nullptr) return nullptr;
  auto *name = static_cast<MpName *>(wmem_tree_lookup32_le(definitions, moment.frame));
  // Of a frame, the tree has the last definition.
  while (name != nullptr && name->defined.is_after(moment)) name = name->before;
  return name;
}

}  // namespace

MpGame *new_game(unsigned client_direction) {
  MpGame *game = wmem_new0(wmem_file_scope(), MpGame);
  game->client_direction = client_direction;
  game->paths = new_names();
  game->nodes = new_names();
  return game;
}

void define_name(const MpNames &names, std::int32_t sender, std::uint32_t number, std::string_view text,
                 MpMoment moment) {
  const std::uint64_t key = number_key(sender, number);
  wmem_tree_t *by_number =
      definitions_of(names.by_number, &key, [&] { return wmem_memdup(wmem_file_scope(), &key, sizeof key); });
  MpName *name = wmem_new0(wmem_file_scope(), MpName);
  name->text = printable(wmem_file_scope(), text);
  name->defined = moment;
  name->before = static_cast<MpName *>(wmem_tree_lookup32_le(by_number, moment.frame));
  // Said again, to another receiver perhaps: who knew it knows it still.
  const bool is_same = name->before != nullptr && std::string_view(name->before->text) == name->text;
  name->confirmations = is_same ? name->before->confirmations : wmem_tree_new(wmem_file_scope());
  wmem_tree_insert32(by_number, moment.frame, name);

  char *text_of_sender = text_key(wmem_file_scope(), sender, name->text);
  wmem_tree_t *by_text = definitions_of(names.by_text, text_of_sender, [&] { return text_of_sender; });
  wmem_tree_insert32(by_text, moment.frame, name);
}

MpName *find_name(const MpNames &names, std::int32_t sender, std::uint32_t number, MpMoment moment) {
  const std::uint64_t key = number_key(sender, number);
  return find_at(static_cast<wmem_tree_t *>(wmem_map_lookup(names.by_number, &key)), moment);
}

MpName *find_name_by_text(const MpNames &names, std::int32_t sender, const char *text, MpMoment moment) {
  char *key = text_key(nullptr, sender, text);
  auto *definitions = static_cast<wmem_tree_t *>(wmem_map_lookup(names.by_text, key));
  wmem_free(nullptr, key);
  if (definitions == nullptr) return nullptr;
  return static_cast<MpName *>(wmem_tree_lookup32_le(definitions, moment.frame));
}

void confirm_name(MpName *name, std::int32_t peer, MpMoment moment) {
  const auto key = static_cast<std::uint32_t>(peer);
  if (wmem_tree_lookup32(name->confirmations, key) != nullptr) return;
  wmem_tree_insert32(name->confirmations, key, wmem_memdup(wmem_file_scope(), &moment, sizeof moment));
}

bool is_confirmed(const MpName &name, std::int32_t peer, MpMoment moment) {
  struct Search {
    MpMoment moment;
    bool is_found;
  };
  if (peer > 0) {
    const auto *confirmed =
        static_cast<const MpMoment *>(wmem_tree_lookup32(name.confirmations, static_cast<std::uint32_t>(peer)));
    return confirmed != nullptr && !confirmed->is_after(moment);
  }
  Search search{moment, false};
  wmem_tree_foreach(
      name.confirmations,
      [](const void * /*peer*/, void *confirmed, void *user) -> ws_bool {
        auto *wanted = static_cast<Search *>(user);
        wanted->is_found = !static_cast<const MpMoment *>(confirmed)->is_after(wanted->moment);
        return wanted->is_found;
      },
      &search);
  return search.is_found;
}

}  // namespace godot_plugin
