// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/command_variants.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

namespace godot_codec {
namespace {

// Reads a number, a text or a PackedByteArray at the root of a Variant.
class ArgumentSink final : public VariantSink {
 public:
  explicit ArgumentSink(MpArgument &argument) : argument_(argument) {}

  VisitAction begin_value(const ValueHeader &value) {
    const bool is_read = value.type == Type::boolean || value.type == Type::integer || value.type == Type::string ||
                         value.type == Type::string_name || value.type == Type::packed_byte_array;
    return is_read ? VisitAction::proceed : VisitAction::stop;
  }
  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    if (field.field == VariantField::integer || field.field == VariantField::boolean)
      argument_.value.number = field.value;
  }
  void text(const ValueHeader & /*value*/, const TextField &field) { argument_.value.text = field.text; }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.count > 0) argument_.bytes = array.numbers.range();
  }

 private:
  MpArgument &argument_;
};

// Finds the id of the first Object that was sent as its id only.
class ObjectIdSink final : public VariantSink {
 public:
  [[nodiscard]] std::int64_t found() const { return found_; }

  void integer(const ValueHeader & /*value*/, const IntegerField &field) {
    if (field.field == VariantField::object_id && found_ == 0) found_ = field.value;
  }

 private:
  std::int64_t found_ = 0;
};

// Returns the type of the compact Variant at an offset, which must be in the capture.
Type compact_type_at(Bytes bytes, std::size_t offset) {
  return mp_variant_type(bytes.data[offset], mp_encoding(Generation::godot4));
}

}  // namespace

Encoding custom_payload_encoding(Generation generation) { return {.dialect = mp_encoding(generation).dialect}; }

bool is_unreadable_variant(Bytes bytes, std::size_t offset, Outcome outcome, const EncodingNoteSet &notes) {
  if (outcome == Outcome::malformed || outcome == Outcome::unsupported) return true;
  if (notes.intersects(refused_notes)) return true;
  // MultiplayerAPI::encode_and_compress_variant() writes the type of a freed Object over the header of a Nil. An Object
  // that was sent as its id only is readable, and a full Object has a note. So any other Object is a freed Object.
  const Cursor cursor(bytes, offset);
  if (cursor.available() < sizeof(std::uint32_t)) return false;
  const auto header = Cursor::load_le<std::uint32_t>(bytes.data + offset);
  return compact_type_at(bytes, offset) == Type::object && (header & header_flag_object_id) == 0;
}

bool is_unreadable_variant(const MpVariantCache &values, const MpVariantWalk &walk) {
  return is_unreadable_variant(mp_bytes_before(values.bytes(), walk.limit), walk.offset, walk.outcome, walk.notes);
}

Outcome check_mp_variants(MpVariantCache &values, const MpVariants &variants, Generation generation) {
  MpVariantCursor cursor(values, variants, generation);
  while (cursor.next()) continue;
  return cursor.outcome();
}

std::optional<MpUnreadableArgument> find_mp_unreadable_argument(MpVariantCache &values, const MpMessage &message) {
  if (message.command != MpCommand::rpc || !message.is_godot4()) return std::nullopt;
  const std::uint32_t count = message.variants.count;
  MpVariantCursor cursor(values, message.variants, message.generation);
  while (cursor.next()) {
    const MpVariantWalk &walk = cursor.walk();
    if (is_unreadable_variant(values, walk)) {
      const bool has_more =
          walk.notes.intersects({EncodingNote::invalid_utf8, EncodingNote::old_node_path, EncodingNote::nesting});
      const bool is_object = walk.outcome == Outcome::ok && walk.notes.has(EncodingNote::full_object);
      return MpUnreadableArgument{cursor.index(), count, is_object && !has_more};
    }
    if (!cursor.is_readable()) return std::nullopt;
  }
  return cursor.lacks_variants() ? std::optional(MpUnreadableArgument{cursor.count(), count, false}) : std::nullopt;
}

MpValueTypes read_mp_value_types(MpVariantCache &values, const MpMessage &message, const MpVariants &variants,
                                 std::uint64_t mask) {
  MpValueTypes read;
  MpVariantCursor cursor(values, variants, message.generation);
  while (cursor.next() && cursor.is_readable()) {
    const bool is_kept = read.count++ < MpTypeList::max_count && mask != 0;
    if (!is_kept) continue;
    read.types.set(static_cast<std::size_t>(std::countr_zero(mask)), cursor.type());
    mask &= mask - 1;
  }
  return read;
}

MpArgument read_mp_argument(MpVariantCache &values, const MpMessage &message, std::size_t offset) {
  const MpVariantWalk &whole = values.walk(message.variants, message.generation, offset);
  if (whole.outcome != Outcome::ok) return {};
  MpArgument argument{whole.end};
  ArgumentSink sink(argument);
  walk_variant(mp_bytes_before(values.bytes(), whole.limit), offset, mp_encoding(message.generation), values.options(),
               sink);
  return argument;
}

Range find_mp_custom_payload(MpVariantCache &values, const MpMessage &message) {
  if (const MpFieldValue *value = message.fields.find(MpField::data); value != nullptr) return value->range;
  if (message.command != MpCommand::rpc || message.variants.count != 1) return {};
  const std::size_t offset = message.variants.range.offset;
  const bool is_captured = offset < values.bytes().captured;
  if (!is_captured ||
      mp_variant_type(values.bytes().data[offset], mp_encoding(message.generation)) != Type::packed_byte_array)
    return {};
  return read_mp_argument(values, message, offset).bytes;
}

bool has_mp_nan(Bytes bytes, std::size_t offset) {
  if (offset >= bytes.captured) return false;
  const Type type = compact_type_at(bytes, offset);
  const TypeShape &shape = shape_of(type);
  const bool has_reals = (shape.header_flags.bits & header_flag_wide) != 0;
  const std::size_t count = type == Type::real ? 1 : has_reals ? shape.component_count : 0;
  Cursor cursor(bytes, offset);
  constexpr std::uint32_t is_double = 1U << 16;
  const bool is_wide = (cursor.read<std::uint32_t>() & is_double) != 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double real = is_wide ? cursor.read<double>() : double{cursor.read<float>()};
    if (!cursor.ok()) return false;
    if (std::isnan(real)) return true;
  }
  return false;
}

bool is_mp_object(Bytes bytes, std::size_t offset) {
  return offset < bytes.captured && compact_type_at(bytes, offset) == Type::object;
}

std::uint64_t find_mp_object_id(Bytes bytes, std::size_t offset, std::size_t end, Generation generation) {
  constexpr std::uint8_t object_type = 24;
  Cursor cursor(bytes, offset);
  const auto header = cursor.read<std::uint32_t>();
  const auto id = cursor.read<std::uint64_t>();
  if (header == (object_type | header_flag_object_id)) return cursor.ok() ? id : 0;
  const Type type = offset < bytes.captured ? compact_type_at(bytes, offset) : Type::nil;
  if (type != Type::array && type != Type::dictionary) return 0;
  // Few containers have an Object, so search for the bytes of an Object header first. Walking the values takes longer.
  constexpr std::uint8_t object_header[] = {object_type, 0, header_flag_object_id >> 16, 0};
  const Bytes part = mp_bytes_before(bytes, end);
  const auto *begin = part.data + std::min(offset, part.captured);
  const auto *last = part.data + part.captured;
  if (std::search(begin, last, std::begin(object_header), std::end(object_header)) == last) return 0;
  ObjectIdSink sink;
  walk_variant(part, offset, mp_encoding(generation), ReadOptions{}, sink);
  return static_cast<std::uint64_t>(sink.found());
}

}  // namespace godot_codec
