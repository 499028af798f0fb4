// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/variants.h"

#include <array>
#include <exception>

#include "godot-codec/variant/kind.h"
#include "plugin/epan/endpoints.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

constexpr std::size_t max_kind = 160;
using Kind = std::array<char, max_kind>;

// No exception leaves this, and nothing of epan's is called in it.
void write_kind(Kind &kind, godot_codec::Bytes bytes, std::size_t offset, const godot_codec::Encoding &encoding,
                const godot_codec::ReadOptions &options) {
  static godot_codec::ValueArena arena;
  godot_codec::TextBuffer text(kind);
  try {
    godot_codec::append_kind(text, bytes, offset, encoding, options, arena);
  } catch (const std::exception &) {
    text.append("(unreadable)");  // out of memory
  }
}

}  // namespace

void count_other(packet_info *pinfo, const char *kind, std::size_t bytes) {
  if (counting_record(pinfo) == nullptr) return;
  count_in(pinfo, &FrameRecord::variants, {kind, nullptr, nullptr, way_text(pinfo)}, static_cast<std::uint32_t>(bytes));
}

void count_variant(packet_info *pinfo, godot_codec::Bytes bytes, std::size_t offset,
                   const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options) {
  if (counting_record(pinfo) == nullptr) return;
  Kind kind;
  write_kind(kind, bytes, offset, encoding, options);
  count_other(pinfo, wmem_strdup(pinfo->pool, kind.data()), bytes.reported - offset);
}

}  // namespace godot_plugin
