// SPDX-License-Identifier: MIT
#include "godot-codec/stream/web_socket.h"

#include <algorithm>

namespace godot_codec {
namespace {

// Maximum size of HTTP headers that are read, in bytes. Godot itself accepts 4,096.
constexpr std::size_t max_http_headers = 16384;

std::string_view headers_as_text(Bytes bytes) { return bytes.text().substr(0, max_http_headers); }

char to_lower_ascii(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool equals_ignoring_case(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, to_lower_ascii, to_lower_ascii);
}

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the text before @p end. Removes this text and @p end from @p text.
std::string_view take_until(std::string_view &text, char end) {
  const std::size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

struct HttpHeader {
  std::string_view name;  // empty at the end of the headers
  std::string_view value;
};

HttpHeader take_header(std::string_view &lines) {
  std::string_view line = trim_blanks(take_until(lines, '\n'));
  const std::string_view name = take_until(line, ':');
  return {name, trim_blanks(line)};
}

// The headers that connect_to_url() sends first. It may add subprotocols after them, and requests no extensions.
constexpr std::string_view godot_headers[] = {"Host", "Upgrade", "Connection", "Sec-WebSocket-Key",
                                              "Sec-WebSocket-Version"};

}  // namespace

bool has_web_socket_upgrade(Bytes bytes) {
  const std::string_view text = headers_as_text(bytes);
  if (!text.starts_with("GET ") && !text.starts_with("HTTP/1.1 101 ")) return false;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    std::string_view lines = text.substr(at + 1);
    if (lines.empty() || to_lower_ascii(lines.front()) != 'u') continue;
    const HttpHeader header = take_header(lines);
    if (equals_ignoring_case(header.name, "Upgrade") && equals_ignoring_case(header.value, "websocket")) return true;
  }
  return false;
}

WebSocketRequest read_web_socket_request(Bytes bytes) {
  std::string_view text = headers_as_text(bytes);
  if (!text.starts_with("GET ")) return {};
  std::string_view first = take_until(text, '\n');
  WebSocketRequest request;
  take_until(first, ' ');
  request.path = take_until(first, ' ');
  std::size_t place = 0;
  request.has_godot_headers = true;
  while (true) {
    if (text.empty()) return {};  // the end of the headers is missing
    const HttpHeader header = take_header(text);
    if (header.name.empty()) break;
    if (place < std::size(godot_headers)) {
      request.has_godot_headers = request.has_godot_headers && header.name == godot_headers[place++];
    }
    if (equals_ignoring_case(header.name, "Upgrade"))
      request.is_request = equals_ignoring_case(header.value, "websocket");
    if (equals_ignoring_case(header.name, "Origin")) request.origin = header.value;
    if (equals_ignoring_case(header.name, "Sec-WebSocket-Protocol")) request.protocols = header.value;
    const bool is_others = equals_ignoring_case(header.name, "User-Agent") ||
                           equals_ignoring_case(header.name, "Sec-WebSocket-Extensions");
    if (is_others) request.has_godot_headers = false;
  }
  if (!request.is_request) return {};
  request.has_godot_headers = request.has_godot_headers && place == std::size(godot_headers);
  return request;
}

HttpResponse read_http_response(Bytes bytes) {
  constexpr std::size_t digits = 3;
  const std::string_view text = headers_as_text(bytes);
  if (!text.starts_with("HTTP/1.") || text.find('\n') == std::string_view::npos) return {};
  std::string_view lines = text;
  std::string_view first = trim_blanks(take_until(lines, '\n'));
  take_until(first, ' ');
  const std::string_view number = take_until(first, ' ');
  const bool is_number =
      number.size() == digits && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return {};
  HttpResponse answer;
  answer.is_response = true;
  for (const char c : number) answer.status = static_cast<std::uint16_t>(10 * answer.status + (c - '0'));
  answer.reason_phrase = trim_blanks(first);
  answer.requires_tls = answer.status == 400 && text.find("HTTPS") != std::string_view::npos;
  for (HttpHeader header = take_header(lines); !header.name.empty(); header = take_header(lines)) {
    if (equals_ignoring_case(header.name, "Sec-WebSocket-Protocol")) answer.protocol = header.value;
    if (!equals_ignoring_case(header.name, "Sec-WebSocket-Extensions")) continue;
    answer.has_no_server_context_takeover = header.value.find("server_no_context_takeover") != std::string_view::npos;
    answer.has_no_client_context_takeover = header.value.find("client_no_context_takeover") != std::string_view::npos;
  }
  return answer;
}

bool is_offered_protocol(std::string_view offered, std::string_view accepted) {
  while (!offered.empty()) {
    if (trim_blanks(take_until(offered, ',')) == accepted) return true;
  }
  return false;
}

WebSocketFrame read_web_socket_frame(Bytes bytes, std::size_t offset) {
  constexpr std::uint8_t opcodes = 0x0f;
  constexpr std::uint8_t high_bit = 0x80;  // in the first byte: final frame of a message; in the second: masked
  constexpr std::uint8_t compressed_bit = 0x40;
  constexpr std::uint8_t unused_bits = 0x30;
  constexpr std::uint8_t length_of_16_bits = 126;
  constexpr std::uint8_t length_of_64_bits = 127;
  Cursor cursor(bytes, offset);
  const auto first = cursor.read_be<std::uint8_t>();
  const auto second = cursor.read_be<std::uint8_t>();
  WebSocketFrame frame;
  std::uint64_t length = second & ~high_bit;
  if (length == length_of_16_bits) {
    length = cursor.read_be<std::uint16_t>();
    frame.has_overlong_length = length < length_of_16_bits;
  } else if (length == length_of_64_bits) {
    length = cursor.read_be<std::uint64_t>();
    frame.has_overlong_length = length <= UINT16_MAX;
  }
  frame.opcode = first & opcodes;
  frame.is_final = (first & high_bit) != 0;
  frame.is_compressed = (first & compressed_bit) != 0;
  frame.has_reserved_bits = (first & unused_bits) != 0;
  frame.is_masked = (second & high_bit) != 0;
  if (frame.is_masked) {
    for (std::uint8_t &each : frame.key) each = cursor.read_be<std::uint8_t>();
  }
  frame.content = {cursor.offset(), static_cast<std::size_t>(std::min<std::uint64_t>(length, UINT32_MAX))};
  frame.is_read = cursor.ok();
  return frame;
}

void unmask(Bytes masked, const WebSocketMaskingKey &key, std::uint8_t *plain) {
  for (std::size_t i = 0; i < masked.captured; ++i) {
    plain[i] = static_cast<std::uint8_t>(masked.data[i] ^ key[i % std::size(key)]);
  }
}

namespace {

// True if masked bytes have this content. Compares four bytes at a time, because this takes most of the time.
bool is_unmasked(const std::uint8_t *masked, const WebSocketMaskingKey &key, Bytes content) {
  std::size_t at = 0;
  const auto key_word = Cursor::load_le<std::uint32_t>(key.data());
  for (; at + sizeof key_word <= content.captured; at += sizeof key_word) {
    const auto word = Cursor::load_le<std::uint32_t>(masked + at);
    if ((word ^ key_word) != Cursor::load_le<std::uint32_t>(content.data + at)) return false;
  }
  while (at < content.captured && (masked[at] ^ key[at % std::size(key)]) == content.data[at]) ++at;
  return at == content.captured;
}

}  // namespace

WebSocketFrame find_masked_frame(Bytes bytes, std::size_t from, Bytes content) {
  constexpr std::uint8_t mask_bit = 0x80;
  for (std::size_t at = from; at + 1 < bytes.captured; ++at) {
    if ((bytes.data[at + 1] & mask_bit) == 0) continue;
    const WebSocketFrame frame = read_web_socket_frame(bytes, at);
    const bool is_messages = frame.is_read && !frame.has_reserved_bits && frame.opcode <= WebSocketFrame::binary;
    if (!is_messages || frame.has_overlong_length || frame.content.length != content.reported) continue;
    const Bytes masked = bytes.slice(frame.content);
    if (masked.captured >= content.captured && is_unmasked(masked.data, frame.key, content)) return frame;
  }
  return {};
}

// Godot puts each message into one frame, and may send the header of the frame in a separate segment. So only whole
// frames are accepted.
bool consists_of_web_socket_frames(Bytes segment, bool is_masked) {
  std::size_t at = 0;
  while (at < segment.captured) {
    const WebSocketFrame frame = read_web_socket_frame(segment, at);
    const bool is_message = frame.opcode == WebSocketFrame::binary || frame.opcode == WebSocketFrame::text;
    if (!frame.is_plain() || frame.is_masked != is_masked || (!is_message && !frame.is_control())) return false;
    at = frame.content.end();
  }
  return true;
}

WebSocketClose read_web_socket_close(Bytes bytes, const WebSocketFrame &frame) {
  constexpr std::size_t longest = 125;
  if (!frame.is_read || frame.opcode != WebSocketFrame::close || !frame.is_final) return {};
  const Bytes content = bytes.slice(frame.content);
  if (frame.content.length > longest || content.captured < frame.content.length) return {};
  std::array<std::uint8_t, longest> plain{};
  unmask(content, frame.key, plain.data());
  WebSocketClose close;
  close.is_read = true;
  if (content.captured < sizeof close.code) return close;
  close.code = Cursor::load_be<std::uint16_t>(plain.data());
  // With another code, the bytes are not a close frame but message bytes after a capture gap.
  constexpr std::uint16_t first_code = 1000;
  constexpr std::uint16_t end_of_codes = 5000;
  if (close.code < first_code || close.code >= end_of_codes) return {};
  close.reason.assign(plain.begin() + sizeof close.code, plain.begin() + static_cast<std::ptrdiff_t>(content.captured));
  if (close.reason.ends_with('\0')) close.reason.pop_back();  // Godot 3 also sends the terminating zero of the reason
  return close;
}

std::string_view describe_close_code(std::uint16_t code) {
  constexpr std::uint16_t first_registered = 3000;
  constexpr std::uint16_t first_custom = 4000;
  constexpr std::uint16_t end_of_custom = 5000;
  constexpr std::string_view meanings[] = {"done",
                                           "going away",
                                           "protocol error",
                                           "a kind of message that is not taken",
                                           "?",
                                           "without a code",
                                           "?",
                                           "text that is not UTF-8",
                                           "forbidden by the policy of this side",
                                           "message too big: in Godot, inbound_buffer_size",
                                           "an extension is missing",
                                           "an internal error",
                                           "the service restarts",
                                           "try again later",
                                           "a bad gateway"};
  constexpr std::uint16_t first = 1000;
  if (code >= first && code < first + std::size(meanings)) return meanings[code - first];
  if (code >= first_registered && code < first_custom) return "a library's code";
  return code >= first_custom && code < end_of_custom ? "application-defined code" : "?";
}

namespace {

// True for a path such as "/games/pong.pck?v=3".
bool is_pack_path(std::string_view path) { return path.substr(0, path.find('?')).ends_with(".pck"); }

}  // namespace

Http2Request read_http2_request(Bytes fields) {
  Http2Request request;
  Cursor cursor(fields);
  while (cursor.ok() && cursor.remaining() > 0) {
    const std::string_view name = take_text(cursor, cursor.read_be<std::uint32_t>());
    const std::string_view value = take_text(cursor, cursor.read_be<std::uint32_t>());
    if (name == ":protocol") request.requests_web_socket = value == "websocket";
    if (name == ":path") request.requests_pack = is_pack_path(value);
  }
  return request;
}

}  // namespace godot_codec
