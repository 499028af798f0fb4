// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "events.h"
#include "godot-codec/enet/datagram.h"

namespace godot_codec::test {
namespace {

// The bytes of each command, and what they are read as: name, flags, channel, reliable sequence number, fields, data.
struct Sample {
  const char *bytes;
  const char *text;
};
constexpr Sample samples[] = {
    {"01 ff 0002 0002 56f8", "acknowledge - 255 2 ack.seq=2 ack.sent_time=22264 data 0 ends 8"},
    {"82 ff 0001 0003 ff fe 00000570 00010000 000000ff 00000001 00000002 00001388 00000003 00000004 e04188f9 000003e9",
     "connect A 255 1 connect.outgoing_peer_id=3 connect.incoming_session=255 connect.outgoing_session=254 "
     "connect.mtu=1392 connect.window_size=65536 connect.channel_count=255 connect.incoming_bandwidth=1 "
     "connect.outgoing_bandwidth=2 connect.throttle_interval=5000 connect.throttle_acceleration=3 "
     "connect.throttle_deceleration=4 connect.connect_id=3762391289 connect.data=1001 data 0 ends 48"},
    {"83 ff 0001 0003 01 02 00000570 00010000 000000ff 00000001 00000002 00001388 00000003 00000004 e04188f9",
     "verify connect A 255 1 connect.outgoing_peer_id=3 connect.incoming_session=1 connect.outgoing_session=2 "
     "connect.mtu=1392 connect.window_size=65536 connect.channel_count=255 connect.incoming_bandwidth=1 "
     "connect.outgoing_bandwidth=2 connect.throttle_interval=5000 connect.throttle_acceleration=3 "
     "connect.throttle_deceleration=4 connect.connect_id=3762391289 data 0 ends 44"},
    {"44 ff 0003 80000009", "disconnect U 255 3 disconnect.data=2147483657 data 0 ends 8"},
    {"85 ff 0104", "ping A 255 260 data 0 ends 4"},
    {"86 03 ffff 0003 616263", "send reliable A 3 65535 data_length=3 data 3 ends 9"},
    {"07 02 0001 0010 0002 6162", "send unreliable - 2 1 unreliable_seq=16 data_length=2 data 2 ends 10"},
    {"88 02 0002 0001 0004 00000003 00000002 00000801 000007fd 61626364",
     "send fragment A 2 2 fragment.start_seq=1 data_length=4 fragment.fragment_count=3 fragment.number=2 "
     "fragment.total_length=2049 fragment.offset=2045 data 4 ends 28"},
    {"49 01 0000 0123 0001 61", "send unsequenced U 1 0 unsequenced_group=291 data_length=1 data 1 ends 9"},
    {"8a ff 0002 00010000 00020000",
     "bandwidth limit A 255 2 bandwidth.incoming=65536 bandwidth.outgoing=131072 data 0 ends 12"},
    {"8b ff 0003 00001388 00000002 00000003",
     "throttle configure A 255 3 throttle.interval=5000 throttle.acceleration=2 throttle.deceleration=3 data 0 ends "
     "16"},
    {"0c 01 0000 0007 0001 00000002 00000000 00000002 00000000 61",
     "send unreliable fragment - 1 0 fragment.start_seq=7 data_length=1 fragment.fragment_count=2 fragment.number=0 "
     "fragment.total_length=2 fragment.offset=0 data 1 ends 25"},
};

std::string describe(const EnetCommand &command) {
  std::string text(command.layout == nullptr ? "none" : command.layout->name);
  text += command.flags == 0 ? " -" : " ";
  if (command.wants_acknowledgement()) text += 'A';
  if ((command.flags & enet_flag_unsequenced) != 0) text += 'U';
  text += format(" %u %u", command.channel, command.reliable_seq);
  for (std::size_t i = 0; i < command.readable_fields.count(); ++i) {
    const EnetField field = command.layout->fields[i];
    text += format(" %s=%u", enet_field_info(field).name, command.value(field));
  }
  return text + format(" data %zu ends %zu", command.data.length, command.range.end());
}

EnetCommand read(const Data &data, std::size_t reported = 0, std::size_t offset = 0) {
  const ExactBytes bytes(data, reported);
  return read_enet_command(bytes.get(), offset);
}

// --- Big-endian numbers ----------------------------------------------------------------------------------------

TEST(BigEndianCursor, ReadsBigEndian) {
  const ExactBytes bytes(hex("01 ff 0102 fffe 01020304 ffffffff 0102030405060708"));
  Cursor cursor(bytes.get());
  EXPECT_EQ(cursor.read_be<std::uint8_t>(), 1U);
  EXPECT_EQ(cursor.read_be<std::int8_t>(), -1);
  EXPECT_EQ(cursor.read_be<std::uint16_t>(), 0x102U);
  EXPECT_EQ(cursor.read_be<std::int16_t>(), -2);
  EXPECT_EQ(cursor.read_be<std::uint32_t>(), 0x1020304U);
  EXPECT_EQ(cursor.read_be<std::int32_t>(), -1);
  EXPECT_EQ(cursor.read_be<std::uint64_t>(), 0x102030405060708U);
  EXPECT_TRUE(cursor.ok());
  EXPECT_EQ(cursor.read_be<std::uint16_t>(), 0U);
  EXPECT_EQ(name_of(cursor.outcome()), "malformed");
}

// --- Header ----------------------------------------------------------------------------------------------------

TEST(EnetHeader, HasTwoOrFourBytesAndAnOptionalChecksum) {
  struct Row {
    const char *bytes;
    bool has_checksum;
    const char *text;  // peer, session, flags, sent time, checksum, size
  };
  const Row rows[] = {
      {"0000", false, "0 0 - 0 0 2"},
      {"8fff 56f6", false, "4095 0 T 22262 0 4"},
      {"0fff", false, "4095 0 - 0 0 2"},
      {"1001", false, "1 1 - 0 0 2"},
      {"3123", false, "291 3 - 0 0 2"},
      {"4001", false, "1 0 C 0 0 2"},
      {"f001 ffff", false, "1 3 CT 65535 0 4"},
      {"0002 01020304", true, "2 0 - 0 16909060 6"},
      {"e002 0001 f1020304", true, "2 2 CT 1 4043440900 8"},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(row.bytes);
    const ExactBytes bytes(hex(row.bytes) + hex("85ff0001"));
    const EnetHeader header = read_enet_header(bytes.get(), row.has_checksum);
    std::string flags = header.is_compressed || header.has_sent_time ? "" : "-";
    if (header.is_compressed) flags += 'C';
    if (header.has_sent_time) flags += 'T';
    EXPECT_EQ(name_of(header.outcome), "ok");
    EXPECT_EQ(header.has_checksum, row.has_checksum);
    EXPECT_EQ(format("%u %u %s %u %u %zu", header.peer_id, header.session, flags.c_str(), header.sent_time,
                     header.checksum, header.offset),
              row.text);
  }
}

TEST(EnetHeader, HeaderCutAtAnyByteIsTruncatedOrMalformed) {
  const Data data = hex("9001 0203 04050607");
  const std::size_t starts[] = {0, 0, 2, 2, 4, 4, 4, 4};
  for (std::size_t length = 0; length < data.size(); ++length) {
    SCOPED_TRACE(length);
    const ExactBytes whole(data.first(length));
    const ExactBytes captured(data.first(length), data.size());
    EXPECT_EQ(name_of(read_enet_header(whole.get(), true).outcome), "malformed");
    const EnetHeader header = read_enet_header(captured.get(), true);
    EXPECT_EQ(name_of(header.outcome), "truncated");
    EXPECT_EQ(header.offset, starts[length]);
    EXPECT_EQ(header.peer_id, length < 2 ? 0U : 1U);
    EXPECT_EQ(header.sent_time, length < 4 ? 0U : 0x203U);
    EXPECT_EQ(header.checksum, 0U);
  }
}

// --- LayoutFile ---------------------------------------------------------------------------------------------------

TEST(EnetCommandLayout, SizesMatchEnetsStructs) {
  const std::size_t sizes[] = {8, 48, 44, 8, 4, 6, 8, 24, 8, 12, 16, 24};
  ASSERT_EQ(enet_command_layouts().size(), std::size(sizes));
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    const EnetCommandLayout &layout = enet_command_layouts()[i];
    SCOPED_TRACE(layout.name);
    std::size_t size = enet_command_header_size;
    for (const EnetField field : layout.fields) size += enet_field_info(field).size;
    EXPECT_EQ(size, sizes[i]);
    EXPECT_EQ(find_enet_command_layout(static_cast<std::uint8_t>(i + 1)), &layout);
    EXPECT_EQ(static_cast<std::size_t>(layout.type), i + 1);
  }
  EXPECT_EQ(find_enet_command_layout(0), nullptr);
  EXPECT_EQ(find_enet_command_layout(13), nullptr);
  EXPECT_EQ(find_enet_command_layout(255), nullptr);
}

TEST(EnetCommandLayout, EveryFieldHasAUniqueNameAndIsUsed) {
  std::set<std::string> names;
  std::set<EnetField> used;
  for (const EnetFieldInfo &info : enet_field_infos) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_NE(std::string(info.description), "");
  }
  for (const EnetCommandLayout &layout : enet_command_layouts())
    used.insert(layout.fields.begin(), layout.fields.end());
  EXPECT_EQ(used.size(), enet_field_count);
}

// --- Commands --------------------------------------------------------------------------------------------------

TEST(EnetCommand, AllTwelveCommandsAreRead) {
  for (std::size_t i = 0; i < std::size(samples); ++i) {
    SCOPED_TRACE(samples[i].bytes);
    const Data data = hex(samples[i].bytes);
    const EnetCommand command = read(data);
    EXPECT_EQ(name_of(command.outcome), "ok");
    EXPECT_EQ(describe(command), samples[i].text);
    EXPECT_EQ(command.number, i + 1);
    EXPECT_EQ(command.range.offset, 0U);
    EXPECT_EQ(command.range.length, data.size());
    EXPECT_EQ(command.data.end(), data.size());
  }
}

TEST(EnetCommand, FindsAValueByItsField) {
  const EnetCommand command = read(hex(samples[7].bytes));
  EXPECT_TRUE(command.is(EnetCommandType::send_fragment));
  EXPECT_TRUE(command.is_fragment());
  EXPECT_TRUE(command.has(EnetField::fragment_offset));
  EXPECT_EQ(command.value(EnetField::fragment_offset), 2045U);
  EXPECT_EQ(command.value(EnetField::fragment_start_seq), 1U);
  EXPECT_FALSE(command.has(EnetField::unreliable_seq));
  EXPECT_EQ(command.value(EnetField::unreliable_seq), 0U);
  EXPECT_FALSE(EnetCommand().has(EnetField::ack_seq));
}

// Returns the number of fields that are complete if the command is truncated at @p length.
std::size_t count_complete_fields(const EnetCommandLayout &layout, std::size_t length) {
  std::size_t end = enet_command_header_size;
  std::size_t count = 0;
  for (const EnetField field : layout.fields) {
    end += enet_field_info(field).size;
    if (end <= length) ++count;
  }
  return count;
}

TEST(EnetCommand, CommandCutAtAnyByteIsTruncatedOrMalformed) {
  for (const Sample &sample : samples) {
    const Data data = hex(sample.bytes);
    const EnetCommand whole = read(data);
    for (std::size_t length = 0; length < data.size(); ++length) {
      SCOPED_TRACE(format("%s, cut to %zu", sample.bytes, length));
      const std::size_t fields = count_complete_fields(*whole.layout, length);
      const EnetCommand captured = read(data.first(length), data.size());
      EXPECT_EQ(name_of(captured.outcome), "truncated");
      EXPECT_EQ(captured.readable_fields.count(), fields);
      EXPECT_EQ(captured.range.length, data.size());
      EXPECT_EQ(captured.number, length > 0 ? whole.number : 0);
      EXPECT_EQ(captured.layout, length >= enet_command_header_size ? whole.layout : nullptr);
      for (std::size_t i = 0; i < captured.readable_fields.count(); ++i) {
        EXPECT_EQ(captured.value(whole.layout->fields[i]), whole.value(whole.layout->fields[i]));
      }

      const EnetCommand ended = read(data.first(length));
      EXPECT_EQ(name_of(ended.outcome), "malformed");
      EXPECT_EQ(ended.range.end(), length);
      EXPECT_EQ(ended.readable_fields, captured.readable_fields);
    }
  }
}

TEST(EnetCommand, DataLengthIsLimitedByTheDatagramNotBySnapLength) {
  const Data data = hex("86 00 0001 0010 61626364");
  const EnetCommand captured = read(data, 22);
  EXPECT_EQ(name_of(captured.outcome), "truncated");
  EXPECT_EQ(captured.data.offset, 6U);
  EXPECT_EQ(captured.data.length, 16U);
  EXPECT_EQ(captured.range.length, 22U);

  const EnetCommand ended = read(data);
  EXPECT_EQ(name_of(ended.outcome), "malformed");
  EXPECT_EQ(ended.data.offset, 6U);
  EXPECT_EQ(ended.data.length, 4U);
  EXPECT_EQ(ended.range.length, 10U);
  EXPECT_EQ(ended.value(EnetField::data_length), 16U);

  EXPECT_EQ(name_of(read(hex("86 00 0001 ffff")).outcome), "malformed");
  EXPECT_EQ(name_of(read(hex("86 00 0001 ffff"), 6 + 0xfffe).outcome), "malformed");
  EXPECT_EQ(name_of(read(hex("86 00 0001 ffff"), 6 + 0xffff).outcome), "truncated");
  EXPECT_EQ(name_of(read(hex("86 00 0001 0000")).outcome), "ok");
}

TEST(EnetCommand, UnknownCommandTypesAreUnsupported) {
  for (const unsigned number : {0U, 13U, 14U, 15U}) {
    for (const unsigned flags : {0x00U, 0x80U, 0xf0U}) {
      Data data = hex("00 01 0203 04050607");
      data.bytes[0] = static_cast<std::uint8_t>(flags | number);
      const EnetCommand command = read(data);
      EXPECT_EQ(name_of(command.outcome), "unsupported");
      EXPECT_EQ(command.number, number);
      EXPECT_EQ(command.flags, flags);
      EXPECT_EQ(command.channel, 1U);
      EXPECT_EQ(command.reliable_seq, 0x203U);
      EXPECT_EQ(command.layout, nullptr);
      EXPECT_TRUE(command.readable_fields.none());
      EXPECT_EQ(command.range.length, data.size());
      EXPECT_FALSE(command.has(EnetField::data_length));
    }
  }
}

TEST(EnetCommand, FlagBits4And5AreIgnored) {
  const EnetCommand command = read(hex("b5 ff 0001"));
  EXPECT_EQ(name_of(command.outcome), "ok");
  EXPECT_TRUE(command.is(EnetCommandType::ping));
  EXPECT_EQ(command.flags, 0xb0U);
}

TEST(EnetCommand, ConsecutiveCommandsAreRead) {
  Data data;
  for (const Sample &sample : samples) data += hex(sample.bytes);
  std::size_t offset = 0;
  for (const Sample &sample : samples) {
    const std::size_t length = hex(sample.bytes).size();
    const EnetCommand command = read(data, 0, offset);
    EXPECT_EQ(name_of(command.outcome), "ok");
    EXPECT_EQ(command.layout, read(hex(sample.bytes)).layout);
    EXPECT_EQ(command.range.offset, offset);
    EXPECT_EQ(command.range.length, length);
    EXPECT_EQ(command.data.end(), offset + length);
    offset = command.range.end();
  }
  for (const std::size_t behind : {offset, offset + 1, SIZE_MAX}) {
    const EnetCommand command = read(data, 0, behind);
    EXPECT_EQ(name_of(command.outcome), "malformed");
    EXPECT_EQ(command.range.length, 0U);
  }
}

// --- Fragments -------------------------------------------------------------------------------------------------

TEST(EnetFragment, ContradictoryFieldsAreReported) {
  struct Row {
    const char *bytes;  // length, count, number, total, offset, data
    const char *fault;
  };
  const Row rows[] = {
      {"0001 00000001 00000000 00000001 00000000 61", ""},
      {"0001 00000002 00000001 00000003 00000002 61", ""},
      {"0001 00100000 000fffff 00100000 000fffff 61", ""},
      {"0000 00000001 00000000 00000001 00000000", "it holds no data"},
      {"0001 00000000 00000000 00000001 00000000 61", "its number is not below the count"},
      {"0001 00000002 00000002 00000009 00000000 61", "its number is not below the count"},
      {"0001 00000002 ffffffff 00000009 00000000 61", "its number is not below the count"},
      {"0001 00100001 00000000 00100001 00000000 61", "the message has more fragments than ENet allows"},
      {"0001 ffffffff 00000000 ffffffff 00000000 61", "the message has more fragments than ENet allows"},
      {"0001 00000003 00000000 00000002 00000000 61", "the message has fewer bytes than fragments"},
      {"0001 00000001 00000000 00000001 00000001 61", "it begins after the end of the message"},
      {"0001 00000001 00000000 00000001 ffffffff 61", "it begins after the end of the message"},
      {"0002 00000001 00000000 00000001 00000000 6162", "it runs past the end of the message"},
      {"0003 00000001 00000000 ffffffff fffffffd 616263", "it runs past the end of the message"},
  };
  for (const Row &row : rows) {
    for (const char *kind : {"88 00 0001 0001", "0c 00 0001 0001"}) {
      SCOPED_TRACE(row.bytes);
      const EnetCommand command = read(hex(kind) + hex(row.bytes));
      EXPECT_EQ(name_of(command.outcome), "ok");
      EXPECT_EQ(find_enet_fragment_error(command), row.fault);
    }
  }
  const Data cut = hex("88 00 0001 0001 0000 00000000 00000000 00000000 00000000");
  EXPECT_NE(find_enet_fragment_error(read(cut)), "");
  EXPECT_EQ(find_enet_fragment_error(read(cut.first(20))), "") << "not all of it is there";
  EXPECT_EQ(find_enet_fragment_error(read(hex("86 00 0001 0000"))), "");
}

// --- Detection -------------------------------------------------------------------------------------------------

bool looks_like(const Data &data, std::size_t reported = 0, bool may_be_padded = false) {
  const ExactBytes bytes(data, reported);
  return looks_like_enet_commands(bytes.get(), may_be_padded);
}

// Godot compresses with FastLZ only from 16 bytes, and pads shorter datagrams. Other compressors need no padding.
TEST(EnetDetection, ZeroPaddingIsAcceptedOnlyUpTo16Bytes) {
  const Data ping = hex("85ff0001");
  for (const std::size_t zeros : {4U, 8U, 12U, 16U}) {
    Data padded = ping;
    for (std::size_t i = 0; i < zeros; ++i) padded += hex("00");
    EXPECT_EQ(looks_like(padded, 0, true), zeros == 12) << zeros;
    EXPECT_FALSE(looks_like(padded, 0, false)) << zeros;
  }
}

TEST(EnetDetection, BytesAfterTheLastCommandAreRejected) {
  Data all;
  for (const Sample &sample : samples) {
    const Data data = hex(sample.bytes);
    EXPECT_TRUE(looks_like(data)) << sample.bytes;
    EXPECT_FALSE(looks_like(data + hex("00"))) << sample.bytes;
    EXPECT_FALSE(looks_like(data + hex("00000000"))) << sample.bytes;
    EXPECT_FALSE(looks_like(data + hex("8dff0001"))) << sample.bytes;
    EXPECT_FALSE(looks_like(data.first(data.size() - 1))) << sample.bytes;
    all += data;
  }
  EXPECT_TRUE(looks_like(all));
  EXPECT_FALSE(looks_like({}));
  EXPECT_FALSE(looks_like({}, 10));
}

TEST(EnetDetection, DatagramCutBySnapLengthIsAccepted) {
  const Data data = hex("85ff0001 86 00 0001 0010 61626364");
  for (std::size_t length = 4; length <= data.size(); ++length) EXPECT_TRUE(looks_like(data.first(length), 26));
  EXPECT_FALSE(looks_like(data.first(3), 26));
  EXPECT_FALSE(looks_like(data, 25));
  EXPECT_FALSE(looks_like(hex("85ff0001 06 00 0001 0010 61"), 26)) << "without its flag";
}

TEST(EnetDetection, CommandsWithWrongFlagsOrChannelsAreRejected) {
  EXPECT_TRUE(looks_like(hex("84 ff 0003 00000000")));
  EXPECT_TRUE(looks_like(hex("44 ff 0003 00000000")));
  EXPECT_TRUE(looks_like(hex("01 00 0001 0001 0001")));
  for (const char *bytes : {
           "04 ff 0003 00000000", "c4 ff 0003 00000000", "05 ff 0001", "a5 ff 0001", "95 ff 0001", "06 00 0001 0000",
           "46 00 0001 0000", "87 00 0001 0001 0000", "09 00 0000 0001 0000", "81 ff 0001 0001 0001",
           "85 00 0001",                                                // a ping on an application channel
           "86 ff 0001 0000",                                           // data on ENet's own channel
           "49 ff 0000 0001 0000",                                      //
           "88 00 0001 0001 0000 00000000 00000000 00000000 00000000",  // contradictory fragment
       }) {
    EXPECT_FALSE(looks_like(hex(bytes))) << bytes;
  }
}

TEST(EnetDetection, ZeroPaddingTo16BytesIsAcceptedOnlyAfterCommands) {
  const Data ping = hex("85ff0001");
  const Data zeros = repeat(hex("00"), 12);
  EXPECT_TRUE(looks_like(ping + zeros, 0, true));
  EXPECT_FALSE(looks_like(ping + zeros, 0, false));
  EXPECT_FALSE(looks_like(ping + zeros.first(11), 0, true)) << "15 bytes";
  EXPECT_FALSE(looks_like(ping + zeros + hex("00"), 0, true)) << "17 bytes";
  EXPECT_FALSE(looks_like(ping + zeros.first(11) + hex("01"), 0, true));
  EXPECT_FALSE(looks_like(repeat(hex("00"), 16), 0, true)) << "nothing but zeros";
  EXPECT_TRUE(looks_like(hex("86 00 0001 0007 61626364656667 000000"), 0, true));
  EXPECT_TRUE(looks_like(repeat(ping, 4), 0, true));
  EXPECT_FALSE(looks_like(ping + zeros.first(8), 16, true)) << "cut by the capture";
}

}  // namespace
}  // namespace godot_codec::test
