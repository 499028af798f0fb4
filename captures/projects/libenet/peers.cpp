// SPDX-License-Identifier: MIT
// A program that speaks ENet and is no Godot game: a server and a client on
// libenet, with its two options Godot does not have or does not choose in 4.x:
// checksums and the range coder. Usage: peers EXPECTED_FILE
#include <enet/enet.h>
#include <glib.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr enet_uint16 port = 5027;
constexpr size_t channels = 3;

struct Side {
  const char *name;
  ENetHost *host;
  ENetPeer *peer;
  int received;
};
FILE *expected;

ENetHost *open_host(enet_uint16 on_port, size_t peers) {
  ENetAddress address{ENET_HOST_ANY, on_port};
  enet_address_set_host_ip(&address, "127.0.0.1");
  ENetHost *host = enet_host_create(&address, peers, channels, 0, 0);
  if (host == nullptr || enet_host_compress_with_range_coder(host) != 0) std::abort();
  host->checksum = enet_crc32;
  return host;
}

void service(Side &side, ENetPeer *&other_peer) {
  for (ENetEvent event; enet_host_service(side.host, &event, 1) > 0;) {
    if (event.type == ENET_EVENT_TYPE_CONNECT) side.peer = event.peer;
    if (event.type == ENET_EVENT_TYPE_DISCONNECT) side.peer = other_peer = nullptr;
    if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
    const ENetPacket &packet = *event.packet;
    gchar *md5 = g_compute_checksum_for_data(G_CHECKSUM_MD5, packet.data, packet.dataLength);
    std::fprintf(expected, "received\t%s\t%d\t%zu\t%s\n", side.name, event.channelID, packet.dataLength, md5);
    g_free(md5);
    enet_packet_destroy(event.packet);
    ++side.received;
  }
}

void send(const Side &from, enet_uint8 channel, const char *kind, enet_uint32 flags, const std::string &bytes) {
  std::fprintf(expected, "enet\t%s\t%d\t%s\t%zu\npacket\t%s\traw\t", from.name, channel, kind, bytes.size(), from.name);
  for (unsigned char byte : bytes) std::fprintf(expected, "%02x", byte);
  std::fputc('\n', expected);
  enet_peer_send(from.peer, channel, enet_packet_create(bytes.data(), bytes.size(), flags));
}

}  // namespace

int main(int, char **argv) {
  expected = std::fopen(argv[1], "w");
  if (expected == nullptr || enet_initialize() != 0) std::abort();
  Side server{"server", open_host(port, 2), nullptr, 0};
  Side client{"client", open_host(50001, 1), nullptr, 0};
  const auto play = [&](int milliseconds) {
    for (int i = 0; i < milliseconds; i += 2) service(server, client.peer), service(client, server.peer);
  };

  ENetAddress to_server = server.host->address;
  enet_host_connect(client.host, &to_server, channels, 0x01020304);
  play(50);
  std::string noise;
  for (std::uint32_t i = 0, state = 1; i < 3000; ++i)
    noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  for (const Side *from : {&client, &server}) {
    send(*from, 0, "reliable", ENET_PACKET_FLAG_RELIABLE, "HELLO version=1 name=" + std::string(from->name));
    play(20);
    send(*from, 1, "unreliable", 0, std::string(50, 'u'));
    send(*from, 1, "unsequenced", ENET_PACKET_FLAG_UNSEQUENCED, "POS 10 20 30 POS 10 20 30 POS 10 20 30");
    send(*from, 2, "reliable", ENET_PACKET_FLAG_RELIABLE, noise.substr(0, 100));  // all in one datagram
    play(20);
    send(*from, 0, "reliable", ENET_PACKET_FLAG_RELIABLE, noise);  // several fragments that do not compress
    play(20);
    send(*from, 2, "unreliable_fragment", ENET_PACKET_FLAG_UNRELIABLE_FRAGMENT, std::string(4000, 'f'));
    play(20);
  }
  play(1200);  // pings
  std::fprintf(expected, "rtt\tclient\t%u\tserver\n", client.peer->roundTripTime);
  std::fprintf(expected, "rtt\tserver\t%u\tclient\n", server.peer->roundTripTime);
  enet_peer_disconnect(client.peer, 42);
  play(50);
  std::fclose(expected);
  return server.received == 6 && client.received == 6 && server.peer == nullptr ? 0 : 1;
}
