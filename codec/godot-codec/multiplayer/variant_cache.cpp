// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/variant_cache.h"

#include <span>

namespace godot_codec {

Encoding mp_encoding(Generation generation) {
  const bool is_4 = generation == Generation::godot4;
  return {.dialect = is_4 ? Dialect::godot4 : Dialect::godot3, .is_compact = is_4};
}

// In both generations, the header begins with the type number.
Type mp_variant_type(std::uint8_t first, const Encoding &encoding) {
  constexpr std::uint8_t type_mask = 0x3f;
  const std::span<const TypeRow> types = dialect_table(encoding.dialect).types;
  const std::size_t number = first & type_mask;
  return number < types.size() ? types[number].type : Type::nil;
}

// Callers iterate over the Variants of a message, from the first Variant. So the result after the last returned result
// is tried first, and then all results.
const MpVariantWalk *MpVariantCache::find_cached(std::size_t offset, std::size_t limit, Generation generation) {
  const auto is_asked = [&](const MpVariantWalk &walk) {
    return walk.offset == offset && walk.limit == limit && walk.generation == generation;
  };
  const std::size_t count = cached_walks_.size();
  if (next_index_ < count && is_asked(cached_walks_[next_index_])) return &cached_walks_[next_index_++];
  const bool is_behind_all = next_index_ == count && count > 0 && offset > cached_walks_[count - 1].offset;
  if (is_behind_all) return nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_asked(cached_walks_[i])) continue;
    next_index_ = i + 1;
    return &cached_walks_[i];
  }
  return nullptr;
}

const MpVariantWalk &MpVariantCache::walk(const MpVariants &variants, Generation generation, std::size_t offset) {
  const std::size_t limit = variants.range.end();
  if (const MpVariantWalk *known = find_cached(offset, limit, generation); known != nullptr) return *known;
  const bool is_kept = !cached_walks_.is_full();
  MpVariantWalk &walk = is_kept ? cached_walks_.add({}) : uncached_walk_;
  walk.offset = offset;
  walk.limit = limit;
  walk.generation = generation;
  const WalkResult result = read(mp_bytes_before(bytes_, limit), offset, generation, walk);
  walk.end = result.offset;
  walk.outcome = result.outcome;
  walk.notes = result.notes;
  if (is_kept) next_index_ = cached_walks_.size();
  return walk;
}

WalkResult MpVariantCache::read(Bytes part, std::size_t offset, Generation generation, MpVariantWalk &walk) {
  walk.has_text = wanted_texts_.texts && !texts_.is_full();
  if (!walk.has_text) return check_variant(part, offset, mp_encoding(generation), options_);
  walk.text_begin = static_cast<std::uint16_t>(texts_.view().size());
  const WalkResult result =
      append_brief(texts_, part, offset, mp_encoding(generation), options_, TextStyle::brief, wanted_texts_.scripts);
  walk.text_end = static_cast<std::uint16_t>(texts_.view().size());
  walk.has_text = !texts_.is_full();
  return result;
}

std::optional<std::string_view> MpVariantCache::brief_text_of(const MpVariantWalk &walk) const {
  if (!walk.has_text) return std::nullopt;
  return texts_.view().substr(walk.text_begin, walk.text_end - walk.text_begin);
}

bool MpVariantCursor::next() {
  if (!is_readable() || count_ == variants_.count || offset_ >= variants_.range.end()) return false;
  walk_ = variant_cache_.walk(variants_, generation_, offset_);
  if (!is_readable()) return true;
  ++count_;
  offset_ = walk_.end;
  return true;
}

Type MpVariantCursor::type() const {
  return mp_variant_type(variant_cache_.bytes().data[walk_.offset], mp_encoding(generation_));
}

bool MpVariantCursor::lacks_variants() const {
  return is_readable() && variants_.count != MpVariants::all && count_ < variants_.count;
}

}  // namespace godot_codec
