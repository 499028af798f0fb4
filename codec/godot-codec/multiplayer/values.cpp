// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/values.h"

#include <span>

namespace godot_codec {

Encoding mp_encoding(Generation generation) {
  const bool is_4 = generation == Generation::godot4;
  return {.dialect = is_4 ? Dialect::godot4 : Dialect::godot3, .compact = is_4};
}

// In both generations, the header begins with the type number.
Type mp_type_of(std::uint8_t first, const Encoding &encoding) {
  constexpr std::uint8_t type_mask = 0x3f;
  const std::span<const TypeRow> types = dialect_table(encoding.dialect).types;
  const std::size_t number = first & type_mask;
  return number < types.size() ? types[number].type : Type::nil;
}

// Callers iterate over the Variants of a message. So the Variant after the last result is tried first. A new caller
// starts at the first Variant.
const MpWalk *MpValues::find(std::size_t offset, std::size_t limit, Generation generation) {
  const auto is_asked = [&](const MpWalk &walk) {
    return walk.offset == offset && walk.limit == limit && walk.generation == generation;
  };
  const std::size_t count = kept_.size();
  if (next_ < count && is_asked(kept_[next_])) return &kept_[next_++];
  const bool is_behind_all = next_ == count && count > 0 && offset > kept_[count - 1].offset;
  if (is_behind_all) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_asked(kept_[i])) continue;
    next_ = i + 1;
    return &kept_[i];
  }
  return nullptr;
}

const MpWalk &MpValues::walk(const MpVariants &variants, Generation generation, std::size_t offset) {
  const std::size_t limit = variants.range.end();
  if (const MpWalk *known = find(offset, limit, generation); known != nullptr) return *known;
  const bool is_kept = !kept_.is_full();
  MpWalk &walk = is_kept ? kept_.add({}) : not_kept_;
  walk.offset = offset;
  walk.limit = limit;
  walk.generation = generation;
  const WalkResult result = read(mp_until(bytes_, limit), offset, generation, walk);
  walk.end = result.offset;
  walk.outcome = result.outcome;
  walk.notes = result.notes;
  if (is_kept) next_ = kept_.size();
  return walk;
}

WalkResult MpValues::read(Bytes part, std::size_t offset, Generation generation, MpWalk &walk) {
  walk.has_text = wanted_.texts && !texts_.is_full();
  if (!walk.has_text) return check_variant(part, offset, mp_encoding(generation), options_);
  walk.text_begin = static_cast<std::uint16_t>(texts_.view().size());
  const WalkResult result =
      append_brief(texts_, part, offset, mp_encoding(generation), options_, Brevity::text, wanted_.scripts);
  walk.text_end = static_cast<std::uint16_t>(texts_.view().size());
  walk.has_text = !texts_.is_full();
  return result;
}

std::optional<std::string_view> MpValues::text_of(const MpWalk &walk) const {
  if (!walk.has_text) return std::nullopt;
  return texts_.view().substr(walk.text_begin, walk.text_end - walk.text_begin);
}

bool MpValueCursor::next() {
  if (!is_readable() || count_ == variants_.count || offset_ >= variants_.range.end()) return false;
  walk_ = values_.walk(variants_, generation_, offset_);
  if (!is_readable()) return true;
  ++count_;
  offset_ = walk_.end;
  return true;
}

Type MpValueCursor::type() const { return mp_type_of(values_.bytes().data[walk_.offset], mp_encoding(generation_)); }

bool MpValueCursor::is_short() const {
  return is_readable() && variants_.count != MpVariants::all && count_ < variants_.count;
}

}  // namespace godot_codec
