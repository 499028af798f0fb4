// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/statistics/match_record.h"

#include <array>
#include <exception>
#include <limits>

#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_value.h"
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

bool is_scalar(Type type) { return type == Type::boolean || type == Type::integer || type == Type::real; }

std::size_t number_count_of(const VariantValue &value) { return is_scalar(value.type()) ? 1 : value.number_count(); }

bool has_numbers(const VariantValue &value) {
  constexpr std::int64_t max_exact_integer = std::int64_t{1} << std::numeric_limits<double>::digits;
  if (value.type() == Type::integer && (value.integer() > max_exact_integer || value.integer() < -max_exact_integer))
    return false;
  const std::size_t count = number_count_of(value);
  return count > 0 && count <= max_numbers;
}

std::span<const double> numbers_of(packet_info *pinfo, const VariantValue &value) {
  const std::size_t count = number_count_of(value);
  auto *numbers = static_cast<double *>(wmem_alloc(pinfo->pool, count * sizeof(double)));
  if (value.type() == Type::boolean) {
    numbers[0] = value.boolean() ? 1 : 0;
  } else if (is_scalar(value.type())) {
    numbers[0] = value.real();
  } else {
    for (std::size_t i = 0; i < count; ++i) numbers[i] = value.number(i);
  }
  return {numbers, count};
}

bool has_float32_numbers(const VariantValue &value) {
  return !is_scalar(value.type()) && value.number_kind() == godot_codec::NumberKind::float32;
}

MatchValue &append_value(packet_info *pinfo, MatchObject &object, const char *name, const VariantValue &value) {
  auto *added = wmem_new0(pinfo->pool, MatchValue);
  added->name = name;
  added->type = value.type();
  (object.first_value == nullptr ? object.first_value : object.last_value->next) = added;
  object.last_value = added;
  if (!has_numbers(value)) return *added;
  added->numbers = numbers_of(pinfo, value);
  added->is_float32 = has_float32_numbers(value);
  return *added;
}

// Adds the values in containers. Text and integer keys become part of the name. Entries with other keys are skipped.
void append_nested_values(packet_info *pinfo, MatchObject &object, const char *name, const VariantValue &value,
                          unsigned depth, unsigned &budget) {
  if (depth > max_depth) return;
  const auto append = [&](const char *path, const VariantValue &inner) {
    if (has_numbers(inner) && budget > 0) {
      --budget;
      append_value(pinfo, object, path, inner);
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

// Never throws, and calls no epan function that may longjmp. If memory runs out, wmem aborts the program.
godot_codec::WalkResult add_value_tree(packet_info *pinfo, MatchObject &object, const char *name,
                                       godot_codec::Bytes bytes, std::size_t offset,
                                       const godot_codec::Encoding &encoding, const godot_codec::ReadOptions &options) {
  static godot_codec::ValueArena arena;
  godot_codec::ValueTree read;
  try {
    arena.clear();
    read = godot_codec::read_value(bytes, offset, encoding, options, arena);
  } catch (const std::exception &) {
    read.root = nullptr;  // out of memory
  }
  if (read.root == nullptr) return read.result;
  MatchValue &value = append_value(pinfo, object, name, *read.root);
  if (!has_numbers(*read.root)) {
    std::array<char, max_text_size> memory{};
    TextBuffer text(memory);
    godot_codec::append_variant(text, bytes, offset, encoding, options, godot_codec::TextStyle::brief);
    value.text = wmem_strdup(pinfo->pool, memory.data());
    unsigned budget = max_inner;
    append_nested_values(pinfo, object, name, *read.root, 0, budget);
  }
  return read.result;
}

}  // namespace

const char *const at_source = "source";
const char *const at_destination = "destination";

bool is_collecting_match() { return is_collecting; }

void set_collecting_match(bool is_wanted) { is_collecting = is_wanted; }

MatchMessage *add_match_message(packet_info *pinfo, const char *kind, std::uint32_t bytes) {
  if (!is_collecting) return nullptr;
  FrameRecord *record = frame_record_if_counted(pinfo);
  if (record == nullptr) return nullptr;
  auto *message = wmem_new0(pinfo->pool, MatchMessage);
  message->kind = kind;
  message->method_or_kind = "";
  message->bytes = bytes;
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
  const godot_codec::WalkResult result = add_value_tree(pinfo, object, name, bytes, offset, encoding, options);
  return result.outcome == godot_codec::Outcome::ok ? result.offset : 0;
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
