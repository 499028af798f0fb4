// SPDX-License-Identifier: MIT
/// @file
/// Where in a game's scenes the nodes of a capture are: by the scenes themselves, and where scripts have put them, by
/// what the wire shows of them.
///
/// A node that a script has made may be of any scene. What leaves few: the scenes that the spawn function makes, the
/// MD5 of the node's methods, which is one script's, and the paths of nodes below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "godot-codec/multiplayer/names.h"
#include "godot-codec/project/project.h"

namespace godot_codec {

/// Scenes that a node may be of, or synchronizers that a path may mean.
struct MpOptions {
  struct Option {
    const project::Scene *scene = nullptr;
    const project::Synchronizer *synchronizer = nullptr;  ///< null of a spawned node: all of the scene's
  };

  std::string_view source;  ///< how they were found, as MpGivenName::source has it
  bool is_assumed = false;  ///< others were left out without proof
  std::vector<Option> options;
};

/// Several ways to find them, the ones with more options first: where these do not agree on a name, the next may.
using MpOptionsByWay = std::vector<MpOptions>;

/// From a node of a scene to another one of it. @param root empty: it is none of the scene's
[[nodiscard]] MpWay mp_way_between(std::string_view node, std::string_view root);

/// Keeps what it has found, of so many paths and no more. Functions throw only what allocation throws.
class MpPlaces {
 public:
  static constexpr std::size_t max_places = 20'000;  ///< that are kept

  explicit MpPlaces(const project::Project &project) : project_(project) {}

  [[nodiscard]] std::size_t kept() const { return places_.size() + older_places_.size(); }

  /// Forgets everything: the project has changed.
  void clear();

  /// The scenes and nodes that a synchronizer or a spawned node may be.
  [[nodiscard]] const MpOptionsByWay &options_of(const MpSynchronized &synchronized);
  /// MpNames::way_to_root()
  [[nodiscard]] MpWay way_to_root(std::string_view path, const AnnouncedNodes *told);

 private:
  // A synchronizer's path; a spawner's, the spawned node's name and its scene's index.
  using Key = std::tuple<std::string, std::string, std::uint8_t>;
  using KeyView = std::tuple<std::string_view, std::string_view, std::uint8_t>;
  struct IsBefore {
    using is_transparent = void;
    static KeyView view(const Key &key) { return {std::get<0>(key), std::get<1>(key), std::get<2>(key)}; }
    static const KeyView &view(const KeyView &key) { return key; }
    template <typename A, typename B>
    bool operator()(const A &a, const B &b) const {
      return view(a) < view(b);
    }
  };
  struct Place {
    std::vector<const project::Spawner *> spawners;
    std::string_view spawner_source;
    MpOptionsByWay options;
    const AnnouncedNodes *told = nullptr;  // the nodes known when this was found
    std::uint64_t version = 0;
  };

  using Places = std::map<Key, Place, IsBefore>;

  const Place *find_kept(const KeyView &key);
  void make_room();
  const Place &place_of(const KeyView &key, std::size_t listed, const AnnouncedNodes *told);
  void find_by_path(Place &place, std::string_view path);
  void find_added(Place &place, std::string_view path) const;
  void find_spawned(Place &place, const KeyView &key, std::size_t listed);
  void find_by_evidence(Place &place, std::string_view node, std::string_view name, std::size_t listed);
  [[nodiscard]] std::string node_of(const Place &spawner, std::string_view spawner_path, std::string_view name) const;
  [[nodiscard]] std::vector<const project::Scene *> referred_to_above(std::string_view path) const;
  [[nodiscard]] std::vector<const project::Scene *> added_to(std::string_view path, bool &unknown) const;

  const project::Project &project_;
  Places places_;
  Places older_places_;
  std::vector<const project::Scene *> replicated_;  // scenes whose roots have synchronizers
  bool has_replicated_ = false;
};

}  // namespace godot_codec
