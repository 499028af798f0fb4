// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tshark: after a capture has been opened, operator new counts its calls, and throws at the call whose
// number FAILING_MEMORY gives; with a plus after the number, at all later calls as well. When the process ends, the
// number of calls is written to the file that FAILING_MEMORY_COUNT names.
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> is_counting = false;
std::atomic<unsigned long> calls = 0;

struct FailureOrder {
  unsigned long first = 0;
  bool is_permanent = false;
};

const FailureOrder &failure_order() {
  static const FailureOrder failure_order = [] {
    const char *text = std::getenv("FAILING_MEMORY");
    return text == nullptr ? FailureOrder{}
                           : FailureOrder{std::strtoul(text, nullptr, 10), std::strchr(text, '+') != nullptr};
  }();
  return failure_order;
}

bool must_fail() {
  if (!is_counting) return false;
  const unsigned long call = ++calls;
  const auto &[first, is_permanent] = failure_order();
  return first != 0 && (call == first || (is_permanent && call > first));
}

[[gnu::destructor]] void write_count() {
  const char *path = std::getenv("FAILING_MEMORY_COUNT");
  std::FILE *file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  std::fprintf(file, "%lu\n", calls.load());
  std::fclose(file);
}

}  // namespace

void *operator new(std::size_t size) {
  void *memory = must_fail() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t /*size*/) noexcept { std::free(memory); }

// Replaces the function of libwiretap.
extern "C" [[gnu::visibility("default")]] void *wtap_open_offline(const char *path, unsigned type, int *error,
                                                                  char **text, int is_random) {
  using Open = void *(*)(const char *, unsigned, int *, char **, int);
  static const auto open = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "wtap_open_offline"));
  is_counting = true;
  return open(path, type, error, text, is_random);
}
