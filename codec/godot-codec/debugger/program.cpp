// SPDX-License-Identifier: MIT
#include "godot-codec/debugger/program.h"

namespace godot_codec {
namespace {

// True if any packet in a part of a stream could be a message. The part may begin with the last packets of a message.
bool has_message(Bytes part, bool is_boundary, const StreamOptions &options) {
  StreamReader reader(part, is_boundary, options, measure_debug_message);
  for (StreamItem item; reader.next(item);) {
    if (item.kind == StreamItemKind::skipped) continue;
    const std::size_t offset = item.range.offset;
    if (may_be_debug_message(part.slice({offset, part.reported - offset}), options.max_length)) return true;
  }
  return false;
}

}  // namespace

void DebugProgram::update(PacketPosition position, Bytes part, bool is_boundary, const StreamOptions &options) {
  if (is_settled()) return;
  if (has_message(part, is_boundary, options)) {
    kind_ = Kind::debugger;
  } else if (is_boundary) {
    kind_ = Kind::other;
  }
  since_ = position;
}

}  // namespace godot_codec
