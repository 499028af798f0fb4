// SPDX-License-Identifier: MIT
// Reads the bytes of one packet from standard input, as put_var() or var_to_bytes() made them, and prints the value
// and each of its fields with its place in the packet.
#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

#include "detect.h"
#include "text.h"
#include "variant.h"

namespace {

class FieldPrinter final : public godot::VariantSink {
 public:
  godot::Verdict on_event(const godot::Event &event) override {
    if (event.kind == godot::Event::Kind::field) {
      std::printf("%6zu %4zu  %s\n", event.range.offset, event.range.length, godot::field_info(event.field).name);
    }
    return godot::Verdict::proceed;
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
  const godot::Bytes bytes{packet.data(), packet.size()};

  godot::WalkOptions options;
  options.dialect = godot::choose_dialect(godot::detect_dialect(bytes, options), {}).dialect;

  std::array<char, 1000> memory;
  godot::TextBuffer text(memory);
  godot::append_variant(text, bytes, 0, options, godot::TextStyle::script);
  std::printf("%s: %s\n", godot::dialect_table(options.dialect).name.data(), memory.data());

  FieldPrinter printer;
  const godot::WalkResult result = godot::walk_variant(bytes, 0, options, printer);
  if (result.outcome != godot::Outcome::ok) {
    std::fprintf(stderr, "cannot be read from byte %zu on\n", result.offset);
    return 1;
  }
  return 0;
}
