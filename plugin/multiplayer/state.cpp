// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/state.h"

#include <algorithm>
#include <array>

#include "plugin/godot/draw.h"

namespace godot_plugin {

// What the clients of one server have in common.
struct MpServer {
  wmem_map_t *relays;  // Relay by RelayedCommand: what clients have sent to be relayed
  MpGame *newest;      // all games, the newest first
  wmem_tree_t *games;  // by the client's id, where that is known
  unsigned strangers;  // how many there are where it is not
};

namespace {

wmem_map_t *servers;  // by address and port, as text

std::uint32_t key_of(std::int32_t peer) { return static_cast<std::uint32_t>(peer); }

// ---- trees by several numbers

using Key = std::array<std::uint32_t, 3>;

// What is stored under all of a key.
void *look_up(wmem_tree_t *tree, Key key) {
  wmem_tree_key_t parts[] = {{static_cast<std::uint32_t>(key.size()), key.data()}, {0, nullptr}};
  return wmem_tree_lookup32_array(tree, parts);
}

void insert(wmem_tree_t *tree, Key key, void *value) {
  wmem_tree_key_t parts[] = {{static_cast<std::uint32_t>(key.size()), key.data()}, {0, nullptr}};
  wmem_tree_insert32_array(tree, parts, value);
}

// ---- definitions of names

// A definition among those under the same key.
struct Definition {
  MpName *name;
  Definition *before;  // in the same frame, or an earlier one
};

MpNames new_names() {
  return {wmem_tree_new(wmem_file_scope()), wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal)};
}

// Whom a definition is kept for: those who are nobody in particular are everyone.
std::int32_t listener(std::int32_t receiver) {
  return receiver == mp_client || receiver > 0 ? receiver : godot_codec::mp_everyone;
}

Key number_key(std::int32_t sender, std::int32_t receiver, std::uint32_t number) {
  return {key_of(sender), number, key_of(receiver)};
}

char *text_key(wmem_allocator_t *scope, std::int32_t sender, std::int32_t receiver, const char *text) {
  return wmem_strdup_printf(scope, "%d %d %s", sender, receiver, text);
}

// The newest of definitions by frame. Of a frame, the tree has the last one.
MpName *newest_of(wmem_tree_t *definitions, MpMoment moment) {
  if (definitions == nullptr) return nullptr;
  auto *definition = static_cast<Definition *>(wmem_tree_lookup32_le(definitions, moment.frame));
  while (definition != nullptr && definition->name->defined.is_after(moment)) definition = definition->before;
  return definition == nullptr ? nullptr : definition->name;
}

void add_definition(wmem_tree_t *definitions, MpName *name) {
  const std::uint32_t frame = name->defined.frame;
  Definition *definition = wmem_new(wmem_file_scope(), Definition);
  *definition = {name, static_cast<Definition *>(wmem_tree_lookup32_le(definitions, frame))};
  wmem_tree_insert32(definitions, frame, definition);
}

MpName *find_for(const MpNames &names, std::int32_t sender, std::int32_t receiver, std::uint32_t number,
                 MpMoment moment) {
  const Key key = number_key(sender, receiver, number);
  return newest_of(static_cast<wmem_tree_t *>(look_up(names.by_number, key)), moment);
}

MpName *find_for(const MpNames &names, std::int32_t sender, std::int32_t receiver, const char *text, MpMoment moment) {
  char *key = text_key(nullptr, sender, receiver, text);
  auto *definitions = static_cast<wmem_tree_t *>(wmem_map_lookup(names.by_text, key));
  wmem_free(nullptr, key);
  return newest_of(definitions, moment);
}

void define_for(const MpNames &names, std::int32_t sender, std::int32_t receiver, std::uint32_t number, MpName *name) {
  const Key key = number_key(sender, receiver, number);
  auto *of_number = static_cast<wmem_tree_t *>(look_up(names.by_number, key));
  if (of_number == nullptr) {
    of_number = wmem_tree_new(wmem_file_scope());
    insert(names.by_number, key, of_number);
  }
  add_definition(of_number, name);

  char *text = text_key(wmem_file_scope(), sender, receiver, name->text);
  auto *of_text = static_cast<wmem_tree_t *>(wmem_map_lookup(names.by_text, text));
  if (of_text == nullptr) {
    of_text = wmem_tree_new(wmem_file_scope());
    wmem_map_insert(names.by_text, text, of_text);
  }
  add_definition(of_text, name);
}

// ---- relayed commands

// Shorter ones are too likely to be sent by two clients.
constexpr std::size_t min_relayed = 8;

struct RelayedCommand {
  const std::uint8_t *data;
  std::size_t length;
};

// Who has sent a command to be relayed, and to whom.
struct Relay {
  MpGame *game;
  std::int32_t target;
  bool is_ambiguous;  // several clients have
};

guint hash_command(const void *key) {
  const auto *command = static_cast<const RelayedCommand *>(key);
  return wmem_strong_hash(command->data, command->length);
}

gboolean is_same_command(const void *first, const void *second) {
  const auto *one = static_cast<const RelayedCommand *>(first);
  const auto *other = static_cast<const RelayedCommand *>(second);
  return std::equal(one->data, one->data + one->length, other->data, other->data + other->length) ? TRUE : FALSE;
}

bool is_worth_noting(const MpServer &server, const godot_codec::Bytes &command) {
  return server.strangers > 0 && command.captured == command.reported && command.reported >= min_relayed;
}

// ---- lists of peers

// The only peer of a client's list that is no known client; 0 if there are several, or none.
std::int32_t only_stranger(const MpGame &game) {
  struct Search {
    wmem_tree_t *known;
    std::int32_t id;
    unsigned count;
  };
  Search search{game.server->games, 0, 0};
  wmem_tree_foreach(
      game.others,
      [](const void *key, void * /*game*/, void *user) -> ws_bool {
        auto *found = static_cast<Search *>(user);
        const std::uint32_t id = GPOINTER_TO_UINT(key);
        if (wmem_tree_lookup32(found->known, id) != nullptr) return false;
        found->id = static_cast<std::int32_t>(id);
        return ++found->count > 1;
      },
      &search);
  return search.count == 1 ? search.id : 0;
}

// ---- syncs

// How new a synchronizer's values are.
struct SyncState {
  bool has_time;
  std::uint16_t time;
};

Key key_of(const MpSynchronizer &synchronizer) {
  return {key_of(synchronizer.sender), key_of(listener(synchronizer.receiver)), synchronizer.id};
}

SyncState *state_of(MpGame *game, const MpSynchronizer &synchronizer) {
  const Key key = key_of(synchronizer);
  auto *state = static_cast<SyncState *>(look_up(game->syncs, key));
  if (state != nullptr) return state;
  state = wmem_new0(wmem_file_scope(), SyncState);
  insert(game->syncs, key, state);
  return state;
}

void forget_servers() { servers = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal); }

}  // namespace

MpServer *find_or_create_server(const packet_info *pinfo, bool is_to_server) {
  char *address = address_to_str(nullptr, is_to_server ? &pinfo->dst : &pinfo->src);
  const std::uint32_t port = is_to_server ? pinfo->destport : pinfo->srcport;
  char *key = wmem_strdup_printf(wmem_file_scope(), "%s %u", address, port);
  wmem_free(nullptr, address);
  auto *server = static_cast<MpServer *>(wmem_map_lookup(servers, key));
  if (server != nullptr) return server;
  server = wmem_new0(wmem_file_scope(), MpServer);
  server->relays = wmem_map_new(wmem_file_scope(), hash_command, is_same_command);
  server->games = wmem_tree_new(wmem_file_scope());
  wmem_map_insert(servers, key, server);
  return server;
}

void register_mp_state() { register_init_routine(forget_servers); }

MpGame *new_game(MpServer *server, unsigned client_direction) {
  MpGame *game = wmem_new0(wmem_file_scope(), MpGame);
  game->server = server;
  game->client_direction = client_direction;
  game->paths = new_names();
  game->nodes = new_names();
  game->syncs = wmem_tree_new(wmem_file_scope());
  game->late_syncs = wmem_tree_new(wmem_file_scope());
  game->others = wmem_tree_new(wmem_file_scope());
  game->next = server->newest;
  server->newest = game;
  ++server->strangers;
  return game;
}

void learn_client_id(MpGame *game, std::int32_t id, MpMoment moment) {
  if (game->has_client_id || id <= godot_codec::mp_server) return;
  game->has_client_id = true;
  game->client_id = id;
  game->client_id_since = moment;
  --game->server->strangers;
  wmem_tree_insert32(game->server->games, key_of(id), game);
}

bool is_client_known(const MpGame &game, MpMoment moment) {
  return game.has_client_id && !game.client_id_since.is_after(moment);
}

std::int32_t peer_of(const MpGame &game, std::int32_t id, MpMoment moment) {
  // Everyone but a peer that cannot be: its number has no positive one.
  if (id == mp_client) return godot_codec::mp_everyone;
  return is_client_known(game, moment) && game.client_id == id ? mp_client : id;
}

void note_relay_to_server(MpGame *game, std::int32_t target, godot_codec::Bytes command) {
  if (!is_worth_noting(*game->server, command)) return;
  const RelayedCommand sent{command.data, command.captured};
  auto *relay = static_cast<Relay *>(wmem_map_lookup(game->server->relays, &sent));
  if (relay != nullptr) {
    if (relay->game != game) relay->is_ambiguous = true;
    if (relay->target != target) relay->target = godot_codec::mp_everyone;
    return;
  }
  RelayedCommand *key = wmem_new(wmem_file_scope(), RelayedCommand);
  *key = {static_cast<std::uint8_t *>(wmem_memdup(wmem_file_scope(), sent.data, sent.length)), sent.length};
  relay = wmem_new(wmem_file_scope(), Relay);
  *relay = {game, target, false};
  wmem_map_insert(game->server->relays, key, relay);
}

void note_relay_from_server(MpGame *game, std::int32_t source, godot_codec::Bytes command, MpMoment moment) {
  if (!is_worth_noting(*game->server, command)) return;
  const RelayedCommand sent{command.data, command.captured};
  const auto *relay = static_cast<const Relay *>(wmem_map_lookup(game->server->relays, &sent));
  if (relay == nullptr || relay->is_ambiguous || relay->game == game) return;
  // The same bytes may also come from a client whose connection was not captured.
  const auto *known = static_cast<const MpGame *>(wmem_tree_lookup32(game->server->games, key_of(source)));
  const bool is_another =
      (known != nullptr && known != relay->game) || wmem_tree_lookup32(relay->game->others, key_of(source)) != nullptr;
  if (is_another || (relay->game->has_client_id && relay->game->client_id != source)) return;
  learn_client_id(relay->game, source, moment);
  learn_client_id(game, relay->target, moment);
}

void note_peer(MpGame *game, std::int32_t id) {
  if (id > godot_codec::mp_server) wmem_tree_insert32(game->others, key_of(id), game);
}

void note_all_peers(MpGame *game, MpMoment moment) {
  // A list whose beginning may be missing says nothing about who is not in it.
  const bool is_from_start = game->has_client_id && game->client_id_since.frame == 0;
  if (game->has_all_others || !is_from_start) return;
  game->has_all_others = true;
  MpGame *stranger = nullptr;
  unsigned count = 0;
  for (MpGame *other = game->server->newest; other != nullptr; other = other->next) {
    // The server tells those of the newcomer of whom it tells the newcomer.
    const bool is_told = wmem_tree_lookup32(other->others, key_of(game->client_id)) != nullptr;
    if (other->has_client_id || !is_told) continue;
    stranger = other;
    ++count;
  }
  if (count == 1) learn_client_id(stranger, only_stranger(*game), moment);
}

void define_name(const MpNames &names, std::int32_t sender, std::int32_t receiver, std::uint32_t number,
                 std::string_view text, MpMoment moment) {
  MpName *name = wmem_new(wmem_file_scope(), MpName);
  *name = {printable(wmem_file_scope(), text), moment, nullptr};
  // Said again, to another receiver perhaps: who knew it knows it still.
  const MpName *before = find_for(names, sender, godot_codec::mp_everyone, number, moment);
  const bool is_same = before != nullptr && std::string_view(before->text) == name->text;
  name->confirmations = is_same ? before->confirmations : wmem_tree_new(wmem_file_scope());
  define_for(names, sender, godot_codec::mp_everyone, number, name);
  if (listener(receiver) != godot_codec::mp_everyone) define_for(names, sender, receiver, number, name);
}

MpName *find_name(const MpNames &names, std::int32_t sender, std::int32_t receiver, std::uint32_t number,
                  MpMoment moment) {
  MpName *name = find_for(names, sender, listener(receiver), number, moment);
  return name != nullptr ? name : find_for(names, sender, godot_codec::mp_everyone, number, moment);
}

MpName *find_name_by_text(const MpNames &names, std::int32_t sender, std::int32_t receiver, const char *text,
                          MpMoment moment) {
  MpName *name = find_for(names, sender, listener(receiver), text, moment);
  return name != nullptr ? name : find_for(names, sender, godot_codec::mp_everyone, text, moment);
}

void confirm_name(MpName *name, std::int32_t peer, MpMoment moment) {
  if (wmem_tree_lookup32(name->confirmations, key_of(peer)) != nullptr) return;
  wmem_tree_insert32(name->confirmations, key_of(peer), wmem_memdup(wmem_file_scope(), &moment, sizeof moment));
}

bool is_confirmed(const MpName &name, std::int32_t peer, MpMoment moment) {
  struct Search {
    MpMoment moment;
    bool is_found;
  };
  if (listener(peer) != godot_codec::mp_everyone) {
    const auto *confirmed = static_cast<const MpMoment *>(wmem_tree_lookup32(name.confirmations, key_of(peer)));
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

// MultiplayerSynchronizer::update_inbound_sync_time(): a time is late if it is the last one's or less by no more than
// this; a higher one never is, whatever the wrap.
constexpr int max_lateness = 32766;

void note_sync(MpGame *game, const MpSynchronizer &synchronizer, std::uint16_t time, MpMoment moment,
               std::uint32_t index) {
  SyncState *state = state_of(game, synchronizer);
  if (state->has_time && time <= state->time && state->time - time <= max_lateness) {
    insert(game->late_syncs, {moment.frame, moment.message, index}, game);
    return;
  }
  *state = {true, time};
}

void forget_sync(MpGame *game, const MpSynchronizer &synchronizer) { state_of(game, synchronizer)->has_time = false; }

bool is_late_sync(const MpGame &game, MpMoment moment, std::uint32_t index) {
  return look_up(game.late_syncs, {moment.frame, moment.message, index}) != nullptr;
}

}  // namespace godot_plugin
