// SPDX-License-Identifier: MIT
#include "godot-codec/layout/layout.h"

#include <algorithm>
#include <array>
#include <map>

#include "godot-codec/layout/parser.h"

namespace godot_codec {
namespace {

// By LayoutFieldKind.
constexpr std::array<const char *, 8> kind_descriptions = {"a part with fields",
                                                           "a flag",
                                                           "a number that is never negative",
                                                           "a number that may be negative",
                                                           "a float",
                                                           "a text",
                                                           "data",
                                                           "a Variant"};

const char *describe_kind(LayoutFieldKind kind) { return kind_descriptions[static_cast<std::size_t>(kind)]; }

}  // namespace

/// Builds the layouts from a description. Resolves the names of fields, of parts, and of the values that counts and
/// conditions refer to.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(const layout::SyntaxTree &source) : source_(source) {}

  LayoutFile build() {
    result_.errors_ = source_.errors;
    for (const layout::SyntaxBlock &block : source_.blocks) {
      if (block.part.empty()) continue;
      if (!parts_.emplace(block.part, &block).second)
        report_error(block.layout.line, "A part with this name is already defined above");
    }
    for (const layout::SyntaxBlock &block : source_.blocks) {
      if (block.part.empty()) build_layout(block);
    }
    std::ranges::stable_sort(result_.errors_, {}, &LayoutError::line);
    return std::move(result_);
  }

 private:
  // A field with a number that later fields can refer to.
  struct NumberField {
    std::string name;
    std::uint16_t slot;
    const std::vector<LayoutValueName> *value_names;
  };

  bool report_error(std::uint32_t line, std::string text) {
    result_.errors_.push_back({line, std::move(text)});
    return false;
  }

  void build_layout(const layout::SyntaxBlock &block) {
    slot_count_ = 0;
    number_fields_.clear();
    open_parts_.clear();
    Layout layout = block.layout;
    if (!build_fields(block.fields, "", layout.fields, 0)) layout.is_incomplete = true;
    if (layout.fields.empty()) return;
    result_.layouts_.push_back(std::move(layout));
  }

  bool build_fields(const std::vector<layout::SyntaxField> &fields, const std::string &outer,
                    std::vector<LayoutNode> &nodes, std::size_t nesting) {
    const std::size_t known_outside = number_fields_.size();
    bool is_valid = true;
    for (const layout::SyntaxField &field : fields) {
      LayoutNode node;
      is_valid = build_node(field, outer, node, nesting);
      if (is_valid || !node.fields.empty()) nodes.push_back(std::move(node));
      if (!is_valid) break;
    }
    number_fields_.erase(number_fields_.begin() + static_cast<std::ptrdiff_t>(known_outside), number_fields_.end());
    return is_valid;
  }

  bool build_node(const layout::SyntaxField &field, const std::string &outer, LayoutNode &node, std::size_t nesting) {
    if (!check_limits(field)) return false;
    if (nesting > LayoutFile::max_nesting) return report_error(field.line, "Parts are nested too deeply");
    node = field.node;
    if (node.count && !resolve_count(field, field.count_name, *node.count)) return false;
    if (node.length && !resolve_count(field, field.length_name, *node.length)) return false;
    if (node.condition && !resolve_condition(field, *node.condition)) return false;
    const std::string path = outer.empty() ? node.name : outer + "." + node.name;
    // The names of flags are fields, not values.
    const std::span<const LayoutValueName> values = node.is_flags ? std::span<const LayoutValueName>() : field.names;
    if (!find_or_add_field(field.line, path, field.kind, values, node.field)) return false;
    if (!add_flag_fields(field, path, node)) return false;
    if (!assign_slot(field, node)) return false;
    if (!field.part.empty()) return build_part(field, path, node, nesting);
    return build_fields(field.fields, path, node.fields, nesting + 1);
  }

  // Checks the limits. If the whole file exceeds a limit, reports this only once.
  bool check_limits(const layout::SyntaxField &field) {
    const std::size_t names = field.names.size();
    if (field.node.is_flags && names > LayoutFile::max_flags)
      return report_error(field.line, "Too many flags for one field");
    if (names > LayoutFile::max_names) return report_error(field.line, "Too many names for one field");
    if (is_over_limit_) return false;
    node_count_ += field.node.is_flags ? 1 + names : 1;
    name_count_ += names;
    is_over_limit_ = node_count_ > LayoutFile::max_nodes || name_count_ > LayoutFile::max_all_names;
    return !is_over_limit_ ||
           report_error(field.line, node_count_ > LayoutFile::max_nodes ? "Too many fields for one file"
                                                                        : "Too many names for one file");
  }

  bool build_part(const layout::SyntaxField &field, const std::string &path, LayoutNode &node, std::size_t nesting) {
    const auto part = parts_.find(field.part);
    if (part == parts_.end()) {
      return report_error(field.line,
                          "\"" + field.part +
                              "\" is neither a part nor a type: u8 to u64, 8 to 64, varint, bits, half, float, "
                              "double, string, utf8_string, cstring, data, var");
    }
    if (std::ranges::find(open_parts_, field.part) != open_parts_.end()) {
      return report_error(field.line, "The part " + field.part + " would contain itself");
    }
    open_parts_.push_back(field.part);
    const bool is_valid =
        build_fields(part->second->fields, path, node.fields, nesting + 1) && !part->second->layout.is_incomplete;
    open_parts_.pop_back();
    return is_valid;
  }

  // Finds the last field with a name among the preceding fields with numbers.
  // @returns null, after reporting an error, if there is none
  const NumberField *find_number_field(const layout::SyntaxField &field, const std::string &name) {
    const auto found = std::find_if(number_fields_.rbegin(), number_fields_.rend(),
                                    [&](const NumberField &known) { return known.name == name; });
    if (found != number_fields_.rend()) return &*found;
    report_error(field.line, "No number named " + name + " precedes this field");
    return nullptr;
  }

  bool resolve_count(const layout::SyntaxField &field, const std::string &name, LayoutCount &count) {
    if (name.empty()) return true;
    const NumberField *known = find_number_field(field, name);
    if (known != nullptr) count.slot = known->slot;
    return known != nullptr;
  }

  bool resolve_condition(const layout::SyntaxField &field, LayoutCondition &condition) {
    const NumberField *known = find_number_field(field, field.condition_name);
    if (known == nullptr) return false;
    condition.slot = known->slot;
    if (field.condition_value.empty()) return true;
    const auto named = std::ranges::find(*known->value_names, field.condition_value, &LayoutValueName::name);
    if (named == known->value_names->end())
      return report_error(field.line, field.condition_name + " has no value named " + field.condition_value);
    condition.number = named->number;
    return true;
  }

  // Finds or adds the display filter field of a path. Fields with the same path share it, so their kinds and value
  // names must agree.
  bool find_or_add_field(std::uint32_t line, const std::string &path, LayoutFieldKind kind,
                         std::span<const LayoutValueName> names, std::uint32_t &index) {
    constexpr std::size_t longest = 200;
    if (path.size() > longest)
      return report_error(line, "The name is too long, including the names of the enclosing parts");
    const auto [entry, is_new] = field_indexes_.emplace(path, static_cast<std::uint32_t>(result_.fields_.size()));
    if (is_new) result_.fields_.push_back({path, kind, {}});
    index = entry->second;
    LayoutField &field = result_.fields_[index];
    if (field.kind != kind) {
      return report_error(line, path + " is " + describe_kind(field.kind) + " elsewhere, and " + describe_kind(kind) +
                                    " here: give one of them another name");
    }
    if (field.names.size() + names.size() > LayoutFile::max_names)
      return report_error(line, "Too many names for one field");
    for (const LayoutValueName &name : names) {
      const auto known = std::ranges::find(field.names, name.number, &LayoutValueName::number);
      if (known == field.names.end()) {
        field.names.push_back(name);
      } else if (known->name != name.name) {
        return report_error(line, path + " has the number " + std::to_string(name.number) + " for " + known->name +
                                      " elsewhere, and for " + name.name +
                                      " here: give one of the fields another name");
      }
    }
    return true;
  }

  bool add_flag_fields(const layout::SyntaxField &field, const std::string &path, LayoutNode &node) {
    return !node.is_flags || std::ranges::all_of(field.names, [&](const LayoutValueName &flag) {
      auto &[mask, index] = node.flags.emplace_back(static_cast<std::uint64_t>(flag.number), 0);
      return find_or_add_field(field.line, path + "." + flag.name, LayoutFieldKind::boolean, {}, index);
    });
  }

  // Assigns a slot to a field with a number. In a repeated field, the slot has the value of the last element.
  bool assign_slot(const layout::SyntaxField &field, LayoutNode &node) {
    if (!field.is_number()) return true;
    if (slot_count_ >= LayoutFile::max_slots) return report_error(field.line, "Too many numbers for one format");
    node.slot = static_cast<std::uint16_t>(slot_count_++);
    number_fields_.push_back({node.name, *node.slot, &field.names});
    return true;
  }

  const layout::SyntaxTree &source_;
  LayoutFile result_;
  std::map<std::string, const layout::SyntaxBlock *, std::less<>> parts_;
  std::map<std::string, std::uint32_t, std::less<>> field_indexes_;
  std::vector<std::string> open_parts_;
  std::vector<NumberField> number_fields_;
  std::size_t slot_count_ = 0;
  std::size_t node_count_ = 0;
  std::size_t name_count_ = 0;
  bool is_over_limit_ = false;
};

LayoutFile LayoutFile::parse(std::string_view text) {
  if (text.size() > max_file_size) {
    LayoutFile none;
    none.errors_.push_back({0, "The file is too large"});
    return none;
  }
  const layout::SyntaxTree source = layout::parse_layout_file(text);
  return LayoutBuilder(source).build();
}

bool LayoutFile::applies_to(const Layout &layout, std::string_view node, std::string_view method,
                            std::uint32_t argument, std::span<const LayoutArgumentValue> arguments) {
  if (layout.method.empty() || layout.method != method) return false;
  if (!layout.node.empty() && layout.node != node) {
    const bool is_end = node.size() > layout.node.size() && node.ends_with(layout.node) &&
                        node[node.size() - layout.node.size() - 1] == '/';
    if (!is_end) return false;
  }
  if (layout.argument && *layout.argument != argument) return false;
  return std::ranges::all_of(layout.conditions, [&](const LayoutArgumentCondition &condition) {
    if (condition.index >= arguments.size()) return false;
    const LayoutArgumentValue &value = arguments[condition.index];
    return condition.number ? value.number == condition.number : value.text && *value.text == condition.text;
  });
}

bool LayoutFile::has_layout_for_method(std::string_view method) const {
  return std::ranges::any_of(layouts_,
                             [&](const Layout &layout) { return !layout.method.empty() && layout.method == method; });
}

}  // namespace godot_codec
