// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/multiplayer/state.h"

#include "plugin/epan/endpoints.h"

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

// The number of the server that a packet comes from or goes to.
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

}  // namespace

MpLink *new_mp_link(const packet_info *pinfo, bool is_to_server, bool is_from_start) {
  MpLink *link = wmem_new0(wmem_file_scope(), MpLink);
  link->connection = &session->add_connection(number_of_server(pinfo, is_to_server), is_from_start);
  link->client_direction = is_to_server ? direction_of(pinfo) : 1 - direction_of(pinfo);
  return link;
}

bool is_from_client(const packet_info *pinfo, const MpLink &link) {
  return direction_of(pinfo) == link.client_direction;
}

void register_mp_state() {
  register_init_routine(open_session);
  register_cleanup_routine(close_session);
}

}  // namespace godot_plugin
