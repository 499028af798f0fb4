// SPDX-License-Identifier: MIT
/// @file
/// Finds the scene nodes that correspond to the nodes in a capture. Sources are the scenes, the scripts that add
/// scenes, and the messages.
///
/// A node that was added by a script may be an instance of any scene. Three kinds of evidence reduce the candidates:
/// - the scenes that the spawn function makes,
/// - the MD5 of the methods of the node, which belongs to one script,
/// - the paths of the nodes below this node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "godot-codec/multiplayer/name_types.h"
#include "godot-codec/project/project.h"

namespace godot_codec {

/// A candidate: a scene for a node, or a synchronizer for a path.
struct MpSceneCandidate {
  const project::Scene *scene = nullptr;
  const project::Synchronizer *synchronizer = nullptr;  ///< null: all synchronizers of the scene (for a spawned node)
};

/// Candidates from one source.
struct MpSceneCandidateSet {
  std::string_view source;  ///< source of the candidates, with the same values as MpResolvedName::source
  bool is_assumed = false;  ///< true if other candidates were excluded without proof
  std::vector<MpSceneCandidate> candidates;
};

/// Candidates from several sources; the largest set is first. If the candidates of a set have different names, the next
/// set is tried.
using MpSceneCandidateSets = std::vector<MpSceneCandidateSet>;

/// Returns the relative path from a node of a scene to another node of the scene.
/// @param root empty: the other node is not in the scene
[[nodiscard]] MpRelativePath mp_relative_path(std::string_view node, std::string_view root);

/// Returns the path of the node that a relative path leads to, or of its child.
/// @param child name of the child; empty: the node itself
[[nodiscard]] std::string resolve_mp_path(std::string_view path, const MpRelativePath &relative,
                                          std::string_view child = {});

/// Caches results for a limited number of paths. When the cache is full, it is cleared: then each lookup is made once
/// more per max_results lookups of other paths. Functions throw only exceptions of memory allocation.
class MpSceneLookup {
 public:
  static constexpr std::size_t max_results = 20'000;  ///< maximum number of cached results

  explicit MpSceneLookup(const project::Project &project) : project_(project) {}

  [[nodiscard]] std::size_t cached_count() const { return results_.size(); }

  /// Clears the cache. Must be called when the project changes.
  void clear() { results_.clear(); }

  /// Returns the candidates for a synchronizer or a spawned node.
  [[nodiscard]] const MpSceneCandidateSets &find_candidates(const MpSynchronizedObject &synchronized);
  /// See MpGameNames::find_relative_root().
  [[nodiscard]] MpRelativePath find_relative_root(std::string_view path) {
    return agreed_root(look_up({path, {}, 0}, 0, nullptr));
  }

 private:
  // Path of a synchronizer; or path of a spawner, name of the spawned node and index of its scene.
  using LookupKey = std::tuple<std::string, std::string, std::uint8_t>;
  using LookupKeyView = std::tuple<std::string_view, std::string_view, std::uint8_t>;
  // Not std::less<>, because Clang 14 cannot compare these tuples.
  struct IsBefore {
    using is_transparent = void;
    static LookupKeyView view(const LookupKey &key) { return {std::get<0>(key), std::get<1>(key), std::get<2>(key)}; }
    static const LookupKeyView &view(const LookupKeyView &key) { return key; }
    template <typename A, typename B>
    bool operator()(const A &a, const B &b) const {
      return view(a) < view(b);
    }
  };
  struct Result {
    std::vector<const project::Spawner *> spawners;
    std::string_view spawner_source;
    MpSceneCandidateSets candidates;
    const AnnouncedNodeMap *announced_nodes = nullptr;  // the announced nodes when the result was cached
    std::uint64_t version = 0;
  };

  [[nodiscard]] static MpRelativePath agreed_root(const Result &result);
  const Result &look_up(const LookupKeyView &key, std::size_t listed, const AnnouncedNodeMap *announced);
  void find_by_path(Result &result, std::string_view path);
  void find_added(Result &result, std::string_view path) const;
  void find_spawned(Result &result, const LookupKeyView &key, std::size_t listed);
  void find_by_evidence(Result &result, std::string_view node, std::string_view name, std::size_t listed);
  [[nodiscard]] std::vector<const project::Scene *> scenes_referred_to_above(std::string_view path) const;
  [[nodiscard]] std::vector<const project::Scene *> scenes_added_to(std::string_view path, bool &unknown) const;

  const project::Project &project_;
  std::map<LookupKey, Result, IsBefore> results_;
};

}  // namespace godot_codec
