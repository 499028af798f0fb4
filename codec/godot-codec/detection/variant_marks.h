// SPDX-License-Identifier: MIT
/// @file
/// Counts, while a packet is walked as a Variant, what speaks for that and what against it.
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

/// The marks that a walk has found on a packet.
struct VariantMarks {
  Type root = Type::nil;
  /// How improbable it is that bytes of another program would read so.
  unsigned bits = 0;
  /// The bits among them for types, counts, padding and rows of reals. Small numbers, or a word and reals, look like
  /// these by chance in packets that do not show how many there are.
  unsigned bits_of_structure = 0;
  bool has_content = false;     ///< something besides the type is not zero
  bool has_text = false;        ///< a text such as games send
  bool has_wrong_real = false;  ///< a real that is a small integer: it is read wrongly
  bool has_odd_value = false;   ///< a number or a text that hardly any game sends
};

/// Finds the marks, and the walk's fingerprint.
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
    // Bytes may be anything.
    if (array.numbers.kind() != NumberKind::uint8) take_numbers(array.numbers);
  }
  void padding(const ValueHeader &value, const PaddingField &field) {
    FingerprintSink::padding(value, field);
    if (field.bytes.find_first_not_of('\0') == std::string_view::npos) add_structure(padding_bits);
  }

 private:
  // A word that stands for one of many types is worth little: every second small number is some type's. The typed Array
  // of captures/typed_godot4.6.pcapng is told by its flags; the few numbers that netfox sends at once
  // (tests/data/netfox.pcap) by their count and what they are.
  static constexpr unsigned container_bits = 2;
  static constexpr unsigned header_bits = 1;
  static constexpr unsigned flag_bits = 8;
  static constexpr unsigned count_bits = 5;
  static constexpr unsigned boolean_word_bits = 5;  // a word that is 0 or 1
  static constexpr unsigned real_bits = 8;          // a word that is no small number, and no text
  static constexpr unsigned text_bits = 5;          // a length that fits
  static constexpr unsigned letter_bits = 2;
  static constexpr std::size_t counted_letters = 6;
  static constexpr unsigned padding_bits = 3;

  // Reals that games send are neither NaN nor tiny nor huge. Zero counts neither for nor against.
  static constexpr double tiny_real = 1e-6;
  static constexpr double huge_real = 1e8;
  // A real below it is a small integer, such as a count or another value's header: its reading is wrong, as that of
  // two values in a row in tests/data/pairs_godot3.2.3.pcapng as one Transform3D.
  static constexpr double wrong_real = 9.2e-41;
  // Numbers from here on are ids and hashes, or somebody else's bytes.
  static constexpr std::int64_t large_number = std::int64_t{1} << 24;

  void add_structure(unsigned bits) {
    marks_.bits += bits;
    marks_.bits_of_structure += bits;
  }

  // The int has 64 bits because it needs them, as a game's clock does (Time.get_ticks_usec() after 36 minutes): the
  // flag says so, and the value does.
  static bool is_wide(std::int64_t number) { return number != static_cast<std::int32_t>(number); }

  static bool is_usual(double number) { return std::abs(number) > tiny_real && std::abs(number) < huge_real; }

  // The rest of a vector or an array follows its first one in other programs, too.
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
