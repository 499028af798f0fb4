// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/epan/server_indexes.h"

#include <string>
#include <unordered_map>

#include "plugin/epan/capture_state.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

struct ServerNumbers {
  std::unordered_map<std::string, unsigned> numbers;  // by address and port
  unsigned count = 0;                                 // number of servers and pairs so far
};

CaptureState<ServerNumbers> servers;

}  // namespace

unsigned server_index_of(const packet_info *pinfo, bool is_to_server) {
  unsigned &number = servers->numbers[is_to_server ? endpoint_text(pinfo->dst, pinfo->destport)
                                                   : endpoint_text(pinfo->src, pinfo->srcport)];
  if (number == 0) number = new_pair_index();
  return number;
}

unsigned new_pair_index() { return ++servers->count; }

}  // namespace godot_plugin
