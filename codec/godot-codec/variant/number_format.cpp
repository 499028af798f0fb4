// SPDX-License-Identifier: MIT
// Formats numbers as the shortest text that reads back as the same number.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {
namespace {

// Buffer size for the text of any number, in bytes.
constexpr std::size_t longest_number = 48;

char *write_integer(std::int64_t value, char *out) {
  if (value >= 0 && value < 10) {
    *out = static_cast<char>('0' + value);
    return out + 1;
  }
  return std::to_chars(out, out + longest_number, value).ptr;
}

// Below this limit, the shortest text of a whole 32-bit real consists of its digits, without an exponent.
constexpr double first_inexact_single = 1 << 24;

// The number digits / 10^decimals.
struct Decimal {
  std::int64_t digits;
  int decimals;
};

constexpr std::array<std::int64_t, 14> powers_of_ten = [] {
  std::array<std::int64_t, 14> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

constexpr std::int64_t power_of_ten(int decimals) { return powers_of_ten[static_cast<std::size_t>(decimals)]; }

// Returns the nearest decimal number. If two are equally near, returns the number with an even last digit, as
// std::to_chars() does.
Decimal nearest_decimal(double magnitude, int decimals) {
  const double exact = magnitude * static_cast<double>(power_of_ten(decimals));
  const auto digits = static_cast<std::int64_t>(exact);
  const double rest = exact - static_cast<double>(digits);
  const bool is_up = rest > 0.5 || (rest == 0.5 && digits % 2 != 0);
  return {digits + (is_up ? 1 : 0), decimals};
}

double to_double(const Decimal &decimal) {
  return static_cast<double>(decimal.digits) / static_cast<double>(power_of_ten(decimal.decimals));
}

// Writes 1.5 or 0.0125, without trailing zeros.
// @param decimal not a whole number
char *write_decimal(Decimal decimal, char *out) {
  constexpr std::uint64_t ten = 10;
  const std::int64_t whole = decimal.digits / power_of_ten(decimal.decimals);
  out = write_integer(whole, out);
  auto rest = static_cast<std::uint64_t>(decimal.digits - whole * power_of_ten(decimal.decimals));
  for (; rest % ten == 0; rest /= ten) --decimal.decimals;
  *out++ = '.';
  for (int place = decimal.decimals; place-- > 0; rest /= ten) out[place] = static_cast<char>('0' + rest % ten);
  return out + decimal.decimals;
}

// Returns the number of digits before the decimal point. For numbers below 0.1, returns minus the number of zeros after
// the point.
int digits_before_point(double magnitude) {
  int digits = 0;
  double limit = 1;
  for (; magnitude >= limit; ++digits) limit *= 10;
  for (limit /= 10; magnitude < limit; --digits) limit /= 10;
  return digits;
}

// Returns the shortest decimal that reads back as this 32-bit real, which must not be a whole number. Decimals of up to
// six digits are always different 32-bit reals, and nine digits identify any 32-bit real. So the first decimal that
// reads back is the shortest, because write_decimal() drops trailing zeros. A double holds each product here exactly.
// @returns nullopt for a power of two, because the distances to its two neighbours differ
std::optional<Decimal> shortest_decimal(double magnitude) {
  constexpr int fewest_digits = 6;
  constexpr int most_digits = 9;
  const int point = digits_before_point(magnitude);
  for (int decimals = std::max(fewest_digits - point, 1); decimals <= most_digits - point; ++decimals) {
    const Decimal decimal = nearest_decimal(magnitude, decimals);
    if (static_cast<float>(to_double(decimal)) == static_cast<float>(magnitude)) return decimal;
  }
  return std::nullopt;
}

char *write_float32(double magnitude, char *out) {
  const std::optional<Decimal> decimal = shortest_decimal(magnitude);
  return decimal ? write_decimal(*decimal, out) : nullptr;
}

// Formats a 64-bit real that is not whole, such as 0.1 or 12.375, with at most four decimals. The text has at most
// fifteen digits, and a double preserves fifteen digits.
// @returns null if the value needs more decimals
char *write_short_double(double magnitude, char *out) {
  constexpr int decimals = 4;
  constexpr double limit = 1e11;
  if (magnitude >= limit) return nullptr;
  const Decimal decimal = nearest_decimal(magnitude, decimals);
  return to_double(decimal) == magnitude ? write_decimal(decimal, out) : nullptr;
}

// Writes the shortest sequence of digits that reads back as the value.
template <typename Real>
char *write_shortest(Real magnitude, bool is_plain, char *out) {
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  return std::to_chars(out, out + longest_number - 1, magnitude, format).ptr;
}

char *write_text(std::string_view text, char *out) { return std::copy(text.begin(), text.end(), out); }

// Formats a real. Writes 100000 and 0.0001 without an exponent, but 1e+15 and 1e-05 with one, as in Godot's
// var_to_str().
// @param as_float appends ".0" to a whole number
char *write_real(double value, bool is_single, bool as_float, char *out) {
  if (std::isnan(value)) return write_text("nan", out);
  if (std::signbit(value)) *out++ = '-';
  const double magnitude = std::abs(value);
  if (std::isinf(value)) return write_text("inf", out);

  constexpr float least_plain = 1e-4F;
  constexpr float least_exponent = 1e15F;
  const bool is_plain =
      is_single ? magnitude >= least_plain && magnitude < least_exponent : magnitude >= 1e-4 && magnitude < 1e15;
  const bool is_exact = magnitude < (is_single ? first_inexact_single : 1e15);
  if (const auto whole = static_cast<std::int64_t>(is_exact ? magnitude : 0); static_cast<double>(whole) == magnitude) {
    out = write_integer(whole, out);
    return as_float ? write_text(".0", out) : out;
  }
  if (is_plain && is_exact) {
    char *const end = is_single ? write_float32(magnitude, out) : write_short_double(magnitude, out);
    if (end != nullptr) return end;
  }
  char *const end = is_single ? write_shortest(static_cast<float>(magnitude), is_plain, out)
                              : write_shortest(magnitude, is_plain, out);
  // From 2^24 on, a 32-bit real is a whole number, and std::to_chars() writes it without a decimal point.
  return as_float && is_plain && !is_exact ? write_text(".0", end) : end;
}

}  // namespace

// Calls @p write with the end of the text. If little memory is left, uses a temporary buffer.
template <typename Write>
void TextBuffer::append_number(Write write) {
  if (longest_number < capacity_end_ - size_) {
    size_ = static_cast<std::size_t>(write(memory_.data() + size_) - memory_.data());
    memory_[size_] = '\0';
    return;
  }
  std::array<char, longest_number> number;
  append({number.data(), static_cast<std::size_t>(write(number.data()) - number.data())});
}

void TextBuffer::append_integer(std::int64_t value) {
  append_number([&](char *out) { return write_integer(value, out); });
}

void TextBuffer::append_unsigned(std::uint64_t value) {
  append_number([&](char *out) { return std::to_chars(out, out + longest_number, value).ptr; });
}

void TextBuffer::append_real(double value, bool is_single, bool as_float) {
  append_number([&](char *out) { return write_real(value, is_single, as_float, out); });
}

double shortest_double(float value) {
  if (!std::isfinite(value)) return value;
  const double magnitude = std::abs(static_cast<double>(value));
  constexpr double least_plain = 1e-4;
  if (magnitude >= least_plain && magnitude < first_inexact_single) {
    if (static_cast<double>(static_cast<std::int64_t>(magnitude)) == magnitude) return value;
    if (const auto decimal = shortest_decimal(magnitude)) return std::copysign(to_double(*decimal), value);
  }
  std::array<char, 32> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = value;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

}  // namespace godot_codec
