// SPDX-License-Identifier: MIT
/// @file
/// Counts the evidence for and against a Variant while a packet is walked as a Variant.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "godot-codec/variant/fingerprint.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

/// The evidence that a walk has found in a packet.
struct VariantMarks {
  Type root = Type::nil;
  /// How improbable it is that another program's bytes can be read like this.
  unsigned bits = 0;
  /// The part of `bits` for types, counts, padding and lists of reals. In truncated packets, small numbers may look
  /// like these by chance.
  unsigned bits_of_structure = 0;
  bool has_content = false;     ///< true if anything except the types is not zero
  bool has_text = false;        ///< true if there is a text that a game may send
  bool has_wrong_real = false;  ///< true if a real would be a small integer if read as one, so the reading is wrong
  bool has_odd_value = false;   ///< true if there is a number or a text that hardly any game sends
};

/// Collects the evidence and the walk's fingerprint.
class VariantMarksSink final : public FingerprintSink {
 public:
  [[nodiscard]] const VariantMarks &marks() const { return marks_; }

  void begin_value(const ValueHeader &value) {
    FingerprintSink::begin_value(value);
    const bool is_container = value.type == Type::array || value.type == Type::dictionary;
    if (value.depth == 0) marks_.root = value.type;
    add_structure(is_container ? container_bits : header_bits);
    if (value.header >> 16 != 0) marks_.bits += flag_bits;
  }
  void integer(const ValueHeader &value, const IntegerField &field) {
    FingerprintSink::integer(value, field);
    if (field.field == Field::boolean) marks_.bits += boolean_word_bits;
    if (field.field == Field::count && field.value > 0) add_structure(count_bits);
    const bool is_needed = field.field == Field::integer && is_wide(field.value);
    marks_.has_content = marks_.has_content || is_needed;
    if (!is_needed) take_number(field.value);
  }
  void real(const ValueHeader &value, const RealField &field) {
    FingerprintSink::real(value, field);
    if (is_usual(field.value)) marks_.bits += real_bits;
    take_real(field.value);
  }
  void text(const ValueHeader &value, const TextField &field) {
    FingerprintSink::text(value, field);
    take_text(field.text);
  }
  void components(const ValueHeader &value, const Components &components) {
    FingerprintSink::components(value, components);
    take_numbers(components.numbers);
  }
  void packed_array(const ValueHeader &value, const PackedArray &array) {
    FingerprintSink::packed_array(value, array);
    for (const PackedString &element : array.strings) {
      take_number(element.size);
      take_text(element.text);
      if (element.padding.length > 0) add_structure(padding_bits);
    }
    if (array.has_truncated) take_number(array.truncated.size);
    if (array.has_truncated && array.truncated.has_text) take_text(array.truncated.text);
    // Bytes may have any value, so they are no evidence.
    if (array.numbers.kind() != NumberKind::uint8) take_numbers(array.numbers);
  }
  void padding(const ValueHeader &value, const PaddingField &field) {
    FingerprintSink::padding(value, field);
    if (field.bytes.find_first_not_of('\0') == std::string_view::npos) add_structure(padding_bits);
  }

 private:
  // A u32 that is a type number is little evidence, because every second small number is a type number of some type.
  // The typed Array of captures/typed_godot4.6.pcapng is detected by its flags. The few numbers that netfox sends at
  // once (tests/data/netfox.pcap) are detected by their count and type.
  static constexpr unsigned container_bits = 2;
  static constexpr unsigned header_bits = 1;
  static constexpr unsigned flag_bits = 8;
  static constexpr unsigned count_bits = 5;
  static constexpr unsigned boolean_word_bits = 5;  // a u32 that is 0 or 1
  static constexpr unsigned real_bits = 8;          // a u32 that is neither a small integer nor a text
  static constexpr unsigned text_bits = 5;          // a length that matches
  static constexpr unsigned letter_bits = 2;
  static constexpr std::size_t counted_letters = 6;
  static constexpr unsigned padding_bits = 3;

  // Reals of games are neither NaN nor tiny nor huge. Zero counts neither for nor against a Variant.
  static constexpr double tiny_real = 1e-6;
  static constexpr double huge_real = 1e8;
  // A real below this limit is a small integer, such as a count or the header of another value. So the reading is
  // wrong, as when two consecutive values in tests/data/pairs_godot3.2.3.pcapng are read as one Transform3D.
  static constexpr double wrong_real = 9.2e-41;
  // Numbers from this limit up are ids, hashes, or bytes of another program.
  static constexpr std::int64_t large_number = std::int64_t{1} << 24;

  void add_structure(unsigned bits) {
    marks_.bits += bits;
    marks_.bits_of_structure += bits;
  }

  // True if an int needs its 64 bits, as a game's clock does (Time.get_ticks_usec() after 36 minutes). Both the flag
  // and the value are then evidence.
  static bool is_wide(std::int64_t number) { return number != static_cast<std::int32_t>(number); }

  static bool is_usual(double number) { return std::abs(number) > tiny_real && std::abs(number) < huge_real; }

  // Adds reals as structure, because in other protocols numbers also follow each other in a list.
  void take_numbers(const Numbers &numbers) {
    numbers.visit([this](auto view) {
      for (const auto number : view) {
        if constexpr (std::is_floating_point_v<decltype(+number)>) {
          if (is_usual(number)) add_structure(real_bits);
          take_real(number);
        } else {
          take_number(number);
        }
      }
    });
  }

  void take_real(double number) {
    marks_.has_content = marks_.has_content || number != 0;
    marks_.has_odd_value = marks_.has_odd_value || (!is_usual(number) && number != 0);
    marks_.has_wrong_real = marks_.has_wrong_real || (std::abs(number) < wrong_real && number != 0);
  }

  void take_text(std::string_view text) {
    if (text.empty()) return;
    marks_.has_content = true;
    if (is_plain_text(text)) {
      marks_.has_text = true;
      marks_.bits += text_bits + letter_bits * static_cast<unsigned>(std::min(text.size(), counted_letters));
    } else {
      marks_.has_odd_value = true;
    }
  }

  void take_number(std::int64_t number) {
    marks_.has_content = marks_.has_content || number != 0;
    marks_.has_odd_value = marks_.has_odd_value || number >= large_number || number <= -large_number;
  }

  VariantMarks marks_;
};

}  // namespace godot_codec
