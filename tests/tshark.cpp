// SPDX-License-Identifier: GPL-2.0-or-later
#include "tshark.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

extern char **environ;

namespace fs = std::filesystem;

namespace godot_codec::test {
namespace {

constexpr uid_t nobody = 65534;

bool is_root() { return geteuid() == 0; }

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "godot-tests-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
    if (is_root() && chown(path_.c_str(), nobody, nobody) != 0) {
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
  variables.push_back("WIRESHARK_PLUGIN_DIR=" + readable(GODOT_PLUGIN_DIR).string());
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

// In the child, between fork and exec: nothing but system calls.
[[noreturn]] void become(const char *program, char *const *arguments, char *const *variables, int out, int err,
                         const Limits &limits) {
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, limits.memory);
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
  const bool is_nobody = !is_root() || (setgroups(0, nullptr) == 0 && setgid(nobody) == 0 && setuid(nobody) == 0);
  if (is_nobody) execve(program, arguments, variables);
  _exit(127);
}

// Reads both pipes until the child closes them; false when the time is over.
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

// --- What tshark prints ----------------------------------------------------------------------------------------

// The next code point of UTF-8, or -1 where there is none.
long next_code_point(std::string_view &text) {
  const auto first = static_cast<unsigned char>(text.front());
  std::size_t length = 0;
  if (first < 0x80) {
    length = 1;
  } else if (first >= 0xc2 && first < 0xe0) {
    length = 2;
  } else if (first >= 0xe0 && first < 0xf0) {
    length = 3;
  } else if (first >= 0xf0 && first < 0xf5) {
    length = 4;
  }
  if (length == 0 || length > text.size()) return -1;
  long code = length == 1 ? first : first & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return -1;
    code = code << 6 | (next & 0x3f);
  }
  text.remove_prefix(length);
  return code;
}

bool acts_on_terminal(long code) {
  if (code == '\n' || code == '\t' || code == between_occurrences) return false;
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool is_line_end = code == 0x2028 || code == 0x2029;
  const bool is_bidirectional = code == 0x61c || code == 0x200e || code == 0x200f ||
                                (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return is_control || is_line_end || is_bidirectional;
}

void expect_harmless(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t offset = text.size() - rest.size();
    const long code = next_code_point(rest);
    if (code >= 0 && !acts_on_terminal(code)) continue;
    const std::size_t start = std::min(offset, std::size_t{80});
    ADD_FAILURE() << (code < 0 ? "invalid UTF-8" : "a character that a terminal acts on: U+") << std::hex << code
                  << " after: " << text.substr(offset - start, start);
    return;
  }
}

// --- PDML ------------------------------------------------------------------------------------------------------

std::string unescape(std::string_view text) {
  constexpr std::pair<std::string_view, char> entities[] = {{"&amp;", '&'},  {"&lt;", '<'},    {"&gt;", '>'},
                                                            {"&quot;", '"'}, {"&#x27;", '\''}, {"&apos;", '\''}};
  std::string result;
  while (!text.empty()) {
    const auto *const entity =
        std::ranges::find_if(entities, [text](const auto &each) { return text.starts_with(each.first); });
    if (entity != std::end(entities)) {
      result += entity->second;
      text.remove_prefix(entity->first.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string attribute(std::string_view tag, std::string_view name) {
  const std::string start = " " + std::string(name) + "=\"";
  const std::size_t found = tag.find(start);
  if (found == std::string_view::npos) return {};
  tag.remove_prefix(found + start.size());
  return unescape(tag.substr(0, tag.find('"')));
}

std::size_t number(const std::string &text) { return text.empty() ? 0 : std::stoul(text); }

// Where a label was too long, 4.6 says so in its middle, behind the field's name; 4.0 and 4.4 just cut it.
std::string without_cut_mark(std::string label) {
  constexpr std::string_view mark = " […]: ";
  const std::size_t found = label.find(mark);
  if (WIRESHARK_RELEASE >= 46 && found < label.find(':')) label.replace(found, mark.size(), ": ");
  return label;
}

Item parse_item(std::string_view tag) {
  Item item;
  item.name = attribute(tag, "name");
  item.label = without_cut_mark(attribute(tag, "showname"));
  item.show = attribute(tag, "show");
  // A field that takes some bits of its bytes has the bits' value there, and the bytes beside it.
  item.bytes = attribute(tag, "unmaskedvalue");
  if (item.bytes.empty()) item.bytes = attribute(tag, "value");
  item.position = number(attribute(tag, "pos"));
  item.size = number(attribute(tag, "size"));
  return item;
}

std::vector<Item> parse_pdml(std::string_view text) {
  std::vector<Item> frames;
  std::vector<Item *> open;  // each is the last child of the one before it, so that it does not move
  while (true) {
    const std::size_t start = text.find('<');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start + 1);
    const std::size_t end = text.find('>');
    const std::string_view tag = text.substr(0, end);
    text.remove_prefix(std::min(end, text.size()));
    const bool is_item = tag.starts_with("proto ") || tag.starts_with("field ");
    if (tag == "packet") {
      frames.emplace_back();
      open = {&frames.back()};
    } else if (is_item && !open.empty()) {
      open.back()->children.push_back(parse_item(tag));
      if (!tag.ends_with('/')) open.push_back(&open.back()->children.back());
    } else if ((tag == "/proto" || tag == "/field" || tag == "/packet") && !open.empty()) {
      open.pop_back();
    }
  }
  return frames;
}

// Since 4.4, `-T fields` doubles the backslashes of a text.
std::string with_single_backslashes(const std::string &line) {
  if (WIRESHARK_RELEASE < 44) return line;
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    result += line[i];
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '\\') ++i;
  }
  return result;
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string> &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

const fs::path &scratch_folder() {
  static const ScratchFolder folder;
  return folder.path();
}

// The sources and the build may lie where only root may look; tshark's user reads copies.
fs::path readable(const fs::path &path) {
  if (!is_root() || path.string().starts_with(scratch_folder().string())) return path;
  const fs::path copy = scratch_folder() / path.filename();
  if (!fs::exists(copy)) fs::copy(path, copy, fs::copy_options::recursive);
  return copy;
}

std::string read_file(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Output run(const std::string &program, const std::vector<std::string> &arguments, const Limits &limits) {
  std::vector<std::string> words = joined({program}, arguments);
  std::vector<std::string> variables = environment();
  const std::vector<char *> argv = pointers(words);
  const std::vector<char *> envp = pointers(variables);
  Output output;
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return output;
  // A busy machine lets it wait; what runs for too long has used up its own time before.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds) * 10;
  const pid_t child = fork();
  if (child == 0) become(program.c_str(), argv.data(), envp.data(), out[1], err[1], limits);
  close(out[1]);
  close(err[1]);
  const bool in_time = child > 0 && read_all(out[0], err[0], output, deadline);
  close(out[0]);
  close(err[0]);
  if (child < 0) return output;
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  output.exited = WIFEXITED(status);
  output.status = output.exited ? WEXITSTATUS(status) : WTERMSIG(status);
  return output;
}

std::string tshark(const fs::path &capture, const std::vector<std::string> &options, const Limits &limits) {
  const Output output = run(TSHARK, joined({"-n", "-r", readable(capture).string()}, options), limits);
  std::string command = capture.filename().string();
  for (const std::string &option : options) command += " " + option;
  SCOPED_TRACE(command);
  EXPECT_TRUE(output.exited) << "killed by signal " << output.status << ", after a time limit perhaps";
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.err, "");
  EXPECT_EQ(output.out.find("Dissector bug"), std::string::npos);
  expect_harmless(output.out);
  return output.out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::vector<std::string>> read_fields(const fs::path &capture, const std::vector<std::string> &options,
                                                  const std::vector<std::string> &fields, const Limits &limits) {
  std::vector<std::string> all = {"-T", "fields",       "-E", "separator=/t",
                                  "-E", "occurrence=a", "-E", std::string("aggregator=") + between_occurrences};
  for (const std::string &field : fields) all = joined(std::move(all), {"-e", field});
  std::vector<std::vector<std::string>> rows;
  for (const std::string &line : lines_of(tshark(capture, joined(std::move(all), options), limits))) {
    rows.push_back(split(with_single_backslashes(line), '\t'));
    EXPECT_EQ(rows.back().size(), fields.size()) << line;
    rows.back().resize(fields.size());
  }
  return rows;
}

const Item *Item::child(std::string_view wanted) const {
  const auto found = std::ranges::find(children, wanted, &Item::name);
  return found == children.end() ? nullptr : &*found;
}

std::string Item::child_text(std::string_view wanted) const {
  const Item *const found = child(wanted);
  return found == nullptr ? std::string() : found->show;
}

void walk(const Item &item, const std::function<bool(const Item &)> &visit) {
  if (!visit(item)) return;
  for (const Item &each : item.children) walk(each, visit);
}

std::vector<std::string> find_all(const Item &item, std::string_view name) {
  std::vector<std::string> found;
  walk(item, [&found, name](const Item &each) {
    if (each.name == name) found.push_back(each.show);
    return true;
  });
  return found;
}

std::vector<Item> read_details(const fs::path &capture, const std::vector<std::string> &options, const Limits &limits) {
  return parse_pdml(tshark(capture, joined({"-T", "pdml"}, options), limits));
}

}  // namespace godot_codec::test
