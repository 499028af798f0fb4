// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/variant_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "godot-codec/variant/text_sink.h"
#include "plugin/epan/conversation.h"
#include "plugin/epan/internals.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_data.h"
#include "plugin/epan/packet_info.h"
#include "plugin/epan/tvb.h"
#include "plugin/godot/fields.h"
#include "plugin/godot/packet-godot.h"
#include "plugin/statistics/findings.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Encoding;
using godot_codec::FieldKind;
using godot_codec::NumberSequence;
using godot_codec::PackedArray;
using godot_codec::PackedString;
using godot_codec::Range;
using godot_codec::ReadOptions;
using godot_codec::TextBuffer;
using godot_codec::TextStyle;
using godot_codec::Type;
using godot_codec::ValueHeader;
using godot_codec::ValueRole;
using godot_codec::VariantField;
using godot_codec::VisitAction;

// Maximum size of a printable text. An escape such as \uNNNN is at most six times as long as the escaped bytes.
constexpr std::size_t printable_size(std::size_t size) { return 6 * size + 4; }

// Maximum nesting of values in the tree. Each level has two or three tree levels, and gui.max_tree_depth allows 500.
constexpr std::uint32_t max_shown_nesting = 100;
constexpr std::size_t max_label_size = 200;  // epan's limit is 240 bytes
constexpr std::size_t max_text_size = 512;   // for texts that filters compare: keys, and paths with values
constexpr std::size_t max_path_size = 1024;

bool is_container(Type type) { return type == Type::array || type == Type::dictionary || type == Type::object; }

// Number of the packet that has the conversation's note about padding; 0: no packet yet.
ConversationState<std::uint32_t> padding_reported;

// True if the conversation or the packet already has a note about padding. Some engine versions leave old bytes in all
// padding, so that notes about each value would hide other notes.
bool is_padding_already_reported(packet_info *pinfo) {
  struct PaddingReport {
    bool is_added;
  };
  if (conversation_t *conversation = existing_conversation_of(pinfo); conversation != nullptr) {
    std::uint32_t &noted_in = padding_reported.of(conversation);
    if (noted_in == 0) noted_in = pinfo->num;
    if (noted_in != pinfo->num) return true;
  }
  return std::exchange(packet_data<PaddingReport>(pinfo).is_added, true);
}

class VariantTreeSink final : public godot_codec::VariantSink {
 public:
  VariantTreeSink(const VariantTarget &target, Bytes bytes, const Encoding &encoding, const ReadOptions &options)
      : target_(target),
        bytes_(bytes),
        encoding_(encoding),
        options_(options),
        own_texts_(options),
        texts_(target.texts == nullptr ? own_texts_ : *target.texts) {
    texts_.set_bytes(bytes);
    blank_level_ = {target_.tree, target_.tree, target_.tree, nullptr, nullptr, 0, 0, "", false, 0, 0, nullptr, 0, 0};
    if (is_flat_) blank_level_.entry_item = blank_level_.entry_tree = target_.tree;
    root_path_length_ = std::min(std::string_view(target.root_path).size(), max_path_size / 2);
    std::copy_n(target.root_path, root_path_length_, path_.begin());
  }

  // ---- Values

  VisitAction begin_value(const ValueHeader &value) {
    if (value.role != ValueRole::root &&
        hide_if_over_limit(level(value.depth - 1), value.depth, value.range, value.index)) {
      return VisitAction::skip;
    }
    Level &current = level(value.depth);
    current = blank_level_;
    if (is_flat_) {
      // This value, its type, and the entry that begins with a key.
      skipped_items_ += value.role == ValueRole::key ? 3 : 2;
      return VisitAction::proceed;
    }
    extend_path(value, current);
    plain_text_ = leaf_string_ = {};
    leaf_array_ = {};
    if (value.role == ValueRole::key) {
      begin_key(value, current);
    } else if (value.role == ValueRole::value) {
      begin_entry_value(value, current);
    } else {
      current.item = add_value(value, parent_of(value));
      current.row_item = current.item;
      current.tree = add_subtree(current.item, parent_of(value), subtrees.value);
    }
    add_type(value, current.tree);
    return VisitAction::proceed;
  }

  void end_value(const ValueHeader &value, Range whole) {
    if (is_in_entry(value)) extend_entry(value, whole);
    const bool is_shown = value.role == ValueRole::root || level(value.depth - 1).hidden_reason == nullptr;
    if (!is_shown) return;
    Level &current = level(value.depth);
    if (is_flat_ && current.hidden_reason == nullptr && value.type != Type::node_path) return;
    set_length(current.item, parent_of(value), whole);
    if (value.type == Type::node_path && !is_old_node_path_) add_node_path(value, whole, current.tree);
    is_old_node_path_ = false;
    if (value.role == ValueRole::root && target_.plain_text != nullptr && is_leaf(value, current))
      return_plain_text(value);
    if (current.hidden_reason != nullptr) add_hidden_count(whole, current);
    add_path(value, whole, current);
  }

  // ---- Parts of a value

  void integer(const ValueHeader &value, const godot_codec::IntegerField &field) {
    Level &current = level(value.depth);
    if (field.field == VariantField::string_length && !is_needed(VariantField::string_length)) {
      skip_item(current.tree);
      return;
    }
    const bool is_count = field.field == VariantField::count || field.field == VariantField::object_property_count;
    if (is_count) current.count = static_cast<std::uint32_t>(field.value);
    proto_item *item = add_integer(current.tree, field.field, field.range, field.value);
    // In an entry, the text itself shows its length, so no length item is added.
    const bool is_plain =
        field.field == VariantField::string_length && is_in_entry(value) && value.type != Type::node_path;
    if (is_plain) hide_item(item, current.tree);
  }

  void real(const ValueHeader &value, const godot_codec::RealField &field) {
    add_real(level(value.depth).tree, VariantField::real, field.range, field.value, field.is_float32, true);
  }

  void text(const ValueHeader &value, const godot_codec::TextField &field) {
    Level &current = level(value.depth);
    if (field.field == VariantField::object_property && needs_key_text_)
      current.child_name = printable(target_.pinfo->pool, field.text);
    // Only the old NodePath format has this field on the wire. For the new format, end_value() adds the item.
    if (field.field == VariantField::node_path) is_old_node_path_ = true;
    const bool is_string = field.field == VariantField::string || field.field == VariantField::string_name;
    if (is_string || is_old_node_path_) leaf_string_ = field.text;
    add_text(current.tree, field.field, field.range, field.text);
  }

  void components(const ValueHeader &value, const godot_codec::NumberSequence &numbers) {
    add_components(level(value.depth).tree, value.type, numbers, 0);
  }

  VisitAction packed_array(const ValueHeader &value, const PackedArray &array) {
    leaf_array_ = array;
    Level &current = level(value.depth);
    if (array.element == Type::string) {
      add_strings(current, array);
    } else if (array.numbers_per_element > 1) {
      add_vectors(current, array);
    } else if (array.numbers.kind() == godot_codec::NumberKind::uint8) {
      const Range range = array.numbers.range();
      if (range.length > 0 && !hide_if_tree_is_full(current, range, 0)) add_byte_array(current, range);
    } else {
      add_numbers(current, array);
    }
    return current.hidden_reason != nullptr ? VisitAction::skip : VisitAction::proceed;
  }

  void padding(const ValueHeader &value, const godot_codec::PaddingField &field) {
    add_padding(level(value.depth).tree, field.range);
  }

  void note(const ValueHeader &value, const godot_codec::NotedBytes &oddity) {
    shown_notes_.add(oddity.note);
    if (oddity.note == godot_codec::EncodingNote::padding && is_padding_already_reported(target_.pinfo)) return;
    add_note(level(value.depth).row_item, oddity.note);
  }

  // Adds expert items to the root value, for notes about values without an item.
  void add_missing_notes(godot_codec::EncodingNoteSet notes) {
    for (std::size_t i = 0; i < godot_codec::note_count; ++i) {
      const auto note = static_cast<godot_codec::EncodingNote>(i);
      if (notes.has(note) && !shown_notes_.has(note)) add_note(levels_[0].row_item, note);
    }
  }

 private:
  void add_note(proto_item *item, godot_codec::EncodingNote note) {
    constexpr godot_codec::EncodingNoteSet rejecting{godot_codec::EncodingNote::invalid_utf8,
                                                     godot_codec::EncodingNote::nesting};
    if (target_.is_packet && rejecting.has(note)) {
      add_expert(target_.pinfo, item, expert_item_of(note), "%s, and the receiver rejects the whole packet",
                 note_summary(note));
    } else {
      add_expert(target_.pinfo, item, expert_item_of(note));
    }
  }

  // An open container at one depth.
  struct Level {
    proto_item *item;        // item of the value or the key
    proto_item *row_item;    // the item that shows the value; for an entry's value, the entry's item
    proto_tree *tree;        // tree for the value's contents
    proto_item *entry_item;  // item of the value's last entry
    proto_tree *entry_tree;
    std::size_t entry_offset;
    std::uint32_t entry_index;
    const char *child_name;     // the last key or property
    bool has_path;              // false for parts of a key
    std::size_t path_length;    // length of the path of this value
    std::uint32_t count;        // number of elements, as the packet contains it
    const char *hidden_reason;  // reason why further elements are hidden; null: not hidden
    std::size_t hidden_offset;
    std::uint32_t hidden_index;
  };

  // @param depth depth of a value that is shown
  Level &level(std::uint32_t depth) { return levels_[depth]; }

  // ---- Items

  // True if an item of this field is visible or used in a filter. Otherwise the item is not added, and its parent gets
  // its children.
  [[nodiscard]] bool is_needed(int hf) const { return is_visible_ || proto_field_is_referenced(target_.tree, hf) != 0; }

  [[nodiscard]] bool is_needed(VariantField field) const { return is_needed(registered_field(field)); }

  // Counts an item that is not added. The limit on items then takes effect where it would in a visible tree, so filters
  // match the same items.
  proto_item *skip_item(proto_tree *parent) {
    ++skipped_items_;
    return parent;
  }

  static proto_tree *add_subtree(proto_item *item, proto_tree *parent, int ett) {
    return item == parent ? parent : proto_item_add_subtree(item, ett);
  }

  proto_item *add_range_if_needed(proto_tree *tree, int hf, Range range) {
    return is_needed(hf) ? add_range(tree, hf, range) : skip_item(tree);
  }

  // Most items cover only captured bytes. add_captured() handles the others.
  proto_item *add_range(proto_tree *tree, int hf, Range range) {
    if (range.end() > bytes_.captured) return add_captured(tree, hf, target_.tvb, range);
    return proto_tree_add_item(tree, hf, target_.tvb, static_cast<int>(range.offset), static_cast<int>(range.length),
                               ENC_NA);
  }

  // If no item was added, `item` is the parent, and the parent's length must not change.
  static void set_length(proto_item *item, proto_tree *parent, Range range) {
    if (item != parent) proto_item_set_len(item, static_cast<int>(range.length));
  }

  // Only the root value may have the compact encoding.
  [[nodiscard]] Encoding encoding_of(const ValueHeader &value) const {
    return {.dialect = encoding_.dialect, .is_compact = encoding_.is_compact && value.role == ValueRole::root};
  }

  // Memory for a label, on the stack, because epan copies labels.
  using Label = std::array<char, max_label_size>;

  // Returns a value's plain text in the packet's memory pool.
  const char *plain_text(const ValueHeader &value, std::size_t limit) const {
    auto *memory = static_cast<char *>(wmem_alloc(target_.pinfo->pool, limit));
    TextBuffer buffer({memory, limit});
    godot_codec::append_variant(buffer, bytes_, value.range.offset, encoding_of(value), options_, TextStyle::plain);
    return memory;
  }

  [[nodiscard]] bool can_decode(const ValueHeader &value) const {
    const auto result = godot_codec::check_variant(bytes_, value.range.offset, encoding_of(value), options_);
    return result.outcome == godot_codec::Outcome::ok;
  }

  proto_tree *parent_of(const ValueHeader &value) {
    if (value.role == ValueRole::root) return target_.tree;
    Level &outer = level(value.depth - 1);
    return is_in_entry(value) ? outer.entry_tree : outer.tree;
  }

  static bool is_in_entry(const ValueHeader &value) {
    return value.role == ValueRole::key || value.role == ValueRole::value;
  }

  static void hide_item(proto_item *item, proto_tree *parent) {
    if (item != parent) proto_item_set_hidden(item);
  }

  // Begins an entry, which the key and the value form, and the key.
  void begin_key(const ValueHeader &value, Level &current) {
    Level &outer = level(value.depth - 1);
    outer.entry_item = add_range_if_needed(outer.tree, fields.entry, value.range);
    outer.entry_tree = add_subtree(outer.entry_item, outer.tree, subtrees.entry);
    outer.entry_offset = value.range.offset;
    outer.entry_index = value.index;
    outer.child_name = key_text(value);
    current.item = needs_key_ ? add_string(outer.entry_tree, fields.key, value.range, outer.child_name)
                              : skip_item(outer.entry_tree);
    current.row_item = current.item;
    current.tree = add_subtree(current.item, outer.entry_tree, subtrees.key);
  }

  // Extends the entry to the end of its key or value, even if the value is hidden. Does nothing if the entry is hidden.
  void extend_entry(const ValueHeader &value, Range whole) {
    const Level &outer = level(value.depth - 1);
    if (outer.entry_index != value.index) return;
    set_length(outer.entry_item, outer.tree, {outer.entry_offset, whole.end() - outer.entry_offset});
  }

  // Begins an entry's value. The entry's row shows the value's text, and the entry's subtree contains the value's
  // contents.
  void begin_entry_value(const ValueHeader &value, Level &current) {
    const Level &outer = level(value.depth - 1);
    current.item = add_value(value, outer.entry_tree);
    hide_item(current.item, outer.entry_tree);
    current.row_item = outer.entry_item;
    current.tree = outer.entry_tree;
  }

  proto_item *add_value(const ValueHeader &value, proto_tree *parent) {
    if (!needs_value_) return skip_item(parent);
    const std::string_view text = texts_.script_text(value.range.offset, encoding_of(value));
    if (is_same_in_plain_style(value.type, text)) plain_text_ = text;
    // The text of a container is overwritten by the texts of its children.
    if (value.role == ValueRole::root && target_.plain_text != nullptr && is_container(value.type) &&
        !plain_text_.empty()) {
      *target_.plain_text = wmem_strndup(target_.pinfo->pool, text.data(), text.size());
    }
    proto_item *item = add_string(parent, fields.value, value.range, text.data());
    if (is_visible_) label_value(value, item, text.data());
    return item;
  }

  // Reads a key's text from the bytes, because the key's item is added before the walk reaches the text.
  const char *key_text(const ValueHeader &value) {
    if (!needs_key_text_) return "";
    const bool is_text = value.type == Type::string || value.type == Type::string_name;
    godot_codec::Cursor cursor(bytes_, value.range.end());
    const auto length = cursor.read<std::uint32_t>();
    const std::uint8_t *start = nullptr;
    constexpr std::uint32_t alignment = 4;
    if (!is_text || !cursor.take(length, start) || cursor.remaining() < -length % alignment) {
      return plain_text(value, max_text_size);
    }
    const std::size_t capacity = std::min(max_text_size, printable_size(length));
    auto *memory = static_cast<char *>(wmem_alloc(target_.pinfo->pool, capacity));
    TextBuffer buffer({memory, capacity});
    buffer.append_escaped({reinterpret_cast<const char *>(start), length}, false);
    return memory;
  }

  // ---- Plain texts

  // True if @p text, the value as GDScript writes it, was not shortened and is also the value's plain text.
  static bool is_same_in_plain_style(Type type, std::string_view text) {
    constexpr std::size_t cut_reserve = 8;
    const bool is_same =
        type != Type::string && type != Type::string_name && type != Type::node_path && type != Type::object;
    return is_same && !text.empty() && text.size() + cut_reserve <= godot_codec::ScriptTextCache::max_text_size;
  }

  // True if the value has no children. A container with hidden children is not a leaf.
  static bool is_leaf(const ValueHeader &value, const Level &current) {
    return !is_container(value.type) || current.count == 0;
  }

  // Appends the plain text of the leaf that the walk has read last.
  void append_leaf_text(TextBuffer &buffer, const ValueHeader &leaf) const {
    if (leaf_string_.data() != nullptr) return buffer.append_escaped(leaf_string_, false);
    if (!plain_text_.empty()) return buffer.append(plain_text_);
    if (leaf_array_.size() > 0) return append_array_text(buffer, leaf);
    godot_codec::append_variant(buffer, bytes_, leaf.range.offset, encoding_of(leaf), options_, TextStyle::plain);
  }

  // Appends the text of a packed array that is longer than a script text.
  void append_array_text(TextBuffer &buffer, const ValueHeader &array) const {
    godot_codec::TextSink elements(buffer, encoding_.dialect, TextStyle::script, VisitAction::stop, bytes_, options_);
    buffer.append(array.name);
    buffer.append("([");
    elements.packed_array(array, leaf_array_);
    buffer.append("])");
  }

  // Returns the text of the root to the caller, unless it was shortened.
  void return_plain_text(const ValueHeader &root) {
    std::array<char, max_text_size> memory;
    TextBuffer text(memory);
    append_leaf_text(text, root);
    if (!text.is_full()) *target_.plain_text = wmem_strdup(target_.pinfo->pool, memory.data());
  }

  // True if the next child exceeds a limit: the depth, or the tree's number of items. All later children are then
  // hidden, too.
  bool hide_if_over_limit(Level &outer, std::uint32_t depth, Range range, std::uint32_t index) {
    if (outer.hidden_reason == nullptr && depth > max_shown_nesting)
      hide_elements_from(outer, range, index, "nested too deep to be drawn");
    return hide_if_tree_is_full(outer, range, index);
  }
  bool hide_if_tree_is_full(Level &outer, Range range, std::uint32_t index) {
    if (outer.hidden_reason == nullptr && is_tree_full(target_.tree, skipped_items_))
      hide_elements_from(outer, range, index, "the tree is full, see the preference gui.max_tree_items");
    return outer.hidden_reason != nullptr;
  }

  // Like hide_if_tree_is_full(), for an element of a packed array. Also applies the limit on elements.
  bool hide_element_if_over_limit(Level &current, Range range, std::uint32_t index) {
    if (hide_if_tree_is_full(current, range, index)) return true;
    const std::uint32_t max_elements = preferred_max_elements();
    if (max_elements == 0 || index < max_elements) return false;
    hide_elements_from(current, range, index, "see the preference godot.max_elements");
    return true;
  }

  static void hide_elements_from(Level &outer, Range range, std::uint32_t index, const char *why) {
    outer.hidden_reason = why;
    outer.hidden_offset = range.offset;
    outer.hidden_index = index;
  }

  void label_value(const ValueHeader &value, proto_item *item, const char *text) {
    if (value.role == ValueRole::root) {
      set_label(item, {target_.label, ": ", text});
    } else if (value.role == ValueRole::element) {
      set_label(item, {NumberLabel(value.index).view(), ": ", text});
    } else {
      const Level &outer = level(value.depth - 1);
      proto_item *row = value.role == ValueRole::property ? item : outer.entry_item;
      set_label(row, {outer.child_name, ": ", text});
    }
  }

  void add_type(const ValueHeader &value, proto_tree *tree) {
    constexpr std::uint32_t type_mask = 0xff;
    // Names of types are null-terminated literals.
    proto_item *item = needs_type_ ? add_string(tree, fields.type, value.range, value.name.data()) : skip_item(tree);
    if (value.role == ValueRole::key) hide_item(item, tree);
    if ((value.header & ~type_mask) == 0) return;
    const std::uint32_t known = godot_codec::known_header_flags(value.type, encoding_.dialect);
    const bool is_typed = value.type == Type::array || value.type == Type::dictionary;
    if (is_typed || (value.header & known) == 0) return;
    const int hf = value.type == Type::object ? fields.flags_object_id : fields.flags_wide;
    if (!is_needed(hf)) return;
    proto_tree *flags = add_subtree(item, tree, subtrees.type);
    proto_tree_add_boolean(flags, hf, target_.tvb, static_cast<int>(value.range.offset),
                           static_cast<int>(value.range.length), value.header);
  }

  // Adds the text of a NodePath as one item, which covers the bytes of all names.
  void add_node_path(const ValueHeader &value, Range whole, proto_tree *tree) {
    constexpr std::size_t header_size = 4;
    const Range range{whole.offset + header_size, whole.length - header_size};
    if (!is_needed(VariantField::node_path)) return;
    const char *path = plain_text(value, printable_size(whole.length));
    add_string(tree, registered_field(VariantField::node_path), range, path);
    plain_text_ = path;
  }

  void add_hidden_count(Range whole, const Level &current) {
    proto_item *item =
        add_range_if_needed(current.tree, fields.more, {current.hidden_offset, whole.end() - current.hidden_offset});
    const std::uint32_t hidden = current.count - std::min(current.count, current.hidden_index);
    add_expert(target_.pinfo, item, &experts.limit, "%u more not shown: %s", hidden, current.hidden_reason);
    set_label(item, {NumberLabel(hidden).view(), " more not shown: ", current.hidden_reason});
  }

  // ---- Elements of packed arrays

  void add_numbers(Level &current, const PackedArray &array) {
    const NumberSequence &numbers = array.numbers;
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
      if (hide_element_if_over_limit(current, numbers.range(i), i)) return;
      const VariantField field = numbers.is_real() ? VariantField::real : VariantField::integer;
      proto_item *item = add_number(current.tree, field, numbers, i, true);
      if (!is_visible_) continue;
      Label memory;
      TextBuffer buffer(memory);
      godot_codec::append_number(buffer, numbers, i, true);
      set_label(item, {NumberLabel(i).view(), ": ", buffer.view()});
    }
  }

  void add_vectors(Level &current, const PackedArray &array) {
    for (std::uint32_t i = 0; std::size_t{i} * array.numbers_per_element < array.numbers.size(); ++i) {
      const Range range = array.range(i);
      if (hide_element_if_over_limit(current, range, i)) return;
      const std::size_t first = std::size_t{i} * array.numbers_per_element;
      Label memory;
      TextBuffer text(memory);
      if (needs_value_) {
        godot_codec::append_components(text, encoding_.dialect, array.element, array.numbers, first, TextStyle::script);
      }
      proto_item *item =
          needs_value_ ? add_string(current.tree, fields.value, range, memory.data()) : skip_item(current.tree);
      set_label(item, {NumberLabel(i).view(), ": ", text.view()});
      add_components(add_subtree(item, current.tree, subtrees.entry), array.element, array.numbers, first);
    }
  }

  void add_strings(Level &current, const PackedArray &array) {
    for (const PackedString &element : array.strings) {
      if (!add_string_element(current, element)) return;
    }
    if (array.has_truncated_string()) add_string_element(current, array.truncated_string);
  }

  // @returns false if the element is hidden
  bool add_string_element(Level &current, const PackedString &element) {
    if (hide_element_if_over_limit(current, element.length, element.index)) return false;
    add_integer(current.tree, VariantField::string_length, element.length, element.size);
    if (element.has_text())
      label_string(add_text(current.tree, VariantField::string, element.range, element.text), element);
    if (element.padding.length > 0) add_padding(current.tree, element.padding);
    return true;
  }

  void label_string(proto_item *item, const PackedString &element) {
    if (!is_visible_) return;
    Label memory;
    TextBuffer buffer(memory);
    buffer.append_quoted(element.text);
    set_label(item, {NumberLabel(element.index).view(), ": ", buffer.view()});
  }

  // ---- Fields

  // Adds one value's components, except components that were not captured. @param first index of the value's first
  // number
  void add_components(proto_tree *tree, Type type, const NumberSequence &numbers, std::size_t first) {
    const std::size_t count =
        std::min<std::size_t>(godot_codec::shape_of(type).component_count, numbers.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      add_number(tree, godot_codec::component_field(type, i), numbers, first + i, false);
    }
  }

  proto_item *add_number(proto_tree *tree, VariantField field, const NumberSequence &numbers, std::size_t index,
                         bool as_float) {
    const Range range = numbers.range(index);
    if (!numbers.is_real()) return add_integer(tree, field, range, numbers.integer(index));
    return add_real(tree, field, range, numbers.real(index), numbers.is_float32(), as_float);
  }

  proto_item *add_integer(proto_tree *tree, VariantField field, Range range, std::int64_t value) {
    if (!is_needed(field)) return skip_item(tree);
    return godot_plugin::add_integer(tree, registered_field(field), target_.tvb, range,
                                     godot_codec::field_info(field).kind, value);
  }

  // @param text may be temporary, because epan copies it
  proto_item *add_string(proto_tree *tree, int hf, Range range, const char *text) {
    if (range.end() > bytes_.captured) return add_captured_text(tree, hf, target_.tvb, range, text);
    return proto_tree_add_string(tree, hf, target_.tvb, static_cast<int>(range.offset), static_cast<int>(range.length),
                                 text);
  }

  proto_item *add_text(proto_tree *tree, VariantField field, Range range, std::string_view text) {
    if (!is_needed(field)) return skip_item(tree);
    const int hf = registered_field(field);
    constexpr std::size_t max_inline_text = 128;
    if (text.size() > max_inline_text) return add_string(tree, hf, range, printable(target_.pinfo->pool, text));
    std::array<char, printable_size(max_inline_text)> memory;
    TextBuffer buffer(memory);
    buffer.append_escaped(text, false);
    return add_string(tree, hf, range, memory.data());
  }

  void add_byte_array(const Level &current, Range range) {
    add_bytes(current.tree, VariantField::bytes, range);
    const bool has_path = current.has_path && current.path_length > 0;
    const char *path =
        has_path ? wmem_strndup(target_.pinfo->pool, path_.data(), current.path_length) : static_cast<const char *>("");
    add_embedded_items({target_.tvb, target_.pinfo, current.tree, path, "", target_.nesting, target_.is_decompressed},
                       range, {options_, encoding_.dialect});
  }

  proto_item *add_bytes(proto_tree *tree, VariantField field, Range range) {
    return is_needed(field) ? add_range(tree, registered_field(field), range) : skip_item(tree);
  }

  // Adds padding. Hides the item if all bytes are zero, the normal case.
  void add_padding(proto_tree *tree, Range range) {
    if (!is_needed(VariantField::padding)) {
      skip_item(tree);
      return;
    }
    proto_item *item = add_bytes(tree, VariantField::padding, range);
    const std::uint8_t *start = bytes_.data + range.offset;
    if (std::all_of(start, start + range.length, [](std::uint8_t byte) { return byte == 0; })) hide_item(item, tree);
  }

  // Before Wireshark 4.6, epan shows at most 15 digits of a double. The label shows all digits.
  proto_item *add_real(proto_tree *tree, VariantField field, Range range, double value, bool is_single, bool as_float) {
    if (!is_needed(field)) return skip_item(tree);
    const int hf = registered_field(field);
    const int offset = static_cast<int>(range.offset);
    const int length = static_cast<int>(range.length);
    const double shown = is_single ? godot_codec::shortest_double(static_cast<float>(value)) : value;
    if (!is_visible_) return proto_tree_add_double(tree, hf, target_.tvb, offset, length, shown);
    std::array<char, 48> memory;
    TextBuffer buffer(memory);
    buffer.append_real(value, is_single, as_float);
    return proto_tree_add_double_format_value(tree, hf, target_.tvb, offset, length, shown, "%s", memory.data());
  }

  // ---- Paths

  // Appends "/key" or "/index" to the path of the enclosing value.
  void extend_path(const ValueHeader &value, Level &current) {
    if (value.role == ValueRole::root) {
      current.has_path = needs_path_ || needs_path_with_value_;
      current.path_length = root_path_length_;
      return;
    }
    const Level &outer = level(value.depth - 1);
    current.has_path = outer.has_path && value.role != ValueRole::key;
    if (!current.has_path) return;
    TextBuffer buffer({path_.data() + outer.path_length, max_path_size - outer.path_length});
    buffer.append("/");
    if (value.role == ValueRole::element) {
      buffer.append_unsigned(value.index);
    } else {
      append_path_key(buffer, outer.child_name);
    }
    // Leave space for a slash and an ellipsis at the end.
    current.path_length = std::min(outer.path_length + buffer.view().size(), max_path_size - 8);
  }

  static void append_path_key(TextBuffer &buffer, std::string_view key) {
    while (!key.empty()) {
      const auto is_special = [](char c) { return c == '~' || c == '/'; };
      const auto special = static_cast<std::size_t>(std::ranges::find_if(key, is_special) - key.begin());
      buffer.append(key.substr(0, special));
      if (special == key.size()) return;
      buffer.append(key[special] == '~' ? "~0" : "~1");
      key.remove_prefix(special + 1);
    }
  }

  void add_path(const ValueHeader &value, Range whole, const Level &current) {
    if (current.path_length == 0) return;
    path_[current.path_length] = '\0';
    // An empty container is a leaf, because it has no child that shows the path. The same holds for an Object that was
    // sent by ID.
    const bool is_shown_by_leaf = is_leaf(value, current);
    if (needs_path_) {
      proto_item *item = add_string(current.tree, fields.path, whole, path_.data());
      proto_item_set_generated(item);
      // Hide the path item of a leaf, because the leaf's own row already shows the path.
      if (is_shown_by_leaf && item != current.tree) proto_item_set_hidden(item);
    }
    if (!needs_path_with_value_ || !is_shown_by_leaf) return;
    std::array<char, max_path_size + max_text_size> memory;
    TextBuffer text({memory.data(), current.path_length + max_text_size});
    text.append(path_.data());
    text.append(":");
    const std::size_t empty_size = text.view().size();
    append_leaf_text(text, value);
    // A value that is truncated at its start has no text, and neither has an empty String.
    if (text.view().size() == empty_size && !can_decode(value)) return;
    proto_item_set_generated(add_string(current.tree, fields.path_with_value, whole, memory.data()));
  }

  const VariantTarget &target_;
  Bytes bytes_;
  Encoding encoding_;
  const ReadOptions &options_;
  godot_codec::ScriptTextCache own_texts_;
  godot_codec::ScriptTextCache &texts_;
  std::uint32_t skipped_items_ = 0;  // number of items that were not added
  const bool is_visible_ = is_visible(target_.tree);
  const bool needs_value_ = is_needed(fields.value);
  const bool needs_type_ = is_needed(fields.type);
  const bool needs_path_ = is_needed(fields.path);
  const bool needs_path_with_value_ = is_needed(fields.path_with_value);
  const bool needs_key_ = is_needed(fields.key);
  const bool needs_key_text_ = needs_key_ || needs_path_ || needs_path_with_value_;
  // True if no item for a value, key or entry is needed, so that all fields are added to the same tree.
  const bool is_flat_ = !is_visible_ && !needs_value_ && !needs_type_ && !is_needed(fields.entry) && !needs_key_text_ &&
                        target_.plain_text == nullptr && !is_needed(fields.flags_object_id) &&
                        !is_needed(fields.flags_wide);
  bool is_old_node_path_ = false;
  std::size_t root_path_length_ = 0;
  godot_codec::EncodingNoteSet shown_notes_;
  Level blank_level_;
  std::array<Level, max_shown_nesting + 1>
      levels_;  // not initialised, to save time: begin_value() writes each level before use
  std::array<char, max_path_size> path_;
  // Texts of the value that began last, for its plain text if it is a leaf.
  std::string_view plain_text_;   // empty if not known
  std::string_view leaf_string_;  // the text of a String, StringName or old NodePath; null: none
  PackedArray leaf_array_;
};
// longjmp of epan skips destructors, so this class must not need a destructor.
static_assert(std::is_trivially_destructible_v<VariantTreeSink>);

const char *describe_outcome(godot_codec::Outcome outcome, godot_codec::Dialect dialect, packet_info *pinfo) {
  const char *cut = is_outside_icmp_error(pinfo)
                        ? "The capture contains only the beginning of the packet"
                        : "The quote in the ICMP error ends here, before the end of the packet";
  const char *unknown = wmem_strdup_printf(pinfo->pool, "A value has a type number that %s does not have",
                                           godot_codec::dialect_table(dialect).name.data());
  const godot_codec::OutcomeTable<const char *> texts = {"", cut, "A Variant is longer than the rest of the packet",
                                                         unknown, "The values are nested too deep to be decoded"};
  return texts.of(outcome);
}

}  // namespace

proto_item *add_integer(proto_tree *tree, int hf, tvbuff_t *tvb, Range range, FieldKind kind, std::int64_t value) {
  const int offset = static_cast<int>(range.offset);
  const int length = static_cast<int>(range.length);
  switch (kind) {
    case FieldKind::boolean:
      return proto_tree_add_boolean(tree, hf, tvb, offset, length, value != 0);
    case FieldKind::int32:
      return proto_tree_add_int(tree, hf, tvb, offset, length, static_cast<std::int32_t>(value));
    case FieldKind::uint8:
    case FieldKind::uint16:
    case FieldKind::uint32:
      return proto_tree_add_uint(tree, hf, tvb, offset, length, static_cast<std::uint32_t>(value));
    case FieldKind::uint64:
      return proto_tree_add_uint64(tree, hf, tvb, offset, length, static_cast<std::uint64_t>(value));
    default:
      return proto_tree_add_int64(tree, hf, tvb, offset, length, value);
  }
}

godot_codec::WalkResult add_variant_items(const VariantTarget &target, int offset, const Encoding &encoding,
                                          const ReadOptions &options) {
  const Bytes bytes = bytes_of(target.tvb);
  VariantTreeSink sink(target, bytes, encoding, options);
  const godot_codec::WalkResult result =
      godot_codec::walk_variant(bytes, static_cast<std::size_t>(offset), encoding, options, sink);
  sink.add_missing_notes(result.notes);
  if (result.outcome == godot_codec::Outcome::ok) return result;
  proto_item *item = add_captured(target.tree, fields.undecoded, target.tvb, range_from(target.tvb, result.offset));
  add_expert(target.pinfo, item, expert_item_of(result.outcome), "%s (byte %zu)",
             describe_outcome(result.outcome, encoding.dialect, target.pinfo), result.offset);
  return result;
}

const char *printable(wmem_allocator_t *pool, std::string_view text) {
  const std::size_t limit = printable_size(text.size());
  auto *memory = static_cast<char *>(wmem_alloc(pool, limit));
  TextBuffer buffer({memory, limit});
  buffer.append_escaped(text, false);
  return memory;
}

}  // namespace godot_plugin
