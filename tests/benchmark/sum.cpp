// SPDX-License-Identifier: MIT
#include "sum.h"

#include <array>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "godot-codec/variant/variant_walker.h"

namespace godot_codec::benchmark {
namespace {

std::uint64_t hash_text(std::string_view text, std::uint64_t hash) {
  constexpr std::uint64_t prime = 0x9e3779b97f4a7c15U;
  std::uint64_t word = 0;
  for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
    std::memcpy(&word, text.data(), sizeof word);
    hash = (hash ^ word) * prime;
  }
  word = text.size();
  for (const char c : text) word = word << 8 | static_cast<std::uint8_t>(c);
  return (hash ^ word) * prime;
}

// Uses several independent totals, so that memory bandwidth and not the latency of additions is the limit.
template <typename Total, typename View>
Total sum_of(View view) {
  constexpr std::size_t lanes = 8;
  std::array<Total, lanes> totals{};
  std::size_t i = 0;
  for (; i + lanes <= view.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) totals[lane] += static_cast<Total>(view[i + lane]);
  }
  for (; i < view.size(); ++i) totals[0] += static_cast<Total>(view[i]);
  Total total{};
  for (const Total each : totals) total += each;
  return total;
}

class SumSink : public VariantSink {
 public:
  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    sum.integers += static_cast<std::uint64_t>(field.value);
  }
  void real(const ValueHeader & /*value*/, const RealField &field) { sum.reals += field.value; }
  void text(const ValueHeader & /*value*/, const TextField &field) { sum.hash = hash_text(field.text, sum.hash); }
  void components(const ValueHeader & /*value*/, const NumberSequence &numbers) { add(numbers); }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    add(array.numbers);
    for (const PackedString &element : array.strings) sum.hash = hash_text(element.text, sum.hash);
  }

  VariantSum sum;

 private:
  void add(const NumberSequence &numbers) {
    numbers.visit([this](auto view) {
      if constexpr (std::is_floating_point_v<std::decay_t<decltype(view[0])>>) {
        sum.reals += sum_of<double>(view);
      } else {
        sum.integers += sum_of<std::uint64_t>(view);
      }
    });
  }
};

}  // namespace

VariantSum sum_variant(Bytes bytes) {
  SumSink sink;
  const WalkResult result = walk_variant(bytes, 0, {}, {}, sink);
  sink.sum.is_ok = result.outcome == Outcome::ok;
  return sink.sum;
}

}  // namespace godot_codec::benchmark
