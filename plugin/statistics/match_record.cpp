// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/match_record.h"

#include <array>
#include <exception>
#include <limits>

#include "godot-codec/core/fixed_list.h"
#include "godot-codec/variant/variant_text.h"
#include "plugin/epan/packet_memory.h"
#include "plugin/statistics/frame_record.h"

namespace godot_plugin {
namespace {

using godot_codec::TextBuffer;
using godot_codec::Type;
using godot_codec::VariantValue;

// Maximum count of numbers in one value. The largest Variant type, Projection, has 16; a longer array is shown as text.
constexpr std::size_t max_numbers = 16;
constexpr std::size_t max_text_size = 512;
// Maximum count of nested values in one Variant that get a name.
constexpr unsigned max_inner = 64;
constexpr unsigned max_depth = 6;

bool is_collecting = false;

using Numbers = godot_codec::FixedList<double, max_numbers>;

// Returns a value's numbers. Returns none if there are too many, or if one is an integer that a double cannot hold.
Numbers numbers_of(const VariantValue &value) {
  constexpr std::int64_t max_exact_integer = std::int64_t{1} << std::numeric_limits<double>::digits;
  const auto is_exact = [](std::int64_t number) { return number <= max_exact_integer && number >= -max_exact_integer; };
  const godot_codec::NumberSequence sequence = value.numbers();
  if (sequence.size() > max_numbers || !is_exact(value.integer())) return {};
  Numbers numbers;
  if (value.type() == Type::boolean) numbers.add(value.boolean() ? 1 : 0);
  if (value.type() == Type::integer || value.type() == Type::real) numbers.add(value.real());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (!sequence.is_real() && !is_exact(sequence.integer(i))) return {};
    numbers.add(value.number(i));
  }
  return numbers;
}

MatchValue &append_value(packet_info *pinfo, MatchObject &object, const char *name, const VariantValue &value,
                         const Numbers &numbers) {
  auto *added = wmem_new0(pinfo->pool, MatchValue);
  added->name = name;
  added->type = value.type();
  (object.first_value == nullptr ? object.first_value : object.last_value->next) = added;
  object.last_value = added;
  const void *copy = wmem_memdup(pinfo->pool, numbers.begin(), numbers.size() * sizeof(double));
  added->numbers = {static_cast<const double *>(copy), numbers.size()};
  added->is_float32 = numbers.size() > 0 && value.numbers().is_float32();
  return *added;
}

// Adds the values in containers. Text and integer keys become part of the name. Entries with other keys are skipped.
void append_nested_values(packet_info *pinfo, MatchObject &object, const char *name, const VariantValue &value,
                          unsigned depth, unsigned &budget) {
  if (depth > max_depth) return;
  const auto append = [&](const char *path, const VariantValue &inner) {
    const Numbers numbers = numbers_of(inner);
    if (numbers.size() > 0 && budget > 0) {
      --budget;
      append_value(pinfo, object, path, inner, numbers);
    }
    append_nested_values(pinfo, object, path, inner, depth + 1, budget);
  };
  for (const godot_codec::ValueEntry &entry : value.entries()) {
    if (budget == 0) return;
    if (entry.key.type() == Type::integer) {
      append(wmem_strdup_printf(pinfo->pool, "%s/%" G_GINT64_FORMAT, name, entry.key.integer()), entry.value);
      continue;
    }
    if (entry.key.text().empty()) continue;
    std::array<char, max_text_size> memory{};
    TextBuffer text(memory);
    text.append(name);
    text.append("/");
    text.append_escaped(entry.key.text(), false, 128);
    append(wmem_strdup(pinfo->pool, memory.data()), entry.value);
  }
  unsigned index = 0;
  for (const VariantValue &element : value.elements()) {
    if (budget == 0) return;
    append(wmem_strdup_printf(pinfo->pool, "%s/%u", name, index++), element);
  }
}

}  // namespace

const char *const at_source = "source";
const char *const at_destination = "destination";

godot_codec::ValueTree read_value_tree(godot_codec::Bytes bytes, std::size_t offset,
                                       const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options) {
  static godot_codec::ValueArena arena;
  try {
    arena.clear();
    return godot_codec::read_value(bytes, offset, encoding, options, arena);
  } catch (const std::exception &) {
    return {};  // out of memory
  }
}

bool is_collecting_match() { return is_collecting; }

void set_collecting_match(bool is_wanted) { is_collecting = is_wanted; }

MatchMessage *add_match_message(packet_info *pinfo, const char *kind, std::size_t bytes, const char *method_or_kind) {
  if (!is_collecting) return nullptr;
  FrameRecord *record = frame_record_if_counted(pinfo);
  if (record == nullptr) return nullptr;
  auto *message = wmem_new0(pinfo->pool, MatchMessage);
  message->kind = kind;
  message->from = {nullptr, at_source};
  message->to = {nullptr, at_destination};
  message->method_or_kind = method_or_kind;
  message->bytes = static_cast<std::uint32_t>(bytes);
  message->is_split = record->counting == FrameRecord::MessageCounting::split;
  (record->first_message == nullptr ? record->first_message : record->last_message->next) = message;
  record->last_message = message;
  return message;
}

MatchObject *add_match_object(packet_info *pinfo, MatchMessage &message, const char *node, std::uint32_t bytes) {
  auto *object = wmem_new0(pinfo->pool, MatchObject);
  object->node = object->name = node;
  object->bytes = bytes;
  (message.first_object == nullptr ? message.first_object : message.last_object->next) = object;
  message.last_object = object;
  return object;
}

void add_match_fact(packet_info *pinfo, MatchFactKind kind, std::int64_t value) {
  if (!is_collecting) return;
  FrameRecord *record = frame_record_if_counted(pinfo);
  if (record == nullptr) return;
  auto *fact = wmem_new(pinfo->pool, MatchFact);
  *fact = {record->facts, kind, value};
  record->facts = fact;
}

std::size_t add_match_value(packet_info *pinfo, MatchObject &object, const char *name, godot_codec::Bytes bytes,
                            std::size_t offset, const godot_codec::Encoding &encoding,
                            const godot_codec::ReadOptions &options) {
  const godot_codec::ValueTree read = read_value_tree(bytes, offset, encoding, options);
  if (read.root == nullptr) return 0;
  MatchValue &value = append_value(pinfo, object, name, *read.root, numbers_of(*read.root));
  if (value.numbers.empty()) {
    value.text = pool_text<max_text_size>(pinfo, [&](TextBuffer &text) {
      godot_codec::append_variant(text, bytes, offset, encoding, options, godot_codec::TextStyle::brief);
    });
    unsigned budget = max_inner;
    append_nested_values(pinfo, object, name, *read.root, 0, budget);
  }
  return read.result.offset;
}

void set_match_summary(packet_info *pinfo, const char *summary) {
  FrameRecord *record = is_collecting ? find_frame_record(pinfo) : nullptr;
  MatchMessage *message = record == nullptr ? nullptr : record->last_message;
  if (message != nullptr && message->summary == nullptr) message->summary = summary;
}

void set_match_delivery(packet_info *pinfo, const char *delivery, std::int64_t head_of_line_delay,
                        std::uint16_t sequence_number) {
  FrameRecord *record = is_collecting ? find_frame_record(pinfo) : nullptr;
  MatchMessage *message = record == nullptr ? nullptr : record->last_message;
  if (message == nullptr || message->delivery != nullptr) return;
  message->delivery = delivery;
  message->head_of_line_delay = head_of_line_delay;
  message->sequence_number = sequence_number;
}

}  // namespace godot_plugin
