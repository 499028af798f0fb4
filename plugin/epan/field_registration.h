// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Types that declare a field, an expert item or a subtree together with its registration in epan. Use them for static
/// variables, or as members of such variables. Registration::register_all() registers all of them.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Base class of everything that is registered in epan for a protocol. Links all objects into a list.
class Registration {
 public:
  Registration(const Registration &) = delete;
  Registration &operator=(const Registration &) = delete;
  /// Registers all objects in the order of their construction. Call once, after all protocols are registered.
  static void register_all() {
    for (Registration *each = first_registration; each != nullptr; each = each->next_) each->register_in_epan();
  }

 protected:
  Registration() {
    *end_of_registrations = this;
    end_of_registrations = &next_;
  }
  ~Registration() = default;
  /// Returns the protocol of a filter name, which is the part before the first dot.
  static int protocol_of(const char *filter) {
    return proto_get_id_by_filter_name(std::string(filter, std::strcspn(filter, ".")).c_str());
  }

 private:
  virtual void register_in_epan() = 0;

  static inline constinit Registration *first_registration = nullptr;
  static inline constinit Registration **end_of_registrations = &first_registration;
  Registration *next_ = nullptr;
};

/// A subtree. Converts to epan's subtree ID (ett).
class Subtree final : public Registration {
 public:
  operator int() const { return id_; }

 private:
  void register_in_epan() override {
    int *const registration[] = {&id_};
    proto_register_subtree_array(registration, 1);
  }

  int id_ = -1;
};

/// Returns the default display of a field type: decimal for numbers.
constexpr int default_display(ftenum type) { return type >= FT_UINT8 && type <= FT_INT64 ? BASE_DEC : BASE_NONE; }

/// Options of a field. Most fields need only the defaults.
struct FieldOptions {
  static constexpr int display_by_type = -1;

  int display = display_by_type;
  std::uint64_t mask = 0;
  const void *strings = nullptr;
};

/// Returns the options for a number that occupies the bits @p mask of an integer.
constexpr FieldOptions with_mask(std::uint64_t mask) { return {.mask = mask}; }
/// Returns the options for a one-bit flag. @param bits size of the integer that contains the flag
constexpr FieldOptions as_flag(int bits, std::uint64_t mask) { return {.display = bits, .mask = mask}; }
constexpr FieldOptions with_display(int display) { return {.display = display}; }
/// Returns the options for a number with named values. @param names result of the macro VALS() or FRAMENUM_TYPE()
constexpr FieldOptions with_value_names(const void *names, int display = FieldOptions::display_by_type,
                                        std::uint64_t mask = 0) {
  return {.display = display, .mask = mask, .strings = names};
}

/// A field for the tree and display filters. Converts to epan's field ID (hf).
class HeaderField final : public Registration {
 public:
  HeaderField(ftenum type, const char *filter, const char *title, const char *description, FieldOptions options = {})
      : info_{&id_,
              {title, filter, type,
               options.display == FieldOptions::display_by_type ? default_display(type) : options.display,
               options.strings, options.mask, description, HFILL}} {}
  operator int() const { return id_; }

 private:
  void register_in_epan() override { proto_register_field_array(protocol_of(info_.hfinfo.abbrev), &info_, 1); }

  int id_ = -1;
  hf_register_info info_;
};

// Location of a documentation page: below the project's web address if the build configures the address, otherwise in
// the plugin's folder.
#ifdef GODOT_PROJECT_URL
#define GODOT_PAGE(name) "doc/" name " at " GODOT_PROJECT_URL
#else
#define GODOT_PAGE(name) "doc/" name " of the plugin"
#endif

class ExpertItem;

/// Determines which findings of an expert item share a row in the Problems table.
enum class RowMerge : std::uint8_t {
  same_subject,  ///< same subject; or texts that differ only in digits, with a peer in common
  same_peers,    ///< same subject; or same sender and receiver
  all,
};

/// How the Problems table (statistics/findings.h) shows the findings of an expert item.
struct FindingDisplay {
  static constexpr unsigned last_weight = UINT_MAX;

  unsigned weight = last_weight;  ///< sort key, ascending: problems that break most of the game are first
  const char *text = nullptr;  ///< text of the row, with %s for the subject, %f for the sender and %r for the receiver;
                               ///< null: the text of the finding
  const char *plural_text = nullptr;  ///< text for several subjects; %u: their number
  const char *advice = "";
  RowMerge merge = RowMerge::same_subject;
  bool names_most_frequent = false;  ///< true if the row names the most frequent subject
  const char *filter = nullptr;      ///< display filter for the affected messages; null: the name of the expert item
  const ExpertItem *counted_as =
      nullptr;  ///< another expert item, if its rows count these findings; null: the findings have their own rows
  bool marks_tree_items = true;  ///< true if tree items with such a finding also get `godot.problem`
};

/// Properties with which epan registers an expert item.
struct ExpertInfo {
  const char *filter;
  int group;
  int severity;
  const char *summary;
};

/// An expert item, which is also a display filter field, and how the Problems table shows its findings. An item of
/// another dissector has no summary.
class ExpertItem final : public expert_field, public Registration {
 public:
  ExpertItem(const ExpertInfo &info, const FindingDisplay &display)
      : expert_field EI_INIT,
        info_{this, {info.filter, info.group, info.severity, info.summary, EXPFILL}},
        display_(display) {}
  ExpertItem(const char *filter, int group, int severity, const char *summary)
      : ExpertItem({filter, group, severity, summary}, {}) {}

  [[nodiscard]] const char *filter() const { return info_.eiinfo.name; }
  [[nodiscard]] const char *summary() const { return info_.eiinfo.summary; }
  [[nodiscard]] int severity() const { return info_.eiinfo.severity; }
  [[nodiscard]] const FindingDisplay &display() const { return display_; }
  /// True if the item is always a problem, because of its severity. Items of lower severity are problems only if
  /// add_problem() adds them.
  [[nodiscard]] bool is_problem() const { return info_.eiinfo.severity >= PI_WARN; }

 private:
  void register_in_epan() override {
    if (*summary() == '\0') return;  // an item that another dissector has registered
    expert_register_field_array(expert_register_protocol(protocol_of(filter())), &info_, 1);
  }

  ei_register_info info_;
  FindingDisplay display_;
};

/// Returns the properties of a field for a HeaderFieldTable. Copies the texts, because epan keeps pointers to them.
inline header_field_info table_field_info(const std::string &title, const std::string &filter, ftenum type, int display,
                                          const std::string &description) {
  const auto copy = [](const std::string &text) { return wmem_strdup(wmem_epan_scope(), text.c_str()); };
  return {copy(title), copy(filter), type, display, nullptr, 0, copy(description), HFILL};
}

/// The fields for a table of the codec, such as variant fields: field i belongs to entry i of that table.
template <std::size_t count>
class HeaderFieldTable final : public Registration {
 public:
  /// @param describe returns the header_field_info for an index
  explicit HeaderFieldTable(header_field_info (*describe)(std::size_t index)) : describe_(describe) { ids_.fill(-1); }
  template <typename Index>
  int operator[](Index index) const {
    return ids_[static_cast<std::size_t>(index)];
  }

 private:
  void register_in_epan() override {
    for (std::size_t i = 0; i < count; ++i) infos_[i] = {&ids_[i], describe_(i)};
    proto_register_field_array(protocol_of(infos_[0].hfinfo.abbrev), infos_.data(), static_cast<int>(count));
  }

  header_field_info (*describe_)(std::size_t index);
  std::array<int, count> ids_;
  std::array<hf_register_info, count> infos_;
};

}  // namespace godot_plugin
