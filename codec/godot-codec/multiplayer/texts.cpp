// SPDX-License-Identifier: MIT
#include "godot-codec/multiplayer/texts.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "godot-codec/variant/text.h"

namespace godot_codec {

std::string_view MpTexts::keep(std::string_view text) {
  auto *kept = static_cast<char *>(memory_->allocate(text.size() + 1, alignof(char)));
  *std::copy(text.begin(), text.end(), kept) = '\0';
  return {kept, text.size()};
}

const MpTexts::Text *MpTexts::find(std::string_view bytes) const {
  const Text wanted{bytes, {}};
  const auto *found = texts_.find({&wanted});
  return found == nullptr ? nullptr : found->key.text;
}

const MpTexts::Text *MpTexts::add(std::string_view bytes) {
  if (const Text *known = find(bytes); known != nullptr) return known;
  constexpr std::size_t longest_escape = 6;  // such as \uNNNN
  std::vector<char> escaped(bytes.size() * longest_escape + 4);
  TextBuffer buffer(escaped);
  buffer.append_escaped(bytes, false);
  Text *text = std::pmr::polymorphic_allocator<>(memory_).new_object<Text>();
  text->bytes = keep(bytes);
  text->printable = buffer.view() == bytes ? text->bytes : keep(buffer.view());
  texts_[{text}];
  return text;
}

}  // namespace godot_codec
