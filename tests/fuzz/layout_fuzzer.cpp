// SPDX-License-Identifier: MIT
// Reads hostile layout files and payloads: the file is the input up to the first zero, the payload is the rest. Aborts
// if a value lies outside of the payload, or if a walk exceeds its limits.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/core/utf8.h"
#include "godot-codec/layout/walker.h"
#include "require.h"

namespace {

using namespace godot_codec;

class Checks final : public LayoutSink {
 public:
  explicit Checks(Bytes bytes) : bytes_(bytes) {}
  void begin_list(const LayoutNode & /*node*/) override { ++lists_; }
  void end_list(const LayoutNode & /*node*/) override { require(lists_-- > 0); }
  void begin_group(const LayoutValue & /*group*/) override { ++groups_; }
  void end_group(const LayoutValue &group) override {
    require(groups_-- > 0);
    check(group);
  }
  void value(const LayoutValue &value) override {
    check(value);
    require(value.bit_offset >= bit_);
    bit_ = value.bit_offset + value.bit_length;
    require(value.range().end() <= bytes_.captured);
    require(value.content.end() <= bytes_.captured);
    ++values_;
  }
  void trailing_bytes(Range range) override { require(range.end() <= bytes_.reported); }
  void finish() const { require(lists_ == 0 && groups_ == 0 && values_ <= layout_max_values); }

 private:
  void check(const LayoutValue &value) const { require(value.range().end() <= bytes_.reported); }
  Bytes bytes_;
  std::size_t bit_ = 0;
  std::uint32_t values_ = 0;
  std::size_t lists_ = 0;
  std::size_t groups_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::uint8_t *const zero = std::find(data, data + size, std::uint8_t{0});
  const LayoutFile layouts =
      LayoutFile::parse({reinterpret_cast<const char *>(data), static_cast<std::size_t>(zero - data)});
  const std::uint8_t *const start = zero == data + size ? zero : zero + 1;
  const auto length = static_cast<std::size_t>(data + size - start);
  constexpr std::size_t cut = 5;
  for (const Bytes bytes : {Bytes(start, length), Bytes(start, length, length + cut)}) {
    const LayoutData layout_data{layouts, bytes, {}, {}};
    for (const Layout &layout : layouts.layouts()) {
      Checks checks(bytes);
      const LayoutWalkResult result = walk_layout(layout, layout_data, &checks);
      checks.finish();
      require(result.offset <= bytes.reported);
      require((result.outcome == Outcome::ok) == (result.failed_node == nullptr));
      std::array<char, 64> memory{};
      TextBuffer text(memory);
      append_layout_text(text, layout, layout_data);
      require(is_valid_utf8(text.view()));
    }
    choose_layout(layout_data, [](const Layout & /*layout*/) { return true; });
  }
  return 0;
}
