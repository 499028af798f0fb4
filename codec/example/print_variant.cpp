// SPDX-License-Identifier: MIT
// Reads the bytes of one packet from standard input, as put_var() or var_to_bytes() made them, and prints the value
// and each of its fields with its place in the packet.
#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

#include "godot-codec/variant/detect.h"
#include "godot-codec/variant/text.h"
#include "godot-codec/variant/walker.h"

namespace {

class FieldPrinter final : public godot_codec::VariantSink {
 public:
  godot_codec::Verdict on_event(const godot_codec::Event &event) override {
    if (event.kind == godot_codec::Event::Kind::field) {
      std::printf("%6zu %4zu  %s\n", event.range.offset, event.range.length, godot_codec::field_info(event.field).name);
    }
    return godot_codec::Verdict::proceed;
  }
};

std::vector<std::uint8_t> read_input() {
  std::vector<std::uint8_t> packet;
  std::array<std::uint8_t, 4096> chunk;
  for (std::size_t size = 0; (size = std::fread(chunk.data(), 1, chunk.size(), stdin)) > 0;) {
    packet.insert(packet.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return packet;
}

}  // namespace

int main() {
  const std::vector<std::uint8_t> packet = read_input();
  const godot_codec::Bytes bytes{packet.data(), packet.size()};

  godot_codec::WalkOptions options;
  options.dialect = godot_codec::choose_dialect(godot_codec::detect_dialect(bytes, options), {}).dialect;

  std::array<char, 1000> memory;
  godot_codec::TextBuffer text(memory);
  godot_codec::append_variant(text, bytes, 0, options, godot_codec::TextStyle::script);
  std::printf("%s: %s\n", godot_codec::dialect_table(options.dialect).name.data(), memory.data());

  FieldPrinter printer;
  const godot_codec::WalkResult result = godot_codec::walk_variant(bytes, 0, options, printer);
  if (result.outcome != godot_codec::Outcome::ok) {
    std::fprintf(stderr, "cannot be read from byte %zu on\n", result.offset);
    return 1;
  }
  return 0;
}
