// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Adapts epan's packet-scope allocator to std::pmr::memory_resource, which the codec uses.
#pragma once

#include <memory_resource>

#include "godot-codec/variant/text_buffer.h"
#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Allocates memory that epan frees after the packet's dissection. Owns nothing, so longjmp may skip its destructor.
class PacketMemory final : public std::pmr::memory_resource {
 public:
  explicit PacketMemory(const packet_info *pinfo) : pool_(pinfo->pool) {}

 private:
  void *do_allocate(std::size_t size, std::size_t /*alignment: wmem's is enough for anything*/) override {
    return wmem_alloc(pool_, size);
  }
  void do_deallocate(void * /*memory*/, std::size_t /*size*/, std::size_t /*alignment*/) override {}
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override {
    return this == &other;
  }

  wmem_allocator_t *pool_;
};

/// Maximum size of a name, or of a path with its value, in bytes. Display filters compare these texts.
inline constexpr std::size_t max_pool_text = 512;

/// Returns the text that @p append writes, in the packet's memory.
/// @tparam size maximum size in bytes, including the terminating zero
template <std::size_t size = max_pool_text, typename Append>
const char *pool_text(const packet_info *pinfo, Append append) {
  auto *memory = static_cast<char *>(wmem_alloc(pinfo->pool, size));
  godot_codec::TextBuffer text({memory, size});
  append(text);
  return memory;
}

}  // namespace godot_plugin
