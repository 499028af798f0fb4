// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// State that lives as long as a capture. Each static variable that changes while packets are dissected is a
/// CaptureState, so that all states are reset together when the capture is closed.
#pragma once

#include <optional>
#include <utility>

namespace godot_plugin {

/// Base class that links all states into a list. plugin.cpp registers reset_all() with epan.
class CaptureStateBase {
 public:
  CaptureStateBase(const CaptureStateBase &) = delete;
  CaptureStateBase &operator=(const CaptureStateBase &) = delete;
  /// Resets all states.
  static void reset_all() {
    for (CaptureStateBase *each = newest; each != nullptr; each = each->next_) each->reset();
  }

 protected:
  CaptureStateBase() : next_(std::exchange(newest, this)) {}
  ~CaptureStateBase() = default;

 private:
  virtual void reset() = 0;

  static inline constinit CaptureStateBase *newest = nullptr;
  CaptureStateBase *next_;
};

/// The current capture's state of type T, for static variables. The first access creates the state. If memory is short,
/// the access throws, and the next access tries again.
template <typename T>
class CaptureState final : public CaptureStateBase {
 public:
  T &operator*() {
    if (!state_) state_.emplace();
    return *state_;
  }
  T *operator->() { return &**this; }
  /// Returns null if the state was not used yet.
  [[nodiscard]] const T *find() const { return state_ ? &*state_ : nullptr; }

 private:
  void reset() override { state_.reset(); }

  std::optional<T> state_;
};

}  // namespace godot_plugin
