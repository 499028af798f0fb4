// SPDX-License-Identifier: MIT
// Preloaded under AddressSanitizer: tvb_get_ptr() returns a copy in an allocation of exactly the requested length.
// Wireshark's own buffer is longer than the packet, so that a read past the packet's end would not be detected.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

struct tvbuff;
struct epan_dissect;

namespace {

// Copies of bytes of the packet that is being dissected.
std::vector<std::unique_ptr<std::uint8_t[]>> copies;

template <typename Function>
Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const std::uint8_t *tvb_get_ptr(tvbuff *tvb, int offset, int length) {
  static auto *const real = next<const std::uint8_t *(tvbuff *, int, int)>("tvb_get_ptr");
  const std::uint8_t *bytes = real(tvb, offset, length);  // may throw: the copy does not exist yet
  if (bytes == nullptr || length <= 0) return bytes;
  const auto size = static_cast<std::size_t>(length);
  copies.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(size));
  std::memcpy(copies.back().get(), bytes, size);
  return copies.back().get();
}

__attribute__((visibility("default"))) void epan_dissect_reset(epan_dissect *packet) {
  static auto *const real = next<void(epan_dissect *)>("epan_dissect_reset");
  real(packet);
  copies.clear();
}

__attribute__((visibility("default"))) void epan_dissect_cleanup(epan_dissect *packet) {
  static auto *const real = next<void(epan_dissect *)>("epan_dissect_cleanup");
  real(packet);
  copies.clear();
}

}  // extern "C"
