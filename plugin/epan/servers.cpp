// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/servers.h"

#include "plugin/epan/guard.h"

namespace godot_plugin {
namespace {

wmem_map_t *servers;  // numbers, by address and port as text
unsigned count;       // number of servers so far

void begin_capture() {
  servers = wmem_map_new(wmem_file_scope(), wmem_str_hash, g_str_equal);
  count = 0;
}

}  // namespace

unsigned number_of_server(const packet_info *pinfo, bool is_to_server) {
  const address &host = is_to_server ? pinfo->dst : pinfo->src;
  const std::uint32_t port = is_to_server ? pinfo->destport : pinfo->srcport;
  const char *key = wmem_strdup_printf(pinfo->pool, "%s %u", address_to_str(pinfo->pool, &host), port);
  const unsigned known = GPOINTER_TO_UINT(wmem_map_lookup(servers, key));
  if (known != 0) return known;
  wmem_map_insert(servers, wmem_strdup(wmem_file_scope(), key), GUINT_TO_POINTER(++count));
  return count;
}

unsigned number_of_pair() { return ++count; }

void register_servers() { register_init_routine(guarded<begin_capture>); }

}  // namespace godot_plugin
