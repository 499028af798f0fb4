// SPDX-License-Identifier: MIT
// Numbers as a person would write them: the shortest text that reads back as the same number.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>

#include "godot-codec/variant/text_buffer.h"

namespace godot_codec {
namespace {

template <typename Value, typename... Format>
std::string_view to_text(std::span<char> memory, Value value, Format... format) {
  const std::to_chars_result end = std::to_chars(memory.data(), memory.data() + memory.size(), value, format...);
  return {memory.data(), static_cast<std::size_t>(end.ptr - memory.data())};
}

// Room for the text of any real below.
using RealText = std::array<char, 48>;

// A decimal as the shortest scientific text gives it: "-1.25e-02" is negative, with the digits 125 and exponent -2.
struct Decimal {
  bool is_negative;
  std::array<char, 20> digits;
  int size;
  int exponent;  // power of ten that the first digit stands for
};

Decimal decimal_of(std::string_view scientific) {
  Decimal decimal;
  decimal.is_negative = scientific[0] == '-';
  decimal.size = 0;
  std::size_t at = decimal.is_negative ? 1 : 0;
  for (; scientific[at] != 'e'; ++at) {
    if (scientific[at] != '.') decimal.digits[static_cast<std::size_t>(decimal.size++)] = scientific[at];
  }
  int exponent = 0;
  for (std::size_t i = at + 2; i < scientific.size(); ++i) exponent = 10 * exponent + (scientific[i] - '0');
  decimal.exponent = scientific[at + 1] == '-' ? -exponent : exponent;
  return decimal;
}

// Without an exponent: "-0.0125", "12.5", "1200".
std::string_view write_plainly(const Decimal &decimal, RealText &out) {
  char *end = out.data();
  if (decimal.is_negative) *end++ = '-';
  for (int place = std::max(decimal.exponent, 0); place >= 0 || place > decimal.exponent - decimal.size; --place) {
    if (place == -1) *end++ = '.';
    const int index = decimal.exponent - place;
    const bool is_there = index >= 0 && index < decimal.size;
    *end++ = is_there ? decimal.digits[static_cast<std::size_t>(index)] : '0';
  }
  return {out.data(), static_cast<std::size_t>(end - out.data())};
}

// Writes a number as the author of a script would, 0.1 or 12.375, if few decimals and few digits are enough. A real
// tells decimals of so few digits apart, so the first that reads back as the value is the shortest. @returns nothing if
// there is none
std::string_view write_short_decimal(double value, bool is_single, RealText &out) {
  constexpr std::int64_t scale = 10000;
  const double limit = is_single ? 1e6 : 1e15;
  const double scaled = std::abs(value) * scale + 0.5;
  if (!(scaled < limit)) return {};
  const auto number = static_cast<std::int64_t>(scaled);
  const double read_back = static_cast<double>(number) / scale;
  const double same = is_single ? static_cast<double>(static_cast<float>(read_back)) : read_back;
  if (same != std::abs(value) || number == 0) return {};
  std::size_t size = 0;
  if (value < 0) out[size++] = '-';
  size += to_text(std::span(out).subspan(size), number / scale).size();
  out[size++] = '.';
  std::int64_t rest = number % scale;
  for (std::int64_t digit = scale / 10; rest > 0; digit /= 10) {
    out[size++] = static_cast<char>('0' + rest / digit);
    rest %= digit;
  }
  return {out.data(), size};
}

// Writes a number that is not whole, or too large for a real to tell its last digits apart.
template <typename Real>
std::string_view write_fraction(Real value, RealText &out) {
  constexpr int min_plain = -4;
  constexpr int max_plain = 14;
  const std::string_view scientific = to_text(out, value, std::chars_format::scientific);
  const Decimal decimal = decimal_of(scientific);
  if (decimal.exponent < min_plain || decimal.exponent > max_plain) return scientific;
  // Whole numbers of many digits have others than zeros where the shortest text ends.
  if (decimal.size <= decimal.exponent) return to_text(out, value, std::chars_format::fixed);
  return write_plainly(decimal, out);
}

// Decimal digits and exponent as the shortest scientific text gives them, written as a person would:
// 100000 and 0.0001 plainly, 1e+15 and 1e-05 with an exponent, where Godot's var_to_str() changes over, too.
std::string_view write_real(double value, bool is_single, RealText &out) {
  // Up to here, whole numbers have no shorter text than their digits.
  const double limit = is_single ? 1 << 24 : 1e15;
  if (std::abs(value) < limit) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value && !(whole == 0 && std::signbit(value))) return to_text(out, whole);
  }
  if (const std::string_view text = write_short_decimal(value, is_single, out); !text.empty()) return text;
  return is_single ? write_fraction(static_cast<float>(value), out) : write_fraction(value, out);
}

}  // namespace

void TextBuffer::append_integer(std::int64_t value) {
  std::array<char, 24> text;
  append(to_text(text, value));
}

void TextBuffer::append_unsigned(std::uint64_t value) {
  std::array<char, 24> text;
  append(to_text(text, value));
}

void TextBuffer::append_real(double value, bool is_single, bool as_float) {
  if (std::isnan(value)) {
    append("nan");
  } else if (std::isinf(value)) {
    append(value < 0 ? "-inf" : "inf");
  } else {
    RealText memory;
    const std::string_view text = write_real(value, is_single, memory);
    append(text);
    if (as_float && text.find_first_of(".e") == std::string_view::npos) append(".0");
  }
}

double shortest_double(float value) {
  if (!std::isfinite(value)) return value;
  std::array<char, 32> text{};
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = value;
  std::from_chars(text.data(), end.ptr, result);
  return result;
}

}  // namespace godot_codec
