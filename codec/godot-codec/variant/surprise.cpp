// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

#include "godot-codec/variant/dialect_detection.h"

namespace godot_codec {
namespace {

constexpr unsigned flags_bits = 2;
constexpr unsigned boolean_bits = 1;
constexpr unsigned length_bits = 2;
constexpr unsigned byte_bits = 8;
constexpr unsigned repeated_byte_bits = 1;
// An engine sends 64 bits only if the number does not fit into 32 bits.
constexpr unsigned unnecessarily_wide_bits = 24;
// Bits for non-zero padding after a text. Godot 3.0 sends old bytes of its buffer as padding, but few games use Godot
// 3.0.
constexpr unsigned old_bytes_bits_of_3 = 3;
constexpr unsigned old_bytes_bits = 40;

constexpr unsigned zero_bits = 2;
constexpr unsigned negative_zero_bits = 6;
constexpr unsigned not_finite_bits = 14;  // the engine's own NaN, or an infinity
constexpr unsigned odd_nan_bits = 40;     // a NaN with a payload
constexpr unsigned denormal_bits = 40;
// A real that would be a small integer if it were read as one. It is probably a count or the header of a value.
constexpr unsigned small_integer_bits = 70;
constexpr unsigned exponent_bits = 4;       // for numbers from small to large
constexpr unsigned far_exponent_bits = 12;  // for numbers from tiny to huge
constexpr unsigned odd_exponent_bits = 26;  // for all other numbers
constexpr double small = 1e-6;
constexpr double large = 1e6;
constexpr double tiny = 1e-15;
constexpr double huge = 1e12;

unsigned surprise_of_integer(std::int64_t number) {
  const auto size = number < 0 ? ~static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  const auto width = static_cast<unsigned>(std::bit_width(size));
  constexpr unsigned few = 4;
  return width < few ? 2 + 2 * width : 2 + few + width;
}

template <typename Real>
unsigned surprise_of_real(Real number) {
  using Word = std::conditional_t<std::is_same_v<Real, float>, std::uint32_t, std::uint64_t>;
  constexpr unsigned mantissa_size = std::numeric_limits<Real>::digits - 1;
  const Word mantissa = std::bit_cast<Word>(number) & ((Word{1} << mantissa_size) - 1);
  if (number == 0) return std::signbit(number) ? negative_zero_bits : zero_bits;
  if (std::isnan(number)) return mantissa == Word{1} << (mantissa_size - 1) ? not_finite_bits : odd_nan_bits;
  if (std::isinf(number)) return not_finite_bits;
  if (std::fpclassify(number) == FP_SUBNORMAL) return mantissa <= UINT16_MAX ? small_integer_bits : denormal_bits;
  // A round number has few significant bits.
  const unsigned digits = mantissa == 0 ? 0 : mantissa_size - static_cast<unsigned>(std::countr_zero(mantissa));
  const double size = std::abs(static_cast<double>(number));
  if (size >= small && size <= large) return exponent_bits + digits;
  return (size >= tiny && size <= huge ? far_exponent_bits : odd_exponent_bits) + digits;
}

unsigned surprise_of_character(char character) {
  const auto byte = static_cast<unsigned char>(character);
  if (byte >= 'a' && byte <= 'z') return 5;
  const bool is_usual = (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_' || byte == ' ';
  if (is_usual) return 6;
  if (byte >= 0x80) return 9;
  if (byte == '\n' || byte == '\t') return 9;
  return byte < ' ' || byte == 0x7f ? 16 : 7;
}

// Sums up the surprise of everything in a value.
class SurpriseSink final : public VariantSink {
 public:
  explicit SurpriseSink(Dialect dialect) : dialect_(dialect) {}

  void note(const ValueHeader & /*value*/, const NotedBytes &oddity) {
    if (oddity.note == EncodingNote::padding)
      surprise_bits_ += dialect_ == Dialect::godot3 ? old_bytes_bits_of_3 : old_bytes_bits;
  }
  void begin_value(const ValueHeader &value) {
    surprise_bits_ += shape_of(value.type).surprise;
    if (value.header >> 16 != 0) surprise_bits_ += flags_bits;
  }
  void integer(const ValueHeader &value, const IntegerField &field) {
    switch (field.field) {
      case VariantField::boolean:
        surprise_bits_ += boolean_bits;
        break;
      case VariantField::string_length:
        surprise_bits_ += length_bits;
        break;
      case VariantField::rid:
      case VariantField::object_id:
        break;  // included in the surprise of the type
      default:
        surprise_bits_ += surprise_of_integer(field.value);
        if (is_unnecessarily_wide(value, field)) surprise_bits_ += unnecessarily_wide_bits;
    }
  }
  void real(const ValueHeader & /*value*/, const RealField &field) {
    if (field.is_float32) {
      surprise_bits_ += surprise_of_real(static_cast<float>(field.value));
      return;
    }
    surprise_bits_ += surprise_of_real(field.value);
    if (field.value == static_cast<double>(static_cast<float>(field.value))) surprise_bits_ += unnecessarily_wide_bits;
  }
  void text(const ValueHeader & /*value*/, const TextField &field) { add_text(field.text); }
  void components(const ValueHeader & /*value*/, const NumberSequence &numbers) { add_numbers(numbers); }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    for (const PackedString &element : array.strings) {
      surprise_bits_ += length_bits;
      add_text(element.text);
    }
    add_numbers(array.numbers);
  }

  [[nodiscard]] std::uint64_t surprise_bits() const { return surprise_bits_; }

 private:
  static bool is_unnecessarily_wide(const ValueHeader &value, const IntegerField &field) {
    const bool is_wide = value.type == Type::integer && (value.header & header_flag_wide) != 0;
    return is_wide && field.value == static_cast<std::int32_t>(field.value);
  }

  void add_text(std::string_view text) {
    for (const char character : text) surprise_bits_ += surprise_of_character(character);
  }

  void add_numbers(const NumberSequence &numbers) {
    numbers.visit([this](auto view) {
      using Number = decltype(view[0]);
      if constexpr (sizeof(Number) == 1) {
        add_bytes(view);
      } else {
        for (const Number number : view) surprise_bits_ += surprise_of_number(number);
      }
    });
  }

  template <typename Number>
  static unsigned surprise_of_number(Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      return surprise_of_real(number);
    } else {
      return surprise_of_integer(number);
    }
  }

  // Bytes may have any value, but a byte often equals the previous byte.
  void add_bytes(NumberView<std::uint8_t> bytes) {
    std::uint8_t previous = 0;
    for (const std::uint8_t byte : bytes) {
      surprise_bits_ += byte == previous ? repeated_byte_bits : byte_bits;
      previous = byte;
    }
  }

  Dialect dialect_;
  std::uint64_t surprise_bits_ = 0;
};

}  // namespace

std::uint64_t measure_surprise(Bytes packet, Dialect dialect, const ReadOptions &options) {
  SurpriseSink sink(dialect);
  walk_variant(packet, 0, {.dialect = dialect}, options, sink);
  return sink.surprise_bits();
}

}  // namespace godot_codec
