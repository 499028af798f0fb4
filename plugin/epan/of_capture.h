// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Keeps a state for each capture.
#pragma once

#include <memory>

namespace godot_plugin {

/// A T of each capture, made when it is first asked for: where there is no memory for it, whoever asks throws, and asks
/// again with the next packet. Static; its forget() is registered as a cleanup routine.
template <typename T>
class OfCapture {
 public:
  T &operator*() {
    if (state_ == nullptr) state_ = std::make_unique<T>();
    return *state_;
  }
  T *operator->() { return &**this; }
  /// Null where nobody has asked yet.
  [[nodiscard]] const T *find() const { return state_.get(); }
  void forget() { state_.reset(); }

 private:
  std::unique_ptr<T> state_;
};

}  // namespace godot_plugin
