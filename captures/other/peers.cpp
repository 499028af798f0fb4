// SPDX-License-Identifier: MIT
// Two peers of a program that is no Godot game, and sends what looks like one's in its first bytes: little-endian
// lengths and small numbers. Usage: peers bson_udp | bson_tcp | bson_op_msg | json_prefixed | structs_udp
#include <arpa/inet.h>
#include <bson/bson.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

namespace {

template <typename Number>
std::string bytes_of(Number number) {  // little-endian, like the machines on which such programs run
  return {reinterpret_cast<const char *>(&number), sizeof number};
}

/// A document as a database driver or a game with JSON-like state would send it.
std::string document(int i) {
  bson_t *bson = bson_new();
  BSON_APPEND_UTF8(bson, "cmd", i % 2 == 0 ? "move" : "chat");
  BSON_APPEND_INT32(bson, "id", i);
  if (i % 3 == 0) BSON_APPEND_DOUBLE(bson, "x", 0.5 * i);
  if (i % 4 == 0) BSON_APPEND_BOOL(bson, "alive", true);
  if (i % 5 == 0) BSON_APPEND_INT64(bson, "time", 1'700'000'000 + i);
  if (i % 7 == 0) BSON_APPEND_UTF8(bson, "text", std::string(static_cast<std::size_t>(10 * i), 'a').c_str());
  std::string bytes(reinterpret_cast<const char *>(bson_get_data(bson)), bson->len);
  bson_destroy(bson);
  return bytes;
}

/// One small value. Its length, and therefore its first u32, is below 39.
std::string small_document(int i) {
  bson_t *bson = bson_new();
  if (i > 0) bson_append_int32(bson, std::string(static_cast<std::size_t>(i), 'k').c_str(), i, i);
  std::string bytes(reinterpret_cast<const char *>(bson_get_data(bson)), bson->len);
  bson_destroy(bson);
  return bytes;
}

std::string any_document(int i) { return i % 2 == 0 ? document(i / 2) : small_document(i / 2); }

/// MongoDB's OP_MSG: length, request id, response to, operation 2013, flags, kind of section, document.
std::string op_msg(int i) {
  const std::string body = bytes_of<std::int32_t>(i) + bytes_of<std::int32_t>(i % 2 == 0 ? 0 : i - 1) +
                           bytes_of<std::int32_t>(2013) + bytes_of<std::uint32_t>(0) + '\0' + document(i);
  return bytes_of(static_cast<std::int32_t>(4 + body.size())) + body;
}

std::string json_prefixed(int i) {
  const std::string text = R"({"op": )" + std::to_string(i) + R"(, "args": ["Ada", )" + std::to_string(i * i) + "]}";
  return bytes_of(static_cast<std::uint32_t>(text.size())) + text;
}

/// The structures of a C++ game, sent as they are in memory: kind, sequence number, entity, and fields of the kind.
std::string structure(int i) {
  const int kind = i % 9;
  std::string bytes = bytes_of<std::uint32_t>(static_cast<std::uint32_t>(kind)) + bytes_of<std::uint32_t>(100 + i);
  if (kind != 0) bytes += bytes_of<std::uint32_t>(i % 4);
  if (kind >= 2 && kind <= 6) {
    for (int axis = 0; axis < 3; ++axis) bytes += bytes_of<float>(0.25F * static_cast<float>(i * (axis + 1)));
  }
  if (kind == 4) bytes += bytes_of<std::uint32_t>(5) + std::string("hello\0\0\0", 8);
  if (kind == 7) bytes += std::string(32, '\0').replace(0, 3, "Ada");
  if (kind == 8) bytes += bytes_of<std::uint64_t>(1'700'000'000'000 + i) + bytes_of<std::uint16_t>(7);
  return bytes;
}

void check(bool good, const char *what) {
  if (good) return;
  std::perror(what);
  std::exit(1);
}

sockaddr_in on_loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int bound_socket(int type, std::uint16_t port) {
  const int number = socket(AF_INET, type, 0);
  const sockaddr_in address = on_loopback(port);
  check(number >= 0 && bind(number, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0, "bind");
  return number;
}

void connect_to(int number, std::uint16_t port) {
  const sockaddr_in address = on_loopback(port);
  check(connect(number, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0, "connect");
}

struct Scenario {
  int type;
  std::uint16_t port;
  std::function<std::string(int)> message;
};

const std::map<std::string, Scenario> scenarios{
    {"bson_udp", {SOCK_DGRAM, 50130, any_document}}, {"bson_tcp", {SOCK_STREAM, 50131, any_document}},
    {"bson_op_msg", {SOCK_STREAM, 50132, op_msg}},   {"json_prefixed", {SOCK_STREAM, 50133, json_prefixed}},
    {"structs_udp", {SOCK_DGRAM, 50134, structure}},
};

}  // namespace

int main(int, char **arguments) {
  const Scenario &scenario = scenarios.at(arguments[1]);
  constexpr std::uint16_t client_port = 50001;
  int server = bound_socket(scenario.type, scenario.port);
  const int client = bound_socket(scenario.type, client_port);
  if (scenario.type == SOCK_STREAM) {
    check(listen(server, 1) == 0, "listen");
    connect_to(client, scenario.port);
    server = accept(server, nullptr, nullptr);
    const int one = 1;
    for (int side : {client, server}) setsockopt(side, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  } else {
    connect_to(client, scenario.port);
    connect_to(server, client_port);
  }
  for (int i = 0; i < 40; ++i) {
    const std::string bytes = scenario.message(i);
    const int side = i % 2 == 0 ? client : server;
    check(send(side, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "send");
    usleep(2000);
  }
}
