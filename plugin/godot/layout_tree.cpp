// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/taps.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/game_layouts.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/godot/variant_tree.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {
namespace {

using godot_codec::Layout;
using godot_codec::LayoutData;
using godot_codec::LayoutFieldKind;
using godot_codec::LayoutFile;
using godot_codec::LayoutNode;
using godot_codec::LayoutValue;
using godot_codec::LayoutWalkResult;
using godot_codec::Outcome;
using godot_codec::Range;
using godot_codec::TextBuffer;

constexpr std::size_t max_label_size = 200;
constexpr std::size_t max_path_size = 256;

Subtree ett_game;
Subtree ett_group;

class LayoutTree final : public godot_codec::LayoutSink {
 public:
  LayoutTree(const LayoutTarget &target, const LayoutData &data, proto_tree *tree) : target_(target), data_(data) {
    levels_[0] = {tree, tree};
  }

  void begin_list(const LayoutNode &node) override {
    if (node.type == godot_codec::LayoutFieldType::group) return;
    add_to_label({node.name, ": ["});
    levels_[depth_].separator = "";
  }
  void end_list(const LayoutNode &node) override {
    if (node.type == godot_codec::LayoutFieldType::group) return;
    levels_[depth_].separator = "";
    add_to_label({"]"});
  }

  void begin_group(const LayoutValue &group) override {
    Level &current = levels_[depth_ + 1];
    current = {};
    current.item = is_full() ? nullptr : add_captured(tree(), hf_of(group), target_.tvb, group.range());
    current.tree = current.item == nullptr ? nullptr : proto_item_add_subtree(current.item, ett_group);
    TextBuffer text(current.label);
    append_name(text, group);
    text.append(": {");
    current.label_size = text.view().size();
    ++depth_;
  }

  void end_group(const LayoutValue &group) override {
    const Level &current = levels_[depth_--];
    if (current.item == nullptr) return;
    proto_item_set_len(current.item, static_cast<int>(captured_range(target_.tvb, group.range()).length));
    set_label(current.item, {current.label.data(), "}"});
  }

  void value(const LayoutValue &value) override {
    if (is_full()) return;
    std::array<char, max_label_size> memory;
    TextBuffer text(memory);
    append_layout_value(text, value, data_);
    if (value.node->count) {
      add_to_label({text.view()});
    } else {
      add_to_label({value.node->name, ": ", text.view()});
    }
    proto_item *item = add_value(value, memory.data());
    if (value.node->count || value.node->type == godot_codec::LayoutFieldType::variant) {
      std::array<char, max_path_size> name_memory;
      TextBuffer name(name_memory);
      append_name(name, value);
      set_label(item, {name.view(), ": ", text.view()});
    }
    add_flags(value, item);
  }

  void trailing_bytes(Range range) override {
    if (is_full()) return;
    proto_item *item = add_captured(tree(), godot_plugin::fields.undecoded, target_.tvb, range);
    add_expert(target_.pinfo, item, &experts.layout_trailing);
  }

 private:
  struct Level {
    proto_item *item = nullptr;
    proto_tree *tree = nullptr;
    std::array<char, max_label_size> label{};  // text of the group's row so far: "players[0]: {slot: 1, name: "me""
    std::size_t label_size = 0;
    std::string_view separator = {};  // text before the next value in the label
  };

  [[nodiscard]] proto_tree *tree() const { return levels_[depth_].tree; }
  [[nodiscard]] bool is_full() {
    if (!is_limit_reported_ && is_tree_full(levels_[0].tree)) {
      is_limit_reported_ = true;
      add_expert(target_.pinfo, levels_[0].item, &experts.limit);
    }
    return is_limit_reported_;
  }
  static int hf_of(const LayoutValue &value) { return registered_layout_field(value.node->field); }

  static void append_name(TextBuffer &text, const LayoutValue &value) {
    text.append(value.node->name);
    if (!value.node->count) return;
    text.append("[");
    text.append_unsigned(value.index);
    text.append("]");
  }

  // Adds a value, or a part of a list, to the label of the enclosing group, because a group's row lists its values.
  void add_to_label(std::initializer_list<std::string_view> parts) {
    constexpr std::size_t longest = max_label_size - 8;  // leaves space for an ellipsis at the end
    Level &current = levels_[depth_];
    if (depth_ == 0 || current.label_size >= longest) return;
    TextBuffer label({current.label.data() + current.label_size, max_label_size - current.label_size});
    label.append(current.separator);
    for (const std::string_view part : parts) label.append(part);
    current.separator = ", ";
    current.label_size = std::min(current.label_size + label.view().size(), longest);
  }

  proto_item *add_value(const LayoutValue &value, const char *text) {
    const int hf = hf_of(value);
    const Range range = value.range();
    const auto offset = static_cast<int>(range.offset);
    const auto length = static_cast<int>(range.length);
    switch (data_.file.fields()[value.node->field].kind) {
      case LayoutFieldKind::unsigned_number:
        return proto_tree_add_uint64(tree(), hf, target_.tvb, offset, length, value.integer);
      case LayoutFieldKind::signed_number:
        return proto_tree_add_int64(tree(), hf, target_.tvb, offset, length, static_cast<std::int64_t>(value.integer));
      case LayoutFieldKind::real:
        return proto_tree_add_double_format_value(tree(), hf, target_.tvb, offset, length, rounded_real(value), "%s",
                                                  text);
      case LayoutFieldKind::text:
        return add_captured_text(tree(), hf, target_.tvb, range, printable(target_.pinfo->pool, value.text));
      case LayoutFieldKind::opaque_bytes:
        return add_captured(tree(), hf, target_.tvb, value.content);
      case LayoutFieldKind::variant:
        return add_variant(value);
      case LayoutFieldKind::group:
      case LayoutFieldKind::boolean:
        break;
    }
    return nullptr;
  }

  // Returns the number as shown in the text: 0.1 instead of 0.100000001490116.
  static double rounded_real(const LayoutValue &value) {
    return value.node->size != sizeof(double) ? godot_codec::shortest_double(static_cast<float>(value.real))
                                              : value.real;
  }

  // Adds a Variant. The path of its values begins with the field's path, for example "/players/2/data".
  proto_item *add_variant(const LayoutValue &value) {
    proto_item *item = add_captured(tree(), hf_of(value), target_.tvb, value.range());
    std::array<char, max_path_size> memory;
    TextBuffer path(memory);
    path.append("/");
    path.append(value.node->name);
    if (value.node->count) {
      path.append("/");
      path.append_unsigned(value.index);
    }
    tvbuff_t *part = subset_of(target_.tvb, {0, value.content.end()});
    const VariantTarget target{part, target_.pinfo, proto_item_add_subtree(item, ett_group), memory.data()};
    add_variant_items(target, static_cast<int>(value.content.offset), data_.encoding, data_.options);
    return item;
  }

  void add_flags(const LayoutValue &value, proto_item *item) {
    if (value.node->flags.empty()) return;
    proto_tree *flags = proto_item_add_subtree(item, ett_group);
    const Range range = value.range();
    for (const auto &[mask, field] : value.node->flags) {
      proto_tree_add_boolean(flags, registered_layout_field(field), target_.tvb, static_cast<int>(range.offset),
                             static_cast<int>(range.length), (value.integer & mask) != 0 ? 1 : 0);
    }
  }

  const LayoutTarget &target_;
  const LayoutData &data_;
  std::array<Level, LayoutFile::max_nesting + 3> levels_;
  std::size_t depth_ = 0;
  bool is_limit_reported_ = false;
};
// longjmp of epan skips destructors, so this class must not need a destructor.
static_assert(std::is_trivially_destructible_v<LayoutTree>);

// Adds the bytes after the layout's last field. Adds an expert item if the payload does not match the layout.
void add_mismatch_items(const LayoutTarget &target, proto_tree *tree, proto_item *item, const Layout &layout,
                        const LayoutWalkResult &result) {
  const Range rest = range_from(target.tvb, result.offset);
  if (rest.length > 0) {
    proto_item *undecoded = add_captured(tree, fields.undecoded, target.tvb, rest);
    if (undecoded != nullptr) item = undecoded;
  }
  if (result.outcome == Outcome::truncated || result.outcome == Outcome::over_limit) {
    add_expert(target.pinfo, item, expert_item_of(result.outcome));
  } else if (result.outcome != Outcome::ok) {
    add_expert(target.pinfo, item, &experts.layout_mismatch,
               "A payload does not match the custom format in line %u: the field %s is incomplete (byte %zu)",
               layout.line, result.failed_node->name.c_str(), result.offset);
  } else if (rest.length > 0 && !layout.is_incomplete) {
    add_expert(target.pinfo, item, &experts.layout_trailing);
  }
}

}  // namespace

void add_layout_items(const LayoutTarget &target, const Layout &layout) {
  const LayoutFile *layouts = game_layouts();
  if (layouts == nullptr || !needs_expert_items(target.pinfo, target.root)) return;
  proto_item *item = proto_tree_add_item(target.root, proto_game, target.tvb, 0, -1, ENC_NA);
  proto_tree *tree = proto_item_add_subtree(item, ett_game);
  if (target.what != nullptr) set_protocol_label(item, proto_game, target.what);
  const LayoutData data{*layouts, bytes_of(target.tvb), target.encoding, preferred_read_options()};
  LayoutTree sink(target, data, tree);
  const LayoutWalkResult result = godot_codec::walk_layout(layout, data, &sink);
  add_mismatch_items(target, tree, item, layout, result);
}

}  // namespace godot_plugin
