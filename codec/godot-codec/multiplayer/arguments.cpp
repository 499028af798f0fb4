// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/arguments.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

namespace godot_codec {
namespace {

// Finds the bytes of the value at the root, if that is an array of bytes.
class BytesSink final : public VariantSink {
 public:
  [[nodiscard]] Range found() const { return found_; }

  Verdict begin_value(const ValueHeader &value) {
    return value.type == Type::packed_byte_array ? Verdict::proceed : Verdict::stop;
  }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) {
    if (array.count > 0) found_ = array.numbers.range();
  }

 private:
  Range found_;
};

}  // namespace

// The header of both generations begins with the type's number.
Type mp_type_of(std::uint8_t first, const Encoding &encoding) {
  constexpr std::uint8_t type_mask = 0x3f;
  return dialect_table(encoding.dialect).types[first & type_mask].type;
}

Encoding mp_encoding(Generation generation) {
  const bool is_4 = generation == Generation::godot4;
  return {.dialect = is_4 ? Dialect::godot4 : Dialect::godot3, .compact = is_4};
}

Encoding own_bytes_encoding(Generation generation) { return {.dialect = mp_encoding(generation).dialect}; }

bool is_unreadable(Bytes bytes, std::size_t offset, const WalkResult &result) {
  if (result.outcome == Outcome::malformed || result.outcome == Outcome::unsupported) return true;
  if (result.notes.intersects(refused_notes)) return true;
  // MultiplayerAPI::encode_and_compress_variant() writes a freed Object's type over the header of a Nil. By id an
  // Object is read, in full it has a note.
  const Cursor cursor(bytes, offset);
  if (cursor.available() < sizeof(std::uint32_t)) return false;
  const auto header = Cursor::load_le<std::uint32_t>(bytes.data + offset);
  const bool is_object = mp_type_of(bytes.data[offset], mp_encoding(Generation::godot4)) == Type::object;
  return is_object && (header & header_flag_object_id) == 0;
}

Outcome check_mp_variants(Bytes bytes, const MpVariants &variants, Generation generation, const ReadOptions &options,
                          bool *has_unreadable) {
  const std::size_t end = variants.range.end();
  const Bytes part = mp_until(bytes, end);
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < variants.count; ++i) {
    if (offset >= end) return variants.count == MpVariants::all ? Outcome::ok : Outcome::malformed;
    const WalkResult result = check_variant(part, offset, mp_encoding(generation), options);
    if (has_unreadable != nullptr && is_unreadable(part, offset, result)) *has_unreadable = true;
    if (result.outcome != Outcome::ok) return result.outcome;
    offset = result.offset;
  }
  return Outcome::ok;
}

std::optional<MpLoss> find_mp_loss(Bytes bytes, const MpMessage &message, const ReadOptions &options) {
  if (message.command != MpCommand::rpc || message.generation != Generation::godot4) return std::nullopt;
  const std::size_t end = message.variants.range.end();
  const Bytes arguments = mp_until(bytes, end);
  const Encoding encoding = mp_encoding(message.generation);
  std::size_t offset = message.variants.range.offset;
  for (std::uint32_t i = 0; i < message.variants.count; ++i) {
    const MpLoss loss{i, message.variants.count, false};
    if (offset >= end) return loss;
    const WalkResult result = check_variant(arguments, offset, encoding, options);
    if (is_unreadable(arguments, offset, result)) {
      const bool has_more = result.notes.intersects({Note::invalid_utf8, Note::old_node_path, Note::nesting});
      const bool is_object = result.outcome == Outcome::ok && result.notes.has(Note::full_object);
      return MpLoss{i, loss.count, is_object && !has_more};
    }
    if (result.outcome != Outcome::ok) return std::nullopt;
    offset = result.offset;
  }
  return std::nullopt;
}

std::uint32_t count_mp_variants(Bytes bytes, const MpVariants &variants, Generation generation,
                                const ReadOptions &options, std::span<Type> types) {
  const std::size_t end = variants.range.end();
  const Bytes part = mp_until(bytes, end);
  std::size_t offset = variants.range.offset;
  std::uint32_t count = 0;
  for (; count < variants.count && offset < end; ++count) {
    const WalkResult result = check_variant(part, offset, mp_encoding(generation), options);
    if (result.outcome != Outcome::ok) break;
    if (count < types.size() && offset < part.captured) {
      types[count] = mp_type_of(part.data[offset], mp_encoding(generation));
    }
    offset = result.offset;
  }
  return count;
}

MpValueTypes read_mp_types(Bytes bytes, const MpMessage &message, const MpVariants &variants,
                           const ReadOptions &options, std::uint64_t mask) {
  std::array<Type, MpTypes::max_count> types{};
  MpValueTypes values;
  values.count = count_mp_variants(bytes, variants, message.generation, options, types);
  const std::size_t count = std::min<std::size_t>(values.count, types.size());
  for (std::size_t i = 0; i < count && mask != 0; ++i) {
    values.types.set(static_cast<std::size_t>(std::countr_zero(mask)), types[i]);
    mask &= mask - 1;
  }
  return values;
}

MpArgument read_mp_argument(Bytes bytes, const MpMessage &message, std::size_t offset, const ReadOptions &options) {
  const Bytes arguments = mp_until(bytes, message.variants.range.end());
  const Encoding encoding = mp_encoding(message.generation);
  const WalkResult whole = check_variant(arguments, offset, encoding, options);
  if (whole.outcome != Outcome::ok) return {};
  BytesSink sink;
  walk_variant(arguments, offset, encoding, options, sink);
  return {whole.offset, sink.found()};
}

Range mp_own_bytes(Bytes bytes, const MpMessage &message, const ReadOptions &options) {
  if (const MpValue *value = message.fields.find(MpField::data); value != nullptr) return value->range;
  if (message.command != MpCommand::rpc || message.variants.count != 1) return {};
  return read_mp_argument(bytes, message, message.variants.range.offset, options).bytes;
}

namespace {

// Godot 4's types that are nothing but reals behind the header, by how many these are.
constexpr std::uint8_t real_counts[] = {0, 0, 0, 1, 0, 2, 0, 4, 0, 3, 0, 6, 4, 0, 4, 4, 6, 9, 12, 16};
constexpr std::uint8_t object_type = 24;
constexpr std::uint8_t compact_type_bits = 0x3f;

}  // namespace

bool mp_has_nan(Bytes bytes, std::size_t offset) {
  if (offset >= bytes.captured) return false;
  const std::uint8_t type = bytes.data[offset];  // the upper bits are 0 of what has no size there
  const std::size_t count = type < std::size(real_counts) ? real_counts[type] : 0;
  if (count == 0) return false;
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

bool mp_is_object(Bytes bytes, std::size_t offset) {
  return offset < bytes.captured && (bytes.data[offset] & compact_type_bits) == object_type;
}

}  // namespace godot_codec
