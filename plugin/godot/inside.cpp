// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/inside.h"

#include "godot-codec/embedded/opener.h"
#include "plugin/epan/captured.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/of_packet.h"
#include "plugin/epan/own_bytes.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/draw.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/preferences.h"
#include "plugin/statistics/frame.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Inside;
using godot_codec::InsideKind;
using godot_codec::InsideOptions;
using godot_codec::Range;

constexpr unsigned max_nesting = 4;
constexpr unsigned max_sources = 32;  // per packet: tabs with decompressed bytes

InsideOptions options_for(const InsideDrawing &drawing) {
  return {preferred_read_options(), drawing.has_dialect, drawing.dialect, drawing.are_variants};
}

// Returns a tvb with the decompressed content; null if it cannot be decompressed.
tvbuff_t *decompressed(const InsideDrawing &drawing, const Inside &inside) {
  static const int proto = proto_get_id_by_filter_name("godot");
  auto &sources = of_packet<unsigned>(drawing.pinfo, proto, PacketDataKey::opened);
  if (sources >= max_sources) return nullptr;
  const Bytes bytes = bytes_of(drawing.tvb).slice(drawing.range).slice(inside.content);
  const std::size_t limit = godot_codec::inside_limit(bytes.captured);
  auto *memory = static_cast<std::uint8_t *>(wmem_alloc(drawing.pinfo->pool, limit));
  const std::size_t size = godot_codec::decompress_inside(inside.kind, {bytes.data, bytes.captured}, {memory, limit});
  if (size == 0) {
    wmem_free(drawing.pinfo->pool, memory);
    return nullptr;
  }
  ++sources;
  memory = static_cast<std::uint8_t *>(wmem_realloc(drawing.pinfo->pool, memory, size));
  tvbuff_t *tvb = tvb_new_child_real_data(drawing.tvb, memory, static_cast<unsigned>(size), static_cast<int>(size));
  add_new_data_source(drawing.pinfo, tvb, "Decompressed bytes");
  return tvb;
}

void draw_variants(const InsideDrawing &drawing, const Inside &inside, proto_tree *tree) {
  const std::size_t end = drawing.range.offset + inside.content.end();
  tvbuff_t *part = subset_of(drawing.tvb, {0, end});
  std::size_t offset = drawing.range.offset + inside.content.offset;
  for (std::uint32_t i = 0; i < inside.count && offset < end && !is_tree_full(tree); ++i) {
    const char *path =
        inside.count == 1 ? drawing.path : wmem_strdup_printf(drawing.pinfo->pool, "%s/%u", drawing.path, i);
    const DrawTarget target{
        part, drawing.pinfo, tree, preferred_max_elements(), path, "Value", drawing.nesting + 1, drawing.is_unpacked};
    offset =
        draw_variant(target, static_cast<int>(offset), {.dialect = inside.dialect}, preferred_read_options()).offset;
  }
}

// Calls Wireshark's dissector for the content's format, if there is one.
void call_dissector_of(const InsideDrawing &drawing, const Inside &inside, proto_tree *tree) {
  const char *name = inside.kind == InsideKind::json   ? "json"
                     : inside.kind == InsideKind::png  ? "png"
                     : inside.kind == InsideKind::jpeg ? "image-jfif"
                     : inside.kind == InsideKind::webp ? "webp"
                                                       : "ogg";
  dissector_handle_t handle = find_dissector(name);
  if (handle == nullptr) return;
  const Range range{drawing.range.offset + inside.content.offset, inside.content.length};
  const FrameRecord::Messages before = count_messages_as(drawing.pinfo, FrameRecord::Messages::ignored);
  static_cast<void>(call_own_dissector(drawing.pinfo, {handle, subset_of(drawing.tvb, range), tree}));
  count_messages_as(drawing.pinfo, before);
}

void draw_front(const InsideDrawing &drawing, const Inside &inside, proto_tree *tree) {
  const auto offset = static_cast<int>(drawing.range.offset);
  const auto length = static_cast<int>(inside.content.offset);
  if (inside.has_length) {
    proto_tree_add_uint(tree, fields.length, drawing.tvb, offset, length,
                        static_cast<std::uint32_t>(inside.content.length));
  } else if (length > 0) {
    proto_tree_add_item(tree, fields.inside_prefix, drawing.tvb, offset, length, ENC_NA);
  }
}

void draw_content(const InsideDrawing &drawing, const Inside &inside, proto_tree *tree, tvbuff_t *unpacked) {
  draw_front(drawing, inside, tree);
  if (unpacked != nullptr) {
    const Range all{0, tvb_captured_length(unpacked)};
    draw_inside({unpacked, drawing.pinfo, tree, all, drawing.path, drawing.nesting + 1, true, drawing.has_dialect,
                 drawing.dialect});
  } else if (inside.kind == InsideKind::variant) {
    draw_variants(drawing, inside, tree);
  } else if (inside.kind == InsideKind::text) {
    const Bytes text = bytes_of(drawing.tvb).slice(drawing.range).slice(inside.content);
    add_captured_text(tree, registered(godot_codec::Field::string), drawing.tvb,
                      {drawing.range.offset + inside.content.offset, inside.content.length},
                      printable(drawing.pinfo->pool, {reinterpret_cast<const char *>(text.data), text.captured}));
  } else {
    call_dissector_of(drawing, inside, tree);
  }
}

}  // namespace

bool draw_inside(const InsideDrawing &drawing) {
  const bool is_whole = captured_part(drawing.tvb, drawing.range).length == drawing.range.length;
  const bool may_open = are_bytes_opened() && drawing.nesting < max_nesting && drawing.tree != nullptr;
  if (!may_open || !is_whole || is_tree_full(drawing.tree)) return false;
  const Bytes bytes = bytes_of(drawing.tvb).slice(drawing.range);
  const InsideOptions options = options_for(drawing);
  const bool may_unpack = !drawing.is_unpacked;
  const Inside inside =
      may_unpack ? godot_codec::look_inside_packed(bytes, options) : godot_codec::look_inside(bytes, options);
  const bool is_packed = godot_codec::is_compressed(inside.kind);
  if (inside.kind == InsideKind::nothing || (is_packed && !may_unpack)) return false;
  tvbuff_t *unpacked = is_packed ? decompressed(drawing, inside) : nullptr;
  if (is_packed && unpacked == nullptr) return false;
  proto_item *item = add_captured_text(drawing.tree, fields.embedded, drawing.tvb, drawing.range,
                                       godot_codec::inside_name(inside.kind).data());
  proto_item_set_generated(item);
  draw_content(drawing, inside, proto_item_add_subtree(item, subtrees.embedded), unpacked);
  return true;
}

}  // namespace godot_plugin
