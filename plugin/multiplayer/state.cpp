// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/state.h"

namespace godot_plugin {
namespace {

godot_codec::MpSession *session;
wmem_map_t *servers;  // numbers, from 1, by address and port as text

void open_session() {
  session = new godot_codec::MpSession;
  servers = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
}

void close_session() {
  delete session;
  session = nullptr;
}

}  // namespace

unsigned number_of_server(const packet_info *pinfo, bool is_to_server) {
  char *address = address_to_str(nullptr, is_to_server ? &pinfo->dst : &pinfo->src);
  const std::uint32_t port = is_to_server ? pinfo->destport : pinfo->srcport;
  char *key = wmem_strdup_printf(wmem_file_scope(), "%s %u", address, port);
  wmem_free(nullptr, address);
  unsigned number = GPOINTER_TO_UINT(wmem_map_lookup(servers, key));
  if (number == 0) {
    number = wmem_map_size(servers) + 1;
    wmem_map_insert(servers, key, GUINT_TO_POINTER(number));
  }
  return number;
}

unsigned number_of_pair() {
  const unsigned number = wmem_map_size(servers) + 1;
  wmem_map_insert(servers, wmem_strdup_printf(wmem_file_scope(), "pair %u", number), GUINT_TO_POINTER(number));
  return number;
}

godot_codec::MpConnection *new_mp_connection(unsigned server, bool is_from_start) {
  return &session->add_connection(server, is_from_start);
}

void register_mp_state() {
  register_init_routine(open_session);
  register_cleanup_routine(close_session);
}

}  // namespace godot_plugin
