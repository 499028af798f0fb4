// SPDX-License-Identifier: GPL-2.0-or-later
// A real Godot 3 server plays a match on the loopback interface while dumpcap captures it, and tshark with the plugin
// reads the capture at the same time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tshark.h"

namespace godot_codec::test {
namespace {

namespace fs = std::filesystem;

// A program that runs in parallel with the test; its output and messages go to files.
class BackgroundProcess {
 public:
  BackgroundProcess(std::vector<std::string> arguments, const fs::path &output, const fs::path &log) {
    std::vector<char *> pointers;
    for (std::string &argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    dup2(open(output.c_str(), O_CREAT | O_WRONLY, 0644), STDOUT_FILENO);
    dup2(open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644), STDERR_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  BackgroundProcess(const BackgroundProcess &) = delete;
  BackgroundProcess &operator=(const BackgroundProcess &) = delete;
  ~BackgroundProcess() { interrupt(); }

  void interrupt() {
    if (pid_ <= 0) return;
    kill(pid_, SIGINT);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

bool wait_until(const std::function<bool()> &condition) {
  // Much longer than needed, because a loaded machine may be slow.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(200);
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// A packet as the game logs it: "/player/hp:87" for each value.
struct Packet {
  std::string port;  // port of the sender
  std::vector<std::string> values;

  bool operator==(const Packet &) const = default;
};

void PrintTo(const Packet &packet, std::ostream *out) {
  *out << "from " << packet.port << ':';
  for (const std::string &value : packet.values) *out << ' ' << value;
}

std::string port_of(const std::string &sender) {
  if (sender == "server") return "5009";
  return sender == "client" ? "50001" : "50002";
}

std::vector<Packet> read_expected(const fs::path &path) {
  std::vector<Packet> packets;
  for (const std::string &line : lines_of(read_file(path))) {
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.at(0) == "packet") packets.push_back({port_of(columns.at(1)), {}});
    if (columns.at(0) == "value" && !columns.at(1).empty()) {
      packets.back().values.push_back(columns.at(1) + ":" + columns.at(3));
    }
  }
  return packets;
}

class LiveServer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(fs::exists(GODOT3_SERVER)) << "no godot3-server: install it, or configure with -DLIVE_TESTS=OFF";
    ASSERT_EQ(mkfifo(pipe_.c_str(), 0666), 0);
    ASSERT_EQ(chmod(pipe_.c_str(), 0666), 0);
  }

  const fs::path pipe_ = scratch_folder() / "live.pipe";
  const fs::path dumpcap_log_ = scratch_folder() / "dumpcap.log";
  const fs::path godot_log_ = scratch_folder() / "godot.log";
  const fs::path expected_ = scratch_folder() / "live.expected";
};

TEST_F(LiveServer, Godot3TrafficIsDecodedDuringTheCapture) {
  auto reading = std::async(std::launch::async, [this] {
    return read_fields(pipe_, {"-o", "godot.udp.port:5009", "-Y", "godot"}, {"udp.srcport", "godot.path_with_value"});
  });
  BackgroundProcess dumpcap({DUMPCAP, "-i", "lo", "-f", "udp port 5009", "-P", "-w", "-"}, pipe_, dumpcap_log_);
  const auto log_has = [](const fs::path &log, const std::string &text) {
    return fs::exists(log) && read_file(log).find(text) != std::string::npos;
  };
  // Wait for dumpcap, because packets that are sent earlier are not captured.
  const bool is_capturing = wait_until([&] { return log_has(dumpcap_log_, "File: "); });
  if (!is_capturing) {
    // If tshark still waits for a writer of the pipe, open and close the pipe once.
    const int writer = open(pipe_.c_str(), O_WRONLY | O_NONBLOCK);
    if (writer >= 0) close(writer);
    FAIL() << "cannot capture on loopback (with -DLIVE_TESTS=OFF this test is left out): " << read_file(dumpcap_log_);
  }

  const std::string project = std::string(GODOT_CAPTURES_DIR) + "/projects/godot3";
  BackgroundProcess godot({"/usr/bin/env", "HOME=" + scratch_folder().string(), "LANG=en_US.UTF-8", GODOT3_SERVER,
                           "--path", project, "-s", "main.gd", "--scenario=game", "--expected=" + expected_.string()},
                          godot_log_, godot_log_);
  ASSERT_TRUE(wait_until([&] {
    return fs::exists(expected_) && read_file(expected_).find("value\t\tString\tbye") != std::string::npos;
  })) << read_file(godot_log_);
  const std::vector<Packet> expected = read_expected(expected_);
  ASSERT_EQ(expected.size(), 41U);
  EXPECT_TRUE(wait_until([&] { return log_has(dumpcap_log_, "Packets: " + std::to_string(expected.size())); }))
      << read_file(dumpcap_log_);
  dumpcap.interrupt();

  std::vector<Packet> packets;
  for (const std::vector<std::string> &row : reading.get()) {
    Packet packet{row.at(0), {}};
    if (!row.at(1).empty()) packet.values = split(row.at(1), between_occurrences);
    packets.push_back(packet);
  }
  ASSERT_EQ(packets.size(), expected.size());
  for (std::size_t i = 0; i < packets.size(); ++i) EXPECT_EQ(packets[i], expected[i]) << "packet " << i + 1;
}

}  // namespace
}  // namespace godot_codec::test
