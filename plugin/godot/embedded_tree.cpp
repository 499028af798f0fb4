// SPDX-License-Identifier: GPL-2.0-or-later
#include "godot-codec/embedded/embedded_decoder.h"
#include "plugin/epan/custom_dissectors.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::EmbeddedFormat;
using godot_codec::EmbeddedPayload;
using godot_codec::Range;

constexpr unsigned max_nesting = 4;
constexpr unsigned max_decompressed = 32;  // maximum number of decompressed tabs in the bytes pane, per packet

// Returns a tvb with the decompressed content; null if the content cannot be decompressed.
tvbuff_t *decompress_payload(const VariantTarget &target, const EmbeddedPayload &payload) {
  struct DecompressedSources {
    unsigned count;
  };
  unsigned &sources = packet_data<DecompressedSources>(target.pinfo).count;
  if (sources >= max_decompressed) return nullptr;
  const Bytes bytes = bytes_of(target.tvb).slice(payload.content);
  const std::size_t limit = godot_codec::max_decompressed_size(bytes.captured);
  auto *memory = static_cast<std::uint8_t *>(wmem_alloc(target.pinfo->pool, limit));
  const std::size_t size =
      godot_codec::decompress_embedded(payload.format, {bytes.data, bytes.captured}, {memory, limit});
  if (size == 0) {
    wmem_free(target.pinfo->pool, memory);
    return nullptr;
  }
  ++sources;
  memory = static_cast<std::uint8_t *>(wmem_realloc(target.pinfo->pool, memory, size));
  tvbuff_t *tvb = tvb_new_child_real_data(target.tvb, memory, static_cast<unsigned>(size), static_cast<int>(size));
  add_new_data_source(target.pinfo, tvb, "Decompressed bytes");
  return tvb;
}

void add_variants(const VariantTarget &target, const EmbeddedPayload &payload, proto_tree *tree) {
  const std::size_t end = payload.content.end();
  tvbuff_t *part = subset_of(target.tvb, {0, end});
  std::size_t offset = payload.content.offset;
  for (std::uint32_t i = 0; i < payload.count && offset < end && !is_tree_full(tree); ++i) {
    const char *path =
        payload.count == 1 ? target.root_path : wmem_strdup_printf(target.pinfo->pool, "%s/%u", target.root_path, i);
    const VariantTarget variant_target{
        part, target.pinfo, tree, path, "Value", target.nesting + 1, target.is_decompressed};
    offset = add_variant_items(variant_target, static_cast<int>(offset), {.dialect = payload.dialect},
                               preferred_read_options())
                 .offset;
  }
}

// Calls Wireshark's dissector for the content's format, if there is one.
void call_format_dissector(const VariantTarget &target, const EmbeddedPayload &payload, proto_tree *tree) {
  const bool is_jpeg = payload.format == EmbeddedFormat::jpeg;
  const char *name = is_jpeg ? "image-jfif" : godot_codec::embedded_format_name(payload.format).data();
  dissector_handle_t handle = find_dissector(name);
  if (handle == nullptr) return;
  const FrameRecord::MessageCounting before = set_message_counting(target.pinfo, FrameRecord::MessageCounting::ignored);
  static_cast<void>(call_custom_dissector(target.pinfo, {handle, subset_of(target.tvb, payload.content), tree}));
  set_message_counting(target.pinfo, before);
}

// Adds the bytes from @p start to the content.
void add_prefix_item(const VariantTarget &target, const EmbeddedPayload &payload, std::size_t start, proto_tree *tree) {
  const auto offset = static_cast<int>(start);
  const auto length = static_cast<int>(payload.content.offset - start);
  if (payload.has_length_prefix) {
    proto_tree_add_uint(tree, fields.length, target.tvb, offset, length,
                        static_cast<std::uint32_t>(payload.content.length));
  } else if (length > 0) {
    proto_tree_add_item(tree, fields.embedded_prefix, target.tvb, offset, length, ENC_NA);
  }
}

void add_content_items(const VariantTarget &target, const EmbeddedPayload &payload, proto_tree *tree) {
  if (payload.format == EmbeddedFormat::variant) {
    add_variants(target, payload, tree);
  } else if (payload.format == EmbeddedFormat::text) {
    add_captured_text(tree, registered_field(godot_codec::VariantField::string), target.tvb, payload.content,
                      printable(target.pinfo->pool, bytes_of(target.tvb).slice(payload.content).text()));
  } else {
    call_format_dissector(target, payload, tree);
  }
}

}  // namespace

bool add_embedded_items(const VariantTarget &target, Range range, const godot_codec::EmbeddedOptions &options) {
  const bool is_whole = captured_range(target.tvb, range).length == range.length;
  const bool may_open = decodes_embedded_data() && target.nesting < max_nesting && target.tree != nullptr;
  if (!may_open || !is_whole || is_tree_full(target.tree)) return false;
  const Bytes bytes = bytes_of(target.tvb).slice(range);
  const bool may_decompress = !target.is_decompressed;
  EmbeddedPayload payload = may_decompress ? godot_codec::detect_embedded_or_fastlz(bytes, options)
                                           : godot_codec::detect_embedded(bytes, options);
  payload.content.offset += range.offset;
  const bool is_compressed = godot_codec::is_compressed(payload.format);
  if (payload.format == EmbeddedFormat::nothing || (is_compressed && !may_decompress)) return false;
  tvbuff_t *decompressed_tvb = is_compressed ? decompress_payload(target, payload) : nullptr;
  if (is_compressed && decompressed_tvb == nullptr) return false;
  proto_item *item = add_captured_text(target.tree, fields.embedded, target.tvb, range,
                                       godot_codec::embedded_format_name(payload.format).data());
  proto_item_set_generated(item);
  proto_tree *tree = proto_item_add_subtree(item, subtrees.embedded);
  add_prefix_item(target, payload, range.offset, tree);
  if (decompressed_tvb == nullptr) {
    add_content_items(target, payload, tree);
  } else {
    add_embedded_items({decompressed_tvb, target.pinfo, tree, target.root_path, "", target.nesting + 1, true},
                       {0, tvb_captured_length(decompressed_tvb)}, options);
  }
  return true;
}

}  // namespace godot_plugin
