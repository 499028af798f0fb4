// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// How tests ask a tshark that has registered its dissectors, which takes longer than reading most captures, to run a
/// command in a copy of itself. The library tshark_forks is loaded into that tshark (LD_PRELOAD).
///
/// On the socket are messages: "ready" from tshark, once. Then, from the test, a Command behind which its arguments
/// stand, each ended by a zero, with two file descriptors, for output and for messages; and from tshark the copy's
/// process id (pid_t), and what waitpid() said when it had ended (int).
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace godot_codec::test {

/// The environment variable with the socket's number.
inline constexpr const char *forks_socket = "GODOT_TESTS_SOCKET";

/// How many arguments the waiting tshark has: a command's may be as many.
inline constexpr std::size_t forks_arguments = 120;
inline constexpr std::size_t forks_message = 32768;  ///< bytes that a Command may have, arguments included

struct Command {
  std::uint64_t seconds;  ///< the processor's
  std::uint64_t memory;   ///< bytes of address space
};

/// A message, with room for two descriptors beside it.
struct ForksMessage {
  ForksMessage(void *data, std::size_t size) : bytes{data, size} {
    header.msg_iov = &bytes;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  iovec bytes;
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
  msghdr header = {};
};

}  // namespace godot_codec::test
