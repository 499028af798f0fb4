// SPDX-License-Identifier: MIT
/// @file
/// Hashes everything that a walk reads into a single value.
#pragma once

#include <cstdint>

#include "godot-codec/variant/walk_events.h"

namespace godot_codec {

/// Hashes the values that a walk reads, and their offsets. Two dialects with equal fingerprints read the packet in the
/// same way. A sink that also needs the fingerprint derives from this class and passes on its events.
class FingerprintSink : public VariantSink {
 public:
  void begin_value(const ValueHeader &value) { mix_in(EventKind::begin, value.type, value.range, value.header); }
  void end_value(const ValueHeader &value, Range whole) { mix_in(EventKind::end, value.type, whole); }
  void integer(const ValueHeader &value, const IntegerField &field) {
    mix_in(EventKind::field, value.type, field.range, static_cast<std::uint64_t>(field.value), field.field);
  }
  void real(const ValueHeader &value, const RealField &field) {
    mix_in(EventKind::field, value.type, field.range, field.bits);
  }
  void text(const ValueHeader &value, const TextField &field) {
    mix_in(EventKind::field, value.type, field.range, 0, field.field);
  }
  void components(const ValueHeader &value, const NumberSequence &numbers) {
    mix_numbers(EventKind::components, value, numbers);
  }
  void packed_array(const ValueHeader &value, const PackedArray &array) {
    mix_numbers(EventKind::packed, value, array.numbers);
    for (const PackedString &element : array.strings) mix_in(EventKind::field, value.type, element.range);
  }
  void padding(const ValueHeader &value, const PaddingField &field) {
    mix_in(EventKind::field, value.type, field.range, 0, VariantField::padding);
  }
  void note(const ValueHeader &value, const NotedBytes &oddity) {
    mix_in(EventKind::note, value.type, oddity.range, static_cast<std::uint64_t>(oddity.note));
  }

  [[nodiscard]] std::uint64_t fingerprint() const { return hash_; }

 private:
  enum class EventKind : std::uint8_t { begin, end, field, components, packed, note };

  // Equal numbers have equal bytes, so the range of the bytes identifies the numbers of a packet.
  void mix_numbers(EventKind kind, const ValueHeader &value, const NumberSequence &numbers) {
    mix_in(kind, value.type, numbers.range(), static_cast<std::uint64_t>(numbers.kind()));
  }

  void mix_in(EventKind kind, Type type, Range range, std::uint64_t number = 0,
              VariantField field = VariantField::boolean) {
    mix_in(static_cast<std::uint64_t>(kind) << 16 | static_cast<std::uint64_t>(type) << 8 |
           static_cast<std::uint64_t>(field));
    mix_in(range.offset);
    mix_in(range.length);
    mix_in(number);
  }

  // FNV-1a over u64 values.
  void mix_in(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3U; }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace godot_codec
