// SPDX-License-Identifier: MIT
// Compares the walker with the engine: replays how Godot 4.6 decoded thousands of damaged Variants.
//
// differential/record.gd explains the record and how to create it again. The record contains undamaged Variants; both
// sides damage them by the same rules, so some functions here are copies of functions there. The engine does more than
// decode the bytes: it merges equal keys, and converts or drops elements of typed Arrays. Simple rules of this kind are
// modelled below; otherwise only acceptance and size are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/variant/variant_walker.h"
#include "wire.h"

namespace godot_codec {
namespace {

using godot_codec::test::to_hex;
using Buffer = std::vector<std::uint8_t>;

constexpr char hex_digits[] = "0123456789abcdef";

std::string_view as_text(const Buffer &bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

std::string hex_number(std::uint64_t number, int digits) {
  std::string result;
  for (int i = digits - 1; i >= 0; --i) result += hex_digits[number >> (4 * i) & 15];
  return result;
}

Buffer from_hex(std::string_view text) {
  Buffer bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// The same constants as in record.gd. `type_count` is the number of types that the recording engine knows.

constexpr std::uint32_t type_count = 39;
constexpr std::uint32_t envelope_count = 2 * (type_count + 1);

constexpr std::uint32_t odd_numbers[] = {
    0,          1,          2,          3,          4,          5,          8,          16,         21,
    22,         24,         26,         27,         28,         29,         30,         31,         32,
    33,         34,         35,         36,         37,         38,         39,         63,         0xff,
    0x100,      0x10002,    0x10003,    0x10005,    0x18,       0x10018,    0x1001c,    0x2001c,    0x3001c,
    0x1001b,    0x4001b,    0x5001b,    0x6001b,    0x8001b,    0x10023,    0x100,      0x7fffffff, 0x80000000,
    0x80000001, 0x80000002, 0xfffffffe, 0xffffffff, 0x3f800000, 0x7f800000, 0x7fc00000,
};
constexpr std::uint8_t odd_bytes[] = {
    0,  1,  2,  3,  4,  5,  8,    12,   16,   20,   21,   22,   24,   26,   27,   28,
    29, 34, 35, 38, 39, 65, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xed, 0xef, 0xf4, 0xfe, 0xff,
};
constexpr std::string_view odd_texts[] = {
    "c3a9",   "e282ac",   "f09f9880", "efbfbf",   "efbbbf",   "00",       "0041",   "ed9fbf",
    "ee8080", "f48fbfbf", "f0908080", "c0af",     "c1bf",     "e08080",   "e09fbf", "eda080",
    "edbfbf", "f0808080", "f48fbfc0", "f4908080", "f5808080", "f8888080", "80",     "bf",
    "c3",     "e282",     "f09f98",   "fe",       "ff",       "00ff",     "00c3",   "efbbbf00",
};

std::uint32_t hash_bytes(std::string_view bytes) {
  std::uint32_t result = 0x811c9dc5;
  for (const char byte : bytes) result = (result ^ static_cast<std::uint8_t>(byte)) * 0x01000193;
  return result;
}

class Random {
 public:
  Random(std::uint32_t seed_number, std::uint32_t case_number)
      : state_(seed_number * 0x9e3779b1U + case_number * 0x85ebca6bU + 0x6d2b79f5U) {
    if (state_ == 0) state_ = 1;
    for (int i = 0; i < 4; ++i) next();
  }

  std::uint32_t below(std::size_t limit) { return next() % static_cast<std::uint32_t>(limit); }

  template <typename T, std::size_t size>
  T one_of(const T (&choices)[size]) {
    return choices[below(size)];
  }

 private:
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

  std::uint32_t state_;
};

std::uint32_t get_u32(const Buffer &bytes, std::size_t start) {
  return Cursor::load_le<std::uint32_t>(bytes.data() + start);
}

void set_u32(Buffer &bytes, std::size_t start, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes[start + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

Buffer u32s(std::initializer_list<std::uint32_t> values) {
  Buffer bytes(values.size() * 4);
  std::size_t start = 0;
  for (const std::uint32_t value : values) {
    set_u32(bytes, start, value);
    start += 4;
  }
  return bytes;
}

Buffer slice(const Buffer &bytes, std::size_t from, std::size_t to = std::numeric_limits<std::size_t>::max()) {
  const auto at = [&bytes](std::size_t offset) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(std::min(offset, bytes.size()));
  };
  return {at(std::min(from, to)), at(to)};
}

Buffer join(std::initializer_list<Buffer> parts) {
  Buffer result;
  for (const Buffer &part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

Buffer wrap_in_container(const Buffer &bytes, std::uint32_t which) {
  const std::uint32_t type = which >> 1;
  if ((which & 1) == 0) return join({u32s({0x1001c, type, 2}), bytes, bytes});
  return join({u32s({0x1001b, type, 2}), bytes, u32s({2, 1}), bytes, u32s({2, 2})});
}

Buffer mutate_once(Buffer bytes, Random &random, const std::vector<Buffer> &seeds) {
  const std::size_t words = bytes.size() / 4;
  const std::uint32_t kind = random.below(32);
  if (words == 0) return join({bytes, u32s({random.one_of(odd_numbers)})});
  if (kind < 6) {  // flips a bit
    const std::size_t at = random.below(bytes.size());
    bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1U << random.below(8));
  } else if (kind < 9) {  // replaces a byte
    const std::size_t at = random.below(bytes.size());
    bytes[at] = random.one_of(odd_bytes);
  } else if (kind < 12) {  // replaces a number
    const std::size_t at = std::size_t{random.below(words)} * 4;
    set_u32(bytes, at, random.one_of(odd_numbers));
  } else if (kind < 13) {  // replaces a count or size by the number of remaining bytes, or a part of it
    const std::size_t at = std::size_t{random.below(words)} * 4;
    set_u32(bytes, at, static_cast<std::uint32_t>(bytes.size() - at - 4) >> random.below(5));
  } else if (kind < 16) {  // increases or decreases a number
    const std::size_t at = std::size_t{random.below(words)} * 4;
    const std::uint32_t by = random.below(9) - 4;
    set_u32(bytes, at, get_u32(bytes, at) + by);
  } else if (kind < 18) {  // flips a flag
    const std::size_t at = std::size_t{random.below(words)} * 4;
    const std::uint32_t bit = 8 + random.below(24);
    set_u32(bytes, at, get_u32(bytes, at) ^ 1U << bit);
  } else if (kind < 19) {  // truncates
    bytes.resize(random.below(bytes.size()));
  } else if (kind < 21) {  // duplicates a chunk
    const std::size_t from = random.below(words);
    const std::size_t length = 1 + random.below(std::min<std::size_t>(words - from, 16));
    bytes = join({slice(bytes, 0, (from + length) * 4), slice(bytes, from * 4)});
  } else if (kind < 22) {  // removes a chunk
    const std::size_t from = random.below(words);
    const std::size_t length = 1 + random.below(std::min<std::size_t>(words - from, 4));
    bytes = join({slice(bytes, 0, from * 4), slice(bytes, (from + length) * 4)});
  } else if (kind < 23) {  // appends bytes
    const std::uint32_t count = 1 + random.below(9);
    for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(random.one_of(odd_bytes));
  } else if (kind < 25) {  // replaces the end by that of another value
    const std::size_t from = random.below(words);
    const Buffer &other = seeds[random.below(seeds.size())];
    const std::size_t other_from = std::size_t{random.below(other.size() / 4 + 1)} * 4;
    bytes = join({slice(bytes, 0, from * 4), slice(other, other_from, other_from + 256)});
  } else if (kind < 29) {  // replaces a text
    const std::size_t at = random.below(bytes.size());
    const Buffer text = from_hex(random.one_of(odd_texts));
    for (std::size_t i = 0; i < text.size() && at + i < bytes.size(); ++i) bytes[at + i] = text[i];
  } else if (kind < 30) {  // wraps the value in an Array or a Dictionary
    const std::uint32_t container = random.below(4);
    if (container == 0) {
      bytes = join({u32s({0x1c, 1}), bytes});
    } else if (container == 1) {
      bytes = join({u32s({0x1001c, random.below(type_count + 1), 1}), bytes});
    } else if (container == 2) {
      bytes = join({u32s({0x4001b, random.below(type_count + 1), 1, 0}), bytes});
    } else {
      bytes = join({u32s({0x1b, 1}), bytes, u32s({0})});
    }
  } else if (kind < 31) {  // swaps two numbers
    const std::size_t first = std::size_t{random.below(words)} * 4;
    const std::size_t second = std::size_t{random.below(words)} * 4;
    const std::uint32_t number = get_u32(bytes, first);
    set_u32(bytes, first, get_u32(bytes, second));
    set_u32(bytes, second, number);
  } else {  // removes the last padding, or adds more
    bytes.resize(bytes.size() - 1 - random.below(4));
  }
  return bytes;
}

Buffer mutate(const std::vector<Buffer> &seeds, std::uint32_t seed_number, std::uint32_t case_number) {
  Random random(seed_number, case_number);
  Buffer bytes = seeds[seed_number];
  const std::uint32_t rolled = random.below(8);
  const int count = rolled < 5 ? 1 : rolled < 7 ? 2 : 3;
  for (int i = 0; i < count; ++i) bytes = mutate_once(std::move(bytes), random, seeds);
  return bytes;
}

// The record.

struct EngineReading {
  std::optional<std::size_t> size;               // size of an accepted value in bytes
  std::uint32_t value_hash = 0;                  // hash of the value
  std::optional<std::size_t> size_with_objects;  // size of a value that is accepted if full objects are allowed
};

struct Case {
  std::uint32_t seed_number;
  std::uint32_t number;
  std::uint32_t bytes_hash;
  EngineReading engine;
};

struct Record {
  std::vector<std::string> plans;  // damage plans by seed
  std::vector<Buffer> seeds;
  std::vector<Case> cases;
};

// Parses chunks joined by "+"; "DIGITS*COUNT" repeats a chunk.
Buffer parse_seed(const std::string &text) {
  Buffer bytes;
  std::istringstream pieces(text);
  for (std::string piece; std::getline(pieces, piece, '+');) {
    const std::size_t star = piece.find('*');
    const Buffer part = from_hex(std::string_view(piece).substr(0, star));
    const unsigned long count = star == std::string::npos ? 1 : std::stoul(piece.substr(star + 1));
    for (unsigned long i = 0; i < count; ++i) bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

std::optional<std::size_t> parse_size(const std::string &text) {
  if (text == "-") return std::nullopt;
  return std::stoul(text);
}

Case parse_case(const std::string &line) {
  Case result{};
  std::istringstream words(line);
  std::string word;
  words >> word;
  result.bytes_hash = static_cast<std::uint32_t>(std::stoul(word, nullptr, 16));
  words >> word;
  result.engine.size = parse_size(word);
  if (result.engine.size.has_value()) {
    words >> word;
    result.engine.value_hash = static_cast<std::uint32_t>(std::stoul(word, nullptr, 16));
  }
  result.engine.size_with_objects = words >> word ? parse_size(word.substr(1)) : result.engine.size;
  return result;
}

Record read_record(const std::string &path) {
  Record record;
  std::ifstream file(path);
  std::uint32_t case_number = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("seed ", 0) == 0) {
      std::istringstream words(line);
      std::string word, number, plan, text;
      words >> word >> number >> plan >> text;
      record.plans.push_back(plan);
      record.seeds.push_back(parse_seed(text));
      case_number = 0;
      continue;
    }
    Case next = parse_case(line);
    next.seed_number = static_cast<std::uint32_t>(record.seeds.size() - 1);
    next.number = case_number++;
    record.cases.push_back(next);
  }
  return record;
}

Buffer case_bytes(const Record &record, const Case &each) {
  const Buffer &seed = record.seeds[each.seed_number];
  if (each.number == 0) return seed;
  if (record.plans[each.seed_number] == "wrapped" && each.number <= envelope_count) {
    return wrap_in_container(seed, each.number - 1);
  }
  return mutate(record.seeds, each.seed_number, each.number);
}

// A decoded value.

struct Value {
  Type type = Type::nil;
  std::vector<std::int64_t>
      integers;               // the value's integers; for a NodePath: whether it is absolute, and the number of names
  std::vector<double> reals;  // each with the precision of the engine
  std::vector<std::string> texts;  // for a NodePath: names, then subnames
  std::vector<Value> children;     // for a Dictionary: key, value, key, value, ...
  // The element type of a container, or its key and value types; nil if untyped.
  std::array<Type, 2> child_types{Type::nil, Type::nil};
};

// Converts a text as the engine does: drops a byte order mark, and ends the text at a zero.
std::string node_path_text(const Value &path) {
  std::string result = path.integers[0] != 0 ? "/" : "";
  const auto names = static_cast<std::size_t>(path.integers[1]);
  // The engine omits the colon if nothing follows it.
  const bool has_subnames = path.texts.size() > names + 1 || (path.texts.size() > names && !path.texts.back().empty());
  for (std::size_t i = 0; i < names; ++i) result += (i > 0 ? "/" : "") + path.texts[i];
  for (std::size_t i = names; i < path.texts.size() && has_subnames; ++i) result += ':' + path.texts[i];
  return result;
}

// Converts like the engine's x86-64 builds: a value out of range becomes the smallest integer.
template <typename Integer>
std::int64_t truncated(double real) {
  constexpr auto least = std::numeric_limits<Integer>::min();
  const bool fits = real > static_cast<double>(least) - 1.0 && real < -static_cast<double>(least);
  return fits ? static_cast<std::int64_t>(real) : std::int64_t{least};
}

std::vector<Value> packed_elements(const Value &packed) {
  std::vector<Value> result;
  Value element;
  element.type = packed_element_type(packed.type);
  if (packed.type == Type::packed_byte_array) {
    for (const std::string &bytes : packed.texts) {
      for (const char byte : bytes) {
        element.integers = {static_cast<std::uint8_t>(byte)};
        result.push_back(element);
      }
    }
    return result;
  }
  for (const std::int64_t integer : packed.integers) {
    element.integers = {integer};
    result.push_back(element);
  }
  for (const std::string &text : packed.texts) {
    element.texts = {text};
    result.push_back(element);
  }
  const std::size_t width = std::max<std::size_t>(shape_of(element.type).component_count, 1);
  for (std::size_t i = 0; i < packed.reals.size(); i += width) {
    const auto start = packed.reals.begin() + static_cast<std::ptrdiff_t>(i);
    element.reals.assign(start, start + static_cast<std::ptrdiff_t>(width));
    result.push_back(element);
  }
  return result;
}

enum class DialectFit {
  kept,        // unchanged or converted
  dropped,     // cannot be converted
  not_copied,  // converted by rules that are not modelled here
};

// True for conversions between the engine's geometry types of the same kind, in both directions.
bool is_matrix_conversion(Type source, Type target) {
  switch (target) {
    case Type::transform2d:
    case Type::projection:
      return source == Type::transform3d;
    case Type::transform3d:
      return source == Type::transform2d || source == Type::quaternion || source == Type::basis ||
             source == Type::projection;
    case Type::quaternion:
      return source == Type::basis;
    case Type::basis:
      return source == Type::quaternion;
    default:
      return false;
  }
}

// Converts a value to another type; nullopt if the engine does not convert it, or not by a simple rule.
std::optional<Value> converted(const Value &value, Type target) {
  const Type source = value.type;
  Value result;
  result.type = target;
  switch (target) {
    case Type::boolean:
      if (source != Type::integer && source != Type::real) return std::nullopt;
      result.integers = {(source == Type::real ? value.reals[0] != 0 : value.integers[0] != 0) ? 1 : 0};
      return result;
    case Type::integer:
      if (source != Type::boolean && source != Type::real) return std::nullopt;
      result.integers = {source == Type::real ? truncated<std::int64_t>(value.reals[0]) : value.integers[0]};
      return result;
    case Type::real:
      if (source != Type::boolean && source != Type::integer) return std::nullopt;
      result.reals = {static_cast<double>(value.integers[0])};
      return result;
    case Type::string:
      if (source != Type::string_name && source != Type::node_path) return std::nullopt;
      result.texts = {source == Type::node_path ? node_path_text(value) : value.texts[0]};
      return result;
    case Type::string_name:
      if (source != Type::string) return std::nullopt;
      result.texts = value.texts;
      return result;
    case Type::vector2i:
    case Type::rect2i:
    case Type::vector3i:
    case Type::vector4i:
      // In the order of the types, each integer type follows its type of reals.
      if (static_cast<int>(source) != static_cast<int>(target) - 1) return std::nullopt;
      for (const double real : value.reals) result.integers.push_back(truncated<std::int32_t>(real));
      return result;
    case Type::vector2:
    case Type::rect2:
    case Type::vector3:
    case Type::vector4:
      if (static_cast<int>(source) != static_cast<int>(target) + 1) return std::nullopt;
      for (const std::int64_t integer : value.integers) {
        result.reals.push_back(static_cast<double>(static_cast<float>(integer)));
      }
      return result;
    case Type::rid:
      if (source != Type::object) return std::nullopt;
      result.integers = {0};
      return result;
    case Type::array:
      if (!is_packed(source)) return std::nullopt;
      result.children = packed_elements(value);
      return result;
    default:
      return std::nullopt;
  }
}

// Checks an element of a typed Array, or a key of a typed Dictionary. The rules were derived from recordings of every
// pair of types, because the documentation of 4.6 does not describe them.
DialectFit convert_element(Value &value, Type target) {
  const Type source = value.type;
  if (target == Type::nil || target == source) return DialectFit::kept;
  if (target == Type::object && source == Type::nil) return DialectFit::kept;
  if (std::optional<Value> result = converted(value, target); result.has_value()) {
    value = std::move(*result);
    return DialectFit::kept;
  }
  const bool is_parsed = source == Type::string && (target == Type::color || target == Type::node_path);
  const bool is_not_copied = is_parsed || is_matrix_conversion(source, target) ||
                             (source == Type::integer && target == Type::color) ||
                             (source == Type::array && is_packed(target));
  return is_not_copied ? DialectFit::not_copied : DialectFit::dropped;
}

// Formats of values.

enum class TextMode {
  canonical,   // the format of record.gd
  key,         // keys that a Dictionary treats as equal have equal texts
  inside_key,  // within an element or a Dictionary value inside a key
};

std::string real_text(double real, bool is_wide, TextMode mode) {
  if (std::isnan(real)) return "nan";
  if (mode != TextMode::canonical && real == 0) real = 0;  // -0 equals 0
  if (is_wide) return hex_number(std::bit_cast<std::uint64_t>(real), 16);
  return hex_number(std::bit_cast<std::uint32_t>(static_cast<float>(real)), 8);
}

void append_list(std::string &out, const std::vector<std::string> &parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += ',';
    out += parts[i];
  }
}

std::string unique_text() {
  static unsigned long count = 0;
  return '#' + std::to_string(++count);
}

std::string child_type_text(Type type) {
  std::string result(type_name(Dialect::godot4, type));
  // The only class that exists without full objects.
  if (type == Type::object) result += ".EncodedObjectAsID";
  return result;
}

void append_text(std::string &out, const Value &value, TextMode mode);

void append_children(std::string &out, const Value &value, TextMode mode) {
  if (mode == TextMode::canonical && (value.child_types[0] != Type::nil || value.child_types[1] != Type::nil)) {
    out += '[' + child_type_text(value.child_types[0]);
    if (value.type == Type::dictionary) out += ',' + child_type_text(value.child_types[1]);
    out += ']';
  }
  const TextMode key_mode = mode == TextMode::canonical ? mode : TextMode::key;
  const TextMode value_mode = mode == TextMode::canonical ? mode : TextMode::inside_key;
  out += '{';
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const bool is_key = value.type == Type::dictionary && i % 2 == 0;
    append_text(out, value.children[i], is_key ? key_mode : value_mode);
    out += is_key ? '=' : ';';
  }
  out += '}';
}

void append_text(std::string &out, const Value &value, TextMode mode) {
  const bool is_merged = mode == TextMode::key && value.type == Type::string_name;
  out += type_name(Dialect::godot4, is_merged ? Type::string : value.type);
  if (value.type == Type::dictionary || value.type == Type::array) {
    append_children(out, value, mode);
    return;
  }
  const bool is_wide = value.type == Type::real || value.type == Type::packed_float64_array;
  std::vector<std::string> parts;
  if (value.type == Type::node_path) {
    std::string path = std::to_string(value.integers[0]);
    for (std::size_t i = 0; i < value.texts.size(); ++i) {
      path += i < static_cast<std::size_t>(value.integers[1]) ? '/' : ':';
      path += to_hex(value.texts[i]);
    }
    parts.push_back(path);
  } else if (value.type == Type::object) {
    const bool is_null = value.integers.empty() || value.integers[0] == 0;
    parts.push_back(is_null ? "null" : std::to_string(value.integers[0]));
    if (!is_null && mode != TextMode::canonical) parts.push_back(unique_text());
  } else if (value.type == Type::real && std::isnan(value.reals[0]) && mode == TextMode::inside_key) {
    parts.push_back(unique_text());
  } else {
    for (const std::string &text : value.texts) parts.push_back(to_hex(text));
    for (const std::int64_t integer : value.integers) parts.push_back(std::to_string(integer));
    for (const double real : value.reals) parts.push_back(real_text(real, is_wide, mode));
  }
  out += '(';
  append_list(out, parts);
  out += ')';
}

std::string text_of(const Value &value, TextMode mode) {
  std::string result;
  append_text(result, value, mode);
  return result;
}

// Models how the engine treats a decoded value.
class Engine {
 public:
  // True if the modelled value equals the engine's; false after a conversion that this class does not model.
  [[nodiscard]] bool is_copy() const { return is_copy_; }

  void build(Value &value) {
    for (Value &child : value.children) build(child);
    if (value.type == Type::array) build_array(value);
    if (value.type == Type::dictionary) build_dictionary(value);
  }

 private:
  bool is_kept(Value &value, Type type) {
    const DialectFit result = convert_element(value, type);
    if (result == DialectFit::not_copied) is_copy_ = false;
    return result == DialectFit::kept;
  }

  void build_array(Value &array) {
    std::vector<Value> elements = std::move(array.children);
    array.children.clear();
    for (Value &element : elements) {
      if (is_kept(element, array.child_types[0])) array.children.push_back(std::move(element));
    }
  }

  // If keys are equal, a Dictionary keeps the first key and the last value. Values keep their types, even if another
  // type is declared.
  void build_dictionary(Value &dictionary) {
    std::vector<Value> children = std::move(dictionary.children);
    dictionary.children.clear();
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
      if (!is_kept(children[i], dictionary.child_types[0])) continue;
      const auto [place, is_new] = places.emplace(text_of(children[i], TextMode::key), dictionary.children.size() + 1);
      if (is_new) {
        dictionary.children.push_back(std::move(children[i]));
        dictionary.children.push_back(std::move(children[i + 1]));
      } else {
        dictionary.children[place->second] = std::move(children[i + 1]);
      }
    }
  }

  bool is_copy_ = true;
};

// Builds a value from events.

class Builder final : public VariantSink {
 public:
  void begin_value(const ValueHeader &value) {
    open_.emplace_back().value.type = value.type;
    open_.back().header = value;
    if ((value.header & 0xff) >= type_count) types_exist_ = false;
  }

  void end_value(const ValueHeader & /*value*/, Range /*whole*/) {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open &parent = open_.back();
    if (parent.at_script && value.type != Type::nil) names_exist_ = false;
    parent.at_script = false;
    parent.value.children.push_back(std::move(value));
  }

  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    Value &value = open_.back().value;
    switch (field.field) {
      case VariantField::boolean:
      case VariantField::integer:
      case VariantField::rid:
      case VariantField::object_id:
      case VariantField::signal_object_id:
        value.integers.push_back(field.value);
        break;
      case VariantField::node_path_flags:
        value.integers = {field.value & 1, 0};
        break;
      default:
        break;
    }
  }

  void real(const ValueHeader & /*value*/, const RealField &field) { open_.back().value.reals.push_back(field.value); }

  void text(const ValueHeader & /*value*/, const TextField &field) {
    Value &value = open_.back().value;
    switch (field.field) {
      case VariantField::node_path_name:
        ++value.integers[1];
        value.texts.emplace_back(engine_text(field.text));
        break;
      case VariantField::element_type:
      case VariantField::key_type:
        read_child_type(field, 0);
        break;
      case VariantField::value_type:
        read_child_type(field, 1);
        break;
      case VariantField::object_class: {
        static constexpr std::string_view known[] = {"", "RefCounted", "Resource", "Node", "EncodedObjectAsID"};
        if (std::find(std::begin(known), std::end(known), engine_text(field.text)) == std::end(known)) {
          names_exist_ = false;
        }
        break;
      }
      case VariantField::object_property:
        open_.back().at_script = engine_text(field.text) == "script";
        break;
      case VariantField::node_path:  // the obsolete format, which is rejected
        break;
      default:
        value.texts.emplace_back(engine_text(field.text));
        break;
    }
  }

  void components(const ValueHeader &header, const NumberSequence &numbers) {
    place_components(header.type, numbers, 0);
  }

  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    Value &value = open_.back().value;
    for (const PackedString &element : array.strings) value.texts.emplace_back(engine_text(element.text));
    if (array.element == Type::string) return;
    if (array.numbers.kind() == NumberKind::uint8) {
      std::string &bytes = value.texts.emplace_back();
      for (std::size_t i = 0; i < array.size(); ++i) bytes += static_cast<char>(array.numbers.integer(i));
      if (bytes.empty()) value.texts.clear();
    } else if (array.numbers_per_element > 1) {
      for (std::size_t i = 0; i < array.size(); ++i)
        place_components(array.element, array.numbers, i * array.numbers_per_element);
    } else {
      for (std::size_t i = 0; i < array.size(); ++i) {
        if (array.numbers.is_real()) value.reals.push_back(array.numbers.real(i));
        if (!array.numbers.is_real()) value.integers.push_back(array.numbers.integer(i));
      }
    }
  }

  [[nodiscard]] const Value &root() const { return root_; }
  // True if the recording engine knows all classes and scripts that the bytes name. It knows some classes, but no
  // scripts.
  [[nodiscard]] bool names_exist() const { return names_exist_; }
  // False if a newer release has introduced one of the types.
  [[nodiscard]] bool types_exist() const { return types_exist_; }

 private:
  struct Open {
    Value value;
    ValueHeader header;
    bool at_script = false;  // for an object: the next property is the script
  };

  // Stores components, which arrive in wire order, in script order. Reports use the script order.
  void place_components(Type type, const NumberSequence &numbers, std::size_t first) {
    Value &value = open_.back().value;
    const TypeShape &shape = shape_of(type);
    for (std::size_t i = 0; i < shape.component_count; ++i) {
      const std::size_t place = first + script_index(shape, i);
      if (numbers.is_real()) {
        value.reals.resize(first + shape.component_count);
        value.reals.at(place) = static_cast<double>(static_cast<float>(numbers.real(first + i)));
      } else {
        value.integers.resize(first + shape.component_count);
        value.integers.at(place) = numbers.integer(first + i);
      }
    }
  }

  void read_child_type(const TextField &field, std::size_t which) {
    const ElementTypeKind kind = element_type_kind(open_.back().header, field.field);
    Type &type = open_.back().value.child_types[which];
    type = Type::object;
    if (kind == ElementTypeKind::script) names_exist_ = false;
    if (kind != ElementTypeKind::built_in) return;
    const std::span<const TypeRow> types = dialect_table(Dialect::godot4).types;
    const auto row =
        std::find_if(types.begin(), types.end(), [&field](const TypeRow &each) { return each.name == field.text; });
    ASSERT_NE(row, types.end());
    if (row - types.begin() >= type_count) types_exist_ = false;
    type = row->type;
  }

  std::vector<Open> open_;
  Value root_;
  bool names_exist_ = true;
  bool types_exist_ = true;
};

struct Reading {
  WalkResult result;
  std::optional<std::size_t> size;               // size of an accepted value in bytes
  std::optional<std::size_t> size_with_objects;  // size of a value that is accepted if full objects are allowed
  std::string text;                              // text of the accepted value
  bool is_comparable = true;                     // false if the text cannot be compared with the engine's
};

Reading read(const Buffer &bytes) {
  Builder builder;
  Reading reading;
  reading.result = walk_variant({bytes.data(), bytes.size()}, 0, {}, {}, builder);
  if (reading.result.outcome != Outcome::ok || !builder.types_exist()) return reading;
  const std::size_t size = reading.result.engine_end();
  const bool is_refused_anyway =
      reading.result.notes.intersects({EncodingNote::invalid_utf8, EncodingNote::old_node_path, EncodingNote::nesting});
  if (!is_refused_anyway && builder.names_exist()) reading.size_with_objects = size;
  if (reading.result.notes.intersects(refused_notes)) return reading;
  reading.size = size;
  Value value = builder.root();
  Engine engine;
  engine.build(value);
  reading.text = text_of(value, TextMode::canonical);
  reading.is_comparable = engine.is_copy();
  return reading;
}

std::string size_text(std::optional<std::size_t> size) {
  return size.has_value() ? std::to_string(*size) + " bytes" : "refused";
}

std::string shortened(std::string text) {
  constexpr std::size_t limit = 2000;
  if (text.size() > limit) text = text.substr(0, limit) + "...";
  return text;
}

// Describes both readings, to help find out which one is right.
std::string describe_readings(const Case &each, const Buffer &bytes, const Reading &reading) {
  static constexpr const char *outcomes[] = {"ok", "truncated", "malformed", "unsupported", "over_limit"};
  std::ostringstream out;
  out << "seed " << each.seed_number << ", case " << each.number << ": " << shortened(to_hex(as_text(bytes)))
      << "\n  engine: " << size_text(each.engine.size) << ", value " << hex_number(each.engine.value_hash, 8)
      << " (record.gd, explain, shows it); with objects: " << size_text(each.engine.size_with_objects)
      << "\n  codec:  " << size_text(reading.size) << ", value " << hex_number(hash_bytes(reading.text), 8)
      << "; with objects: " << size_text(reading.size_with_objects) << "; outcome "
      << outcomes[static_cast<std::size_t>(reading.result.outcome)] << " at " << reading.result.offset
      << "\n  codec's value: " << shortened(reading.text);
  return out.str();
}

TEST(EngineDifferential, VariantsAreReadAsByTheEngine) {
  const Record record = read_record(GODOT_TESTS_DIR "/differential/godot4.6.txt");
  ASSERT_GE(record.cases.size(), 10000U);
  std::size_t accepted = 0;
  std::size_t not_compared = 0;
  int failures = 0;
  for (const Case &each : record.cases) {
    const Buffer bytes = case_bytes(record, each);
    ASSERT_EQ(hash_bytes(as_text(bytes)), each.bytes_hash)
        << "not the bytes that the engine was asked about: seed " << each.seed_number << ", case " << each.number;
    const Reading reading = read(bytes);
    bool is_same = reading.size == each.engine.size && reading.size_with_objects == each.engine.size_with_objects;
    if (each.engine.size.has_value()) {
      ++accepted;
      if (!reading.is_comparable) {
        // The engine converted an element of a typed container by arithmetic, by parsing, or element by element. The
        // bytes do not show the result, so it is not compared.
        ++not_compared;
      } else if (is_same) {
        is_same = hash_bytes(reading.text) == each.engine.value_hash;
      }
    }
    if (is_same) continue;
    ADD_FAILURE() << describe_readings(each, bytes, reading);
    constexpr int enough = 20;
    if (++failures == enough) FAIL() << "and perhaps more";
  }
  RecordProperty("cases", static_cast<int>(record.cases.size()));
  RecordProperty("accepted", static_cast<int>(accepted));
  RecordProperty("not_compared", static_cast<int>(not_compared));
  // A record with only rejections, or with few comparable values, would prove little.
  EXPECT_GE(accepted, record.cases.size() * 3 / 10);
  EXPECT_LE(not_compared, accepted / 50);
}

bool is_taken_for_raw_bytes(const Buffer &bytes, Dialect dialect) {
  const Bytes packet{bytes.data(), bytes.size()};
  return is_probably_custom_payload(packet, dialect, check_variant(packet, 0, {.dialect = dialect}, {}), {});
}

// The engine reads these as Variants but never writes them: unknown header bits, a flag of Godot 2's NodePaths, a
// length without elements, and reals close to zero.
const std::vector<std::string> read_but_never_written = {
    "0100000000010000",
    "0100000000000080",
    "14000100000000000000803f0000803f0000803f",
    "2500010001000000000000000000803f0000803f0000803f",
    "20000100020000000000803f00000040",
    "040001000400000074657874",
    "0a000100010000000100000001000000",
    "1600000001000080010000000300000004000000726f6f7401000000780000000100000079000000",
    "160000000000008000000000020000000100000079000000",
    "22000000ffffffff",
    "13fff0ff" + std::string(128, '0'),
};

// Records the positions of the headers, so that the test can write them with the type ids of another table.
class HeaderSink final : public VariantSink {
 public:
  explicit HeaderSink(Buffer &bytes) : bytes_(bytes) {}

  void begin_value(const ValueHeader &value) {
    const auto &types = dialect_table(Dialect::docs).types;
    const auto row = std::ranges::find(types, value.type, &TypeRow::type);
    const bool has_flags = value.header >> 16 != 0 && value.type != Type::integer && value.type != Type::real;
    const bool has_other_body = value.type == Type::rid;  // the documentation has only its number
    is_possible = is_possible && row != types.end() && !has_flags && !has_other_body;
    if (is_possible) bytes_[value.range.offset] = static_cast<std::uint8_t>(row - types.begin());
  }

  bool is_possible = true;

 private:
  Buffer &bytes_;
};

// Encodes a message of the engine as a client based on the documentation would; nullopt if the documentation lacks one
// of the types.
std::optional<Buffer> encode_as_documented(const Buffer &bytes) {
  Buffer documented = bytes;
  HeaderSink sink(documented);
  walk_variant({bytes.data(), bytes.size()}, 0, {.dialect = Dialect::godot4}, {}, sink);
  return sink.is_possible ? std::optional(documented) : std::nullopt;
}

// In a conversation with custom payloads, the codec checks whether each message is a custom payload.
TEST(EngineDifferential, EngineEncodedVariantsAreNeverTakenForRawBytes) {
  const Record record = read_record(GODOT_TESTS_DIR "/differential/godot4.6.txt");
  std::size_t judged = 0;
  std::size_t judged_documented = 0;
  std::vector<std::string> called;
  for (const Case &each : record.cases) {
    const Buffer bytes = case_bytes(record, each);
    if (each.number != 0 || each.engine.size != bytes.size()) continue;
    ++judged;
    const bool is_called = is_taken_for_raw_bytes(bytes, Dialect::godot4);
    if (is_called) called.push_back(to_hex(as_text(bytes)));
    const std::optional<Buffer> documented = encode_as_documented(bytes);
    if (is_called || !documented) continue;
    ++judged_documented;
    EXPECT_FALSE(is_taken_for_raw_bytes(*documented, Dialect::docs)) << to_hex(as_text(*documented));
  }
  EXPECT_EQ(judged_documented, 191U);
  EXPECT_EQ(judged, 316U);
  EXPECT_EQ(called, read_but_never_written);
  std::ifstream godot3(GODOT_TESTS_DIR "/recognition/godot3_alone.txt");
  std::size_t lines = 0;
  for (std::string line; std::getline(godot3, line); ++lines) {
    EXPECT_FALSE(is_taken_for_raw_bytes(from_hex(line), Dialect::godot3)) << line;
  }
  EXPECT_EQ(lines, 100U);
}

}  // namespace
}  // namespace godot_codec
