// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "godot-codec/core/bytes.h"
#include "godot-codec/project/exported_game.h"
#include "godot-codec/project/project_limits.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::string_view plain_magic = "RSRC";
constexpr std::string_view packed_magic = "RSCC";
constexpr std::size_t magic_size = 4;
constexpr std::uint32_t first_format = 4;    // Godot 4.0
constexpr std::uint32_t last_format = 6;     // 4.3 to 4.6
constexpr std::size_t max_value_depth = 32;  // maximum nesting of arrays and dictionaries
constexpr std::size_t max_values = 500'000;
constexpr std::size_t reserved_fields = 11;
constexpr std::uint64_t no_uid = ~std::uint64_t{0};

enum FormatFlags : std::uint32_t { named_ids = 1, has_uids = 2, real_is_double = 4, has_script_class = 8 };

// The types that this reader supports, with their type numbers in resource files. These type numbers differ from those
// of var_to_bytes().
enum ResourceTypeNumber : std::uint32_t {
  file_nil = 1,
  file_bool = 2,
  file_int = 3,
  file_string = 5,
  file_node_path = 22,
  file_object = 24,
  file_dictionary = 26,
  file_array = 30,
  file_bytes = 31,
  file_int32s = 32,
  file_strings = 34,
  file_int64 = 40,
  file_string_name = 44,
};

// Sizes of types that are skipped. A value consists of some reals, with a size that depends on the file, and of other
// bytes. In an array, a count precedes the elements, and each element has this size.
struct SkippedType {
  std::uint32_t type;
  std::uint8_t reals;
  std::uint8_t bytes;
  bool is_array = false;
};
constexpr SkippedType skipped_types[] = {
    {4, 1, 0},        {10, 2, 0},       {11, 4, 0},        {12, 3, 0},       {13, 4, 0},       {14, 4, 0},
    {15, 6, 0},       {16, 9, 0},       {17, 12, 0},       {18, 6, 0},       {20, 0, 16},      {23, 0, 4},
    {33, 0, 4, true}, {35, 3, 0, true}, {36, 0, 16, true}, {37, 2, 0, true}, {41, 0, 8},       {42, 0, 0},
    {43, 0, 0},       {45, 0, 8},       {46, 0, 16},       {47, 0, 12},      {48, 0, 8, true}, {49, 0, 8, true},
    {50, 4, 0},       {51, 0, 16},      {52, 16, 0},       {53, 4, 0, true}};

enum ObjectKind : std::uint32_t { object_empty, object_internal = 2, object_external_index };
constexpr std::string_view external_reference = "ExtResource(";

// A value, and its text in the format of .tscn files.
struct BinaryValue {
  std::string text;
  std::string plain_text{};             // a string or a path, without quotes
  std::vector<BinaryValue> elements{};  // elements of an array; keys and values of a dictionary, alternating
  std::vector<std::int32_t> numbers{};  // elements of a PackedInt32Array
};

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

class BinaryResourceConverter {
 public:
  // @param start offset after the magic number; offsets in the file are relative to the beginning of the file
  BinaryResourceConverter(std::string_view file, std::size_t start, std::size_t max_size)
      : bytes_(bytes_of_text(file)), cursor_(bytes_, start), max_size_(max_size) {}

  ConvertedText convert() {
    if (cursor_.read<std::uint32_t>() != 0) return {{}, "it is big-endian"};
    cursor_.read<std::uint32_t>();
    const auto major = cursor_.read<std::uint32_t>();
    cursor_.read<std::uint32_t>();
    const auto format = cursor_.read<std::uint32_t>();
    if (!cursor_.ok()) return {{}, "it is cut off"};
    if (major < 4 || format < first_format) return {{}, "it is of an engine before Godot 4"};
    if (format > last_format) return {{}, "it is of a newer engine"};
    read_tables();
    if (!cursor_.ok()) return {{}, "it cannot be read"};
    for (std::size_t i = 0; i < internal_resources_.size(); ++i) write_resource(i);
    if (text_.size() > max_size_) return {{}, "it is too large"};
    if (!cursor_.ok()) return {{}, "it cannot be read"};
    return {std::move(text_), {}};
  }

 private:
  struct InternalResource {
    std::string id;
    std::uint64_t offset = 0;
  };
  using Properties = std::vector<std::pair<std::string, BinaryValue>>;

  // ---- Header

  void read_tables() {
    const std::string type = read_text();
    cursor_.read<std::uint64_t>();  // import metadata
    flags_ = cursor_.read<std::uint32_t>();
    const auto uid = cursor_.read<std::uint64_t>();
    if ((flags_ & has_script_class) != 0) read_text();
    for (std::size_t i = 0; i < reserved_fields; ++i) cursor_.read<std::uint32_t>();
    is_scene_ = type == "PackedScene";
    text_ = is_scene_ ? "[gd_scene" : "[gd_resource type=" + quote(type);
    if ((flags_ & has_uids) != 0 && uid != no_uid) text_ += " uid=" + quote(format_uid(uid));
    text_ += "]\n";
    read_each([this] { strings_.push_back(read_text()); });
    read_each([this] { write_external_resource(); });
    read_each([this] {
      InternalResource &internal = internal_resources_.emplace_back();
      internal.id = read_text();
      internal.offset = cursor_.read<std::uint64_t>();
      constexpr std::string_view local = "local://";
      if (internal.id.starts_with(local)) internal.id.erase(0, local.size());
    });
  }

  // Reads a count, and then as many items.
  template <typename Read>
  void read_each(const Read &read) {
    const auto count = cursor_.read<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && cursor_.ok(); ++i) read();
  }

  void write_external_resource() {
    const std::string type = read_text();
    const std::string path = read_text();
    const std::uint64_t uid = (flags_ & has_uids) != 0 ? cursor_.read<std::uint64_t>() : no_uid;
    text_ += "[ext_resource type=" + quote(type);
    if (uid != no_uid) text_ += " uid=" + quote(format_uid(uid));
    text_ += " path=" + quote(path) + " id=" + quote(std::to_string(external_count_++)) + "]\n";
  }

  // ---- Resources

  void write_resource(std::size_t index) {
    const InternalResource &internal = internal_resources_[index];
    const bool is_main = index + 1 == internal_resources_.size();
    if (internal.offset > bytes_.captured || !cursor_.ok() || text_.size() > max_size_) return;
    cursor_ = Cursor(bytes_, static_cast<std::size_t>(internal.offset));
    const std::string type = read_text();
    Properties properties;
    read_each([&] {
      std::string name = read_name();
      properties.emplace_back(std::move(name), read_value(0));
    });
    if (!cursor_.ok()) return;
    if (is_main && is_scene_) return write_scene(properties);
    text_ += is_main ? "[resource]\n" : "[sub_resource type=" + quote(type) + " id=" + quote(internal.id) + "]\n";
    for (const auto &[name, value] : properties) write_property(name, value);
  }

  void write_property(std::string_view name, const BinaryValue &value) {
    text_ += quote(name) + " = " + value.text + "\n";
  }

  // ---- Values

  std::string read_text() { return read_text(cursor_.read<std::uint32_t>()); }

  std::string read_text(std::uint32_t size) {
    const std::string_view text = take_text(cursor_, size);
    return std::string(text.substr(0, text.find('\0')));
  }

  // Reads an index of the string table, or an inline string. Limits the sum of their sizes, because an index of four
  // bytes may name a string of any size.
  std::string read_name() {
    constexpr std::uint32_t is_here = 0x80000000;
    const auto id = cursor_.read<std::uint32_t>();
    if ((id & is_here) != 0) return read_text(id & ~is_here);
    if (id >= strings_.size()) {
      cursor_.fail(Outcome::malformed);
      return {};
    }
    names_size_ += strings_[id].size();
    if (names_size_ > max_size_) cursor_.fail(Outcome::over_limit);
    return strings_[id];
  }

  BinaryValue make_text_value(std::string plain) {
    BinaryValue value{quote(plain)};
    value.plain_text = std::move(plain);
    return value;
  }

  BinaryValue read_value(std::size_t depth) {
    const auto type = cursor_.read<std::uint32_t>();
    if (++value_count_ > max_values) cursor_.fail(Outcome::over_limit);
    switch (type) {
      case file_nil:
        return {"null"};
      case file_bool:
        return {cursor_.read<std::uint32_t>() != 0 ? "true" : "false"};
      case file_int:
        return {std::to_string(cursor_.read<std::int32_t>())};
      case file_int64:
        return {std::to_string(cursor_.read<std::int64_t>())};
      case file_string:
      case file_string_name:
        return make_text_value(read_text());
      case file_node_path:
        return read_node_path();
      case file_object:
        return read_object();
      case file_dictionary:
        return read_container("{", "}", 2, depth);
      case file_array:
        return read_container("[", "]", 1, depth);
      case file_int32s:
        return read_int32s();
      case file_strings:
        return read_strings();
      default:
        skip_value(type);
        return {"Other()"};
    }
  }

  BinaryValue read_node_path() {
    constexpr std::uint16_t absolute = 0x8000;
    const auto names = cursor_.read<std::uint16_t>();
    const auto subnames = cursor_.read<std::uint16_t>();
    std::string path = (subnames & absolute) != 0 ? "/" : "";
    for (std::uint16_t i = 0; i < names && cursor_.ok(); ++i) path += (i > 0 ? "/" : "") + read_name();
    for (std::uint16_t i = 0; i < (subnames & ~absolute) && cursor_.ok(); ++i) path += ":" + read_name();
    BinaryValue value{"NodePath(" + quote(path) + ")"};
    value.plain_text = std::move(path);
    return value;
  }

  BinaryValue read_object() {
    switch (cursor_.read<std::uint32_t>()) {
      case object_empty:
        return {"null"};
      case object_internal: {
        const auto index = cursor_.read<std::uint32_t>();
        std::string id = std::to_string(index);
        if ((flags_ & named_ids) != 0) id = index < internal_resources_.size() ? internal_resources_[index].id : "";
        return {"SubResource(" + quote(id) + ")"};
      }
      case object_external_index:
        return {std::string(external_reference) + quote(std::to_string(cursor_.read<std::uint32_t>())) + ")"};
      default:
        cursor_.fail(Outcome::malformed);
        return {};
    }
  }

  BinaryValue read_container(std::string_view begin, std::string_view end, std::uint32_t parts, std::size_t depth) {
    constexpr std::uint32_t is_shared = 0x80000000;
    const std::uint32_t count = cursor_.read<std::uint32_t>() & ~is_shared;
    BinaryValue value{std::string(begin)};
    if (depth >= max_value_depth) cursor_.fail(Outcome::over_limit);
    for (std::uint64_t i = 0; i < std::uint64_t{count} * parts && cursor_.ok(); ++i) {
      const BinaryValue &part = value.elements.emplace_back(read_value(depth + 1));
      // Omits the text of deeply nested containers, because this text would grow with the depth, and no caller uses it.
      if (depth > 2 || value.text.size() > max_size_) continue;
      value.text += part.text;
      value.text += parts == 2 && i % 2 == 0 ? ": " : ", ";
    }
    value.text += end;
    return value;
  }

  BinaryValue read_int32s() {
    BinaryValue value{"PackedInt32Array()"};
    const auto count = cursor_.read<std::uint32_t>();
    if (count > cursor_.available() / sizeof(std::int32_t)) {
      cursor_.fail(Outcome::malformed);
      return value;
    }
    value.numbers.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) value.numbers.push_back(cursor_.read<std::int32_t>());
    return value;
  }

  BinaryValue read_strings() {
    BinaryValue value{"PackedStringArray("};
    read_each([&] { value.text += value.elements.emplace_back(make_text_value(read_text())).text + ", "; });
    value.text += ")";
    return value;
  }

  void skip_bytes(std::uint64_t size) {
    if (size > cursor_.available()) return cursor_.fail(Outcome::malformed);
    cursor_.take(static_cast<std::size_t>(size));
  }

  void skip_value(std::uint32_t type) {
    if (type == file_bytes) return skip_bytes((std::uint64_t{cursor_.read<std::uint32_t>()} + 3) / 4 * 4);
    const auto *skipped = std::ranges::find(skipped_types, type, &SkippedType::type);
    if (skipped == std::end(skipped_types)) return cursor_.fail(Outcome::unsupported);
    const std::uint64_t count = skipped->is_array ? cursor_.read<std::uint32_t>() : 1;
    const std::uint64_t real = (flags_ & real_is_double) != 0 ? 8 : 4;
    skip_bytes(count * (skipped->reals * real + skipped->bytes));
  }

  // ---- scenes: a single dictionary, in which tables refer to each other by index

  void write_scene(const Properties &properties) {
    for (const auto &[name, bundle] : properties) {
      if (name == "_bundled") return write_nodes(bundle);
    }
  }

  static const BinaryValue *find_value(const BinaryValue &dictionary, std::string_view key) {
    for (std::size_t i = 0; i + 1 < dictionary.elements.size(); i += 2) {
      if (dictionary.elements[i].plain_text == key) return &dictionary.elements[i + 1];
    }
    return nullptr;
  }

  void write_nodes(const BinaryValue &bundle) {
    static const BinaryValue none;
    const auto part = [&](std::string_view key) -> const BinaryValue & {
      const BinaryValue *found = find_value(bundle, key);
      return found == nullptr ? none : *found;
    };
    names_ = &part("names").elements;
    variants_ = &part("variants").elements;
    node_paths_ = &part("node_paths").elements;
    node_table_ = &part("nodes").numbers;
    const BinaryValue *base = find_value(bundle, "base_scene");
    std::size_t at = 0;
    while (at < node_table_->size() && cursor_.ok() && text_.size() <= max_size_) {
      write_node(at, paths_.empty() && base != nullptr ? parse_integer<std::int64_t>(base->text) : std::nullopt);
    }
  }

  // Reads the next number of the node table. At the end of the table, returns -1, which is never a valid index.
  std::int32_t take_number(std::size_t &at) const { return at < node_table_->size() ? (*node_table_)[at++] : -1; }

  static const BinaryValue *element_at(const std::vector<BinaryValue> &list, std::int64_t index) {
    return index >= 0 && static_cast<std::uint64_t>(index) < list.size() ? &list[static_cast<std::size_t>(index)]
                                                                         : nullptr;
  }

  [[nodiscard]] std::string_view name_at(std::int64_t index) const {
    const BinaryValue *name = element_at(*names_, index);
    return name == nullptr ? "" : std::string_view(name->plain_text);
  }

  // Resolves a node's parent, which is the index of a node, or the index of a path in an instanced scene.
  [[nodiscard]] std::optional<std::string> resolve_parent_path(std::int32_t parent) const {
    constexpr std::int32_t is_path = 1 << 30;
    constexpr std::int32_t mask = (1 << 24) - 1;
    if (parent == -1) return std::nullopt;
    if ((parent & is_path) != 0) {
      const BinaryValue *path = element_at(*node_paths_, parent & mask);
      if (path == nullptr) return "";
      return path->plain_text.starts_with("./") ? path->plain_text.substr(2) : path->plain_text;
    }
    return static_cast<std::size_t>(parent & mask) < paths_.size() ? paths_[static_cast<std::size_t>(parent & mask)]
                                                                   : "";
  }

  void write_node(std::size_t &at, std::optional<std::int64_t> base) {
    constexpr std::int32_t is_instance = 0x7fffffff;
    constexpr int name_bits = 18;
    constexpr std::int32_t name_mask = (1 << name_bits) - 1;
    constexpr std::int32_t property_mask = (1 << 30) - 1;
    constexpr std::int32_t instance_mask = (1 << 24) - 1;
    const std::optional<std::string> parent = resolve_parent_path(take_number(at));
    take_number(at);  // the owner
    const std::int32_t type = take_number(at);
    const std::int32_t name_and_place = take_number(at);
    const std::int32_t instance = take_number(at);
    const std::string_view name = name_at(name_and_place & name_mask);
    text_ += "[node name=" + quote(name);
    if (type != is_instance && !name_at(type).empty()) text_ += " type=" + quote(name_at(type));
    if (parent) text_ += " parent=" + quote(*parent);
    const BinaryValue *scene =
        base ? element_at(*variants_, *base) : element_at(*variants_, instance < 0 ? -1 : instance & instance_mask);
    if (scene != nullptr && scene->text.starts_with(external_reference)) text_ += " instance=" + scene->text;
    if (scene != nullptr && !scene->plain_text.empty()) text_ += " instance_placeholder=" + quote(scene->plain_text);
    if (const std::int32_t place = (name_and_place >> name_bits) - 1; place >= 0) {
      text_ += " index=" + quote(std::to_string(place));
    }
    const std::size_t header_end = text_.size();
    text_ += "]\n";
    store_path(parent, name);
    const std::int32_t properties = take_number(at);
    for (std::int32_t i = 0; i < properties && at < node_table_->size() && text_.size() <= max_size_; ++i) {
      const std::string_view property = name_at(take_number(at) & property_mask);
      const BinaryValue *value = element_at(*variants_, take_number(at));
      if (value != nullptr) write_property(property, *value);
    }
    write_groups(at, header_end);
  }

  // Inserts the node's groups into its header.
  void write_groups(std::size_t &at, std::size_t header_end) {
    std::string groups;
    const std::int32_t count = take_number(at);
    for (std::int32_t i = 0; i < count && at < node_table_->size(); ++i) {
      const std::string_view group = name_at(take_number(at));
      if (groups.size() + group.size() > max_node_path_size) continue;
      groups += (groups.empty() ? " groups=[" : ", ") + quote(group);
    }
    if (!groups.empty()) text_.insert(header_end, groups + "]");
  }

  void store_path(const std::optional<std::string> &parent, std::string_view name) {
    std::string path = !parent ? "." : *parent == "." || parent->empty() ? "" : *parent + "/";
    if (parent) path += name;
    if (path.size() > max_node_path_size) path.clear();
    paths_size_ += path.size();
    if (paths_size_ > max_size_) return cursor_.fail(Outcome::over_limit);
    paths_.push_back(std::move(path));
  }

  Bytes bytes_;
  Cursor cursor_;
  std::size_t max_size_;
  std::size_t names_size_ = 0;  // sum of the sizes of the names that were read by their index
  std::uint32_t flags_ = 0;
  bool is_scene_ = false;
  std::vector<std::string> strings_;
  std::size_t external_count_ = 0;
  std::vector<InternalResource> internal_resources_;
  std::string text_;
  std::size_t value_count_ = 0;

  const std::vector<BinaryValue> *names_ = nullptr;
  const std::vector<BinaryValue> *variants_ = nullptr;
  const std::vector<BinaryValue> *node_paths_ = nullptr;
  const std::vector<std::int32_t> *node_table_ = nullptr;
  std::vector<std::string> paths_;  // from the scene's root
  std::size_t paths_size_ = 0;      // size of paths_, in bytes
};

}  // namespace

bool is_binary_resource(std::string_view file) {
  return file.starts_with(plain_magic) || file.starts_with(packed_magic);
}

ConvertedText convert_binary_resource(std::string_view file, const Decompressor *decompressor, std::size_t max_size) {
  if (!file.starts_with(packed_magic)) return BinaryResourceConverter(file, magic_size, max_size).convert();
  Cursor header(bytes_of_text(file), magic_size + 2 * sizeof(std::uint32_t));
  const auto size = header.read<std::uint32_t>();
  std::string whole;
  std::string problem = decompress_content(decompressor, &Decompressor::file, file, size, max_size, whole);
  if (!problem.empty()) return {{}, std::move(problem)};
  return BinaryResourceConverter(whole, 0, max_size).convert();  // the decompressed content has no magic number
}

// Source: ResourceUID::id_to_text()
std::string format_uid(std::uint64_t uid) {
  constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxy012345678";
  std::string text;
  do {
    text.insert(text.begin(), digits[uid % digits.size()]);
    uid /= digits.size();
  } while (uid != 0);
  return "uid://" + text;
}

}  // namespace godot_codec::project
