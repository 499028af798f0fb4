// SPDX-License-Identifier: MIT
// Reads one packet from standard input, as put_var() or var_to_bytes() encode it. Prints the packet's value, then each
// of the value's fields with its offset in the packet.
#include <array>
#include <cstdio>
#include <iterator>
#include <vector>

#include "godot-codec/variant/dialect_detection.h"
#include "godot-codec/variant/variant_text.h"
#include "godot-codec/variant/variant_walker.h"

namespace {

class FieldPrinter final : public godot_codec::VariantSink {
 public:
  void integer(const godot_codec::ValueHeader & /*value*/, const godot_codec::IntegerField &field) {
    print(field.range, field.field);
  }
  void real(const godot_codec::ValueHeader & /*value*/, const godot_codec::RealField &field) {
    print(field.range, godot_codec::VariantField::real);
  }
  void text(const godot_codec::ValueHeader & /*value*/, const godot_codec::TextField &field) {
    print(field.range, field.field);
  }
  void components(const godot_codec::ValueHeader &value, const godot_codec::NumberSequence &numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      print(numbers.range(i), godot_codec::component_field(value.type, i));
    }
  }
  void packed_array(const godot_codec::ValueHeader &value, const godot_codec::PackedArray &array) {
    for (std::size_t i = 0; i < array.numbers.size(); ++i) print(array.numbers.range(i), value.name.data());
    for (const godot_codec::PackedString &element : array.strings)
      print(element.range, godot_codec::VariantField::string);
  }
  void padding(const godot_codec::ValueHeader & /*value*/, const godot_codec::PaddingField &field) {
    print(field.range, godot_codec::VariantField::padding);
  }

 private:
  static void print(godot_codec::Range range, const char *name) {
    std::printf("%6zu %4zu  %s\n", range.offset, range.length, name);
  }
  static void print(godot_codec::Range range, godot_codec::VariantField field) {
    print(range, godot_codec::field_name(field).c_str());
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

  godot_codec::Encoding encoding;
  encoding.dialect = godot_codec::choose_dialect(godot_codec::detect_dialect(bytes, {}), {}).dialect;

  std::array<char, 1000> memory;
  godot_codec::TextBuffer text(memory);
  godot_codec::append_variant(text, bytes, 0, encoding, {}, godot_codec::TextStyle::script);
  std::printf("%s: %s\n", godot_codec::dialect_table(encoding.dialect).name.data(), memory.data());

  FieldPrinter printer;
  const godot_codec::WalkResult result = godot_codec::walk_variant(bytes, 0, encoding, {}, printer);
  if (result.outcome != godot_codec::Outcome::ok) {
    std::fprintf(stderr, "cannot be read from byte %zu on\n", result.offset);
    return 1;
  }
  return 0;
}
