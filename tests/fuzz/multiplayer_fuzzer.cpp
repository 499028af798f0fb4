// SPDX-License-Identifier: MIT
// Feeds hostile packets of the high-level multiplayer: commands of both generations, their objects and Variants,
// prefixes and confidence. Aborts if one of their guarantees is violated.
#include <array>
#include <cstddef>
#include <cstdint>

#include "godot-codec/detection/evidence.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/variant/variant_text.h"
#include "require.h"

namespace godot_codec::test {
namespace {

constexpr MpFraming all_framings[] = {MpFraming::none,        MpFraming::websocket_id, MpFraming::enet3,
                                      MpFraming::enet3_flags, MpFraming::enet3_system, MpFraming::websocket3};

// Checks that the range of each event of a walk lies in the captured bytes.
class WatchingSink final : public VariantSink {
 public:
  explicit WatchingSink(Bytes bytes, std::size_t start) : bytes_(bytes), start_(start) {}

  void begin_value(const ValueHeader &value) const { watch(value.range); }
  void end_value(const ValueHeader & /*value*/, Range whole) const { watch(whole); }
  void integer(const ValueHeader & /*value*/, const IntegerField &field) const { watch(field.range); }
  void real(const ValueHeader & /*value*/, const RealField &field) const { watch(field.range); }
  void text(const ValueHeader & /*value*/, const TextField &field) const { watch(field.range); }
  void padding(const ValueHeader & /*value*/, const PaddingField &field) const { watch(field.range); }
  void components(const ValueHeader & /*value*/, const NumberSequence &numbers) const { watch(numbers.range()); }
  void packed_array(const ValueHeader & /*value*/, const PackedArray &array) const {
    if (array.numbers.size() > 0) watch(array.numbers.range());
    for (const PackedString &element : array.strings) watch(element.range);
  }
  void note(const ValueHeader & /*value*/, const NotedBytes &oddity) const { watch(oddity.range); }

 private:
  void watch(Range range) const { require(range.offset >= start_ && range.end() <= bytes_.captured); }

  Bytes bytes_;
  std::size_t start_;
};

void check_fields(Bytes bytes, const MpFields &fields, Range range) {
  for (const MpFieldValue &value : fields) {
    require(value.range.offset >= range.offset && value.range.end() <= range.end());
    require(value.range.end() <= bytes.captured);
    const bool has_text = !value.text.empty();
    require(!has_text || value.text.data() == reinterpret_cast<const char *>(bytes.data) + value.range.offset);
    require(!has_text || value.text.size() == value.range.length);
  }
}

void walk(Bytes bytes, const MpVariants &variants, Generation generation, Range range) {
  require(variants.count == 0 || variants.range.offset >= range.offset);
  require(variants.range.end() <= bytes.reported);
  const Bytes part = mp_bytes_before(bytes, variants.range.end());
  require(part.reported == variants.range.end());
  const Encoding encoding = mp_encoding(generation);
  std::array<char, 64> memory{};
  std::size_t offset = variants.range.offset;
  Outcome outcome = Outcome::ok;
  std::uint32_t count = 0;
  for (; count < variants.count && offset < variants.range.end(); ++count) {
    WatchingSink sink(part, offset);
    const WalkResult result = walk_variant(part, offset, encoding, {}, sink);
    require(result.offset >= offset && result.offset <= variants.range.end());
    TextBuffer buffer(memory);
    const WalkResult text = append_variant(buffer, part, offset, encoding, {}, TextStyle::brief);
    require(text.is_stopped || (text.outcome == result.outcome && text.offset == result.offset));
    outcome = result.outcome;
    if (outcome != Outcome::ok) break;
    require(result.offset > offset);
    offset = result.offset;
  }
  const bool is_short = outcome == Outcome::ok && variants.count != MpVariants::all && count < variants.count;
  MpVariantCache values(bytes, {});
  require(check_mp_variants(values, variants, generation) == (is_short ? Outcome::malformed : outcome));
}

void read_objects(Bytes bytes, const MpMessage &message) {
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpItem object = read_mp_object(bytes, offset, message.command);
    require(object.range.offset == offset && object.range.end() <= message.objects.end());
    check_fields(bytes, object.fields, object.range);
    if (object.outcome != Outcome::ok) break;
    require(object.range.end() > offset && object.variants.range.end() == object.range.end());
    walk(bytes, object.variants, message.generation, object.range);
    offset = object.range.end();
  }
}

MpMessage read_message(Bytes bytes, std::size_t offset, Generation generation) {
  const MpMessage message = read_mp_message(bytes, offset, generation);
  require(message.range.offset == offset && message.range.end() == bytes.reported);
  require(message.offset >= offset && message.offset <= bytes.reported);
  require(message.rest_bytes.offset >= offset && message.rest_bytes.end() == bytes.reported);
  require(message.outcome != Outcome::truncated || bytes.captured < bytes.reported);
  require(message.is_known || message.outcome != Outcome::ok);
  for (const Range range :
       {message.variants.range, message.spawn_argument.range, message.sync_ids, message.objects, message.relayed}) {
    // A Variant instead of a command begins where the command would begin.
    require(range.length == 0 || (range.offset >= offset && range.end() <= message.rest_bytes.offset));
  }
  check_fields(bytes, message.fields, message.range);
  walk(bytes, message.variants, generation, message.range);
  walk(bytes, message.spawn_argument, generation, message.range);
  MpVariantCache values(bytes, {});
  const Range own = find_mp_custom_payload(values, message);
  require(own.length == 0 || (own.offset >= offset && own.end() <= bytes.captured));
  for (std::size_t i = 0; i < message.sync_ids.length / 4; ++i) {
    require(read_mp_sync_id(bytes, message, i).range.end() <= bytes.captured);
  }
  read_objects(bytes, message);
  return message;
}

void read_command(Bytes bytes, std::size_t offset, Generation generation, Confidence confidence) {
  const MpMessage message = read_message(bytes, offset, generation);
  const auto inner = message.relayed.length > 0 ? read_message(bytes, message.relayed.offset, generation) : message;
  require(confidence != Confidence::weak || (message.outcome == Outcome::ok && inner.outcome == Outcome::ok));
  require(confidence != Confidence::weak || (message.rest_bytes.length == 0 && mp_unknown_flags(message) == 0));
  require(confidence != Confidence::weak || bytes.captured == bytes.reported);
  if (message.command != MpCommand::relay && message.outcome == Outcome::malformed) {
    require(confidence == Confidence::none);
  }
}

void read(Bytes bytes) {
  for (const MpFraming framing : all_framings) {
    const MpPrefix prefix = read_mp_prefix(bytes, framing);
    require(prefix.prefix_range.offset == 0 && prefix.prefix_range.end() <= bytes.captured);
    require(prefix.offset <= prefix.prefix_range.end());
    require(!prefix.has_command || !prefix.is_known);
    require(prefix.has_command || prefix.rest_bytes.end() == bytes.reported);
    check_fields(bytes, prefix.fields, prefix.prefix_range);
    MpPacketReader reader({bytes}, {});
    const Confidence confidence = evaluate_mp_packet(reader, framing);
    require(confidence != Confidence::weak || prefix.outcome == Outcome::ok);
    if (prefix.has_command) read_command(bytes, prefix.prefix_range.end(), mp_generation(framing), confidence);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  constexpr std::size_t cut = 7;
  read({data, size});
  read({data, size, size + cut});
  return 0;
}

}  // namespace godot_codec::test
