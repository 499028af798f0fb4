// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// Fields, expert items and subtrees, each with all that epan has to know of it, in the one place where it is declared:
/// a struct with nothing but such members is the table that is registered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "plugin/epan/ws_compat.h"

namespace godot_plugin {

/// Numbers are shown as decimals, where nothing else is said.
constexpr int display_of(ftenum type) { return type >= FT_UINT8 && type <= FT_INT64 ? BASE_DEC : BASE_NONE; }

/// Options that few fields need.
struct FieldOptions {
  static constexpr int by_type = -1;

  int display = by_type;
  std::uint64_t mask = 0;
  const void *strings = nullptr;
};

/// Options of a number that takes some bits.
constexpr FieldOptions masked(std::uint64_t mask) { return {.mask = mask}; }
/// Options of one bit of so many.
constexpr FieldOptions flag_of(int bits, std::uint64_t mask) { return {.display = bits, .mask = mask}; }
constexpr FieldOptions shown_as(int display) { return {.display = display}; }
/// Options of a number with names. @param names as epan's macros make it, VALS() and FRAMENUM_TYPE()
constexpr FieldOptions named(const void *names, int display = FieldOptions::by_type, std::uint64_t mask = 0) {
  return {.display = display, .mask = mask, .strings = names};
}

/// A field of the display filter. Stands for epan's number of it.
class HeaderField {
 public:
  HeaderField(ftenum type, const char *filter, const char *title, const char *description, FieldOptions options = {})
      : info_{&id_,
              {title, filter, type, options.display == FieldOptions::by_type ? display_of(type) : options.display,
               options.strings, options.mask, description, HFILL}} {}
  HeaderField(const HeaderField &) = delete;
  HeaderField &operator=(const HeaderField &) = delete;
  operator int() const { return id_; }

  void register_for(int proto) { proto_register_field_array(proto, &info_, 1); }

 private:
  int id_ = -1;
  hf_register_info info_;
};

/// An expert item, which is a field of the display filter, too.
class ExpertItem : public expert_field {
 public:
  ExpertItem(const char *filter, int group, int severity, const char *summary)
      : expert_field EI_INIT, info_{this, {filter, group, severity, summary, EXPFILL}} {}
  ExpertItem(const ExpertItem &) = delete;
  ExpertItem &operator=(const ExpertItem &) = delete;

  [[nodiscard]] const char *summary() const { return info_.eiinfo.summary; }
  /// True if the item means trouble wherever it is added. add_problem() tells where ENet's items do.
  [[nodiscard]] bool is_trouble() const {
    return info_.eiinfo.severity >= PI_WARN && std::string_view(info_.eiinfo.name).starts_with("godot");
  }
  [[nodiscard]] bool is_warning() const { return info_.eiinfo.severity >= PI_WARN; }
  void register_for(expert_module_t *module) { expert_register_field_array(module, &info_, 1); }

 private:
  ei_register_info info_;
};

/// The members of a struct that has no others.
template <typename Member, typename Table>
std::span<Member> members_of(Table &table) {
  static_assert(sizeof(Table) % sizeof(Member) == 0 && alignof(Table) == alignof(Member));
  return {reinterpret_cast<Member *>(&table), sizeof(Table) / sizeof(Member)};
}

/// Registers the fields of a protocol, in their order.
template <typename Fields>
void register_fields(int proto, Fields &fields) {
  for (HeaderField &field : members_of<HeaderField>(fields)) field.register_for(proto);
}

template <typename Experts>
void register_experts(int proto, Experts &experts) {
  expert_module_t *module = expert_register_protocol(proto);
  for (ExpertItem &item : members_of<ExpertItem>(experts)) item.register_for(module);
}

/// @param tree -1
inline void register_subtree(int &tree) {
  int *const registration[] = {&tree};
  proto_register_subtree_array(registration, 1);
}

/// @param trees a struct of ints that are -1
template <typename Subtrees>
void register_subtrees(Subtrees &trees) {
  for (int &tree : members_of<int>(trees)) register_subtree(tree);
}

/// Fields that the codec has a table of, by their place there.
template <std::size_t count>
class CodecFields {
 public:
  /// @param describe makes a header_field_info of a place
  template <typename Describe>
  void register_for(int proto, Describe describe) {
    ids_.fill(-1);
    for (std::size_t i = 0; i < count; ++i) infos_[i] = {&ids_[i], describe(i)};
    proto_register_field_array(proto, infos_.data(), static_cast<int>(count));
  }
  template <typename Place>
  int operator[](Place place) const {
    return ids_[static_cast<std::size_t>(place)];
  }

 private:
  std::array<int, count> ids_;
  std::array<hf_register_info, count> infos_;
};

}  // namespace godot_plugin
