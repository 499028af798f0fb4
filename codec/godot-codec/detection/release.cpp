// SPDX-License-Identifier: MIT
#include "godot-codec/detection/release.h"

#include <algorithm>
#include <optional>

namespace godot_codec {
namespace {

constexpr std::size_t count3 = 3;  // number of releases of Godot 3

constexpr std::uint32_t release_range(Release first, Release last) {
  return (2U << static_cast<unsigned>(last)) - (1U << static_cast<unsigned>(first));
}

constexpr unsigned certain = 20;
constexpr unsigned likely = 8;

struct FactRow {
  std::string_view description;
  std::uint32_t releases;  // bit n is Release n
  unsigned bits;           // evidence against the other releases
};

constexpr FactRow fact_rows[] = {
#define GODOT_RELEASE_FACT(name, first, last, strength, description) \
  {description, release_range(Release::first, Release::last), strength},
    GODOT_RELEASE_FACTS(GODOT_RELEASE_FACT)
#undef GODOT_RELEASE_FACT
};

constexpr std::string_view names[release_count] = {"3.0", "3.1", "3.2+", "4.0", "4.1",
                                                   "4.2", "4.3", "4.4",  "4.5", "4.6"};

// Maps a trait of a Variant to the fact about its sender's release.
struct TraitRow {
  EncodingTrait trait;
  Dialect dialect;
  ReleaseFact fact;
};
constexpr TraitRow trait_rows[] = {
    {EncodingTrait::wide_int, Dialect::godot3, ReleaseFact::wide_small_int},
    {EncodingTrait::narrow_int, Dialect::godot3, ReleaseFact::narrow_int},
    {EncodingTrait::old_bytes_in_text, Dialect::godot3, ReleaseFact::old_bytes_in_text},
    {EncodingTrait::old_bytes_in_path, Dialect::godot4, ReleaseFact::old_bytes_in_path},
    {EncodingTrait::typed_array, Dialect::godot4, ReleaseFact::typed_array},
    {EncodingTrait::typed_dictionary, Dialect::godot4, ReleaseFact::typed_dictionary},
    {EncodingTrait::vector4_array, Dialect::godot4, ReleaseFact::vector4_array},
};

ReleaseFact fact_of_dialect(Dialect dialect) {
  return dialect == Dialect::godot3 ? ReleaseFact::godot3_dialect : ReleaseFact::godot4_dialect;
}

// Returns the type of an argument; nullopt if the message has fewer arguments.
std::optional<Type> type_of_argument(Bytes bytes, const DebugMessage &message, std::size_t index) {
  DebugArgumentReader arguments(bytes, message);
  DebugValue value;
  for (std::size_t i = 0; i <= index; ++i) {
    if (!arguments.next(value)) return std::nullopt;
  }
  return value.type;
}

void record_debug_enter(ReleaseFacts &facts, PacketPosition position, Bytes bytes, const DebugMessage &message) {
  constexpr std::size_t thread = 3;  // index of the argument for the thread, after three other arguments
  const std::optional<Type> type = type_of_argument(bytes, message, thread);
  if (!type) {
    if (type_of_argument(bytes, message, thread - 1)) facts.add(ReleaseFact::debug_enter_without_thread, position);
    return;
  }
  const bool is_number = type == Type::integer;
  facts.add(is_number ? ReleaseFact::debug_enter_with_thread_id : ReleaseFact::debug_enter_with_thread_name, position);
}

}  // namespace

std::string_view describe_release_fact(ReleaseFact fact) {
  return fact_rows[static_cast<std::size_t>(fact)].description;
}

std::uint32_t find_likely_releases(const ReleaseFacts &facts) {
  std::array<unsigned, release_count> against{};
  bool has_any = false;
  for (std::size_t fact = 0; fact < release_fact_count; ++fact) {
    if (!facts.has(static_cast<ReleaseFact>(fact))) continue;
    has_any = true;
    for (std::size_t release = 0; release < release_count; ++release) {
      if ((fact_rows[fact].releases >> release & 1) == 0) against[release] += fact_rows[fact].bits;
    }
  }
  if (!has_any) return 0;
  const unsigned least = *std::min_element(against.begin(), against.end());
  std::uint32_t releases = 0;
  for (std::size_t release = 0; release < release_count; ++release) {
    if (against[release] == least) releases |= 1U << release;
  }
  return releases;
}

void append_releases(TextBuffer &buffer, std::uint32_t releases) {
  bool is_first = true;
  for (std::size_t first = 0; first < release_count; ++first) {
    if ((releases >> first & 1) == 0) continue;
    std::size_t last = first;
    // Adjacent releases of one generation are written as one range.
    while (last + 1 < release_count && (releases >> (last + 1) & 1) != 0 && last + 1 != count3) ++last;
    if (!is_first) buffer.append(", ");
    is_first = false;
    buffer.append(names[first]);
    if (last > first) {
      buffer.append(last == first + 1 ? " or " : " to ");
      buffer.append(names[last]);
    }
    first = last;
  }
}

void record_release_facts(ReleaseFacts &facts, PacketPosition position, Dialect dialect, EncodingTraitSet traits) {
  if (dialect == Dialect::docs) return;
  facts.add(fact_of_dialect(dialect), position);
  for (const TraitRow &row : trait_rows) {
    if (row.dialect == dialect && traits.has(row.trait)) facts.add(row.fact, position);
  }
}

void record_release_facts(ReleaseFacts &facts, PacketPosition position, MpFraming framing) {
  facts.add(fact_of_dialect(mp_generation(framing) == Generation::godot3 ? Dialect::godot3 : Dialect::godot4),
            position);
  if (framing == MpFraming::enet3) facts.add(ReleaseFact::short_prefix, position);
  if (framing == MpFraming::enet3_flags) facts.add(ReleaseFact::long_prefix, position);
}

void record_release_facts(ReleaseFacts &facts, PacketPosition position, const MpMessage &message) {
  if (message.outcome != Outcome::ok || !message.is_known) return;
  if (message.generation == Generation::godot3) {
    if (message.command == MpCommand::raw) facts.add(ReleaseFact::raw_command, position);
    return;
  }
  if (message.command == MpCommand::confirm_path) {
    const bool has_path = message.fields.has(MpField::path);
    facts.add(has_path ? ReleaseFact::confirms_by_path : ReleaseFact::confirms_by_number, position);
  }
  if (message.command == MpCommand::delta) facts.add(ReleaseFact::delta_command, position);
}

void record_release_facts(ReleaseFacts &facts, PacketPosition position, Bytes bytes, const DebugMessage &message) {
  if (message.outcome != Outcome::ok || message.form == DebugMessageForm::other) return;
  const std::string_view name = message.name.text;
  if (message.form == DebugMessageForm::godot3_packets || message.form == DebugMessageForm::godot3_command) {
    facts.add(ReleaseFact::godot3_dialect, position);
    if (name != "output" || message.form != DebugMessageForm::godot3_packets) return;
    const std::optional<Type> type = type_of_argument(bytes, message, 0);
    if (!type) return;
    const bool has_kind = type == Type::array;
    facts.add(has_kind ? ReleaseFact::output_with_kinds : ReleaseFact::output_without_kinds, position);
    return;
  }
  facts.add(ReleaseFact::godot4_dialect, position);
  facts.add(message.has_thread_id ? ReleaseFact::with_thread_id : ReleaseFact::without_thread_id, position);
  if (name == "debug_enter") record_debug_enter(facts, position, bytes, message);
  if (name == "stack_frame_var") {
    const bool has_type = message.argument_count > 3;
    facts.add(has_type ? ReleaseFact::stack_variable_with_type : ReleaseFact::stack_variable_without_type, position);
  }
  if (name == "performance:profile_names") {
    const std::optional<Type> type = type_of_argument(bytes, message, 0);
    if (!type) return;
    const bool is_flat = type == Type::string || type == Type::string_name;
    facts.add(is_flat ? ReleaseFact::monitor_names_without_types : ReleaseFact::monitor_names_with_types, position);
  }
}

}  // namespace godot_codec
