// SPDX-License-Identifier: MIT
#include "godot-codec/variant/detect.h"

#include <algorithm>
#include <limits>

#include "godot-codec/variant/plausibility.h"

namespace godot_codec {
namespace {

// What was read where, as one number: equal for two dialects that read the same.
class FingerprintSink final : public VariantSink {
 public:
  void begin_value(const ValueHeader &value) { mix(Kind::begin, value.type, value.range, value.header); }
  void end_value(const ValueHeader &value, Range whole) { mix(Kind::end, value.type, whole); }
  void integer(const ValueHeader &value, const IntegerField &field) {
    mix(Kind::field, value.type, field.range, static_cast<std::uint64_t>(field.value), field.field);
  }
  void real(const ValueHeader &value, const RealField &field) { mix(Kind::field, value.type, field.range, field.bits); }
  void text(const ValueHeader &value, const TextField &field) {
    mix(Kind::field, value.type, field.range, 0, field.field);
  }
  void components(const ValueHeader &value, const Components &components) {
    mix_numbers(Kind::components, value, components.numbers);
  }
  void packed_array(const ValueHeader &value, const PackedArray &array) {
    mix_numbers(Kind::packed, value, array.numbers);
    for (const PackedString &element : array.strings) mix(Kind::field, value.type, element.range);
  }
  void padding(const ValueHeader &value, const PaddingField &field) {
    mix(Kind::field, value.type, field.range, 0, Field::padding);
  }
  void note(const ValueHeader &value, const Oddity &oddity) {
    mix(Kind::note, value.type, oddity.range, static_cast<std::uint64_t>(oddity.note));
  }

  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  enum class Kind : std::uint8_t { begin, end, field, components, packed, note };

  // The same numbers are the same bytes.
  void mix_numbers(Kind kind, const ValueHeader &value, const Numbers &numbers) {
    mix(kind, value.type, numbers.range(), static_cast<std::uint64_t>(numbers.kind()));
  }

  void mix(Kind kind, Type type, Range range, std::uint64_t number = 0, Field field = Field::boolean) {
    mix(static_cast<std::uint64_t>(kind) << 16 | static_cast<std::uint64_t>(type) << 8 |
        static_cast<std::uint64_t>(field));
    mix(range.offset);
    mix(range.length);
    mix(number);
  }

  // FNV-1a, a word at a time.
  void mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3U; }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

Fit judge(const WalkResult &result, Bytes packet) {
  if (result.outcome == Outcome::truncated || result.outcome == Outcome::over_limit) return Fit::cut;
  if (result.outcome != Outcome::ok) return Fit::none;
  if (result.offset < packet.reported) return Fit::trailing;
  return result.notes.intersects(never_sent_notes) ? Fit::odd : Fit::exact;
}

bool is_read_exactly(const Detection &detection) { return detection.fit == Fit::exact || detection.fit == Fit::odd; }

bool reads_alike(const Detection &detection, DialectSet set) {
  const std::uint64_t expected = detection.reading[static_cast<std::size_t>(set.first())];
  return std::all_of(std::begin(all_dialects), std::end(all_dialects), [&](Dialect dialect) {
    return !set.has(dialect) || detection.reading[static_cast<std::size_t>(dialect)] == expected;
  });
}

// Which candidates make a value of the packet that a game may send.
void weigh_candidates(Detection &detection, Bytes packet, const ReadOptions &options) {
  detection.likely = detection.candidates;
  detection.likeliest = detection.candidates.first();
  if (!is_read_exactly(detection) || reads_alike(detection, detection.candidates)) return;
  std::array<std::uint64_t, dialect_count> surprise{};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Dialect dialect : all_dialects) {
    if (!detection.candidates.has(dialect)) continue;
    const std::uint64_t bits = surprise_of(packet, dialect, options);
    surprise[static_cast<std::size_t>(dialect)] = bits;
    // What no engine sends rules out no engine's.
    if (bits >= least || dialect == Dialect::docs) continue;
    least = bits;
    detection.likeliest = dialect;
  }
  detection.likely = {};
  for (const Dialect dialect : all_dialects) {
    if (!detection.candidates.has(dialect)) continue;
    const std::uint64_t bits = surprise[static_cast<std::size_t>(dialect)];
    if (bits <= least || bits - least < ruling_out_bits) detection.likely.add(dialect);
  }
}

}  // namespace

bool has_variant_header(Bytes packet) {
  // A compact variant has six bits for the type: there will not be more types than that.
  constexpr std::uint32_t never_used = 0xfff0ffc0U;
  Cursor cursor(packet);
  const auto header = cursor.read<std::uint32_t>();
  return cursor.ok() && (header & never_used) == 0;
}

Detection detect_dialect(Bytes packet, const ReadOptions &options) {
  Detection detection;
  std::array<Fit, dialect_count> fits{};
  std::array<std::size_t, dialect_count> reach{};
  for (const Dialect dialect : all_dialects) {
    const auto i = static_cast<std::size_t>(dialect);
    FingerprintSink sink;
    const WalkResult result = walk_variant(packet, 0, {.dialect = dialect}, options, sink);
    fits[i] = judge(result, packet);
    reach[i] = result.offset;
    detection.reading[i] = sink.value();
  }
  detection.fit = *std::max_element(fits.begin(), fits.end());
  const std::size_t furthest = *std::max_element(reach.begin(), reach.end());
  for (const Dialect dialect : all_dialects) {
    const auto i = static_cast<std::size_t>(dialect);
    const bool reads_furthest = detection.fit != Fit::none || reach[i] == furthest;
    if (fits[i] == detection.fit && reads_furthest) detection.candidates.add(dialect);
  }
  weigh_candidates(detection, packet, options);
  return detection;
}

DialectChoice choose_dialect(const Detection &detection, std::span<const DialectSet> evidence) {
  const bool is_known = std::any_of(evidence.begin(), evidence.end(), [](DialectSet set) { return !set.empty(); });
  const bool is_exact = is_read_exactly(detection);
  // How far a wrong dialect gets in bytes that none reads exactly says nothing against what other packets said.
  DialectSet possible = !is_exact && is_known ? DialectSet::all() : detection.candidates;
  const auto narrow = [&possible](DialectSet set) {
    if (!(possible & set).empty()) possible = possible & set;
  };
  if (!evidence.empty()) narrow(evidence.front());
  if (is_exact) narrow(detection.likely);
  for (const DialectSet known : evidence) narrow(known);
  const Dialect dialect = possible.has(detection.likeliest) ? detection.likeliest : possible.first();
  return {is_exact ? dialect : possible.first(), is_exact && !reads_alike(detection, possible)};
}

DialectSet add_evidence(DialectSet known, const Detection &detection) {
  if (!detection.is_decisive()) return known;
  const DialectSet readable = known & detection.candidates;
  const DialectSet likely = known & detection.likely;
  if (!likely.empty()) return likely;
  return readable.empty() ? detection.likely : readable;
}

}  // namespace godot_codec
