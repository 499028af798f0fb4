// SPDX-License-Identifier: GPL-2.0-or-later
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "plugin/enet/datagram_dissection.h"
#include "plugin/epan/labels.h"
#include "plugin/epan/packet_info.h"

namespace godot_plugin {
namespace {

using godot_codec::EnetCommand;
using godot_codec::EnetCommandFindings;
using godot_codec::EnetCommandType;
using godot_codec::EnetField;
using godot_codec::TextBuffer;

// Returns the number that distinguishes a message from other messages of the same type.
std::uint32_t message_number(const EnetCommand &command) {
  if (command.is(EnetCommandType::send_unreliable)) return command.value(EnetField::unreliable_seq);
  if (command.is(EnetCommandType::send_unsequenced)) return command.value(EnetField::unsequenced_group);
  if (command.is_fragment()) return command.value(EnetField::fragment_start_seq);
  return command.reliable_seq;
}

// Appends the round-trip time of an acknowledgement, such as " (0.3 ms)", if it is known.
void append_round_trip_time(TextBuffer &text, const EnetCommandFindings &known) {
  if (known.answer == nullptr) return;
  std::array<char, 32> number;  // enough for any 64-bit time
  const std::to_chars_result end =
      std::to_chars(number.data(), number.data() + number.size(), to_milliseconds(known.answer->round_trip_time),
                    std::chars_format::fixed, 1);
  text.append(" (");
  text.append({number.data(), end.ptr});
  text.append(" ms)");
}

// Appends a command without data, such as "Ack #4".
void append_control_command(TextBuffer &text, const EnetCommand &command, const EnetCommandFindings &known) {
  const bool is_one = command.layout != nullptr && command.layout->channels != godot_codec::EnetChannelKind::users;
  text.append(is_one ? command.layout->title : "Command");
  if (command.is(EnetCommandType::acknowledge)) {
    text.append(" #");
    text.append_unsigned(command.value(EnetField::ack_seq));
  }
  append_round_trip_time(text, known);
}

void append_number(TextBuffer &text, std::string_view before, std::uint64_t number) {
  text.append(before);
  text.append_unsigned(number);
}

}  // namespace

bool has_data(const EnetCommand &command) { return command.has(EnetField::data_length); }

void append_message_label(TextBuffer &text, const EnetCommand &command) {
  text.append(command.layout == nullptr ? "Message" : command.layout->title);
  if (command.is_fragment()) {
    append_number(text, " ", command.value(EnetField::fragment_number) + 1);
    append_number(text, "/", command.value(EnetField::fragment_count));
    text.append(" of");
  }
  append_number(text, " ch ", command.channel);
  append_number(text, " #", message_number(command));
}

void append_command_text(TextBuffer &text, const EnetCommand &command, const EnetCommandFindings &known,
                         bool is_repeated) {
  if (!has_data(command)) {
    append_control_command(text, command, known);
    if (is_repeated) text.append(" again");
    return;
  }
  append_message_label(text, command);
  append_number(text, is_repeated ? " again (" : " (", command.value(EnetField::data_length));
  text.append(" bytes)");
}

bool is_counted(const DatagramDissection &datagram) {
  return datagram.findings->connection != nullptr && datagram.findings->duplicate_of.packet == 0 &&
         is_outside_icmp_error(datagram.pinfo);
}

void add_info_text(const DatagramDissection &datagram, std::size_t index, std::string_view text) {
  if (godot_codec::TextBuffer *info = info_buffer_of(datagram, index); info != nullptr) info->append(text);
}

void add_info_mark(const DatagramDissection &datagram, std::size_t index, std::string_view mark) {
  add_info_text(datagram, index, " [");
  add_info_text(datagram, index, mark);
  add_info_text(datagram, index, "]");
}

void write_info(const DatagramDissection &datagram) {
  if (datagram.info == nullptr || datagram.info->view().empty()) return;
  append_info(datagram.pinfo, wmem_strdup(datagram.pinfo->pool, datagram.info->view().data()));
  datagram.info->clear();
}

void add_to_summary(const DatagramDissection &datagram, std::size_t index, const char *text) {
  if (datagram.summary == nullptr || index >= max_listed_commands) return;
  if (index > 0) wmem_strbuf_append(datagram.summary, ", ");
  wmem_strbuf_append(datagram.summary, text);
}

}  // namespace godot_plugin
