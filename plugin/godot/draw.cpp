// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/godot/draw.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cmath>

#include "plugin/godot/fields.h"

namespace godot_plugin {
namespace {

using godot_codec::Bytes;
using godot_codec::Event;
using godot_codec::Field;
using godot_codec::FieldKind;
using godot_codec::Range;
using godot_codec::Role;
using godot_codec::TextBuffer;
using godot_codec::TextStyle;
using godot_codec::Type;
using godot_codec::Verdict;

// Values around one another that are drawn; two or three tree levels each, where gui.max_tree_depth allows 500.
constexpr std::uint32_t max_drawn_nesting = 100;
constexpr std::size_t max_label = 200;  // epan's own limit is 240 bytes
constexpr std::size_t max_text = 512;   // of keys and paths with values: filters compare them
constexpr std::size_t max_path = 1024;

bool is_visible(proto_tree *tree) { return PTREE_DATA(tree)->visible; }

bool is_container(Type type) { return type == Type::array || type == Type::dictionary || type == Type::object; }

class TreeSink final : public godot_codec::VariantSink {
 public:
  TreeSink(const DrawTarget &target, Bytes bytes, const godot_codec::WalkOptions &options)
      : tvb_(target.tvb),
        pinfo_(target.pinfo),
        tree_(target.tree),
        max_elements_(target.max_elements),
        label_(target.label),
        bytes_(bytes),
        options_(options),
        nested_options_(options),
        wants_path_(proto_field_is_referenced(target.tree, fields.path)),
        wants_path_with_value_(proto_field_is_referenced(target.tree, fields.path_with_value)) {
    root_path_length_ = std::min(std::string_view(target.root_path).size(), max_path / 2);
    std::copy_n(target.root_path, root_path_length_, path_.begin());
    nested_options_.compact = false;
  }

  Verdict on_event(const Event &event) override {
    switch (event.kind) {
      case Event::Kind::begin_value:
        return begin_value(event);
      case Event::Kind::end_value:
        end_value(event);
        break;
      case Event::Kind::begin_entry:
        return begin_entry(event);
      case Event::Kind::end_entry:
        end_entry(event);
        break;
      case Event::Kind::field:
        return draw_field(event);
      case Event::Kind::note:
        drawn_notes_.add(event.note);
        expert_add_info(pinfo_, level(event.depth).item, expert_of(event.note));
        break;
    }
    return Verdict::proceed;
  }

  // Notes of values that are not drawn go to the root.
  void add_missing_notes(godot_codec::NoteSet notes) {
    for (std::size_t i = 0; i < godot_codec::note_count; ++i) {
      const auto note = static_cast<godot_codec::Note>(i);
      if (notes.has(note) && !drawn_notes_.has(note)) expert_add_info(pinfo_, levels_[0].item, expert_of(note));
    }
  }

 private:
  // What is open at one depth.
  struct Level {
    proto_item *item;        // the value's
    proto_tree *tree;        // the value's
    proto_item *entry_item;  // of the entry begun last in the value
    proto_tree *entry_tree;
    const char *child_name;   // the key or property read last
    bool has_path;            // no part of a key
    std::size_t path_length;  // of the value's own path
    std::uint32_t count;      // elements
    const char *hidden_why;   // the elements from here on are not shown; null: they are
    std::size_t hidden_offset;
    std::uint32_t hidden_index;
  };

  Level &level(std::uint32_t depth) { return levels_[std::min(depth, max_drawn_nesting)]; }

  // ---- items

  proto_item *add_none(proto_tree *tree, int hf, Range range) {
    return proto_tree_add_item(tree, hf, tvb_, static_cast<int>(range.offset), static_cast<int>(range.length), ENC_NA);
  }

  // Where no item was made (a filter does not ask for it), epan answers the parent: its length is not ours to set.
  static void set_length(proto_item *item, proto_tree *parent, Range range) {
    if (item != parent) proto_item_set_len(item, static_cast<int>(range.length));
  }

  [[nodiscard]] const godot_codec::WalkOptions &options_of(const Event &event) const {
    return event.role == Role::root ? options_ : nested_options_;
  }

  // A label's text, on the stack: epan copies it.
  using Label = std::array<char, max_label>;

  const char *value_label(const Event &event, Label &memory) const {
    TextBuffer buffer(memory);
    godot_codec::append_variant(buffer, bytes_, event.range.offset, options_of(event), TextStyle::script);
    return memory.data();
  }

  // A field's text: epan does not copy it.
  const char *plain_text(const Event &event, std::size_t limit, std::string_view prefix = {}) const {
    auto *memory = static_cast<char *>(wmem_alloc(pinfo_->pool, limit));
    TextBuffer buffer({memory, limit});
    buffer.append(prefix);
    godot_codec::append_variant(buffer, bytes_, event.range.offset, options_of(event), TextStyle::plain);
    return memory;
  }

  // ---- values

  proto_tree *parent_of(const Event &event) {
    if (event.role == Role::root) return tree_;
    Level &outer = level(event.depth - 1);
    const bool is_in_entry = event.role == Role::key || event.role == Role::value;
    return is_in_entry ? outer.entry_tree : outer.tree;
  }

  Verdict begin_value(const Event &event) {
    if (event.role != Role::root && is_hidden(level(event.depth - 1), event.depth, event)) return Verdict::skip;
    proto_tree *parent = parent_of(event);
    Level &own = level(event.depth);
    own = {};
    extend_path(event, own);
    if (event.role == Role::key) {
      const char *key = plain_text(event, max_text);
      level(event.depth - 1).child_name = key;
      own.item = proto_tree_add_string(parent, fields.key, tvb_, static_cast<int>(event.range.offset),
                                       static_cast<int>(event.range.length), key);
    } else {
      own.item = add_none(parent, fields.value, event.range);
      if (is_visible(tree_)) label_value(event, own);
    }
    own.tree = proto_item_add_subtree(own.item, event.role == Role::key ? subtrees.key : subtrees.value);
    draw_type(event, own.tree);
    return Verdict::proceed;
  }

  // Whether the child at hand is one too many, by its depth or by the number of items; then so are those behind it.
  bool is_hidden(Level &outer, std::uint32_t depth, const Event &child) {
    if (outer.hidden_why != nullptr) return true;
    if (depth > max_drawn_nesting) {
      hide(outer, child, "nested too deep to be drawn");
    } else if (is_tree_full(tree_)) {
      hide(outer, child, "the tree is full, see the preference gui.max_tree_items");
    }
    return outer.hidden_why != nullptr;
  }

  static void hide(Level &outer, const Event &child, const char *why) {
    outer.hidden_why = why;
    outer.hidden_offset = child.range.offset;
    outer.hidden_index = child.index;
  }

  void label_value(const Event &event, const Level &own) {
    Label memory;
    const char *value = value_label(event, memory);
    if (event.role == Role::element) {
      proto_item_set_text(own.item, "%u: %s", event.index, value);
    } else if (event.role == Role::property) {
      proto_item_set_text(own.item, "%s: %s", level(event.depth - 1).child_name, value);
    } else {
      proto_item_set_text(own.item, "%s: %s", event.role == Role::root ? label_ : "Value", value);
    }
    if (event.role != Role::value) return;
    const Level &outer = level(event.depth - 1);
    proto_item_set_text(outer.entry_item, "%s: %s", outer.child_name, value);
  }

  void draw_type(const Event &event, proto_tree *tree) {
    const int offset = static_cast<int>(event.range.offset);
    const int length = static_cast<int>(event.range.length);
    // Names of types are literals: terminated.
    proto_item *item = proto_tree_add_string(tree, fields.type, tvb_, offset, length, event.text.data());
    const std::uint32_t known = godot_codec::known_header_flags(event.type, options_.dialect);
    const bool is_typed = event.type == Type::array || event.type == Type::dictionary;
    if (is_typed || (event.header & known) == 0) return;
    proto_tree *flags = proto_item_add_subtree(item, subtrees.type);
    const int hf = event.type == Type::object ? fields.flags_object_id : fields.flags_wide;
    proto_tree_add_boolean(flags, hf, tvb_, offset, length, event.header);
  }

  void end_value(const Event &event) {
    const bool is_drawn = event.role == Role::root || level(event.depth - 1).hidden_why == nullptr;
    if (!is_drawn) return;
    Level &own = level(event.depth);
    set_length(own.item, parent_of(event), event.range);
    if (event.type == Type::node_path && !is_old_node_path_) draw_node_path(event, own.tree);
    is_old_node_path_ = false;
    if (own.hidden_why != nullptr) draw_more(event, own);
    draw_path(event, own);
  }

  // A path's text is made of all its names: it lies on all of them.
  void draw_node_path(const Event &event, proto_tree *tree) {
    constexpr std::size_t header_size = 4;
    const Range range{event.range.offset + header_size, event.range.length - header_size};
    // An escape is at most six times as long as what it stands for.
    const char *path = plain_text(event, 6 * event.range.length + 4);
    proto_tree_add_string(tree, registered(Field::node_path), tvb_, static_cast<int>(range.offset),
                          static_cast<int>(range.length), path);
  }

  void draw_more(const Event &event, const Level &own) {
    proto_item *item = add_none(own.tree, fields.more, {own.hidden_offset, event.range.end() - own.hidden_offset});
    const std::uint32_t hidden = own.count - std::min(own.count, own.hidden_index);
    expert_add_info_format(pinfo_, item, &experts.limit, "%u more not shown: %s", hidden, own.hidden_why);
    if (is_visible(tree_)) proto_item_set_text(item, "%u more not shown: %s", hidden, own.hidden_why);
  }

  // ---- entries

  Verdict begin_entry(const Event &event) {
    Level &own = level(event.depth);
    const bool is_element = event.role == Role::element;
    // The key and value of an entry lie one deeper, the components of a vector do not.
    if (is_hidden(own, is_element ? event.depth : event.depth + 1, event)) return Verdict::skip;
    if (is_element && is_past_max_elements(own, event)) return Verdict::skip;
    components_.clear();
    own.entry_item = add_none(own.tree, is_element ? fields.value : fields.entry, event.range);
    own.entry_tree = proto_item_add_subtree(own.entry_item, subtrees.entry);
    return Verdict::proceed;
  }

  void end_entry(const Event &event) {
    Level &own = level(event.depth);
    set_length(own.entry_item, own.tree, event.range);
    own.entry_tree = nullptr;
    if (event.role != Role::element || !is_visible(tree_)) return;
    Label memory;
    TextBuffer buffer(memory);
    components_.append_to(buffer, options_.dialect, godot_codec::packed_element(event.type), TextStyle::script);
    proto_item_set_text(own.entry_item, "%u: %s", event.index, memory.data());
  }

  bool is_past_max_elements(Level &own, const Event &event) const {
    if (max_elements_ == 0 || event.index < max_elements_) return false;
    hide(own, event, "see the preference godot.max_elements");
    return true;
  }

  // ---- fields

  Verdict draw_field(const Event &event) {
    Level &own = level(event.depth);
    switch (event.field) {
      case Field::count:
      case Field::object_property_count:
        own.count = static_cast<std::uint32_t>(event.integer);
        break;
      case Field::object_property:
        own.child_name = printable(pinfo_->pool, event.text);
        break;
      case Field::node_path:
        is_old_node_path_ = true;  // the new format has no such field on the wire: end_value() makes it
        break;
      default:
        break;
    }
    const bool is_element =
        godot_codec::is_packed(event.type) && event.field != Field::count && own.entry_tree == nullptr;
    if (is_element && (is_hidden(own, event.depth, event) || is_past_max_elements(own, event))) return Verdict::skip;
    components_.add(event);
    proto_item *item = add_field(own.entry_tree != nullptr ? own.entry_tree : own.tree, event);
    if (is_element && is_visible(tree_)) label_element(item, event);
    return Verdict::proceed;
  }

  void label_element(proto_item *item, const Event &event) {
    Label memory;
    TextBuffer buffer(memory);
    if (event.field == Field::integer) {
      buffer.append_integer(event.integer);
    } else if (event.field == Field::real) {
      buffer.append_real(event.real, event.is_single, true);
    } else if (event.field == Field::string) {
      buffer.append("\"");
      buffer.append_escaped(event.text, true);
      buffer.append("\"");
    } else {
      return;
    }
    proto_item_set_text(item, "%u: %s", event.index, memory.data());
  }

  proto_item *add_field(proto_tree *tree, const Event &event) {
    const int hf = registered(event.field);
    const int offset = static_cast<int>(event.range.offset);
    const int length = static_cast<int>(event.range.length);
    switch (godot_codec::field_info(event.field).kind) {
      case FieldKind::boolean:
        return proto_tree_add_boolean(tree, hf, tvb_, offset, length, event.integer != 0);
      case FieldKind::int32:
        return proto_tree_add_int(tree, hf, tvb_, offset, length, static_cast<std::int32_t>(event.integer));
      case FieldKind::int64:
        return proto_tree_add_int64(tree, hf, tvb_, offset, length, event.integer);
      case FieldKind::uint32:
        return proto_tree_add_uint(tree, hf, tvb_, offset, length, static_cast<std::uint32_t>(event.integer));
      case FieldKind::uint64:
        return proto_tree_add_uint64(tree, hf, tvb_, offset, length, static_cast<std::uint64_t>(event.integer));
      case FieldKind::real:
        return add_real(tree, hf, event);
      case FieldKind::text:
        return proto_tree_add_string(tree, hf, tvb_, offset, length, printable(pinfo_->pool, event.text));
      case FieldKind::opaque_bytes:
        return proto_tree_add_item(tree, hf, tvb_, offset, length, ENC_NA);
    }
    return nullptr;
  }

  // epan shows at most 15 digits of a double before 4.6: the label has all.
  proto_item *add_real(proto_tree *tree, int hf, const Event &event) {
    const int offset = static_cast<int>(event.range.offset);
    const int length = static_cast<int>(event.range.length);
    const double value = event.is_single ? godot_codec::shortest_double(static_cast<float>(event.real)) : event.real;
    if (!is_visible(tree)) return proto_tree_add_double(tree, hf, tvb_, offset, length, value);
    std::array<char, 48> memory;
    TextBuffer buffer(memory);
    buffer.append_real(event.real, event.is_single, event.field == Field::real);
    return proto_tree_add_double_format_value(tree, hf, tvb_, offset, length, value, "%s", memory.data());
  }

  // ---- paths

  // Appends "/key" or "/index" to the path of what holds the value.
  void extend_path(const Event &event, Level &own) {
    if (event.role == Role::root) {
      own.has_path = wants_path_ || wants_path_with_value_;
      own.path_length = root_path_length_;
      return;
    }
    const Level &outer = level(event.depth - 1);
    own.has_path = outer.has_path && event.role != Role::key;
    if (!own.has_path) return;
    TextBuffer buffer({path_.data() + outer.path_length, max_path - outer.path_length});
    buffer.append("/");
    if (event.role == Role::element) {
      buffer.append_unsigned(event.index);
    } else {
      append_path_key(buffer, outer.child_name);
    }
    // However long a path gets, there is room for a slash and an ellipsis.
    own.path_length = std::min(outer.path_length + buffer.view().size(), max_path - 8);
  }

  static void append_path_key(TextBuffer &buffer, std::string_view key) {
    while (!key.empty()) {
      const std::size_t special = std::min(key.find_first_of("~/"), key.size());
      buffer.append(key.substr(0, special));
      if (special == key.size()) return;
      buffer.append(key[special] == '~' ? "~0" : "~1");
      key.remove_prefix(special + 1);
    }
  }

  void draw_path(const Event &event, const Level &own) {
    if (own.path_length == 0) return;
    path_[own.path_length] = '\0';
    const int offset = static_cast<int>(event.range.offset);
    const int length = static_cast<int>(event.range.length);
    // An empty container has nothing below it that could tell its path; an object by id has no properties.
    const bool is_leaf = !is_container(event.type) || own.count == 0;
    if (wants_path_) {
      proto_item *item = proto_tree_add_string(own.tree, fields.path, tvb_, offset, length, path_.data());
      proto_item_set_generated(item);
      // Of a leaf, the next line says it again.
      if (is_leaf && item != own.tree) proto_item_set_hidden(item);
    }
    if (wants_path_with_value_ && is_leaf) {
      path_[own.path_length] = ':';
      const char *text = plain_text(event, own.path_length + max_text, {path_.data(), own.path_length + 1});
      proto_item *item = proto_tree_add_string(own.tree, fields.path_with_value, tvb_, offset, length, text);
      proto_item_set_generated(item);
    }
  }

  tvbuff_t *tvb_;
  packet_info *pinfo_;
  proto_tree *tree_;
  std::uint32_t max_elements_;
  const char *label_;
  Bytes bytes_;
  const godot_codec::WalkOptions &options_;
  godot_codec::WalkOptions nested_options_;  // only the root may be compact
  bool wants_path_;
  bool wants_path_with_value_;
  bool is_old_node_path_ = false;
  std::size_t root_path_length_ = 0;
  godot_codec::ComponentText components_;
  godot_codec::NoteSet drawn_notes_;
  std::array<Level, max_drawn_nesting + 1> levels_;  // not initialised: only what is used is touched
  std::array<char, max_path> path_;
};
// epan leaves by longjmp, past every destructor.
static_assert(std::is_trivially_destructible_v<TreeSink>);

const char *describe(godot_codec::Outcome outcome) {
  switch (outcome) {
    case godot_codec::Outcome::truncated:
      return "The capture ends here, the packet does not";
    case godot_codec::Outcome::unsupported:
      return "A type number that this dialect does not have";
    case godot_codec::Outcome::over_limit:
      return "Nested too deep to be read";
    default:
      return "A length or count runs past the end of the packet";
  }
}

}  // namespace

bool is_tree_full(proto_tree *tree) { return PTREE_DATA(tree)->count >= prefs.gui_max_tree_items / 4 * 3; }

Bytes bytes_of(tvbuff_t *tvb) {
  const unsigned captured = tvb_captured_length(tvb);
  const std::uint8_t *data = captured > 0 ? tvb_get_ptr(tvb, 0, static_cast<int>(captured)) : nullptr;
  return {data, captured, tvb_reported_length(tvb)};
}

godot_codec::WalkResult draw_variant(const DrawTarget &target, int offset, const godot_codec::WalkOptions &options) {
  const Bytes bytes = bytes_of(target.tvb);
  TreeSink sink(target, bytes, options);
  const godot_codec::WalkResult result =
      godot_codec::walk_variant(bytes, static_cast<std::size_t>(offset), options, sink);
  sink.add_missing_notes(result.notes);
  if (result.outcome == godot_codec::Outcome::ok) return result;
  const int end = static_cast<int>(result.offset);
  proto_item *item = proto_tree_add_item(target.tree, fields.undecoded, target.tvb, end,
                                         static_cast<int>(bytes.captured) - end, ENC_NA);
  expert_add_info_format(target.pinfo, item, expert_of(result.outcome), "%s (byte %d)", describe(result.outcome), end);
  return result;
}

const char *printable(wmem_allocator_t *pool, std::string_view text) {
  constexpr std::size_t longest_escape = 6;  // \uNNNN
  const std::size_t limit = text.size() * longest_escape + 4;
  auto *memory = static_cast<char *>(wmem_alloc(pool, limit));
  TextBuffer buffer({memory, limit});
  buffer.append_escaped(text, false);
  return memory;
}

}  // namespace godot_plugin
