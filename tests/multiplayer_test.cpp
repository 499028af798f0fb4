// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "events.h"
#include "godot-codec/detection/evidence.h"
#include "godot-codec/multiplayer/command_variants.h"
#include "godot-codec/multiplayer/message.h"
#include "godot-codec/multiplayer/summary.h"
#include "godot-codec/multiplayer/variant_cache.h"
#include "godot-codec/variant/dialect.h"
#include "godot-codec/variant/variant_text.h"

namespace godot_codec::test {
namespace {

constexpr Generation g4 = Generation::godot4;
constexpr Generation g3 = Generation::godot3;

// --- Messages as text ------------------------------------------------------------------------------------------

using test::describe;

constexpr std::string_view filter_prefix = "godot_mp.";

std::string describe(Range range) { return format("%zu+%zu", range.offset, range.length); }

// Describes a value: `1+4 path_id=3`.
std::string describe(const MpFieldValue &value) {
  const MpFieldInfo &info = mp_field_info(value.field);
  std::string text = describe(value.range) + ' ' + (info.filter + filter_prefix.size()) + '=';
  switch (info.kind) {
    case FieldKind::text:
      return text + '"' + std::string(value.text) + '"';
    case FieldKind::opaque_bytes:
      return text + to_hex(value.text);
    case FieldKind::int32:
      return text + std::to_string(value.signed_integer());
    default:
      return text + std::to_string(value.integer);
  }
}

std::string describe(const MpFields &fields) {
  std::string text;
  for (const MpFieldValue &value : fields) text += " | " + describe(value);
  return text;
}

std::string describe(const char *name, const MpVariants &variants) {
  if (variants.count == 0 && variants.range.length == 0) return {};
  const std::string count = variants.count == MpVariants::all ? "all" : std::to_string(variants.count);
  return std::string(" | ") + name + ' ' + describe(variants.range) + " x" + count;
}

std::string describe(const char *name, Range range) {
  return range.length == 0 ? "" : std::string(" | ") + name + ' ' + describe(range);
}

std::string describe(const MpItem &object) {
  return describe(object.range) + describe(object.fields) + describe("variants", object.variants);
}

std::string describe(Bytes bytes, const MpMessage &message) {
  std::string text(message.is_known ? mp_command_info(message.command).name : "unknown");
  text += describe(message.fields);
  const std::size_t ids = message.sync_ids.length / 4;
  for (std::size_t i = 0; i < ids; ++i) text += " | " + describe(read_mp_sync_id(bytes, message, i));
  text += describe("custom", message.spawn_argument) + describe("variants", message.variants) +
          describe("objects", message.objects) + describe("inner", message.relayed) +
          describe("rest", message.rest_bytes);
  if (message.outcome != Outcome::ok) text += " | " + name_of(message.outcome) + format(" @%zu", message.offset);
  return text;
}

std::string read(const Data &data, Generation generation, std::size_t reported = 0, std::size_t offset = 0) {
  const ExactBytes bytes(data, reported);
  return describe(bytes.get(), read_mp_message(bytes.get(), offset, generation));
}

std::string read4(const Data &data, std::size_t reported = 0, std::size_t offset = 0) {
  return read(data, g4, reported, offset);
}

constexpr std::string_view confidence_names[] = {"none", "neutral", "weak", "strong"};
std::string confidence_name(Confidence confidence) {
  return std::string(confidence_names[static_cast<std::size_t>(confidence)]);
}

std::string packet_confidence(const Data &data, MpFraming framing, std::size_t reported = 0,
                              const ReadOptions &options = {}) {
  const ExactBytes bytes(data, reported);
  MpPacketReader reader({bytes.get()}, options);
  return confidence_name(evaluate_mp_packet(reader, framing));
}

// Evaluates a command; in Godot 3, after a prefix with source and target.
std::string confidence(const Data &data, Generation generation, std::size_t reported = 0,
                       const ReadOptions &options = {}) {
  if (generation == g4) return packet_confidence(data, MpFraming::none, reported, options);
  const Data prefix = hex("01000000 00000000");
  return packet_confidence(prefix + data, MpFraming::enet3, reported == 0 ? 0 : prefix.size() + reported, options);
}

// Returns Variants as a script writes them.
std::string variant_texts(Bytes bytes, const MpVariants &variants, Generation generation) {
  std::array<char, 256> memory{};
  std::string all;
  std::size_t offset = variants.range.offset;
  for (std::uint32_t i = 0; i < variants.count && offset < variants.range.end(); ++i) {
    TextBuffer buffer(memory);
    const WalkResult result = append_variant(buffer, mp_bytes_before(bytes, variants.range.end()), offset,
                                             mp_encoding(generation), {}, TextStyle::script);
    EXPECT_EQ(name_of(result.outcome), "ok");
    all += (i > 0 ? ", " : "") + std::string(buffer.view());
    offset = result.offset;
  }
  EXPECT_EQ(offset, variants.range.end());
  return all;
}

// Checks the guarantees of multiplayer.h for any message.
void expect_guarantees(Bytes bytes, const MpMessage &message, std::size_t offset = 0) {
  EXPECT_EQ(message.range.end(), bytes.reported);
  EXPECT_EQ(message.range.offset, offset);
  EXPECT_GE(message.offset, offset);
  EXPECT_LE(message.offset, bytes.reported);
  EXPECT_EQ(message.rest_bytes.end(), bytes.reported);
  for (const Range range : {message.variants.range, message.spawn_argument.range, message.objects, message.relayed}) {
    EXPECT_LE(range.end(), bytes.reported);
    EXPECT_TRUE(range.length == 0 || range.end() <= message.rest_bytes.offset);
  }
  for (const MpFieldValue &value : message.fields) {
    EXPECT_TRUE(is_within(value.range, {offset, bytes.captured - offset})) << describe(value);
    EXPECT_LE(value.range.end(), message.rest_bytes.offset);
  }
}

// --- Samples ---------------------------------------------------------------------------------------------------

Data operator""_hex(const char *digits, std::size_t length) { return hex({digits, length}); }

constexpr std::string_view take_damage_md5 = "3f9f838f849d808dbe055ee3eaa41817";

// A complete command.
struct Sample {
  const char *title;
  Generation generation;
  Data data;
  std::size_t ended;         // the smallest reported length that is not malformed
  std::size_t min_captured;  // the smallest captured length that is not truncated
  const char *text;
  const char *arguments;  // the other Variants, as text
  const char *confidence;
};

const std::vector<Sample> &samples() {
  static const std::vector<Sample> all = {
      // protocol.md, section 5
      {"auth", g4, "0700"_hex + raw("hello"), 2, 7, "auth | 1+1 kind=0 | 2+5 data=68656c6c6f", "", "neutral"},
      {"auth is done", g4, "0700"_hex, 2, 2, "auth | 1+1 kind=0", "", "weak"},
      {"add", g4, "0701 03000000"_hex, 6, 6, "add_peer | 1+1 kind=1 | 2+4 peer=3", "", "weak"},
      {"remove", g4, "0702 f28b4b1e"_hex, 6, 6, "remove_peer | 1+1 kind=2 | 2+4 peer=508267506", "", "weak"},
      {"a relayed call", g4, "0703 03000000 a0 06000080 03"_hex + zero_terminated("World"), 7, 6,
       "relay | 1+1 kind=3 | 2+4 peer=3 | inner 6+12", "", "weak"},
      {"a relay to all but one", g4, "0703 fdffffff 03 61"_hex, 7, 6, "relay | 1+1 kind=3 | 2+4 peer=-3 | inner 6+2",
       "", "neutral"},
      {"node 301", g4, "10 2d01 00 01 0201"_hex, 5, 5,
       "rpc | 1+2 path_id=301 | 3+1 rpc.method_id=0 | 4+1 rpc.argc=1 | variants 5+2 x1", "1", "weak"},
      {"rpc_config by path", g4, "e0 07000080 0080"_hex + zero_terminated("Main/Conf"), 17, 17,
       "rpc | 1+4 path_offset=7 | 5+2 rpc.method_id=32768 | 7+9 path=\"Main/Conf\"", "", "weak"},
      {"custom spawn", g4,
       "04 ff 02000000 02000000 00000000 05000000"_hex + zero_terminated("C_xy") +
           "0c000000 04000000 02000000 78790000"_hex,
       39, 27,
       "spawn | 1+1 spawn.scene=255 | 2+4 spawn.spawner_id=2 | 6+4 net_id=2 | 10+4 spawn.sync_count=0 | 14+4 "
       "spawn.name_length=5 | 18+4 spawn.name=\"C_xy\" | 23+4 spawn.custom_size=12 | custom 27+12 x1 | variants 39+0 "
       "xall",
       "\"xy\"", "weak"},
      {"spawn with synchronizers and a state", g4,
       "04 00 02000000 03000000 02000000 03000000 04000000 05000000"_hex + zero_terminated("P1") +
           "024d 81 05000000 0000803f 00000040"_hex,
       29, 29,
       "spawn | 1+1 spawn.scene=0 | 2+4 spawn.spawner_id=2 | 6+4 net_id=3 | 10+4 spawn.sync_count=2 | 14+4 "
       "spawn.name_length=3 | 26+2 spawn.name=\"P1\" | 18+4 spawn.sync_id=4 | 22+4 spawn.sync_id=5 | variants 29+15 "
       "xall",
       "77, true, Vector2(1, 2)", "weak"},
      {"despawn", g4, "05 02000000"_hex, 5, 5, "despawn | 1+4 net_id=2", "", "weak"},
      {"sync", g4, "06 0100 05000000 04000000 0202024d"_hex, 3, 3, "sync | 1+2 sync.time=1 | objects 3+12", "", "weak"},
      {"delta", g4, "16 05000000 0200000000000000 0c000000 04000000 02000000 44440000"_hex, 1, 1,
       "delta | objects 1+28", "", "weak"},
      {"sync by path id", g4, "06 0200 03000080 02000000 0264"_hex, 3, 3, "sync | 1+2 sync.time=2 | objects 3+10", "",
       "weak"},
      {"confirm of a wrong checksum", g4, "02 00 01000000"_hex, 6, 6,
       "confirm_path | 1+1 confirm.valid=0 | 2+4 path_id=1", "", "weak"},
      {"confirm by path", g4, "02 01"_hex + zero_terminated("Main/World"), 6, 13,
       "confirm_path | 1+1 confirm.valid=1 | 2+10 path=\"Main/World\"", "", "weak"},
      {"take_damage by path", g4,
       "20 15000080 05 02 0205 0400000004000000 66616c6c"_hex + zero_terminated("Main/World"), 32, 32,
       "rpc | 1+4 path_offset=21 | 5+1 rpc.method_id=5 | 6+1 rpc.argc=2 | 21+10 path=\"Main/World\" | variants 7+14 x2",
       "5, \"fall\"", "weak"},
      {"no arguments by path", g4, "a0 06000080 04"_hex + zero_terminated("Main/World"), 17, 17,
       "rpc | 1+4 path_offset=6 | 5+1 rpc.method_id=4 | 6+10 path=\"Main/World\"", "", "weak"},
      {"one Vector2", g4, "00 01 00 01 05000000 0000803f 00000040"_hex, 4, 4,
       "rpc | 1+1 path_id=1 | 2+1 rpc.method_id=0 | 3+1 rpc.argc=1 | variants 4+12 x1", "Vector2(1, 2)", "weak"},
      {"bytes", g4, "80 01 02 0102fe"_hex, 3, 6, "rpc | 1+1 path_id=1 | 2+1 rpc.method_id=2 | 3+3 data=0102fe", "",
       "neutral"},
      {"bytes by path", g4, "a0 08000080 02 ff00"_hex + zero_terminated("."), 10, 10,
       "rpc | 1+4 path_offset=8 | 5+1 rpc.method_id=2 | 6+2 data=ff00 | 8+1 path=\".\"", "", "neutral"},
      {"simplify", g4, "01"_hex + zero_terminated(take_damage_md5) + u32(1) + zero_terminated("Main/World"), 49, 49,
       "simplify_path | 1+32 rpc.md5=\"3f9f838f849d808dbe055ee3eaa41817\" | 34+4 path_id=1 | 38+10 path=\"Main/World\"",
       "", "weak"},
      {"raw", g4, "03 0a0b"_hex, 2, 3, "raw | 1+2 data=0a0b", "", "neutral"},
      // section 6
      {"hit", g3, "00 01000000 68697400 01 02000000 06000000"_hex, 10, 10,
       "rpc | 1+4 path_id=1 | 5+3 rpc.method=\"hit\" | 9+1 rpc.argc=1 | variants 10+8 x1", "6", "weak"},
      {"set of target", g3, "01 01000000"_hex + zero_terminated("target") + "02000000 4d000000"_hex, 12, 12,
       "rset | 1+4 path_id=1 | 5+6 rset.property=\"target\" | variants 12+8 x1", "77", "weak"},
      {"hit by path", g3, "00 12000080 68697400 01 02000000 06000000"_hex + zero_terminated("Main"), 23, 23,
       "rpc | 1+4 path_offset=18 | 5+3 rpc.method=\"hit\" | 9+1 rpc.argc=1 | 18+4 path=\"Main\" | variants 10+8 x1",
       "6", "weak"},
      {"set by path", g3, "01 0f000080 7800 01000000 01000000"_hex + zero_terminated("Main"), 20, 20,
       "rset | 1+4 path_offset=15 | 5+1 rset.property=\"x\" | 15+4 path=\"Main\" | variants 7+8 x1", "true", "weak"},
      {"a call without arguments", g3, "00 02000000"_hex + zero_terminated("jump") + "00"_hex, 11, 11,
       "rpc | 1+4 path_id=2 | 5+4 rpc.method=\"jump\" | 10+1 rpc.argc=0", "", "weak"},
      {"simplify 3", g3, "02 05000000"_hex + zero_terminated("Main/World"), 16, 16,
       "simplify_path | 1+4 path_id=5 | 5+10 path=\"Main/World\"", "", "weak"},
      {"confirm 3", g3, "03"_hex + zero_terminated("Main/World"), 12, 12, "confirm_path | 1+10 path=\"Main/World\"", "",
       "weak"},
      {"raw 3", g3, "04 00"_hex, 2, 2, "raw | 1+1 data=00", "", "neutral"},
  };
  return all;
}

TEST(MpMessage, ReadsEveryCommand) {
  for (const Sample &sample : samples()) {
    SCOPED_TRACE(sample.title);
    const ExactBytes bytes(sample.data);
    const MpMessage message = read_mp_message(bytes.get(), 0, sample.generation);
    EXPECT_EQ(describe(bytes.get(), message), sample.text);
    EXPECT_EQ(variant_texts(bytes.get(), message.spawn_argument, sample.generation) +
                  variant_texts(bytes.get(), message.variants, sample.generation),
              sample.arguments);
    EXPECT_EQ(message.first_byte, sample.data.bytes[0]);
    EXPECT_EQ(message.offset, sample.data.size());
    EXPECT_EQ(mp_unknown_flags(message), 0);
    expect_guarantees(bytes.get(), message);
    EXPECT_EQ(confidence(sample.data, sample.generation), sample.confidence);
  }
}

TEST(MpMessage, MalformedArgumentsAreReported) {
  const auto outcome = [](const Data &data, std::uint32_t count, std::size_t reported = 0) {
    const ExactBytes bytes(data, reported);
    const MpVariants variants{{0, bytes.get().reported}, count};
    MpVariantCache values(bytes.get(), {});
    return name_of(check_mp_variants(values, variants, g4));
  };
  constexpr std::uint32_t all = MpVariants::all;
  EXPECT_EQ(outcome("0207 0208"_hex, 2), "ok");
  EXPECT_EQ(outcome("0207 0208"_hex, all), "ok");
  EXPECT_EQ(outcome(""_hex, all), "ok");
  EXPECT_EQ(outcome(""_hex, 0), "ok");
  EXPECT_EQ(outcome("0207 0208"_hex, 1), "ok");  // the bytes after the command do not belong to it
  EXPECT_EQ(outcome("0207 0208"_hex, 3), "malformed");
  EXPECT_EQ(outcome(""_hex, 1), "malformed");
  EXPECT_EQ(outcome("0207 02"_hex, all), "malformed");
  EXPECT_EQ(outcome("0207 02"_hex, all, 4), "truncated");
  EXPECT_EQ(outcome("0207 3f"_hex, all), "malformed");
}

// Describes which argument Godot 4 cannot read, and what the method receives.
std::string unreadable_in(const Data &arguments, unsigned count, Generation generation = g4, std::size_t missing = 0) {
  const Data call = generation == g4 ? "00 01 02"_hex : "00 01000000 686900"_hex;
  const ExactBytes bytes(call + u32(count).first(1) + arguments, call.size() + 1 + arguments.size() + missing);
  MpPacket packet;
  packet.bytes = bytes.get();
  const MpMessage message = read_mp_message(packet.bytes, 0, generation);
  MpVariantCache values(packet.bytes, {});
  packet.values = &values;
  const std::optional<MpUnreadableArgument> loss = find_mp_unreadable_argument(values, message);
  std::array<char, 200> memory;
  TextBuffer text(memory);
  const Outcome outcome = append_mp_summary({packet, message, direct_route(packet)}, text);
  const std::size_t mark = text.view().rfind("), ");
  EXPECT_EQ(mark != std::string_view::npos, loss.has_value()) << text.view();
  if (!loss) return outcome == Outcome::ok ? "none" : "none, " + name_of(outcome);
  return std::to_string(loss->first) + " of " + std::to_string(loss->count) + std::string(text.view().substr(mark + 1));
}

TEST(UnreadableArgument, IsTheFirstThatTheEngineCannotRead) {
  const Data utf8 = "04000000 03000000 61ff6200"_hex;
  const Data good = "04000000 03000000 61ff6200"_hex.first(8) + "61626300"_hex;
  EXPECT_EQ(unreadable_in("022a 022b"_hex + good, 3), "none");
  EXPECT_EQ(unreadable_in("022a 18000000 022b"_hex, 3), "1 of 3, received as (42, null, null)");
  EXPECT_EQ(unreadable_in("18000000"_hex, 1), "0 of 1, received as (null)");
  EXPECT_EQ(unreadable_in(good + utf8 + good, 3), "1 of 3, received as (\"abc\", null, null)");
  EXPECT_EQ(unreadable_in("3f000000 022a"_hex, 2), "0 of 2, received as (null, null)");
  EXPECT_EQ(unreadable_in("022a 04000000 ff000000"_hex, 2), "1 of 2, received as (42, null)");
  EXPECT_EQ(unreadable_in("022a"_hex, 3), "1 of 3, received as (42, null, null)");
  EXPECT_EQ(unreadable_in(""_hex, 1), "0 of 1, received as (null)");
  EXPECT_EQ(unreadable_in("16000000 01000000 41000000"_hex, 1),
            "0 of 1, received as (null)");  // NodePath of Godot 2
  // An Object that has its class but no properties is unreadable only if objects are not allowed. Other unreadable
  // values are unreadable in any case.
  const Data object = "18000000 04000000 4e6f6465 00000000"_hex;
  EXPECT_EQ(unreadable_in("022a"_hex + object, 2), "1 of 2, unless objects are allowed received as (42, null)");
  EXPECT_EQ(unreadable_in("1c000000 02000000"_hex + object + utf8, 1), "0 of 1, received as (null)");
  // A null object by id is readable.
  EXPECT_EQ(unreadable_in("18000100 0000000000000000 022a"_hex, 2), "none");
}

TEST(UnreadableArgument, IsUnknownIfTheSnapLengthCutsTheArguments) {
  EXPECT_EQ(unreadable_in("022a 04000000 ff000000"_hex, 2, g4, 300), "none, truncated");
  EXPECT_EQ(unreadable_in("18000000 022a"_hex, 3, g4, 1), "0 of 3, received as (null, null, null)");
}

TEST(UnreadableArgument, IsNotReportedForGodot3WhichRejectsTheCall) {
  EXPECT_EQ(unreadable_in("1b000000 02000000 05000000"_hex, 2, g3), "none, unsupported");
}

TEST(UnreadableArgument, ArgumentNestedBeyondTheEnginesLimitIsUnreadable) {
  for (const int levels : {1024, 1025, 1045}) {
    Data call = "00 01 02 01"_hex;
    for (int i = 0; i < levels; ++i) call += "1c000000 01000000"_hex;
    const ExactBytes bytes(call + "00000000"_hex);
    MpVariantCache values(bytes.get(), {});
    EXPECT_EQ(find_mp_unreadable_argument(values, read_mp_message(bytes.get(), 0, g4)).has_value(), levels > 1024)
        << levels;
  }
}

TEST(MpMessage, FindsTheCustomPayload) {
  const auto own = [](const Data &data, Generation generation, std::size_t reported = 0) {
    const ExactBytes bytes(data, reported);
    MpVariantCache values(bytes.get(), {});
    return describe(find_mp_custom_payload(values, read_mp_message(bytes.get(), 0, generation)));
  };
  const Data blob3 = "00 01000000"_hex + zero_terminated("blob") + "01 14000000 05000000 0102030405 000000"_hex;
  EXPECT_EQ(own("03 0a0b"_hex, g4), "1+2");
  EXPECT_EQ(own("0700 0a0b0c"_hex, g4), "2+3");
  EXPECT_EQ(own("80 01 02 0102fe"_hex, g4), "3+3");
  EXPECT_EQ(own("04 0a0b"_hex, g3), "1+2");
  // The only argument of a call, in the format of each generation.
  EXPECT_EQ(own(blob3, g3), "19+5");
  EXPECT_EQ(own("00 01 02 01 1d000000 02000000 0a0b 0000"_hex, g4), "12+2");
  // Truncated; empty; one of two arguments; within an array; another type; a set property.
  EXPECT_EQ(own(hex("00 01000000 62 00 01 14000000 05000000 0102"), g3, 24), "0+0");
  EXPECT_EQ(own("00 01000000 62 00 01 14000000 00000000"_hex, g3), "0+0");
  EXPECT_EQ(own("00 01000000 62 00 02 14000000 01000000 01000000 00000000"_hex, g3), "0+0");
  EXPECT_EQ(own("00 01000000 62 00 01 13000000 01000000 14000000 01000000 01000000"_hex, g3), "0+0");
  EXPECT_EQ(own("00 01000000 62 00 01 04000000 01000000 61000000"_hex, g3), "0+0");
  EXPECT_EQ(own("01 01000000 62 00 14000000 01000000 01000000"_hex, g3), "0+0");
}

TEST(MpMessage, SamplesCoverEveryCommandAndField) {
  std::set<MpCommand> commands{MpCommand::peer_id};
  std::set<MpField> fields{MpField::enet_kind, MpField::source, MpField::target, MpField::flags};
  for (const Sample &sample : samples()) {
    const ExactBytes bytes(sample.data);
    const MpMessage message = read_mp_message(bytes.get(), 0, sample.generation);
    commands.insert(message.command);
    for (const MpFieldValue &value : message.fields) fields.insert(value.field);
    if (message.sync_ids.length > 0) fields.insert(read_mp_sync_id(bytes.get(), message, 0).field);
    if (message.objects.length == 0) continue;
    for (const MpFieldValue &value : read_mp_object(bytes.get(), message.objects.offset, message.command).fields) {
      fields.insert(value.field);
    }
  }
  EXPECT_EQ(commands.size(), mp_command_count);
  EXPECT_EQ(fields.size(), mp_field_count);
}

TEST(MpMessage, MessageCutAtAnyByteIsTruncatedOrMalformed) {
  for (const Sample &sample : samples()) {
    const ExactBytes whole_bytes(sample.data);
    const MpMessage whole = read_mp_message(whole_bytes.get(), 0, sample.generation);
    for (std::size_t length = 0; length < sample.data.size(); ++length) {
      SCOPED_TRACE(format("%s, cut to %zu", sample.title, length));
      const Data part = sample.data.first(length);
      const ExactBytes captured_bytes(part, sample.data.size());
      const MpMessage captured = read_mp_message(captured_bytes.get(), 0, sample.generation);
      EXPECT_EQ(name_of(captured.outcome), length < sample.min_captured ? "truncated" : "ok");
      EXPECT_LE(captured.offset, length < sample.min_captured ? length : sample.data.size());
      EXPECT_EQ(captured.range.length, sample.data.size());
      expect_guarantees(captured_bytes.get(), captured);
      ASSERT_LE(captured.fields.size(), whole.fields.size());
      for (std::size_t i = 0; i < captured.fields.size(); ++i) {
        EXPECT_EQ(describe(captured.fields.begin()[i]), describe(whole.fields.begin()[i]));
      }
      EXPECT_EQ(confidence(part, sample.generation, sample.data.size()), "neutral");

      const ExactBytes ended_bytes(part);
      const MpMessage ended = read_mp_message(ended_bytes.get(), 0, sample.generation);
      EXPECT_EQ(name_of(ended.outcome), length < sample.ended ? "malformed" : "ok");
      EXPECT_LE(ended.offset, length);
      EXPECT_EQ(ended.range.length, length);
      expect_guarantees(ended_bytes.get(), ended);
      if (length < sample.ended) {
        EXPECT_EQ(confidence(part, sample.generation), "none");
      }
    }
  }
}

TEST(MpMessage, MessageIsReadAtAnyOffset) {
  for (const Sample &sample : samples()) {
    for (const std::size_t offset : {1U, 8U, 9U}) {
      SCOPED_TRACE(sample.title);
      const ExactBytes whole_bytes(sample.data);
      const MpMessage whole = read_mp_message(whole_bytes.get(), 0, sample.generation);
      const ExactBytes bytes(repeat("ff"_hex, offset) + sample.data);
      const MpMessage message = read_mp_message(bytes.get(), offset, sample.generation);
      EXPECT_EQ(name_of(message.outcome), "ok");
      expect_guarantees(bytes.get(), message, offset);
      ASSERT_EQ(message.fields.size(), whole.fields.size());
      for (std::size_t i = 0; i < whole.fields.size(); ++i) {
        MpFieldValue moved = message.fields.begin()[i];
        moved.range.offset -= offset;
        EXPECT_EQ(describe(moved), describe(whole.fields.begin()[i]));
      }
      EXPECT_EQ(message.variants.range.length, whole.variants.range.length);
      EXPECT_EQ(message.objects.length, whole.objects.length);
      EXPECT_EQ(message.relayed.length, whole.relayed.length);
    }
  }
  for (const std::size_t behind : {2U, 3U, 1000U}) {
    for (const Generation generation : {g4, g3}) {
      const ExactBytes bytes("0700"_hex);
      const MpMessage message = read_mp_message(bytes.get(), behind, generation);
      EXPECT_EQ(name_of(message.outcome), "malformed");
      EXPECT_FALSE(message.is_known);
      EXPECT_EQ(message.range.length, 0U);
    }
  }
}

TEST(MpMessage, LeftoverBytesAreReported) {
  struct Row {
    Generation generation;
    Data data;
    const char *text;
  };
  const Row rows[] = {
      {g4, "05 02000000 99"_hex, "despawn | 1+4 net_id=2 | rest 5+1"},
      {g4, "0701 03000000 9999"_hex, "add_peer | 1+1 kind=1 | 2+4 peer=3 | rest 6+2"},
      {g4, "02 01 01000000 99"_hex, "confirm_path | 1+1 confirm.valid=1 | 2+4 path_id=1 | rest 6+1"},
      {g4, "02 01 65000000 00"_hex, "confirm_path | 1+1 confirm.valid=1 | 2+4 path_id=101 | rest 6+1"},
      {g4, "a0 06000080 04"_hex + zero_terminated("Main") + "99"_hex,
       "rpc | 1+4 path_offset=6 | 5+1 rpc.method_id=4 | 6+4 path=\"Main\" | rest 11+1"},
      {g3, "02 05000000"_hex + zero_terminated("Main") + "00"_hex,
       "simplify_path | 1+4 path_id=5 | 5+4 path=\"Main\" | rest 10+1"},
      {g3, "03"_hex + zero_terminated("Main") + "9999"_hex, "confirm_path | 1+4 path=\"Main\" | rest 6+2"},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(read(row.data, row.generation), row.text);
    EXPECT_EQ(confidence(row.data, row.generation), "none") << row.text;
  }
}

// --- Calls -----------------------------------------------------------------------------------------------------

TEST(MpRpc, IdsOfEverySizeAreRead) {
  for (unsigned node_size = 0; node_size < 4; ++node_size) {
    for (unsigned method_size = 0; method_size < 2; ++method_size) {
      for (unsigned raw_flag = 0; raw_flag < 2; ++raw_flag) {
        for (const bool has_arguments : {false, true}) {
          for (unsigned idle = 0; idle < 2; ++idle) {
            Data data = "00"_hex;
            data.bytes[0] = static_cast<std::uint8_t>(node_size << 4 | method_size << 6 | raw_flag << 7 | idle << 3);
            SCOPED_TRACE(to_hex({reinterpret_cast<const char *>(data.bytes.data()), 1}));
            const std::size_t node_bytes = node_size == 0 ? 1 : node_size == 1 ? 2 : 4;
            const std::size_t method_bytes = method_size + 1;
            const unsigned node = node_size == 0 ? 0xfe : node_size == 1 ? 0xfefd : 0x7efdfcfb;
            const unsigned method = method_size == 0 ? 0xef : 0xefee;
            data += little_endian(node, node_bytes) + little_endian(method, method_bytes);
            const std::size_t head = data.size();
            if (raw_flag == 0) data += has_arguments ? "02 0205 81"_hex : "00"_hex;
            if (raw_flag != 0 && has_arguments) data += "0205 81"_hex;

            std::string expected;
            if (node_size == 3) {
              expected = format("rpc | rest 1+%zu | malformed @0", data.size() - 1);
            } else {
              expected = format("rpc | 1+%zu path_id=%u | %zu+%zu rpc.method_id=%u", node_bytes, node, 1 + node_bytes,
                                method_bytes, method);
              if (raw_flag == 0) expected += format(" | %zu+1 rpc.argc=%d", head, has_arguments ? 2 : 0);
              if (raw_flag == 0 && has_arguments) expected += format(" | variants %zu+3 x2", head + 1);
              if (raw_flag != 0 && has_arguments) expected += format(" | %zu+3 data=020581", head);
            }
            EXPECT_EQ(read4(data), expected);
            const ExactBytes bytes(data);
            const MpMessage message = read_mp_message(bytes.get(), 0, g4);
            EXPECT_EQ(message.flag(MpFlag::node_id_size), node_size);
            EXPECT_EQ(message.flag(MpFlag::method_id_size), method_size);
            EXPECT_EQ(message.flag(MpFlag::raw_or_none), raw_flag);
            EXPECT_EQ(mp_unknown_flags(message), idle << 3);
            const bool is_no = node_size == 3 || idle != 0;
            const bool is_yes = (raw_flag != 0) != has_arguments;
            EXPECT_EQ(confidence(data, g4), is_no ? "none" : is_yes ? "weak" : "neutral");
          }
        }
      }
    }
  }
}

TEST(MpRpc, OnlyAFourByteIdIsReadAsAPathOffset) {
  EXPECT_EQ(read4("80 80 01"_hex), "rpc | 1+1 path_id=128 | 2+1 rpc.method_id=1");
  EXPECT_EQ(read4("90 0680 01"_hex), "rpc | 1+2 path_id=32774 | 3+1 rpc.method_id=1");
  EXPECT_EQ(read4("a0 06000080 01 6100"_hex), "rpc | 1+4 path_offset=6 | 5+1 rpc.method_id=1 | 6+1 path=\"a\"");
}

TEST(MpRpc, PathOffsetOutsideTheMessageIsMalformed) {
  // u32 id with bit 31, method, argument count; a path of one letter with its terminator at offset 7.
  for (const std::uint32_t offset : {0U, 1U, 5U, 6U, 9U, 10U, 0x7fffffffU}) {
    const Data data = "20"_hex + u32(0x80000000U | offset) + "01 00 6100"_hex;
    EXPECT_EQ(read4(data), format("rpc | 1+4 path_offset=%u | 5+1 rpc.method_id=1 | 6+1 rpc.argc=0 | rest 7+2 | "
                                  "malformed @1",
                                  offset));
    EXPECT_EQ(confidence(data, g4), "none");
  }
  EXPECT_EQ(read4("20 07000080 01 00 6100"_hex),
            "rpc | 1+4 path_offset=7 | 5+1 rpc.method_id=1 | 6+1 rpc.argc=0 | 7+1 path=\"a\"");
  EXPECT_EQ(read4("20 08000080 01 00 6100"_hex),
            "rpc | 1+4 path_offset=8 | 5+1 rpc.method_id=1 | 6+1 rpc.argc=0 | 8+0 path=\"\" | variants 7+1 x0");
  EXPECT_EQ(confidence("20 08000080 01 00 6100"_hex, g4), "none");
  EXPECT_EQ(read4("20 07000080 01 00 6161"_hex),
            "rpc | 1+4 path_offset=7 | 5+1 rpc.method_id=1 | 6+1 rpc.argc=0 | rest 7+2 | malformed @7");
  // In Godot 3, the path offset must not point into the method name either.
  EXPECT_EQ(read("00 05000080 686900 00 00"_hex, g3),
            "rpc | 1+4 path_offset=5 | 5+2 rpc.method=\"hi\" | 8+1 rpc.argc=0 | rest 9+1 | malformed @1");
  EXPECT_EQ(read("00 09000080 686900 00 00"_hex, g3),
            "rpc | 1+4 path_offset=9 | 5+2 rpc.method=\"hi\" | 8+1 rpc.argc=0 | 9+0 path=\"\"");
  EXPECT_EQ(read("00 ffffffff 686900 00 00"_hex, g3),
            "rpc | 1+4 path_offset=2147483647 | 5+2 rpc.method=\"hi\" | 8+1 rpc.argc=0 | rest 9+1 | malformed @1");
}

TEST(MpRpc, PathOffsetCountsFromTheRelayedCommand) {
  const Data data = "0703 03000000 a0 06000080 03"_hex + zero_terminated("World");
  const ExactBytes bytes(data);
  const MpMessage relay = read_mp_message(bytes.get(), 0, g4);
  const MpMessage inner = read_mp_message(bytes.get(), relay.relayed.offset, g4);
  EXPECT_EQ(describe(bytes.get(), inner), "rpc | 7+4 path_offset=6 | 11+1 rpc.method_id=3 | 12+5 path=\"World\"");
}

TEST(MpRpc, RangeOfTruncatedArgumentsIsKnown) {
  const Data data = "20 15000080 05 02 0205 0400000004000000 66616c6c"_hex + zero_terminated("Main/World");
  EXPECT_EQ(
      read4(data.first(10), data.size()),
      "rpc | 1+4 path_offset=21 | 5+1 rpc.method_id=5 | 6+1 rpc.argc=2 | variants 7+14 x2 | rest 21+11 | truncated "
      "@10");
}

TEST(MpRpc, Godot3NameWithoutATerminatorIsMalformed) {
  EXPECT_EQ(read("00 01000000 686974"_hex, g3), "rpc | 1+4 path_id=1 | rest 5+3 | malformed @5");
  EXPECT_EQ(read("01 01000000"_hex, g3), "rset | 1+4 path_id=1 | malformed @5");
  EXPECT_EQ(read("00 01000000 00 00"_hex, g3), "rpc | 1+4 path_id=1 | 5+0 rpc.method=\"\" | 6+1 rpc.argc=0");
  EXPECT_EQ(confidence("00 01000000 00 00"_hex, g3), "none");
}

// --- Paths -----------------------------------------------------------------------------------------------------

TEST(MpPath, ConfirmationWithAnIdOrAPathIsRead) {
  struct Row {
    const char *bytes;
    const char *text;
  };
  const Row rows[] = {
      {"02 01 ffffff7f", "confirm_path | 1+1 confirm.valid=1 | 2+4 path_id=2147483647"},
      {"02 07 01000000", "confirm_path | 1+1 confirm.valid=1 | 2+4 path_id=1"},
      {"02 01 2e00", "confirm_path | 1+1 confirm.valid=1 | 2+1 path=\".\""},
      {"02 01 61626300", "confirm_path | 1+1 confirm.valid=1 | 2+3 path=\"abc\""},
      {"02 01 611f6300", "confirm_path | 1+1 confirm.valid=1 | 2+4 path_id=6496097"},
      {"02 01 6162636400", "confirm_path | 1+1 confirm.valid=1 | 2+4 path=\"abcd\""},
      {"02 01 61626364", "confirm_path | 1+1 confirm.valid=1 | 2+4 path_id=1684234849"},
      {"02 01 00", "confirm_path | 1+1 confirm.valid=1 | rest 2+1 | malformed @2"},
      {"02 01 61", "confirm_path | 1+1 confirm.valid=1 | rest 2+1 | malformed @2"},
      {"02 01", "confirm_path | 1+1 confirm.valid=1 | malformed @2"},
      {"02", "confirm_path | malformed @1"},
  };
  for (const Row &row : rows) EXPECT_EQ(read4(hex(row.bytes)), row.text);
  EXPECT_EQ(confidence("02 07 01000000"_hex, g4), "none");
  EXPECT_EQ(confidence("02 01 00000000"_hex, g4), "none");
  EXPECT_EQ(confidence("02 01 01000080"_hex, g4), "none");
}

TEST(MpPath, Md5WithoutATerminatorIsMalformed) {
  const Data md5 = raw(take_damage_md5);
  EXPECT_EQ(read4("01"_hex + md5 + "01 01000000 6100"_hex),
            "simplify_path | 1+32 rpc.md5=\"3f9f838f849d808dbe055ee3eaa41817\" | rest 34+6 | malformed @33");
  EXPECT_EQ(confidence("01"_hex + md5 + "00 01000000 6100"_hex, g4), "weak");
  EXPECT_EQ(confidence("01"_hex + md5 + "00 00000000 6100"_hex, g4), "none");
  EXPECT_EQ(confidence("01"_hex + md5 + "00 01000000 00"_hex, g4), "none");
  EXPECT_EQ(confidence("01"_hex + md5 + "00 01000000 0a00"_hex, g4), "none");
  EXPECT_EQ(confidence("01"_hex + md5 + "00 01000000 ff00"_hex, g4), "none");
  EXPECT_EQ(confidence("01"_hex + md5 + "00 01000000 e697a500"_hex, g4), "weak");
  EXPECT_EQ(confidence("01"_hex + repeat("47"_hex, 32) + "00 01000000 6100"_hex, g4), "none");
}

// --- Replication -----------------------------------------------------------------------------------------------

TEST(MpSpawnMessage, CountsAndLengthsPastTheEndAreMalformed) {
  const Data head = "04 00 02000000 03000000"_hex;
  const char *const text =
      "spawn | 1+1 spawn.scene=0 | 2+4 spawn.spawner_id=2 | 6+4 net_id=3 | 10+4 spawn.sync_count=%u | "
      "14+4 spawn.name_length=%u%s";
  struct Row {
    std::uint32_t count;
    std::uint32_t length;
    const char *rest;
  };
  // Eight bytes follow.
  const Row rows[] = {
      {0, 0, " | rest 18+8 | malformed @18"},
      {0, 9, " | rest 18+8 | malformed @18"},
      {3, 1, " | rest 18+8 | malformed @18"},
      {2, 1, " | rest 18+8 | malformed @18"},
      {1, 5, " | rest 18+8 | malformed @18"},
      {0x40000000, 4, " | rest 18+8 | malformed @18"},
      {0xffffffff, 4, " | rest 18+8 | malformed @18"},
      {1, 0xfffffffc, " | rest 18+8 | malformed @18"},
      {0, 0xffffffff, " | rest 18+8 | malformed @18"},
      {1, 4, " | 22+3 spawn.name=\"abc\" | 18+4 spawn.sync_id=25185 | variants 26+0 xall"},
      {0, 8, " | 18+7 spawn.name=\"ab\" | variants 26+0 xall"},  // the text contains a zero; the whole text is the name
      {1, 3, " | 22+3 spawn.name=\"abc\" | 18+4 spawn.sync_id=25185 | variants 25+1 xall"},  // without a terminator
  };
  for (const Row &row : rows) {
    const Data data = head + u32(row.count) + u32(row.length) + "61620000 61626300"_hex;
    std::string expected = format(text, row.count, row.length, row.rest);
    if (row.length == 8) expected.replace(expected.find("ab\""), 2, std::string("ab\0\0abc", 7));
    EXPECT_EQ(read4(data), expected);
    EXPECT_EQ(confidence(data, g4), row.count == 1 && row.length == 4 ? "weak" : "none");
  }
}

TEST(MpSpawnMessage, SynchronizerIdsCutBySnapLengthAreNotRead) {
  const Data data = "04 00 02000000 03000000 02000000 03000000 04000000 05000000"_hex + zero_terminated("P1");
  const ExactBytes bytes(data.first(25), data.size());
  const MpMessage message = read_mp_message(bytes.get(), 0, g4);
  EXPECT_EQ(name_of(message.outcome), "truncated");
  EXPECT_EQ(message.offset, 18U);
  EXPECT_EQ(message.sync_ids.length, 0U);
  EXPECT_EQ(describe(message.rest_bytes), "18+11");
}

TEST(MpSpawnMessage, SizeOfTheCustomValueMustMatchItsBytes) {
  const Data head = "04 ff 02000000 02000000 00000000 02000000 6100"_hex;
  EXPECT_EQ(confidence(head + "02000000 024d"_hex, g4), "weak");
  EXPECT_EQ(confidence(head + "02000000 024d 81 0205"_hex, g4), "weak");
  EXPECT_EQ(confidence(head + "03000000 024d 81 0205"_hex, g4), "none");
  EXPECT_EQ(confidence(head + "01000000 024d"_hex, g4), "none");
  EXPECT_EQ(confidence(head + "00000000"_hex, g4), "none");
  EXPECT_EQ(confidence(head + "03000000 024d"_hex, g4), "none");
  EXPECT_EQ(confidence(head + "ffffffff 024d"_hex, g4), "none");
  EXPECT_EQ(confidence(head + "02000000 024d 44"_hex, g4), "none");
}

TEST(MpItem, ConsecutiveObjectsAreRead) {
  const Data data = "06 0c00 05000000 04000000 0202024d 03000080 02000000 0264 06000000 00000000"_hex;
  const ExactBytes bytes(data);
  const MpMessage message = read_mp_message(bytes.get(), 0, g4);
  ASSERT_EQ(message.command, MpCommand::sync);
  EXPECT_EQ(message.fields.integer(MpField::time), 12U);
  Lines lines;
  std::size_t offset = message.objects.offset;
  while (offset < message.objects.end()) {
    const MpItem object = read_mp_object(bytes.get(), offset, message.command);
    ASSERT_EQ(name_of(object.outcome), "ok");
    lines.push_back(describe(object) + ": " + variant_texts(bytes.get(), object.variants, g4));
    offset = object.range.end();
    EXPECT_EQ(object.offset, offset);
  }
  const Lines expected = {
      "3+12 | 3+4 net_id=5 | 7+4 sync.size=4 | variants 11+4 xall: 2, 77",
      "15+10 | 15+4 path_id=3 | 19+4 sync.size=2 | variants 23+2 xall: 100",
      "25+8 | 25+4 net_id=6 | 29+4 sync.size=0 | variants 33+0 xall: ",
  };
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(offset, data.size());
}

TEST(MpItem, DeltaHasAValueForEachBitOfItsMask) {
  const Data data = "16 05000000 0200000000000000 0c000000 04000000 02000000 44440000"_hex;
  const ExactBytes bytes(data);
  const MpItem object = read_mp_object(bytes.get(), 1, MpCommand::delta);
  EXPECT_EQ(describe(object), "1+28 | 1+4 net_id=5 | 5+8 delta.mask=2 | 13+4 sync.size=12 | variants 17+12 x1");
  EXPECT_EQ(variant_texts(bytes.get(), object.variants, g4), "\"DD\"");

  const Data full = "16 03000080 ffffffffffffffff 40000000"_hex + repeat("81"_hex, 64);
  const ExactBytes full_bytes(full);
  EXPECT_EQ(describe(read_mp_object(full_bytes.get(), 1, MpCommand::delta)),
            "1+80 | 1+4 path_id=3 | 5+8 delta.mask=18446744073709551615 | 13+4 sync.size=64 | variants 17+64 x64");
  EXPECT_EQ(confidence(full, g4), "weak");
  EXPECT_EQ(confidence("16 05000000 0300000000000000 02000000 8181"_hex, g4), "weak");
  EXPECT_EQ(confidence("16 05000000 0100000000000000 02000000 8181"_hex, g4), "none");
  EXPECT_EQ(confidence("16 05000000 0700000000000000 02000000 8181"_hex, g4), "none");
  EXPECT_EQ(confidence("16 05000000 0000000000000000 00000000"_hex, g4), "none");
}

TEST(MpItem, ObjectCutAtAnyByteIsTruncatedOrMalformed) {
  struct Row {
    Data data;
    MpCommand command;
    std::size_t head;
  };
  const Row rows[] = {{"05000000 04000000 0202024d"_hex, MpCommand::sync, 8},
                      {"05000000 0300000000000000 04000000 0202024d"_hex, MpCommand::delta, 16}};
  for (const Row &row : rows) {
    for (std::size_t length = 0; length < row.data.size(); ++length) {
      const ExactBytes captured_bytes(row.data.first(length), row.data.size());
      const MpItem captured = read_mp_object(captured_bytes.get(), 0, row.command);
      EXPECT_EQ(name_of(captured.outcome), length < row.head ? "truncated" : "ok");
      EXPECT_EQ(captured.range.length, row.data.size());
      const ExactBytes ended_bytes(row.data.first(length));
      const MpItem ended = read_mp_object(ended_bytes.get(), 0, row.command);
      EXPECT_EQ(name_of(ended.outcome), "malformed");
      EXPECT_LE(ended.offset, length);
      EXPECT_EQ(ended.range.length, length);
      EXPECT_EQ(ended.variants.count, 0U);
    }
  }
  const ExactBytes bytes("05000000 ffffffff 02"_hex);
  const MpItem object = read_mp_object(bytes.get(), 0, MpCommand::sync);
  EXPECT_EQ(describe(object), "0+9 | 0+4 net_id=5 | 4+4 sync.size=4294967295");
  EXPECT_EQ(name_of(object.outcome), "malformed");
  EXPECT_EQ(object.offset, 8U);
}

// --- Unknown commands ------------------------------------------------------------------------------------------

TEST(MpMessage, UnknownCommandNumbersAreUnsupported) {
  for (unsigned number = 5; number < 256; ++number) {
    const Data data = little_endian(number, 1) + "01020304 050607"_hex;
    EXPECT_EQ(read(data, g3), "unknown | rest 1+7 | unsupported @0");
    EXPECT_EQ(confidence(data, g3), "none");
  }
  for (unsigned number = 4; number < 256; ++number) {
    const Data data = "07"_hex + little_endian(number, 1) + "01000000"_hex;
    EXPECT_EQ(read4(data), format("unknown | 1+1 kind=%u | rest 2+4 | unsupported @1", number));
    EXPECT_EQ(confidence(data, g4), "none");
  }
  EXPECT_EQ(read4("07"_hex), "unknown | malformed @1");
  EXPECT_EQ(read4("07"_hex, 2), "unknown | rest 1+1 | truncated @1");
  EXPECT_EQ(read4({}), "unknown | malformed @0");
}

TEST(MpMessage, UnknownFlagsAreReportedAndIgnored) {
  for (const Sample &sample : samples()) {
    if (sample.generation == g3) continue;
    const ExactBytes bytes(sample.data);
    const MpMessage message = read_mp_message(bytes.get(), 0, g4);
    std::uint8_t known = 7;
    for (const MpFlag flag : mp_command_flags(g4, message.command)) known |= mp_flag_info(flag).mask;
    for (unsigned bit = 8; bit < 256; bit *= 2) {
      if ((known & bit) != 0) continue;
      SCOPED_TRACE(format("%s with 0x%x", sample.title, bit));
      Data data = sample.data;
      data.bytes[0] = static_cast<std::uint8_t>(data.bytes[0] | bit);
      const ExactBytes flagged_bytes(data);
      const MpMessage flagged = read_mp_message(flagged_bytes.get(), 0, g4);
      EXPECT_EQ(describe(flagged_bytes.get(), flagged), sample.text);
      EXPECT_EQ(mp_unknown_flags(flagged), bit);
      EXPECT_EQ(confidence(data, g4), "none");
    }
  }
  EXPECT_TRUE(mp_command_flags(g3, MpCommand::rpc).empty());
  EXPECT_TRUE(mp_command_flags(g4, MpCommand::raw).empty());
  EXPECT_EQ(mp_command_flags(g4, MpCommand::rpc).size(), 3U);
  EXPECT_EQ(mp_command_flags(g4, MpCommand::sync).size(), 1U);
  EXPECT_EQ(mp_command_flags(g4, MpCommand::delta).size(), 1U);
}

TEST(MpCommandTable, NamesMatchTheFilterFields) {
  const std::vector<std::string> commands = {"rpc",      "rset",        "simplify_path", "confirm_path", "raw",
                                             "spawn",    "despawn",     "sync",          "delta",        "auth",
                                             "add_peer", "remove_peer", "relay",         "peer_id"};
  ASSERT_EQ(mp_command_count, commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) EXPECT_EQ(mp_command_infos[i].name, commands[i]);
  std::set<std::string> names;
  for (const MpFieldInfo &info : mp_field_infos) {
    EXPECT_TRUE(names.insert(info.filter).second) << info.filter;
    EXPECT_NE(std::string(info.description), "");
  }
  for (const MpFlagInfo &info : mp_flag_infos) EXPECT_TRUE(names.insert(info.filter).second) << info.filter;
  for (const char *name : {"source", "target", "path_id", "path", "rpc.method_id", "rpc.method", "rpc.argc", "rpc.md5",
                           "rset.property", "confirm.valid", "net_id", "spawn.scene", "spawn.name", "spawn.spawner_id",
                           "spawn.sync_id", "sync.time", "sync.size", "delta.mask"}) {
    EXPECT_TRUE(names.contains(std::string(filter_prefix) + name)) << name;
  }
}

TEST(MpFields, ValueIsFoundByItsField) {
  const ExactBytes bytes("02 05000000 6100"_hex);
  const MpFields fields = read_mp_message(bytes.get(), 0, g3).fields;
  EXPECT_TRUE(fields.has(MpField::path));
  EXPECT_EQ(fields.text(MpField::path), "a");
  EXPECT_EQ(fields.integer(MpField::path_id), 5U);
  EXPECT_FALSE(fields.has(MpField::md5));
  EXPECT_EQ(fields.text(MpField::md5), "");
  EXPECT_EQ(fields.integer(MpField::net_id), 0U);
  MpFields full;
  for (std::size_t i = 0; i < 2 * MpFields::max_count; ++i) full.add({});
  EXPECT_EQ(full.size(), MpFields::max_count);
}

// --- Prefixes --------------------------------------------------------------------------------------------------

std::string describe(const MpPrefix &prefix) {
  std::string text = prefix.has_command ? "message" : prefix.is_known ? "" : "unknown";
  if (prefix.is_known) text = mp_command_info(prefix.command).name;
  text += format(" %zu+%zu", prefix.prefix_range.offset, prefix.prefix_range.length);
  text += describe(prefix.fields) + describe("rest", prefix.rest_bytes);
  if (prefix.outcome != Outcome::ok) text += " | " + name_of(prefix.outcome) + format(" @%zu", prefix.offset);
  return text;
}

std::string read_prefix(const Data &data, MpFraming framing, std::size_t reported = 0) {
  const ExactBytes bytes(data, reported);
  return describe(read_mp_prefix(bytes.get(), framing));
}

struct PrefixSample {
  MpFraming framing;
  Data data;
  std::size_t size;
  const char *text;
  const char *confidence;
};

const std::vector<PrefixSample> &prefix_samples() {
  static const std::vector<PrefixSample> all = {
      {MpFraming::enet3, "62612b69 430f9456 | 00 01000000 68697400 01 02000000 06000000"_hex, 8,
       "message 0+8 | 0+4 source=1764450658 | 4+4 target=1452543811", "weak"},
      {MpFraming::enet3, "62612b69 00000000 | 01 01000000"_hex + zero_terminated("target") + "02000000 4d000000"_hex, 8,
       "message 0+8 | 0+4 source=1764450658 | 4+4 target=0", "weak"},
      {MpFraming::enet3, "01000000 feffffff | 04 00"_hex, 8, "message 0+8 | 0+4 source=1 | 4+4 target=-2", "neutral"},
      {MpFraming::enet3_flags, "62612b69 430f9456 01000000 | 00 01000000 68697400 01 02000000 06000000"_hex, 12,
       "message 0+12 | 0+4 source=1764450658 | 4+4 target=1452543811 | 8+4 flags=1", "weak"},
      {MpFraming::enet3_flags, "62612b69 00000000 00000000 | 03"_hex + zero_terminated("Main"), 12,
       "message 0+12 | 0+4 source=1764450658 | 4+4 target=0 | 8+4 flags=0", "weak"},
      {MpFraming::enet3_flags, "01000000 feffffff 02000000 | 04 00"_hex, 12,
       "message 0+12 | 0+4 source=1 | 4+4 target=-2 | 8+4 flags=2", "neutral"},
      {MpFraming::enet3_system, "00000000 430f9456"_hex, 8, "add_peer 0+8 | 0+4 enet_kind=0 | 4+4 peer=1452543811",
       "weak"},
      {MpFraming::enet3_system, "01000000 01000000"_hex, 8, "remove_peer 0+8 | 0+4 enet_kind=1 | 4+4 peer=1", "weak"},
      {MpFraming::websocket3, "03 01000000 00000000 f28b4b1e"_hex, 13,
       "peer_id 0+13 | 0+1 kind=3 | 1+4 source=1 | 5+4 target=0 | 9+4 peer=508267506", "weak"},
      {MpFraming::websocket3, "01 01000000 00000000 01000000"_hex, 13,
       "add_peer 0+13 | 0+1 kind=1 | 1+4 source=1 | 5+4 target=0 | 9+4 peer=1", "weak"},
      {MpFraming::websocket3, "02 01000000 00000000 f28b4b1e"_hex, 13,
       "remove_peer 0+13 | 0+1 kind=2 | 1+4 source=1 | 5+4 target=0 | 9+4 peer=508267506", "weak"},
      {MpFraming::websocket3, "00 f28b4b1e 01000000 | 03"_hex + zero_terminated("Main"), 9,
       "message 0+9 | 0+1 kind=0 | 1+4 source=508267506 | 5+4 target=1", "weak"},
      {MpFraming::websocket_id, "f28b4b1e"_hex, 4, "peer_id 0+4 | 0+4 peer=508267506", "neutral"},
      {MpFraming::none, "0700"_hex, 0, "message 0+0", "weak"},
  };
  return all;
}

TEST(MpPrefix, ReadsEveryFraming) {
  for (const PrefixSample &sample : prefix_samples()) {
    EXPECT_EQ(read_prefix(sample.data, sample.framing), sample.text);
    EXPECT_EQ(packet_confidence(sample.data, sample.framing), sample.confidence) << sample.text;
  }
}

// The prefix of 3.0 and 3.1 differs from that of 3.2 and later. Only the content shows which one is present.
TEST(MpPrefix, Godot3EnetPrefixIsSelectedByTheContent) {
  const auto choose = [](const Data &data) {
    const ExactBytes bytes(data);
    MpPacketReader reader({bytes.get()}, {});
    return choose_enet3_framing(reader);
  };
  for (const PrefixSample &sample : prefix_samples()) {
    const bool is_one = sample.framing == MpFraming::enet3 || sample.framing == MpFraming::enet3_flags;
    if (is_one) {
      EXPECT_EQ(choose(sample.data), sample.framing) << sample.text;
    }
  }
  const Data with_flags = "62612b69 01000000 01000000"_hex;
  // Every command of 3.1. If the flags were not skipped, its bytes would mean something else.
  EXPECT_EQ(choose(with_flags + "00 01000000"_hex + zero_terminated("hit") + "00"_hex), MpFraming::enet3_flags);
  EXPECT_EQ(choose(with_flags + "01 01000000"_hex + zero_terminated("hp") + "00000000"_hex), MpFraming::enet3_flags);
  EXPECT_EQ(choose(with_flags + "02 01000000"_hex + zero_terminated("Main/Arena")), MpFraming::enet3_flags);
  EXPECT_EQ(choose(with_flags + "03"_hex + zero_terminated("Main/Arena")), MpFraming::enet3_flags);
  // Flags that no engine sends, and bytes that fit neither prefix.
  EXPECT_EQ(choose("62612b69 01000000 03000000 03"_hex + zero_terminated("Main/Arena")), MpFraming::none);
  EXPECT_EQ(choose("62612b69 01000000 ffffffff"_hex), MpFraming::none);
  EXPECT_EQ(choose({}), MpFraming::none);
}

// A text that no engine sends as a name is no evidence.
TEST(MpPrefix, ImpossibleNamesAreNoEvidence) {
  const auto likeness_of_path = [](const char *path) {
    return packet_confidence("62612b69 01000000 02 01000000"_hex + zero_terminated(path), MpFraming::enet3);
  };
  EXPECT_EQ(likeness_of_path("Main/\u65e5"), "weak");
  for (const char *const path : {"", "\x01", "Main\n", "Main\x7f", "Main\u0085", "\xff", "\xc2"}) {
    EXPECT_EQ(likeness_of_path(path), "none") << path;
  }
  const auto likeness_of_method = [](const char *method) {
    return packet_confidence("62612b69 01000000 00 01000000"_hex + zero_terminated(method) + "00"_hex,
                             MpFraming::enet3);
  };
  EXPECT_EQ(likeness_of_method("take_damage2"), "weak");
  EXPECT_EQ(likeness_of_method("\u00e9t\u00e9"), "weak");
  for (const char *const method : {"", "a b", "a.b", "a-b", "a\x01", "\xe9t"}) {
    EXPECT_EQ(likeness_of_method(method), "none") << method;
  }
}

TEST(MpPrefix, PrefixCutAtAnyByteIsTruncatedOrMalformed) {
  for (const PrefixSample &sample : prefix_samples()) {
    for (std::size_t length = 0; length < sample.data.size(); ++length) {
      SCOPED_TRACE(format("%s, cut to %zu", sample.text, length));
      const Data part = sample.data.first(length);
      const ExactBytes captured_bytes(part, sample.data.size());
      const MpPrefix captured = read_mp_prefix(captured_bytes.get(), sample.framing);
      EXPECT_EQ(name_of(captured.outcome), length < sample.size ? "truncated" : "ok");
      EXPECT_LE(captured.offset, length);
      EXPECT_LE(captured.prefix_range.end(), length);
      EXPECT_EQ(packet_confidence(part, sample.framing, sample.data.size()), "neutral");
      const ExactBytes ended_bytes(part);
      const MpPrefix ended = read_mp_prefix(ended_bytes.get(), sample.framing);
      EXPECT_EQ(name_of(ended.outcome), length < sample.size ? "malformed" : "ok");
      EXPECT_EQ(ended.has_command, length >= sample.size);
      EXPECT_EQ(ended.fields.size(), captured.fields.size());
      EXPECT_EQ(ended.prefix_range.end(), captured.prefix_range.end());
      EXPECT_EQ(packet_confidence(part, sample.framing), "none");
    }
  }
}

TEST(MpPrefix, OtherBytesAreNoPrefix) {
  EXPECT_EQ(read_prefix("02000000 01000000"_hex, MpFraming::enet3_system),
            "unknown 0+4 | 0+4 enet_kind=2 | rest 4+4 | unsupported @0");
  EXPECT_EQ(read_prefix("04 01000000 00000000 01000000"_hex, MpFraming::websocket3),
            "unknown 0+9 | 0+1 kind=4 | 1+4 source=1 | 5+4 target=0 | rest 9+4 | unsupported @0");
  EXPECT_EQ(read_prefix("f28b4b1e 00"_hex, MpFraming::websocket_id), "peer_id 0+4 | 0+4 peer=508267506 | rest 4+1");
  EXPECT_EQ(read_prefix("01000000 01000000 99"_hex, MpFraming::enet3_system),
            "remove_peer 0+8 | 0+4 enet_kind=1 | 4+4 peer=1 | rest 8+1");
  for (const char *no : {"f28b4b1e 00", "f28b4bfe", "00000000"}) {
    EXPECT_EQ(packet_confidence(hex(no), MpFraming::websocket_id), "none");
  }
  EXPECT_EQ(packet_confidence("01000000 01000000 99"_hex, MpFraming::enet3_system), "none");
  EXPECT_EQ(packet_confidence("01 02000000 00000000 03000000"_hex, MpFraming::websocket3), "none");
  EXPECT_EQ(packet_confidence("01 01000000 02000000 03000000"_hex, MpFraming::websocket3), "none");
  EXPECT_EQ(packet_confidence("01 01000000 00000000 03000000"_hex, MpFraming::websocket3), "weak");
  EXPECT_EQ(packet_confidence("00000000 01000000 0461"_hex, MpFraming::enet3), "none");
  EXPECT_EQ(packet_confidence("ffffffff 01000000 0461"_hex, MpFraming::enet3), "none");
}

// --- Confidence --------------------------------------------------------------------------------------------------

TEST(MpConfidence, Godot3MessageIsNoEvidenceForGodot4AndViceVersa) {
  for (const Sample &sample : samples()) {
    SCOPED_TRACE(sample.title);
    if (sample.generation == g4) {
      EXPECT_EQ(packet_confidence(sample.data, MpFraming::enet3), "none");
      EXPECT_EQ(packet_confidence(sample.data, MpFraming::websocket3), "none");
    }
  }
  for (const PrefixSample &sample : prefix_samples()) {
    if (sample.framing == MpFraming::none || sample.framing == MpFraming::websocket_id) continue;
    EXPECT_NE(packet_confidence(sample.data, MpFraming::none), "weak") << sample.text;
  }
}

TEST(MpConfidence, BytesWithoutAMeaningAreNoEvidence) {
  struct Row {
    const char *bytes;
    const char *confidence;
  };
  const Row rows[] = {
      {"", "none"},
      {"00 01 00 01 0205", "weak"},
      {"00 00 00 01 0205", "none"},                        // path ids start at 1
      {"00 01 00 01 0205 00", "none"},                     // bytes after the arguments
      {"00 01 00 02 0205", "none"},                        // an argument is missing
      {"00 01 00 01 01000000 01000000", "none"},           // a compact false with trailing bytes
      {"00 01 00 01 45000000", "none"},                    // bits 6 and 7 of a type without size bits
      {"00 01 00 01 3f000000", "none"},                    // unknown type
      {"00 01 00 01 41", "none"},                          // invalid bool
      {"00 01 00 01 04000000 01000000 61000001", "none"},  // padding that no engine writes
      {"00 01 00 01 04000000 01000000 ff000000", "none"},  // invalid UTF-8
      {"00 01 00 01 05000100 000000000000f03f 0000000000000040", "weak"},
      {"10 0100 00 01 0205", "neutral"},  // an id with more bytes than an engine would use
      {"40 01 0100 01 0205", "neutral"},
      {"20 01000000 01 01 0205", "weak"},  // another receiver has not confirmed it
      {"06 0100", "none"},
      {"06 0100 05000000 00000000", "none"},
      {"06 0100 00000000 01000000 81", "none"},
      {"06 0100 00000080 01000000 81", "none"},
      {"06 0100 05000000 02000000 0205 06000000 02000000 02", "none"},
      {"06 0100 05000000 02000000 0205 06000000 02000000 0205", "weak"},
      {"05 00000000", "none"},
      {"05 01000080", "none"},
      {"0701 00000000", "none"},
      {"0702 ffffffff", "none"},
      {"0703 00000000 80 01 00", "weak"},
      {"0703 00000000 0703 00000000 80 01 00", "none"},
      {"0703 00000000 0700", "none"},
      {"0703 00000000 ff", "none"},
  };
  for (const Row &row : rows) EXPECT_EQ(confidence(hex(row.bytes), g4), row.confidence) << row.bytes;
}

TEST(MpConfidence, ValuesOverALimitReduceTheConfidence) {
  ReadOptions options;
  options.limits.nesting = 2;
  const Data flat = "00 01 00 01 1c000000 01000000 00000000"_hex;
  const Data deep = "00 01 00 01 1c000000 01000000 1c000000 01000000 00000000"_hex;
  EXPECT_EQ(confidence(flat, g4, 0, options), "weak");
  EXPECT_EQ(confidence(deep, g4, 0, options), "neutral");
  EXPECT_EQ(confidence(deep, g4), "weak");
}

TEST(MpConfidence, ConfiguredRealSizeIsUsed) {
  ReadOptions options;
  const Data data = "00 01000000 6100 01 05000000 000000000000f03f 0000000000000040"_hex;
  EXPECT_EQ(confidence(data, g3), "none");
  options.has_double_reals = true;
  EXPECT_EQ(confidence(data, g3, 0, options), "weak");
}

// --- Compact Variants ------------------------------------------------------------------------------------------

Walk walk_compact(const Data &data, const WalkSetup &setup = {}, WalkOptions options = {}) {
  options.is_compact = true;
  return walk(data, options, setup);
}

std::string compact_text(const Data &data, TextStyle style = TextStyle::script) {
  std::array<char, 128> memory{};
  TextBuffer buffer(memory);
  const ExactBytes bytes(data);
  EXPECT_EQ(name_of(append_variant(buffer, bytes.get(), 0, {.is_compact = true}, {}, style).outcome), "ok");
  return std::string(buffer.view());
}

TEST(CompactVariant, BoolIsOneByte) {
  const Walk no = walk_compact("01"_hex);
  EXPECT_EQ(describe(no.events), (Lines{"0+1 begin bool root[0] @0 0x1", "0+1 bool false", "0+1 end"}));
  const Walk yes = walk_compact("ff 81 ff"_hex, {.offset = 1});
  EXPECT_EQ(describe(yes.events), (Lines{"1+1 begin bool root[0] @0 0x1", "1+1 bool true", "1+1 end"}));
  EXPECT_EQ(yes.result.offset, 2U);
  EXPECT_TRUE(yes.result.notes.empty());
  for (const char *odd : {"41", "c1"}) {
    const Walk walk = walk_compact(hex(odd));
    EXPECT_EQ(describe(walk.events), (Lines{"0+1 begin bool root[0] @0 0x1", "0+1 note header_bits",
                                            odd[0] == 'c' ? "0+1 bool true" : "0+1 bool false", "0+1 end"}));
    EXPECT_EQ(name_of(walk.result.outcome), "ok");
    EXPECT_TRUE(walk.result.notes.has(EncodingNote::header_bits));
  }
  EXPECT_EQ(compact_text("01"_hex), "false");
  EXPECT_EQ(compact_text("81"_hex), "true");
}

TEST(CompactVariant, IntIsReadInEachSize) {
  struct Row {
    const char *bytes;
    std::size_t size;
    std::int64_t value;
  };
  const Row rows[] = {
      {"02 00", 1, 0},
      {"02 7f", 1, 127},
      {"02 80", 1, -128},
      {"02 ff", 1, -1},
      {"42 8000", 2, 128},
      {"42 0080", 2, INT16_MIN},
      {"42 ff7f", 2, INT16_MAX},
      {"82 00800000", 4, 0x8000},
      {"82 00000080", 4, INT32_MIN},
      {"82 ffffff7f", 4, INT32_MAX},
      {"c2 0000008000000000", 8, 0x80000000LL},
      {"c2 0000000000000080", 8, std::numeric_limits<std::int64_t>::min()},
      {"c2 ffffffffffffff7f", 8, std::numeric_limits<std::int64_t>::max()},
      {"c2 0100000000000000", 8, 1},
  };
  for (const Row &row : rows) {
    const Data data = hex(row.bytes);
    const Walk whole = walk_compact(data + "ff"_hex);
    const std::string value = std::to_string(row.value);
    EXPECT_EQ(describe(whole.events), (Lines{"0+1 begin int root[0] @0 0x2", format("1+%zu int ", row.size) + value,
                                             format("0+%zu end", row.size + 1)}));
    EXPECT_EQ(whole.result.offset, data.size());
    EXPECT_TRUE(whole.result.notes.empty());
    EXPECT_EQ(compact_text(data), value);
    for (std::size_t length = 0; length < data.size(); ++length) {
      const Walk captured = walk_compact(data.first(length), {.reported = data.size()});
      EXPECT_EQ(name_of(captured.result.outcome), "truncated");
      EXPECT_EQ(captured.result.offset, length == 0 ? 0U : 1U);
      EXPECT_EQ(describe(captured.events), length == 0 ? Lines{} : (Lines{"0+1 begin int root[0] @0 0x2", "0+1 end"}));
      const Walk ended = walk_compact(data.first(length));
      EXPECT_EQ(name_of(ended.result.outcome), "malformed");
      EXPECT_EQ(ended.result.offset, captured.result.offset);
    }
  }
}

// A value of every Godot 4 type except bool and int, and its text.
struct FullSample {
  Data data;
  const char *text;
};

std::vector<FullSample> full_samples() {
  const auto reals = [](unsigned type, std::size_t count) {
    Data data = u32(type);
    for (std::size_t i = 0; i < count; ++i) data += f32(static_cast<float>(i));
    return data;
  };
  const auto ints = [](unsigned type, std::size_t count) {
    Data data = u32(type);
    for (std::size_t i = 0; i < count; ++i) data += u32(i);
    return data;
  };
  return {
      {u32(0), "null"},
      {u32(3 | 1U << 16) + f64(0.1), "0.1"},
      {u32(4) + padded("fall"), "\"fall\""},
      {reals(5, 2), "Vector2(0, 1)"},
      {ints(6, 2), "Vector2i(0, 1)"},
      {reals(7, 4), "Rect2(0, 1, 2, 3)"},
      {ints(8, 4), "Rect2i(0, 1, 2, 3)"},
      {reals(9, 3), "Vector3(0, 1, 2)"},
      {ints(10, 3), "Vector3i(0, 1, 2)"},
      {reals(11, 6), "Transform2D(Vector2(0, 1), Vector2(2, 3), Vector2(4, 5))"},
      {reals(12, 4), "Vector4(0, 1, 2, 3)"},
      {ints(13, 4), "Vector4i(0, 1, 2, 3)"},
      {reals(14, 4), "Plane(0, 1, 2, 3)"},
      {reals(15, 4), "Quaternion(0, 1, 2, 3)"},
      {reals(16, 6), "AABB(Vector3(0, 1, 2), Vector3(3, 4, 5))"},
      {reals(17, 9), "Basis(Vector3(0, 3, 6), Vector3(1, 4, 7), Vector3(2, 5, 8))"},
      {reals(18, 12), "Transform3D(Vector3(0, 3, 6), Vector3(1, 4, 7), Vector3(2, 5, 8), Vector3(9, 10, 11))"},
      {reals(19, 16),
       "Projection(Vector4(0, 1, 2, 3), Vector4(4, 5, 6, 7), Vector4(8, 9, 10, 11), Vector4(12, 13, 14, "
       "15))"},
      {reals(20, 4), "Color(0, 1, 2, 3)"},
      {u32(21) + padded("a"), "&\"a\""},
      {u32(22) + u32(0x80000001) + u32(1) + u32(0) + padded("A") + padded("x"), "^\"A:x\""},
      {u32(23) + u64(7), "RID(7)"},
      {u32(24 | 1U << 16) + u64(9), "<Object#9>"},
      {u32(25), "Callable()"},
      {u32(26) + padded("s") + u64(9), "Signal(<Object#9>, \"s\")"},
      {u32(27) + u32(1) + u32(1) + u32(1) + u32(2) + u32(5), "{true: 5}"},
      {u32(28) + u32(3) + u32(1) + u32(1) + u32(2) + u32(300) + u32(2 | 1U << 16) + u64(1), "[true, 300, 1]"},
      {u32(29) + padded("ab"), "PackedByteArray([97, 98])"},
      {u32(30) + u32(1) + u32(5), "PackedInt32Array([5])"},
      {u32(31) + u32(1) + u64(5), "PackedInt64Array([5])"},
      {u32(32) + u32(1) + f32(5), "PackedFloat32Array([5])"},
      {u32(33) + u32(1) + f64(5), "PackedFloat64Array([5])"},
      {u32(34) + u32(1) + padded(std::string_view("a\0", 2)), "PackedStringArray([\"a\"])"},
      {u32(35) + u32(1) + f32(1) + f32(2), "PackedVector2Array([Vector2(1, 2)])"},
      {u32(36) + u32(1) + f32(1) + f32(2) + f32(3), "PackedVector3Array([Vector3(1, 2, 3)])"},
      {u32(37) + u32(1) + f32(1) + f32(2) + f32(3) + f32(4), "PackedColorArray([Color(1, 2, 3, 4)])"},
      {u32(38) + u32(1) + f32(1) + f32(2) + f32(3) + f32(4), "PackedVector4Array([Vector4(1, 2, 3, 4)])"},
  };
}

TEST(CompactVariant, OtherTypesAreEncodedAsInFullVariants) {
  const std::vector<FullSample> all = full_samples();
  EXPECT_EQ(all.size(), dialect_table(Dialect::godot4).types.size() - 2);
  for (const FullSample &sample : all) {
    SCOPED_TRACE(sample.text);
    EXPECT_EQ(compact_text(sample.data), sample.text);
    const Walk compact = walk_compact(sample.data);
    const Walk full = walk(sample.data, {});
    EXPECT_EQ(describe(compact.events), describe(full.events));
    EXPECT_EQ(name_of(compact.result.outcome), "ok");
    EXPECT_EQ(compact.result.offset, sample.data.size());
    for (std::size_t length = 0; length < sample.data.size(); ++length) {
      const Walk captured = walk_compact(sample.data.first(length), {.reported = sample.data.size()});
      const Walk full_captured = walk(sample.data.first(length), {}, {.reported = sample.data.size()});
      EXPECT_EQ(name_of(captured.result.outcome), "truncated");
      EXPECT_EQ(captured.result.offset, full_captured.result.offset);
      EXPECT_EQ(describe(captured.events), describe(full_captured.events));
    }
    for (const unsigned bits : {0x40U, 0x80U, 0xc0U}) {
      Data odd = sample.data;
      odd.bytes[0] = static_cast<std::uint8_t>(odd.bytes[0] | bits);
      const Walk refused = walk_compact(odd);
      EXPECT_EQ(name_of(refused.result.outcome), "malformed");
      EXPECT_EQ(refused.result.offset, 0U);
      EXPECT_TRUE(refused.events.empty());
    }
  }
}

TEST(CompactVariant, UnknownTypesAreUnsupported) {
  for (auto number = static_cast<std::uint32_t>(dialect_table(Dialect::godot4).types.size()); number < 64; ++number) {
    const Walk walk = walk_compact(u32(number));
    EXPECT_EQ(name_of(walk.result.outcome), "unsupported");
    EXPECT_EQ(walk.result.offset, 0U);
    EXPECT_TRUE(walk.events.empty());
    EXPECT_EQ(name_of(walk_compact(u32(number | 0x40)).result.outcome), "malformed");
  }
}

TEST(CompactVariant, VisitorActionsAndLimitsAreRespected) {
  const Data data = "82 01000000"_hex;
  const Walk stopped = walk_compact(data, {.at = 0, .action = VisitAction::stop});
  EXPECT_EQ(stopped.events.size(), 1U);
  EXPECT_TRUE(stopped.result.is_stopped);
  const Walk skipped = walk_compact(data, {.at = 0, .action = VisitAction::skip});
  EXPECT_EQ(describe(skipped.events), (Lines{"0+1 begin int root[0] @0 0x2", "0+5 end"}));
  EXPECT_EQ(skipped.result.offset, 5U);
  const Walk cut = walk_compact("82 0100"_hex, {.at = 0, .action = VisitAction::skip});
  EXPECT_EQ(name_of(cut.result.outcome), "malformed");
  WalkOptions options;
  options.limits.nesting = 0;
  EXPECT_EQ(name_of(walk_compact(data, {}, options).result.outcome), "over_limit");
  options.limits.nesting = 1;
  EXPECT_EQ(name_of(walk_compact(data, {}, options).result.outcome), "ok");
}

// Observed in Godot 4.6 for a freed object that is an argument of a call, with and without arguments after it.
TEST(CompactVariant, NullObjectConsistsOfItsTypeOnly) {
  for (const char *behind : {"", "00000000", "0207", "04000000 05000000 68656c6c 6f000000"}) {
    const Walk walk = walk_compact("18000000"_hex + hex(behind));
    EXPECT_EQ(name_of(walk.result.outcome), "ok") << behind;
    EXPECT_EQ(walk.result.offset, 4U) << behind;
    EXPECT_FALSE(walk.result.notes.has(EncodingNote::full_object)) << behind;
    EXPECT_EQ(compact_text("18000000"_hex + hex(behind)), "null") << behind;
  }
  EXPECT_EQ(compact_text("18000000 04000000 4e6f6465 00000000"_hex), "Object(Node)");
  // In a container, a null object has an empty class name.
  EXPECT_EQ(compact_text("1c000000 02000000 18000000 00000000 02000000 07000000"_hex), "[null, 7]");
  EXPECT_EQ(compact_text("18000100 0700000000000000"_hex), "<Object#7>");
}

TEST(CompactVariant, SummaryShowsTypeAndValue) {
  std::array<char, 64> memory{};
  const auto summary = [&](const Data &data) {
    TextBuffer buffer(memory);
    const ExactBytes bytes(data);
    append_brief(buffer, bytes.get(), 0, {.is_compact = true}, {}, TextStyle::summary);
    return std::string(buffer.view());
  };
  EXPECT_EQ(summary("02 05"_hex), "int 5");
  EXPECT_EQ(summary("81"_hex), "bool true");
  EXPECT_EQ(summary(u32(28) + u32(1) + u32(1) + u32(1)), "Array(1) [true]");
}

TEST(MpType, UnknownTypeNumberIsNil) {
  EXPECT_EQ(mp_variant_type(38, mp_encoding(Generation::godot4)), Type::packed_vector4_array);
  const auto count = static_cast<std::uint8_t>(dialect_table(Dialect::godot4).types.size());
  EXPECT_EQ(mp_variant_type(count, mp_encoding(Generation::godot4)), Type::nil);
  EXPECT_EQ(mp_variant_type(63, mp_encoding(Generation::godot4)), Type::nil);
  EXPECT_EQ(mp_variant_type(27, mp_encoding(Generation::godot3)), Type::nil);
}

}  // namespace
}  // namespace godot_codec::test
