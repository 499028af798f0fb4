// SPDX-License-Identifier: MIT
/// @file
/// Helpers for the codec's tests: handmade bytes, recorded walks, and events as lines of text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "godot-codec/variant/variant_walker.h"

namespace godot_codec::test {

// --- Bytes -----------------------------------------------------------------------------------------------------

/// Bytes of a packet; joined with +.
struct Data {
  std::vector<std::uint8_t> bytes;

  [[nodiscard]] std::size_t size() const { return bytes.size(); }
  Data &operator+=(const Data &more) {
    bytes.insert(bytes.end(), more.bytes.begin(), more.bytes.end());
    return *this;
  }
  friend Data operator+(Data first, const Data &second) { return std::move(first += second); }
  [[nodiscard]] Data first(std::size_t count) const {
    return {{bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)}};
  }
};

inline Data little_endian(std::uint64_t value, std::size_t size) {
  Data data;
  for (std::size_t i = 0; i < size; ++i) data.bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  return data;
}

inline Data u32(std::uint64_t value) { return little_endian(value, 4); }
inline Data u64(std::uint64_t value) { return little_endian(value, 8); }
inline Data f32(float value) { return u32(std::bit_cast<std::uint32_t>(value)); }
inline Data f64(double value) { return u64(std::bit_cast<std::uint64_t>(value)); }

inline Data raw(std::string_view text) { return {{text.begin(), text.end()}}; }
inline Data zero_terminated(std::string_view text) { return raw(text) + little_endian(0, 1); }

/// Parses hex digits; ignores spaces and bars.
inline Data hex(std::string_view digits) {
  Data data;
  bool is_high = true;
  for (const char c : digits) {
    if (c == ' ' || c == '|') continue;
    const int nibble = c >= 'a' ? c - 'a' + 10 : c - '0';
    if (is_high) {
      data.bytes.push_back(static_cast<std::uint8_t>(nibble << 4));
    } else {
      data.bytes.back() = static_cast<std::uint8_t>(data.bytes.back() | nibble);
    }
    is_high = !is_high;
  }
  return data;
}

/// Returns a text, padded to a multiple of 4 bytes.
inline Data padded_text(std::string_view text) {
  Data data = raw(text);
  while (data.size() % 4 != 0) data.bytes.push_back(0);
  return data;
}

/// Returns a string with its length and padding.
inline Data padded(std::string_view text) { return u32(text.size()) + padded_text(text); }

/// Returns @p count copies of the data.
inline Data repeat(const Data &data, std::size_t count) {
  Data all;
  for (std::size_t i = 0; i < count; ++i) all += data;
  return all;
}

// --- Walks -----------------------------------------------------------------------------------------------------

/// One event of a walk. A walk reports components and elements of packed arrays in groups; the recorder splits a group
/// into events.
struct Event {
  enum class Kind : std::uint8_t { begin_value, end_value, field, note };

  Kind kind = Kind::field;
  Type type = Type::nil;  // the value that begins, ends or is being read
  // Role of the value that begins or ends.
  ValueRole role = ValueRole::root;
  VariantField field = VariantField::boolean;
  EncodingNote note = EncodingNote::header_bits;
  bool is_single = false;
  bool is_answered =
      true;  // true if the sink's action applies to this event: single events, and the last event of a group
  std::uint32_t index = 0;
  std::uint32_t depth = 0;
  std::uint32_t header = 0;
  Range range;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;
};

/// Records every event. Returns the configured action after one event, and proceed after all others.
class Recorder final : public VariantSink {
 public:
  explicit Recorder(std::size_t at = SIZE_MAX, VisitAction action = VisitAction::proceed) : at_(at), action_(action) {}

  VisitAction begin_value(const ValueHeader &value) {
    Event &event = add(Event::Kind::begin_value, value, value.range);
    event.text = value.name;
    return answer();
  }
  VisitAction end_value(const ValueHeader &value, Range whole) {
    add(Event::Kind::end_value, value, whole);
    return answer();
  }
  VisitAction integer(const ValueHeader &value, const IntegerField &field) {
    add_integer(value, field.field, field.range, field.value, field.index);
    return answer();
  }
  VisitAction real(const ValueHeader &value, const RealField &field) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(field.is_float32 ? 0.0 : field.value), field.is_float32 ? 0 : field.bits);
    EXPECT_EQ(field.range.length, field.is_float32 ? 4U : 8U);
    add_real(value, VariantField::real, field.range, field.value, field.is_float32, 0);
    return answer();
  }
  VisitAction text(const ValueHeader &value, const TextField &field) {
    add_text(value, field.field, field.range, field.text, field.index);
    return answer();
  }
  VisitAction padding(const ValueHeader &value, const PaddingField &field) {
    add_text(value, VariantField::padding, field.range, field.bytes, field.index);
    return answer();
  }
  VisitAction components(const ValueHeader &value, const NumberSequence &numbers) {
    EXPECT_GT(numbers.size(), 0U);
    add_components(value, value.type, numbers, 0, 0);
    return answer();
  }
  VisitAction packed_array(const ValueHeader &value, const PackedArray &array) {
    const std::size_t before = events.size();
    EXPECT_EQ(array.element, packed_element_type(value.type));
    EXPECT_LE(array.size(), array.count);
    if (array.element == Type::string) {
      add_strings(value, array);
    } else if (array.numbers_per_element > 1) {
      add_vectors(value, array);
    } else if (array.numbers.kind() == NumberKind::uint8) {
      add_bytes(value, array);
    } else {
      add_numbers(value, array);
    }
    return events.size() == before ? VisitAction::proceed : answer();
  }
  VisitAction note(const ValueHeader &value, const NotedBytes &oddity) {
    Event &event = add(Event::Kind::note, value, oddity.range);
    event.role = ValueRole::root;
    event.index = 0;
    event.header = 0;
    event.note = oddity.note;
    event.integer = oddity.missing_padding;
    return answer();
  }

  std::vector<Event> events;

 private:
  Event &add(Event::Kind kind, const ValueHeader &value, Range range) {
    Event &event = events.emplace_back();
    event.kind = kind;
    event.type = value.type;
    event.role = value.role;
    event.index = value.index;
    event.depth = value.depth;
    event.header = value.header;
    event.range = range;
    event.is_answered = false;
    return event;
  }

  Event &add_field(const ValueHeader &value, VariantField field, Range range, std::uint32_t index) {
    Event &event = add(Event::Kind::field, value, range);
    event.role = ValueRole::root;
    event.header = 0;
    event.field = field;
    event.index = index;
    return event;
  }

  void add_integer(const ValueHeader &value, VariantField field, Range range, std::int64_t number,
                   std::uint32_t index) {
    add_field(value, field, range, index).integer = number;
  }

  void add_real(const ValueHeader &value, VariantField field, Range range, double number, bool is_single,
                std::uint32_t index) {
    Event &event = add_field(value, field, range, index);
    event.real = number;
    event.is_single = is_single;
  }

  void add_text(const ValueHeader &value, VariantField field, Range range, std::string_view text, std::uint32_t index) {
    add_field(value, field, range, index).text = text;
  }

  void add_components(const ValueHeader &value, Type type, const NumberSequence &numbers, std::size_t first,
                      std::uint32_t index) {
    for (std::size_t i = 0; i < shape_of(type).component_count && first + i < numbers.size(); ++i) {
      const std::size_t place = first + i;
      const VariantField field = component_field(type, i);
      if (numbers.is_real()) {
        add_real(value, field, numbers.range(place), numbers.real(place), numbers.is_float32(), index);
      } else {
        add_integer(value, field, numbers.range(place), numbers.integer(place), index);
      }
    }
  }

  void add_vectors(const ValueHeader &value, const PackedArray &array) {
    EXPECT_EQ(array.numbers_per_element, shape_of(array.element).component_count);
    for (std::uint32_t i = 0; std::size_t{i} * array.numbers_per_element < array.numbers.size(); ++i) {
      add_components(value, array.element, array.numbers, std::size_t{i} * array.numbers_per_element, i);
    }
  }

  void add_numbers(const ValueHeader &value, const PackedArray &array) {
    EXPECT_EQ(array.size(), array.numbers.size());
    std::uint32_t i = 0;
    array.numbers.visit([&](auto numbers) {
      for (const auto number : numbers) {
        EXPECT_EQ(array.range(i).offset, array.numbers.range(i).offset);
        if (array.numbers.is_real()) {
          add_real(value, VariantField::real, array.range(i), static_cast<double>(number), array.numbers.is_float32(),
                   i);
        } else {
          add_integer(value, VariantField::integer, array.range(i), static_cast<std::int64_t>(number), i);
        }
        ++i;
      }
    });
    EXPECT_EQ(i, array.size());
  }

  void add_bytes(const ValueHeader &value, const PackedArray &array) {
    std::string &bytes = *bytes_.emplace_back(std::make_unique<std::string>());
    array.numbers.visit([&bytes](auto numbers) {
      for (const auto number : numbers) bytes += static_cast<char>(number);
    });
    EXPECT_EQ(bytes.size(), array.count);
    if (!bytes.empty()) add_text(value, VariantField::bytes, array.numbers.range(), bytes, 0);
  }

  void add_strings(const ValueHeader &value, const PackedArray &array) {
    for (const PackedString &element : array.strings) {
      add_integer(value, VariantField::string_length, element.length, element.size, element.index);
      add_text(value, VariantField::string, element.range, element.text, element.index);
      if (element.padding.length == 0) continue;
      const std::string_view padding(element.text.data() + element.text.size(), element.padding.length);
      add_text(value, VariantField::padding, element.padding, padding, element.index);
    }
    if (!array.has_truncated_string()) return;
    EXPECT_EQ(array.truncated_string.index, array.size());
    add_integer(value, VariantField::string_length, array.truncated_string.length, array.truncated_string.size,
                array.truncated_string.index);
    if (array.truncated_string.has_text())
      add_text(value, VariantField::string, array.truncated_string.range, array.truncated_string.text,
               array.truncated_string.index);
  }

  VisitAction answer() {
    events.back().is_answered = true;
    return events.size() - 1 == at_ ? action_ : VisitAction::proceed;
  }

  std::size_t at_;
  VisitAction action_;
  std::vector<std::unique_ptr<std::string>> bytes_;  // the bytes that the events' texts point into

  friend struct Walk;
};

/// A copy of bytes in a heap block of exactly their size. A sanitizer notices any read outside it.
class ExactBytes {
 public:
  explicit ExactBytes(const Data &data, std::size_t reported = 0)
      : memory_(new std::uint8_t[data.size()]),  // NOLINT(modernize-avoid-c-arrays)
        bytes_(memory_.get(), data.size(), reported) {
    std::copy(data.bytes.begin(), data.bytes.end(), memory_.get());
  }
  [[nodiscard]] const Bytes &get() const { return bytes_; }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;  // NOLINT(modernize-avoid-c-arrays)
  Bytes bytes_;
};

/// A finished walk. Owns the bytes that the events' texts point into.
struct Walk {
  Walk(ExactBytes walked, const WalkResult &walk_result, Recorder recorder)
      : bytes(std::move(walked)),
        result(walk_result),
        events(std::move(recorder.events)),
        packed_bytes(std::move(recorder.bytes_)) {}

  ExactBytes bytes;
  WalkResult result;
  std::vector<Event> events;
  std::vector<std::unique_ptr<std::string>> packed_bytes;
};

/// Options of a walk.
struct WalkOptions {
  Dialect dialect = Dialect::godot4;
  bool has_double_reals = false;
  WalkLimits limits = {};
  bool is_compact = false;

  [[nodiscard]] Encoding encoding() const { return {dialect, is_compact}; }
  [[nodiscard]] ReadOptions read() const { return {has_double_reals, limits}; }
};

struct WalkSetup {
  std::size_t reported = 0;  ///< original length if it is larger than the captured bytes
  std::size_t offset = 0;
  std::size_t at = SIZE_MAX;  ///< the index of the event that is answered with @p verdict
  VisitAction action = VisitAction::proceed;
};

inline Walk walk(const Data &data, const WalkOptions &options, const WalkSetup &setup = {}) {
  ExactBytes bytes(data, setup.reported);
  Recorder recorder(setup.at, setup.action);
  const WalkResult result = walk_variant(bytes.get(), setup.offset, options.encoding(), options.read(), recorder);
  return {std::move(bytes), result, std::move(recorder)};
}

// --- Lines -----------------------------------------------------------------------------------------------------

inline constexpr std::string_view note_names[] = {
    "header_bits",   "bool_value",       "padding",        "missing_padding", "invalid_utf8",
    "old_node_path", "obsolete_subname", "negative_count", "full_object",     "nesting"};
inline constexpr std::string_view role_names[] = {"root", "element", "key", "value", "property"};
inline constexpr std::string_view outcome_names[] = {"ok", "truncated", "malformed", "unsupported", "over_limit"};

inline std::string name_of(Outcome outcome) { return std::string(outcome_names[static_cast<std::size_t>(outcome)]); }

template <typename... Arguments>
std::string format(const char *pattern, Arguments... arguments) {
  char text[256];
  const int length = std::snprintf(text, sizeof text, pattern, arguments...);
  return {text, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof text) - 1))};
}

inline std::string to_hex(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) digits += format("%02x", static_cast<unsigned>(static_cast<std::uint8_t>(c)));
  return digits;
}
inline std::string to_hex(const Data &data) {
  return to_hex(std::string_view(reinterpret_cast<const char *>(data.bytes.data()), data.bytes.size()));
}

/// Writes a 32-bit real as `1f` and a 64-bit real as `1`.
inline std::string describe_value(const Event &event) {
  switch (field_info(event.field).kind) {
    case FieldKind::boolean:
      return event.integer == 0 ? "false" : event.integer == 1 ? "true" : "neither false nor true";
    default:
      return std::to_string(event.integer);
    case FieldKind::uint64:
      return std::to_string(static_cast<std::uint64_t>(event.integer));
    case FieldKind::real:
      return format("%.17g%s", event.real, event.is_single ? "f" : "");
    case FieldKind::text:
      return '"' + std::string(event.text) + '"';
    case FieldKind::opaque_bytes:
      return to_hex(event.text);
  }
}

/// Writes an event as one line that begins with its range as offset+length:
///     0+4 begin Array root[0] @0 0x1c    (type name, role, index, depth, header)
///     4+4 count 1
///     8+4 begin int element[0] @1 0x2
///     12+4 int 5                         (an index follows the name in brackets, unless it is 0)
///     8+8 end
///     0+16 end
inline std::string describe(const Event &event) {
  const std::string range = std::to_string(event.range.offset) + '+' + std::to_string(event.range.length) + ' ';
  const std::string index = event.index == 0 ? "" : '[' + std::to_string(event.index) + ']';
  const std::string role(role_names[static_cast<std::size_t>(event.role)]);
  switch (event.kind) {
    case Event::Kind::begin_value:
      return range + "begin " + std::string(event.text) + ' ' + role +
             format("[%u] @%u 0x%x", event.index, event.depth, event.header);
    case Event::Kind::end_value:
      return range + "end";
    case Event::Kind::field:
      return range + field_name(event.field) + index + ' ' + describe_value(event);
    case Event::Kind::note:
      return range + "note " + std::string(note_names[static_cast<std::size_t>(event.note)]) +
             (event.note == EncodingNote::missing_padding ? ' ' + std::to_string(event.integer) : "");
  }
  return "?";
}

using Lines = std::vector<std::string>;

inline Lines describe(const std::vector<Event> &events) {
  Lines lines;
  for (const Event &event : events) lines.push_back(describe(event));
  return lines;
}

inline Lines operator+(Lines first, const Lines &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// --- Invariants ------------------------------------------------------------------------------------------------

inline bool is_within(const Range &inner, const Range &outer) {
  return inner.offset >= outer.offset && inner.end() <= outer.end();
}

/// Checks the guarantees of events.h for a walk that no sink stopped. Every begin event has an end event. Ranges lie
/// within the captured bytes and within the enclosing range. Offsets never decrease.
/// @returns the first guarantee that is broken; empty if all hold
inline std::string violated_guarantee(const std::vector<Event> &events, std::size_t captured) {
  std::vector<std::pair<Event, std::vector<Range>>> open;  // open values, with the ranges to cover
  std::uint32_t depth = 0;
  std::size_t position = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event &event = events[i];
    const std::string where = " (event " + std::to_string(i) + ": " + describe(event) + ")";
    if (!is_within(event.range, {0, captured})) return "range outside of the bytes" + where;
    const bool is_begin = event.kind == Event::Kind::begin_value;
    if (event.kind == Event::Kind::end_value) {
      if (open.empty()) return "end without begin" + where;
      const auto [begin, inner] = open.back();
      open.pop_back();
      if (begin.range.offset != event.range.offset) return "end does not start at its begin" + where;
      if (begin.role != event.role || begin.index != event.index) return "end unlike its begin" + where;
      if (begin.type != event.type || begin.header != event.header || begin.depth != event.depth) {
        return "end of a value unlike its begin" + where;
      }
      --depth;
      for (const Range &range : inner) {
        if (!is_within(range, event.range)) return "value does not cover what is in it" + where;
      }
    } else {
      if (open.empty() && i != 0) return "more than one root" + where;
      if (event.kind != Event::Kind::note) {
        if (event.range.offset < position) return "order of the bytes is not kept" + where;
        position = event.range.offset;
      }
      if (!is_begin && event.depth + 1 != depth) return "depth is not that of the value" + where;
      if (!is_begin && !open.empty() && event.type != open.back().first.type) {
        return "field or note of another type" + where;
      }
    }
    if (!open.empty()) open.back().second.push_back(event.range);
    if (is_begin) open.push_back({event, {event.range}});
    if (is_begin) {
      if (event.range.length != 4) return "a header has 4 bytes" + where;
      if (event.depth != depth) return "depth is not the number of values around" + where;
      ++depth;
    }
  }
  return open.empty() ? "" : "begin without end";
}

}  // namespace godot_codec::test
