// SPDX-License-Identifier: MIT
#include "godot-codec/variant/dialect_detection.h"

#include <algorithm>
#include <limits>

#include "godot-codec/variant/fingerprint_sink.h"

namespace godot_codec {
namespace {

DialectFit rate_fit(Dialect dialect, const WalkResult &result, Bytes packet) {
  if (result.outcome == Outcome::truncated || result.outcome == Outcome::over_limit) return DialectFit::truncated;
  if (result.outcome != Outcome::ok) return DialectFit::none;
  if (result.offset < packet.reported) return DialectFit::trailing;
  return result.notes.intersects(never_sent_notes(dialect)) ? DialectFit::with_notes : DialectFit::exact;
}

bool is_read_exactly(const DialectDetection &detection) {
  return detection.fit == DialectFit::exact || detection.fit == DialectFit::with_notes;
}

bool reads_equal_values(const DialectDetection &detection, DialectSet set) {
  const std::uint64_t expected = detection.fingerprints[static_cast<std::size_t>(first_dialect(set))];
  return std::all_of(std::begin(all_dialects), std::end(all_dialects), [&](Dialect dialect) {
    return !set.has(dialect) || detection.fingerprints[static_cast<std::size_t>(dialect)] == expected;
  });
}

// Sets `likely` and `likeliest` by the surprise of the values that the candidates read.
void weigh_candidates(DialectDetection &detection, Bytes packet, const ReadOptions &options) {
  detection.likely = detection.candidates;
  detection.likeliest = first_dialect(detection.candidates);
  if (!is_read_exactly(detection) || reads_equal_values(detection, detection.candidates)) return;
  std::array<std::uint64_t, dialect_count> surprise{};
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Dialect dialect : all_dialects) {
    if (!detection.candidates.has(dialect)) continue;
    const std::uint64_t bits = measure_surprise(packet, dialect, options);
    surprise[static_cast<std::size_t>(dialect)] = bits;
    // No engine uses Dialect::docs, so it must not rule out an engine's dialect.
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

constexpr std::size_t word_size = sizeof(std::uint32_t);
constexpr std::size_t not_counted = std::numeric_limits<std::size_t>::max();

// The sizes in bytes that values of a type can have.
struct SizeBounds {
  std::size_t fixed_size = 0;              // maximum size of a type without a count
  std::size_t element_size = not_counted;  // minimum size of an element, if a count or a length follows the header
};

constexpr SizeBounds size_bounds(const TypeShape &shape) {
  constexpr std::size_t number = sizeof(std::uint64_t);
  switch (shape.body) {
    case BodyFormat::nothing:
      return {word_size};
    case BodyFormat::boolean:
    case BodyFormat::integer:
    case BodyFormat::real:
    case BodyFormat::rid:
      return {word_size + number};
    case BodyFormat::components:
      return {word_size + shape.component_count * number};
    case BodyFormat::node_path:
      return {0, 0};  // its first count is not the number of its elements
    case BodyFormat::dictionary:
      return {0, 2 * word_size};
    case BodyFormat::array:
    case BodyFormat::packed_strings:
      return {0, word_size};
    case BodyFormat::packed_numbers: {
      const std::size_t width = shape_of(static_cast<Type>(shape.element_type)).component_count;
      return {0, std::max<std::size_t>(width, 1) * number_size(shape.number_kind)};
    }
    default:
      return {0, 1};
  }
}

// By type number. A number may mean different types in different dialects; the widest bounds count.
constexpr auto bounds_by_number = [] {
  std::array<SizeBounds, UINT8_MAX + 1> all{};
  for (const TypeTraits &row : type_table) {
    const SizeBounds bounds = size_bounds(row.shape);
    for (const int number : row.names.numbers) {
      if (number < 0) continue;
      SizeBounds &widest = all[static_cast<std::size_t>(number)];
      widest.fixed_size = std::max(widest.fixed_size, bounds.fixed_size);
      widest.element_size = std::min(widest.element_size, bounds.element_size);
    }
  }
  return all;
}();

}  // namespace

bool contradicts_its_type(Bytes packet) {
  constexpr std::uint32_t count_flag = 1U << 31;  // "shared", in an Array or a Dictionary
  const SizeBounds &bounds = bounds_by_number[packet.data[0]];
  if (packet.captured <= bounds.fixed_size) return false;
  if (bounds.element_size == not_counted) return true;
  const bool has_flags = packet.data[2] != 0;  // then a type or an ID may precede the count
  if (has_flags || packet.captured < 2 * word_size) return false;
  const std::uint32_t count = Cursor::load_le<std::uint32_t>(packet.data + word_size) & ~count_flag;
  return count * bounds.element_size > packet.reported - 2 * word_size;
}

DialectDetection compare_dialects(Bytes packet, std::span<const DialectWalk, dialect_count> walks,
                                  const ReadOptions &options) {
  DialectDetection detection;
  std::array<DialectFit, dialect_count> fits{};
  std::size_t furthest = 0;
  for (std::size_t i = 0; i < dialect_count; ++i) {
    fits[i] = rate_fit(all_dialects[i], walks[i].result, packet);
    detection.fit = std::max(detection.fit, fits[i]);
    detection.fingerprints[i] = walks[i].fingerprint;
    furthest = std::max(furthest, walks[i].result.offset);
  }
  for (std::size_t i = 0; i < dialect_count; ++i) {
    const bool reads_furthest = detection.fit != DialectFit::none || walks[i].result.offset == furthest;
    if (fits[i] == detection.fit && reads_furthest) detection.candidates.add(all_dialects[i]);
  }
  weigh_candidates(detection, packet, options);
  return detection;
}

DialectDetection detect_dialect(Bytes packet, const ReadOptions &options) {
  std::array<DialectWalk, dialect_count> walks;
  for (std::size_t i = 0; i < dialect_count; ++i) {
    FingerprintSink sink;
    walks[i].result = walk_variant(packet, 0, {.dialect = all_dialects[i]}, options, sink);
    walks[i].fingerprint = sink.fingerprint();
  }
  return compare_dialects(packet, walks, options);
}

DialectChoice choose_dialect(const DialectDetection &detection, std::span<const DialectSet> evidence) {
  const bool is_known = std::any_of(evidence.begin(), evidence.end(), [](DialectSet set) { return !set.empty(); });
  const bool is_exact = is_read_exactly(detection);
  // If no dialect reads the bytes exactly, the evidence of other packets decides. A wrong dialect may get further by
  // chance.
  DialectSet possible = !is_exact && is_known ? every_dialect : detection.candidates;
  const auto narrow = [&possible](DialectSet set) {
    if (possible.intersects(set)) possible = possible & set;
  };
  if (!evidence.empty()) narrow(evidence.front());
  if (is_exact) narrow(detection.likely);
  for (const DialectSet known : evidence) narrow(known);
  const Dialect dialect = possible.has(detection.likeliest) ? detection.likeliest : first_dialect(possible);
  return {is_exact ? dialect : first_dialect(possible), is_exact && !reads_equal_values(detection, possible)};
}

DialectSet narrow_dialects(DialectSet known, const DialectDetection &detection) {
  if (!detection.is_decisive()) return known;
  const DialectSet readable = known & detection.candidates;
  const DialectSet likely = known & detection.likely;
  if (!likely.empty()) return likely;
  return readable.empty() ? detection.likely : readable;
}

}  // namespace godot_codec
