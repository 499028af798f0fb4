// SPDX-License-Identifier: MIT
// WebSocket handshakes, close frames, and the first bytes of TLS.
#include "godot-codec/stream/web_socket.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "godot-codec/encryption/tls.h"
#include "wire.h"

namespace godot_codec::test {
namespace {

Bytes as_bytes(const std::string &text) { return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()}; }

const std::string godots_request =
    "GET /lobby?room=7 HTTP/1.1\r\nHost: 127.0.0.1:5071\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n";

TEST(WebSocketRequest, GodotIsRecognizedByItsHeaders) {
  const std::string bytes = godots_request + "Sec-WebSocket-Protocol: chat,game\r\nOrigin: https://a.b\r\n\r\n";
  const WebSocketRequest request = read_web_socket_request(as_bytes(bytes));
  EXPECT_TRUE(request.is_request);
  EXPECT_TRUE(request.has_godot_headers);
  EXPECT_EQ(request.path, "/lobby?room=7");
  EXPECT_EQ(request.protocols, "chat,game");
  EXPECT_EQ(request.origin, "https://a.b");
}

TEST(WebSocketRequest, RequestsOfOtherProgramsAreNotRecognizedAsGodots) {
  for (const char *more : {"User-Agent: x\r\n\r\n", "sec-websocket-extensions: permessage-deflate\r\n\r\n"}) {
    const std::string bytes = godots_request + more;
    const WebSocketRequest request = read_web_socket_request(as_bytes(bytes));
    EXPECT_TRUE(request.is_request);
    EXPECT_FALSE(request.has_godot_headers) << more;
  }
  const std::string other = "GET / HTTP/1.1\r\nupgrade: WebSocket\r\nHost: a\r\n\r\n";
  EXPECT_TRUE(read_web_socket_request(as_bytes(other)).is_request);
  EXPECT_FALSE(read_web_socket_request(as_bytes(other)).has_godot_headers);
}

TEST(WebSocketRequest, RequestWithoutAnEndOrUpgradeIsRejected) {
  EXPECT_FALSE(read_web_socket_request(as_bytes(godots_request)).is_request);
  EXPECT_FALSE(read_web_socket_request(as_bytes("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).is_request);
  EXPECT_FALSE(read_web_socket_request(as_bytes("POST / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n")).is_request);
  EXPECT_FALSE(read_web_socket_request({}).is_request);
}

TEST(HttpResponse, StatusPhraseAndSubprotocolAreRead) {
  const std::string bytes =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nsec-websocket-protocol:  chat \r\n\r\n";
  const HttpResponse taken = read_http_response(as_bytes(bytes));
  EXPECT_TRUE(taken.is_response);
  EXPECT_TRUE(taken.is_upgraded());
  EXPECT_EQ(taken.reason_phrase, "Switching Protocols");
  EXPECT_EQ(taken.protocol, "chat");
  const std::string short_one = "HTTP/1.0 404\r\n\r\n";
  const HttpResponse refused = read_http_response(as_bytes(short_one));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.reason_phrase, "");
  EXPECT_FALSE(refused.requires_tls);
}

TEST(HttpResponse, ContextTakeoverOfEachSideIsRead) {
  const auto answer = [](const std::string &parameters) {
    const std::string bytes =
        "HTTP/1.1 101 a\r\nSec-WebSocket-Extensions: permessage-deflate" + parameters + "\r\nB: c\r\n\r\n";
    const HttpResponse read = read_http_response(as_bytes(bytes));
    return std::pair(read.has_no_server_context_takeover, read.has_no_client_context_takeover);
  };
  EXPECT_EQ(answer(""), std::pair(false, false));
  EXPECT_EQ(answer("; server_no_context_takeover"), std::pair(true, false));
  EXPECT_EQ(answer("; client_max_window_bits=9; client_no_context_takeover"), std::pair(false, true));
}

TEST(HttpResponse, ErrorThatThePortIsForTlsIsRecognized) {
  EXPECT_TRUE(read_http_response(as_bytes("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS "
                                          "server.\n"))
                  .requires_tls);
  EXPECT_FALSE(read_http_response(as_bytes("HTTP/1.1 404 Not Found\r\n\r\nHTTPS")).requires_tls);
}

TEST(HttpResponse, ResponseWithoutAStatusIsRejected) {
  for (const char *bytes :
       {"HTTP/1.1 1x1 a\r\n\r\n", "HTTP/1.1 10\r\n", "HTTP/1.1 101 Switching", "SIP/2.0 200 OK\r\n"}) {
    EXPECT_FALSE(read_http_response(as_bytes(bytes)).is_response) << bytes;
  }
}

TEST(WebSocketSubprotocols, SubprotocolIsFoundInTheList) {
  EXPECT_TRUE(is_offered_protocol("chat, game", "game"));
  EXPECT_TRUE(is_offered_protocol("chat", "chat"));
  EXPECT_FALSE(is_offered_protocol("chat, game", "gam"));
  EXPECT_FALSE(is_offered_protocol("", "chat"));
}

TEST(WebSocketFrame, CodeAndReasonOfACloseAreRead) {
  const std::string plain = hex("88 05 0fa1") + "bye";
  const WebSocketFrame frame = read_web_socket_frame(as_bytes(plain), 0);
  EXPECT_TRUE(frame.is_read);
  EXPECT_EQ(frame.content.end(), plain.size());
  const WebSocketClose close = read_web_socket_close(as_bytes(plain), frame);
  EXPECT_TRUE(close.is_read);
  EXPECT_EQ(close.code, 4001);
  EXPECT_EQ(close.reason, "bye");
  // Masked by 01020304.
  const std::string masked = hex("88 84 01020304 02ea 0364");
  const WebSocketClose by_client = read_web_socket_close(as_bytes(masked), read_web_socket_frame(as_bytes(masked), 0));
  EXPECT_EQ(by_client.code, 1000);
  EXPECT_EQ(by_client.reason, std::string(1, '\0') + "`");
  const std::string empty = hex("88 00");
  EXPECT_EQ(read_web_socket_close(as_bytes(empty), read_web_socket_frame(as_bytes(empty), 0)).code, 1005);
}

TEST(WebSocketFrame, TruncatedAndOtherFramesAreNotReadAsAClose) {
  for (const std::string &bytes :
       {hex("88 05 0fa1"), hex("82 02 0fa1"), hex("08 02 0fa1"), hex("88"), hex("88 85 0102")}) {
    EXPECT_FALSE(read_web_socket_close(as_bytes(bytes), read_web_socket_frame(as_bytes(bytes), 0)).is_read);
  }
}

TEST(WebSocketFrame, LengthsOfThreeSizesAreRead) {
  EXPECT_EQ(read_web_socket_frame(as_bytes(hex("82 7e 0100")), 0).content.length, 256U);
  EXPECT_EQ(read_web_socket_frame(as_bytes(hex("82 7f 0000000000010000")), 0).content.length, 65536U);
  EXPECT_EQ(read_web_socket_frame(as_bytes(hex("82 7f ffffffffffffffff")), 0).content.length, UINT32_MAX);
  EXPECT_FALSE(read_web_socket_frame(as_bytes(hex("82 7f 00000000")), 0).is_read);
}

TEST(WebSocketCloseCode, EachDefinedCodeHasAMeaning) {
  EXPECT_EQ(describe_close_code(1000), "done");
  EXPECT_EQ(describe_close_code(1009), "message too big: in Godot, inbound_buffer_size");
  EXPECT_EQ(describe_close_code(1014), "a bad gateway");
  EXPECT_EQ(describe_close_code(1015), "?");
  EXPECT_EQ(describe_close_code(3000), "a library's code");
  EXPECT_EQ(describe_close_code(4999), "application-defined code");
  EXPECT_EQ(describe_close_code(999), "?");
}

// Returns the ClientHello of Godot 4.6 with extensions that have no content.
std::string hello_with(const std::vector<int> &kinds) {
  std::string extensions;
  for (const int kind : kinds) extensions += big_endian(static_cast<std::uint16_t>(kind)) + hex("0000");
  const std::string body = hex("0303") + std::string(32, 'r') + hex("00 0002 1301 01 00") +
                           big_endian(static_cast<std::uint16_t>(extensions.size())) + extensions;
  const std::string message = hex("01 00") + big_endian(static_cast<std::uint16_t>(body.size())) + body;
  return hex("16 0301") + big_endian(static_cast<std::uint16_t>(message.size())) + message;
}

TEST(TlsHello, ExtensionsIdentifyGodot) {
  for (const std::vector<int> &kinds :
       {std::vector{43, 51, 45, 10, 13, 11, 22, 23, 35}, std::vector{0, 43, 51, 45, 10, 13, 11, 22, 23, 35},
        std::vector{13, 10, 11, 22, 23}}) {
    const std::string bytes = hello_with(kinds);
    EXPECT_TRUE(read_tls_start(as_bytes(bytes)).is_client_hello);
    EXPECT_TRUE(read_tls_start(as_bytes(bytes)).is_from_mbed_tls);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(read_tls_start(as_bytes(bytes.substr(0, size))).is_from_mbed_tls) << size;
    }
  }
  const std::string other = hello_with({11, 10, 35, 22, 23, 13, 43, 45, 51});
  EXPECT_TRUE(read_tls_start(as_bytes(other)).is_client_hello);
  EXPECT_FALSE(read_tls_start(as_bytes(other)).is_from_mbed_tls);
}

TEST(TlsHello, HelloAndAlertAreTlsAnswers) {
  EXPECT_TRUE(is_tls_answer(as_bytes(hex("15 0303 0002 02 0a"))));
  EXPECT_TRUE(is_tls_answer(as_bytes(hex("16 0303 0002"))));
  EXPECT_FALSE(is_tls_answer(as_bytes("HTTP/")));
  EXPECT_FALSE(is_tls_answer(as_bytes(hex("15 0303"))));
  EXPECT_EQ(read_tls_record_kind(as_bytes(hex("16 0301 0200 01"))), TlsRecordKind::client_hello);
  EXPECT_EQ(read_tls_record_kind(as_bytes(hex("16 0303 0058 02"))), TlsRecordKind::server_hello);
  EXPECT_EQ(read_tls_record_kind(as_bytes(hex("17 0303 0058 02"))), TlsRecordKind::data);
  for (const char *other : {"16 0303 0058 0b", "14 0303 0001 01", "17 0403 0058 02", "17 0303 0058"}) {
    EXPECT_EQ(read_tls_record_kind(as_bytes(hex(other))), TlsRecordKind::none) << other;
  }
}

TEST(WebSocketFrame, SegmentThatBeginsWithinAFrameIsDistinguished) {
  const auto begins = [](const std::string &bytes, bool is_masked) {
    return consists_of_web_socket_frames(as_bytes(bytes), is_masked);
  };
  EXPECT_TRUE(begins(hex("82 02 2001"), false));
  EXPECT_TRUE(begins(hex("82 02 2001 89 00"), false));
  EXPECT_TRUE(begins(hex("82 02"), false)) << "Godot sends the header alone";
  EXPECT_TRUE(begins(hex("82 81 01020304 00"), true));
  EXPECT_FALSE(begins(hex("82 02 2001"), true)) << "a client masks";
  EXPECT_FALSE(begins(hex("82 02 2001 20"), false));
  EXPECT_FALSE(begins(hex("02 02 2001"), false)) << "the first part of a message";
  EXPECT_FALSE(begins(hex("c2 02 2001"), false)) << "compressed";
  EXPECT_FALSE(begins(hex("2001 0000"), false));
}

TEST(WebSocketClose, ReservedCodesAreRejected) {
  for (const auto &[code, is_read] : {std::pair{"03e7", false}, {"03e8", true}, {"1387", true}, {"1388", false}}) {
    const std::string bytes = hex("88 02") + hex(code);
    EXPECT_EQ(read_web_socket_close(as_bytes(bytes), read_web_socket_frame(as_bytes(bytes), 0)).is_read, is_read);
  }
}

}  // namespace
}  // namespace godot_codec::test
