// SPDX-License-Identifier: GPL-2.0-or-later
#include "process.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

#include "tshark_forks.h"

extern char **environ;

namespace fs = std::filesystem;

namespace godot_codec::test {
namespace {

constexpr uid_t nobody_uid = 65534;

bool is_root() { return geteuid() == 0; }

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "godot-tests-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
    umask(umask(0) & 022U);  // tshark's user must be able to read the files of this process
    if (is_root() && chown(path_.c_str(), nobody_uid, nobody_uid) != 0) {
      throw std::system_error(errno, std::generic_category(), pattern);
    }
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path &path() const { return path_; }

 private:
  fs::path path_;
};

void make_readable(const fs::path &path) {
  const bool is_folder = fs::is_directory(path);
  constexpr fs::perms read = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms search = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(path, is_folder ? read | search : read, fs::perm_options::add);
  if (!is_folder) return;
  for (const fs::directory_entry &each : fs::directory_iterator(path)) make_readable(each.path());
}

// Returns a readable copy of a file or folder; the path itself if tshark runs as the same user as the tests.
fs::path readable_copy(const fs::path &path) {
  if (!is_root()) return path;
  static std::map<fs::path, fs::path> copies;
  fs::path &copy = copies[path];
  // Captures in two folders may have the same name.
  if (copy.empty()) copy = copy_of(path, fs::path(std::to_string(copies.size())) / path.filename());
  return copy;
}

// Replaces a path in a text by a readable copy. tshark's user may have no permission to read the source and build
// folders.
std::string with_readable_path(const std::string &text) {
  const std::size_t start = std::min(text.find(GODOT_SOURCE_DIR), text.find(GODOT_BUILD_DIR));
  if (start == std::string::npos) return text;
  const std::size_t end = std::min(text.find('"', start), text.size());
  const fs::path path = text.substr(start, end - start);
  return fs::exists(path) ? text.substr(0, start) + readable_copy(path).string() + text.substr(end) : text;
}

// Returns Wireshark's data folder without the lists of vendors, services and enterprises. Reading these lists takes
// longer than reading a capture.
const fs::path &data_folder() {
  static const fs::path folder = [] {
    fs::path made = scratch_folder() / "wireshark";
    fs::create_directory(made);
    for (const fs::directory_entry &each : fs::directory_iterator(WIRESHARK_DATA)) {
      const fs::path name = each.path().filename();
      const bool is_list = name == "manuf" || name == "services" || name == "enterprises.tsv";
      if (is_list) {
        std::ofstream(made / name);
      } else {
        fs::create_symlink(each.path(), made / name);
      }
    }
    return made;
  }();
  return folder;
}

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char **variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool replaced = text.starts_with("HOME=") || text.starts_with("XDG_") || text.starts_with("LC_ALL=") ||
                          text.starts_with("WIRESHARK_");
    if (!replaced) variables.emplace_back(text);
  }
  variables.push_back("HOME=" + scratch_folder().string());
  variables.push_back("LC_ALL=C.UTF-8");
  variables.push_back("WIRESHARK_PLUGIN_DIR=" + with_readable_path(GODOT_PLUGIN_DIR));
  variables.push_back("WIRESHARK_DATA_DIR=" + data_folder().string());
  variables.emplace_back("WIRESHARK_ABORT_ON_DISSECTOR_BUG=1");
  return variables;
}

std::vector<char *> pointers(std::vector<std::string> &texts) {
  std::vector<char *> result;
  result.reserve(texts.size() + 1);
  for (std::string &text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

void limit(int resource, rlim_t value) {
  const rlimit limits = {value, value};
  setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limits);
}

// Runs in the child between fork and exec, so it uses only system calls.
[[noreturn]] void exec_program(const char *program, char *const *arguments, char *const *variables, const char *folder,
                               int out, int err, const Limits &limits) {
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, limits.memory);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
  const bool is_nobody =
      !is_root() || (setgroups(0, nullptr) == 0 && setgid(nobody_uid) == 0 && setuid(nobody_uid) == 0);
  // Changes the folder: some dissectors look for files in the current folder, and Wireshark warns if it cannot read
  // that folder.
  if (is_nobody && chdir(folder) == 0) execve(program, arguments, variables);
  _exit(127);
}

// Reads both pipes until the child closes them. Returns false on timeout.
bool read_all(int out, int err, Output &output, std::chrono::steady_clock::time_point deadline) {
  pollfd pipes[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string *texts[] = {&output.out, &output.err};
  while (pipes[0].fd >= 0 || pipes[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || poll(pipes, 2, static_cast<int>(left.count())) == 0) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      if (pipes[i].fd < 0 || pipes[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t count = read(pipes[i].fd, buffer, sizeof buffer);
      if (count > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(count));
      } else {
        pipes[i].fd = -1;
      }
    }
  }
  return true;
}

pid_t start(const std::string &program, const Texts &arguments, Texts variables, int out, int err,
            const Limits &limits) {
  Texts words = Texts{program} + arguments;
  const std::vector<char *> argv = pointers(words);
  const std::vector<char *> envp = pointers(variables);
  const fs::path &folder = scratch_folder();
  const pid_t child = fork();
  if (child == 0) exec_program(program.c_str(), argv.data(), envp.data(), folder.c_str(), out, err, limits);
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// A tshark that has registered its dissectors and runs commands in forks of itself: see tshark_forks.h.
class WaitingTshark {
 public:
  WaitingTshark() {
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return;
    socket_ = sockets[0];
    const int inherited = fcntl(sockets[1], F_DUPFD, 0);
    const fs::path log_path = scratch_folder() / "waiting_tshark";
    const int log = open(log_path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    const Texts arguments = Texts{"-r", capture_.string()} + Texts(forks_arguments - 2, "-n");
    if (log >= 0) {
      process_ = start(TSHARK, arguments,
                       environment() + Texts{"LD_PRELOAD=" + with_readable_path(TSHARK_FORKS),
                                             forks_socket + ("=" + std::to_string(inherited))},
                       log, log, {});
    }
    for (const int each : {sockets[1], inherited, log}) close(each);
    char ready[8];
    is_ready_ = process_ > 0 && recv(socket_, ready, sizeof ready, 0) > 0;
    if (is_ready_) {
      EXPECT_EQ(read_file(log_path), "") << "said by tshark when it was started";
    }
  }
  WaitingTshark(const WaitingTshark &) = delete;
  WaitingTshark &operator=(const WaitingTshark &) = delete;
  ~WaitingTshark() {
    close(socket_);
    if (process_ > 0) wait_for(process_);
  }

  [[nodiscard]] bool is_ready() const { return is_ready_; }

  // @returns the process id of the fork, or -1
  [[nodiscard]] pid_t start_copy(const Texts &arguments, int out, int err, const Limits &limits) const {
    fs::remove(capture_);
    fs::create_symlink(*(std::ranges::find(arguments, "-r") + 1), capture_);
    const Command command{static_cast<std::uint64_t>(limits.seconds), limits.memory};
    std::string bytes(reinterpret_cast<const char *>(&command), sizeof command);
    for (const std::string &argument : arguments) bytes += argument + '\0';
    ForksMessage message(bytes.data(), bytes.size());
    cmsghdr *const rights = CMSG_FIRSTHDR(&message.header);
    const int descriptors[] = {out, err};
    *rights = {CMSG_LEN(sizeof descriptors), SOL_SOCKET, SCM_RIGHTS};
    std::memcpy(CMSG_DATA(rights), descriptors, sizeof descriptors);
    pid_t copy = -1;
    const bool has_copy =
        sendmsg(socket_, &message.header, MSG_NOSIGNAL) > 0 && recv(socket_, &copy, sizeof copy, 0) > 0;
    return has_copy ? copy : -1;
  }

  // Returns the wait status of the fork that was started last.
  [[nodiscard]] int wait_for_copy() const {
    int status = -1;
    recv(socket_, &status, sizeof status, 0);
    return status;
  }

 private:
  // The waiting tshark has a fixed input file: a symbolic link that is set for each command.
  const fs::path capture_ = scratch_folder() / "capture_of_waiting_tshark";
  int socket_ = -1;
  pid_t process_ = -1;
  bool is_ready_ = false;
};

// True for options that tshark reads before it registers dissectors.
bool is_startup_option(const std::string &option) {
  return option.size() == 2 && option.front() == '-' &&
         std::string_view("CGOPVXx").find(option.back()) != std::string::npos;
}

// Returns the waiting tshark if it can run the command. Otherwise returns null, and the caller starts a new tshark.
const WaitingTshark *tshark_for(const std::string &program, const Texts &arguments) {
  std::size_t length = sizeof(Command);
  for (const std::string &each : arguments) length += each.size() + 1;
  const bool is_fit = program == TSHARK && arguments.size() <= forks_arguments && length <= forks_message &&
                      std::ranges::none_of(arguments, is_startup_option) && std::ranges::count(arguments, "-r") == 1;
  if (!is_fit) return nullptr;
  static const WaitingTshark waiting;
  return waiting.is_ready() ? &waiting : nullptr;
}

}  // namespace

const fs::path &scratch_folder() {
  static const ScratchFolder folder;
  return folder.path();
}

fs::path copy_of(const fs::path &path, const fs::path &name) {
  fs::path copy = scratch_folder() / name;
  fs::remove_all(copy);
  fs::create_directories(copy.parent_path());
  fs::copy(path, copy, fs::copy_options::recursive);
  make_readable(copy);
  return copy;
}

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Variables::Variables(const std::map<std::string, std::string> &values) {
  for (const auto &[name, value] : values) {
    names_.push_back(name);
    setenv(name.c_str(), with_readable_path(value).c_str(), 1);
  }
}

Variables::~Variables() {
  for (const std::string &name : names_) unsetenv(name.c_str());
}

Output run(const std::string &program, Texts arguments, const Limits &limits) {
  for (std::string &each : arguments) each = with_readable_path(each);
  Output output;
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return output;
  // A busy machine may delay the process, so this limit is long. The process reaches the limit of processor time first.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds) * 10;
  const WaitingTshark *const waiting = tshark_for(program, arguments);
  const pid_t child = waiting != nullptr ? waiting->start_copy(arguments, out[1], err[1], limits)
                                         : start(program, arguments, environment(), out[1], err[1], limits);
  close(out[1]);
  close(err[1]);
  const bool in_time = child > 0 && read_all(out[0], err[0], output, deadline);
  close(out[0]);
  close(err[0]);
  if (child < 0) return output;
  if (!in_time) kill(child, SIGKILL);
  const int status = waiting != nullptr ? waiting->wait_for_copy() : wait_for(child);
  output.exited = WIFEXITED(status);
  output.status = output.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  return output;
}

}  // namespace godot_codec::test
