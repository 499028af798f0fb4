// SPDX-License-Identifier: MIT
#include "godot-codec/layout/layout.h"

#include <algorithm>
#include <map>

#include "godot-codec/layout/source.h"

namespace godot_codec {
namespace {

LayoutKind kind_of(LayoutType type) {
  switch (type) {
    case LayoutType::unsigned_number:
    case LayoutType::varint:
    case LayoutType::bits:
      return LayoutKind::unsigned_number;
    case LayoutType::signed_number:
      return LayoutKind::signed_number;
    case LayoutType::half:
    case LayoutType::single:
    case LayoutType::real:
      return LayoutKind::real;
    case LayoutType::text:
    case LayoutType::text_of_length:
    case LayoutType::text_until_zero:
      return LayoutKind::text;
    case LayoutType::data:
      return LayoutKind::opaque_bytes;
    case LayoutType::variant:
      return LayoutKind::variant;
    case LayoutType::group:
      break;
  }
  return LayoutKind::group;
}

const char *describe(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::boolean:
      return "a flag";
    case LayoutKind::unsigned_number:
      return "a number that is never negative";
    case LayoutKind::signed_number:
      return "a number that may be negative";
    case LayoutKind::real:
      return "a float";
    case LayoutKind::text:
      return "a text";
    case LayoutKind::opaque_bytes:
      return "data";
    case LayoutKind::variant:
      return "a Variant";
    case LayoutKind::group:
      break;
  }
  return "a part with fields";
}

}  // namespace

/// Builds the layouts from a description. Resolves the names of fields, of parts, and of the values that counts and
/// conditions refer to.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(const layout::Source &source) : source_(source) {}

  Layouts build() {
    built_.errors_ = source_.errors;
    for (const layout::SourceBlock &block : source_.blocks) {
      if (block.part.empty()) continue;
      if (!parts_.emplace(block.part, &block).second)
        report(block.layout.line, "A part with this name is already defined above");
    }
    for (const layout::SourceBlock &block : source_.blocks) {
      if (block.part.empty()) build_layout(block);
    }
    std::ranges::stable_sort(built_.errors_, {}, &LayoutError::line);
    return std::move(built_);
  }

 private:
  // A field with a number that later fields can refer to.
  struct NumberField {
    std::string name;
    std::uint16_t slot;
    const std::vector<LayoutName> *names;
  };

  bool report(std::uint32_t line, std::string text) {
    built_.errors_.push_back({line, std::move(text)});
    return false;
  }

  void build_layout(const layout::SourceBlock &block) {
    slots_ = 0;
    number_fields_.clear();
    open_parts_.clear();
    Layout layout = block.layout;
    layout.is_incomplete = block.is_incomplete;
    if (!build_all(block.fields, "", layout.fields, 0)) layout.is_incomplete = true;
    if (layout.fields.empty()) return;
    built_.layouts_.push_back(std::move(layout));
  }

  bool build_all(const std::vector<layout::SourceField> &fields, const std::string &outer,
                 std::vector<LayoutNode> &nodes, std::size_t nesting) {
    const std::size_t known_outside = number_fields_.size();
    bool is_valid = true;
    for (const layout::SourceField &field : fields) {
      LayoutNode node;
      is_valid = build_node(field, outer, node, nesting);
      if (is_valid || !node.fields.empty()) nodes.push_back(std::move(node));
      if (!is_valid) break;
    }
    number_fields_.erase(number_fields_.begin() + static_cast<std::ptrdiff_t>(known_outside), number_fields_.end());
    return is_valid;
  }

  bool build_node(const layout::SourceField &field, const std::string &outer, LayoutNode &node, std::size_t nesting) {
    if (!has_capacity(field)) return false;
    if (nesting > Layouts::max_nesting) return report(field.line, "Parts are nested too deeply");
    node.name = field.name;
    node.type = field.type;
    node.size = field.size;
    node.is_big_endian = field.is_big_endian;
    node.is_flags = field.is_flags;
    node.is_repeated = field.count.has_value();
    node.constant = field.constant;
    node.constant_text = field.constant_text;
    if (field.count && !find_count(field, *field.count, node.count)) return false;
    if (field.length && !find_count(field, *field.length, node.length.emplace())) return false;
    if (field.condition && !find_condition(field, node)) return false;
    const std::string path = outer.empty() ? field.name : outer + "." + field.name;
    if (!find_field(field, path, node)) return false;
    if (!add_flags(field, path, node)) return false;
    if (!assign_slot(field, node)) return false;
    if (!field.part.empty()) return build_part(field, path, node, nesting);
    return build_all(field.fields, path, node.fields, nesting + 1);
  }

  // Checks the limits. If the whole file exceeds a limit, reports this only once.
  bool has_capacity(const layout::SourceField &field) {
    const std::size_t names = field.names.size();
    if (field.is_flags && names > Layouts::max_flags) return report(field.line, "Too many flags for one field");
    if (names > Layouts::max_names) return report(field.line, "Too many names for one field");
    if (is_full_) return false;
    nodes_ += field.is_flags ? 1 + names : 1;
    names_ += names;
    is_full_ = nodes_ > Layouts::max_nodes || names_ > Layouts::max_all_names;
    return !is_full_ || report(field.line, nodes_ > Layouts::max_nodes ? "Too many fields for one file"
                                                                       : "Too many names for one file");
  }

  bool build_part(const layout::SourceField &field, const std::string &path, LayoutNode &node, std::size_t nesting) {
    const auto part = parts_.find(field.part);
    if (part == parts_.end()) {
      return report(field.line, "\"" + field.part +
                                    "\" is neither a part nor a type: u8 to u64, 8 to 64, varint, bits, half, float, "
                                    "double, string, utf8_string, cstring, data, var");
    }
    if (std::ranges::find(open_parts_, field.part) != open_parts_.end()) {
      return report(field.line, "The part " + field.part + " would contain itself");
    }
    open_parts_.push_back(field.part);
    const bool is_valid =
        build_all(part->second->fields, path, node.fields, nesting + 1) && !part->second->is_incomplete;
    open_parts_.pop_back();
    return is_valid;
  }

  const NumberField *find_number_field(const std::string &name) const {
    const auto found = std::find_if(number_fields_.rbegin(), number_fields_.rend(),
                                    [&](const NumberField &known) { return known.name == name; });
    return found == number_fields_.rend() ? nullptr : &*found;
  }

  bool find_count(const layout::SourceField &field, const layout::SourceCount &from, LayoutCount &count) {
    count.source = from.source;
    count.number = from.number;
    if (from.source != LayoutCount::Source::slot) return true;
    const NumberField *known = find_number_field(from.name);
    if (known == nullptr) return report_unknown_name(field, from.name);
    count.slot = known->slot;
    return true;
  }

  bool report_unknown_name(const layout::SourceField &field, const std::string &name) {
    return report(field.line, "No number named " + name + " precedes this field");
  }

  bool find_condition(const layout::SourceField &field, LayoutNode &node) {
    const layout::SourceCondition &from = *field.condition;
    const NumberField *known = find_number_field(from.name);
    if (known == nullptr) return report_unknown_name(field, from.name);
    LayoutCondition condition{known->slot, from.comparison, 0};
    if (from.number) {
      condition.number = *from.number;
    } else {
      const auto named = std::find_if(known->names->begin(), known->names->end(),
                                      [&](const LayoutName &name) { return name.name == from.number_name; });
      if (named == known->names->end()) {
        return report(field.line, from.name + " has no value named " + from.number_name);
      }
      condition.number = named->number;
    }
    node.condition = condition;
    return true;
  }

  // Finds or adds the display filter field of a path. Fields with the same path share it, so their kinds and value
  // names must agree.
  bool find_field(const layout::SourceField &field, const std::string &path, LayoutNode &node) {
    const bool is_group = field.type == LayoutType::group;
    const std::vector<LayoutName> none;
    const auto index =
        add_field(field, path, is_group ? LayoutKind::group : kind_of(field.type), field.is_flags ? none : field.names);
    if (index) node.field = *index;
    return index.has_value();
  }

  std::optional<std::uint32_t> add_field(const layout::SourceField &from, const std::string &path, LayoutKind kind,
                                         const std::vector<LayoutName> &names) {
    constexpr std::size_t longest = 200;
    if (path.size() > longest) {
      report(from.line, "The name is too long, including the names of the enclosing parts");
      return std::nullopt;
    }
    const auto [entry, is_new] = by_path_.emplace(path, static_cast<std::uint32_t>(built_.fields_.size()));
    if (is_new) built_.fields_.push_back({path, kind, {}});
    LayoutField &field = built_.fields_[entry->second];
    if (field.kind != kind) {
      report(from.line, path + " is " + describe(field.kind) + " elsewhere, and " + describe(kind) +
                            " here: give one of them another name");
      return std::nullopt;
    }
    if (field.names.size() + names.size() > Layouts::max_names) {
      report(from.line, "Too many names for one field");
      return std::nullopt;
    }
    for (const LayoutName &name : names) {
      const auto known =
          std::ranges::find_if(field.names, [&](const LayoutName &other) { return other.number == name.number; });
      if (known == field.names.end()) {
        field.names.push_back(name);
      } else if (known->name != name.name) {
        report(from.line, path + " has the number " + std::to_string(name.number) + " for " + known->name +
                              " elsewhere, and for " + name.name + " here: give one of the fields another name");
        return std::nullopt;
      }
    }
    return entry->second;
  }

  bool add_flags(const layout::SourceField &field, const std::string &path, LayoutNode &node) {
    if (!field.is_flags) return true;
    for (const LayoutName &flag : field.names) {
      const auto index = add_field(field, path + "." + flag.name, LayoutKind::boolean, {});
      if (!index) return false;
      node.flags.emplace_back(static_cast<std::uint64_t>(flag.number), *index);
    }
    return true;
  }

  // Assigns a slot to a field with a number. In a repeated field, the slot has the value of the last element.
  bool assign_slot(const layout::SourceField &field, LayoutNode &node) {
    const LayoutKind kind = kind_of(field.type);
    if (kind != LayoutKind::unsigned_number && kind != LayoutKind::signed_number) return true;
    if (slots_ >= Layouts::max_slots) return report(field.line, "Too many numbers for one format");
    node.slot = static_cast<std::uint16_t>(slots_++);
    number_fields_.push_back({field.name, *node.slot, &field.names});
    return true;
  }

  const layout::Source &source_;
  Layouts built_;
  std::map<std::string, const layout::SourceBlock *, std::less<>> parts_;
  std::map<std::string, std::uint32_t, std::less<>> by_path_;
  std::vector<std::string> open_parts_;
  std::vector<NumberField> number_fields_;
  std::size_t slots_ = 0;
  std::size_t nodes_ = 0;
  std::size_t names_ = 0;
  bool is_full_ = false;
};

Layouts Layouts::read(std::string_view text) {
  if (text.size() > max_file_size) {
    Layouts none;
    none.errors_.push_back({0, "The file is too large"});
    return none;
  }
  const layout::Source source = layout::parse(text);
  return LayoutBuilder(source).build();
}

bool Layouts::applies_to(const Layout &layout, std::string_view node, std::string_view method, std::uint32_t argument,
                         std::span<const LayoutArgument> arguments) {
  if (layout.method.empty() || layout.method != method) return false;
  if (!layout.node.empty() && layout.node != node) {
    const bool is_end = node.size() > layout.node.size() && node.ends_with(layout.node) &&
                        node[node.size() - layout.node.size() - 1] == '/';
    if (!is_end) return false;
  }
  if (layout.argument && *layout.argument != argument) return false;
  return std::ranges::all_of(layout.conditions, [&](const LayoutArgumentCondition &condition) {
    if (condition.index >= arguments.size()) return false;
    const LayoutArgument &value = arguments[condition.index];
    return condition.number ? value.number == condition.number : value.text && *value.text == condition.text;
  });
}

bool Layouts::has_method(std::string_view method) const {
  return std::ranges::any_of(layouts_,
                             [&](const Layout &layout) { return !layout.method.empty() && layout.method == method; });
}

bool Layouts::has_port(std::uint16_t port) const {
  return std::ranges::any_of(layouts_,
                             [&](const Layout &layout) { return layout.method.empty() && layout.port == port; });
}

}  // namespace godot_codec
