// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Tests ask a tshark that has already registered its dissectors to run a command in a fork of itself, because
/// registration takes longer than reading most captures. The library tshark_forks is loaded into that tshark
/// (LD_PRELOAD).
///
/// Messages on the socket: once, "ready" from tshark. Then, from the test, a Command followed by its zero-terminated
/// arguments, with two file descriptors, for output and for messages. From tshark: the process id of the fork (pid_t),
/// and the result of waitpid() when the fork has ended (int).
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace godot_codec::test {

/// The environment variable that holds the number of the socket.
inline constexpr const char *forks_socket = "GODOT_TESTS_SOCKET";

/// Number of arguments of the waiting tshark; a command may have as many.
inline constexpr std::size_t forks_arguments = 120;
inline constexpr std::size_t forks_message = 32768;  ///< largest size of a Command in bytes, including its arguments

struct Command {
  std::uint64_t seconds;  ///< of processor time
  std::uint64_t memory;   ///< bytes of address space
};

/// A message with space for two file descriptors.
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
