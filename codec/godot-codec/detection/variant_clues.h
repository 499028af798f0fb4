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

#include "godot-codec/variant/fingerprint_sink.h"
#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {

/// Signs that a packet is, or is not, a Variant of a game, as a walk over the packet has found them.
struct VariantClues {
  Type root_type = Type::nil;
  /// Evidence in bits that the packet is a Variant (evidence.h).
  unsigned evidence_bits = 0;
  /// The part of `evidence_bits` for types, counts, padding and lists of reals. In truncated packets, small numbers may
  /// look like these by chance.
  unsigned structure_bits = 0;
  bool has_nonzero_content = false;   ///< true if anything except the types is not zero
  bool has_text = false;              ///< true if there is a text that a game may send
  bool has_implausible_real = false;  ///< true if a real has the bytes of a small integer, so it is probably no real
  bool has_unusual_value = false;     ///< true if there is a number or a text that hardly any game sends
};

/// Collects the clues and the walk's fingerprint.
class VariantCluesSink final : public FingerprintSink {
 public:
  [[nodiscard]] const VariantClues &clues() const { return clues_; }

  void begin_value(const ValueHeader &value) {
    FingerprintSink::begin_value(value);
    const bool is_container = value.type == Type::array || value.type == Type::dictionary;
    if (value.depth == 0) clues_.root_type = value.type;
    add_structure_bits(is_container ? container_bits : header_bits);
    if (value.header >> 16 != 0) clues_.evidence_bits += flag_bits;
  }
  void integer(const ValueHeader &value, const IntegerField &field) {
    FingerprintSink::integer(value, field);
    if (field.field == VariantField::boolean) clues_.evidence_bits += boolean_word_bits;
    if (field.field == VariantField::count && field.value > 0) add_structure_bits(count_bits);
    const bool is_needed = field.field == VariantField::integer && needs_64_bits(field.value);
    clues_.has_nonzero_content = clues_.has_nonzero_content || is_needed;
    if (!is_needed) record_number(field.value);
  }
  void real(const ValueHeader &value, const RealField &field) {
    FingerprintSink::real(value, field);
    if (is_usual_real(field.value)) clues_.evidence_bits += real_bits;
    record_real(field.value);
  }
  void text(const ValueHeader &value, const TextField &field) {
    FingerprintSink::text(value, field);
    record_text(field.text);
  }
  void components(const ValueHeader &value, const NumberSequence &numbers) {
    FingerprintSink::components(value, numbers);
    record_numbers(numbers);
  }
  void packed_array(const ValueHeader &value, const PackedArray &array) {
    FingerprintSink::packed_array(value, array);
    for (const PackedString &element : array.strings) {
      record_number(element.size);
      record_text(element.text);
      if (element.padding.length > 0) add_structure_bits(padding_bits);
    }
    if (array.has_truncated_string()) record_number(array.truncated_string.size);
    if (array.truncated_string.has_text()) record_text(array.truncated_string.text);
    // Bytes may have any value, so they are no evidence.
    if (array.numbers.kind() != NumberKind::uint8) record_numbers(array.numbers);
  }
  void padding(const ValueHeader &value, const PaddingField &field) {
    FingerprintSink::padding(value, field);
    if (field.bytes.find_first_not_of('\0') == std::string_view::npos) add_structure_bits(padding_bits);
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

  void add_structure_bits(unsigned bits) {
    clues_.evidence_bits += bits;
    clues_.structure_bits += bits;
  }

  // True if an int needs 64 bits, as a game's clock does (Time.get_ticks_usec() after 36 minutes). Then both the flag
  // for 64 bits and the value are evidence.
  static bool needs_64_bits(std::int64_t number) { return number != static_cast<std::int32_t>(number); }

  static bool is_usual_real(double number) { return std::abs(number) > tiny_real && std::abs(number) < huge_real; }

  // Adds reals as structure, because in other protocols numbers also follow each other in a list.
  void record_numbers(const NumberSequence &numbers) {
    numbers.visit([this](auto view) {
      for (const auto number : view) {
        if constexpr (std::is_floating_point_v<decltype(+number)>) {
          if (is_usual_real(number)) add_structure_bits(real_bits);
          record_real(number);
        } else {
          record_number(number);
        }
      }
    });
  }

  void record_real(double number) {
    clues_.has_nonzero_content = clues_.has_nonzero_content || number != 0;
    clues_.has_unusual_value = clues_.has_unusual_value || (!is_usual_real(number) && number != 0);
    clues_.has_implausible_real = clues_.has_implausible_real || (std::abs(number) < wrong_real && number != 0);
  }

  void record_text(std::string_view text) {
    if (text.empty()) return;
    clues_.has_nonzero_content = true;
    if (is_plain_text(text)) {
      clues_.has_text = true;
      clues_.evidence_bits += text_bits + letter_bits * static_cast<unsigned>(std::min(text.size(), counted_letters));
    } else {
      clues_.has_unusual_value = true;
    }
  }

  void record_number(std::int64_t number) {
    clues_.has_nonzero_content = clues_.has_nonzero_content || number != 0;
    clues_.has_unusual_value = clues_.has_unusual_value || number >= large_number || number <= -large_number;
  }

  VariantClues clues_;
};

}  // namespace godot_codec
