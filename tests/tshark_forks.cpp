// SPDX-License-Identifier: GPL-2.0-or-later
#include "tshark_forks.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using namespace godot_codec::test;

// tshark's own argument list, from which it has only read the early options before it loads its preferences.
char **arguments = nullptr;
std::size_t argument_count = 0;

[[gnu::constructor]] void note_arguments(int argc, char **argv, char ** /*variables*/) {
  arguments = argv;
  argument_count = static_cast<std::size_t>(argc);
}

void limit(int resource, rlim_t value) {
  const rlimit limits = {value, value};
  setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limits);
}

// Puts the arguments of a command at the end of the list, and fills the beginning with an option that every command
// has.
void replace_arguments(char *text, std::size_t length) {
  static char no_names[] = "-n";
  for (std::size_t i = 1; i < argument_count; ++i) arguments[i] = no_names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < length; ++i) count += text[i] == '\0' ? 1 : 0;
  for (std::size_t i = argument_count - count; i < argument_count; ++i) {
    arguments[i] = text;
    text += std::strlen(text) + 1;
  }
}

struct Order {
  Command command;
  std::array<char, forks_message> text;
  std::size_t text_length;
  std::array<int, 2> descriptors;
};

// @returns false if the test has ended
bool receive(int socket, Order &order) {
  std::array<char, sizeof(Command) + forks_message> bytes;
  ForksMessage message(bytes.data(), bytes.size());
  const ssize_t length = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
  const cmsghdr *rights = CMSG_FIRSTHDR(&message.header);
  if (length < static_cast<ssize_t>(sizeof(Command)) || rights == nullptr) return false;
  order.text_length = static_cast<std::size_t>(length) - sizeof(Command);
  std::memcpy(&order.command, bytes.data(), sizeof(Command));
  std::memcpy(order.text.data(), bytes.data() + sizeof(Command), order.text_length);
  std::memcpy(order.descriptors.data(), CMSG_DATA(rights), sizeof order.descriptors);
  return true;
}

// Waits for commands. @returns in each fork, which then runs the command
void serve(int socket) {
  static Order order;
  constexpr std::string_view ready = "ready";
  send(socket, ready.data(), ready.size(), MSG_NOSIGNAL);
  while (receive(socket, order)) {
    const pid_t copy = fork();
    if (copy == 0) {
      dup2(order.descriptors[0], STDOUT_FILENO);
      dup2(order.descriptors[1], STDERR_FILENO);
      for (const int each : {order.descriptors[0], order.descriptors[1], socket}) close(each);
      limit(RLIMIT_AS, order.command.memory);
      limit(RLIMIT_CPU, order.command.seconds);
      replace_arguments(order.text.data(), order.text_length);
      return;
    }
    for (const int each : order.descriptors) close(each);
    send(socket, &copy, sizeof copy, MSG_NOSIGNAL);
    int status = 0;
    waitpid(copy, &status, 0);
    send(socket, &status, sizeof status, MSG_NOSIGNAL);
  }
  _exit(0);
}

}  // namespace

// tshark calls this function after its dissectors are registered, before it reads most of its arguments.
extern "C" [[gnu::visibility("default")]] void *epan_load_settings() {
  if (const char *socket = std::getenv(forks_socket)) serve(std::atoi(socket));
  using Load = void *(*)();
  return reinterpret_cast<Load>(dlsym(RTLD_NEXT, "epan_load_settings"))();
}

// tshark's last call. The fork's memory is freed when it exits; freeing each registered item would take longer than
// reading most captures. A tshark that is started normally, for example with -V, frees it.
extern "C" [[gnu::visibility("default")]] void epan_cleanup() {}
