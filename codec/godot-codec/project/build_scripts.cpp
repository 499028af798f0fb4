// SPDX-License-Identifier: MIT
// Resolves the base classes of scripts, and builds their lists of RPC methods.
#include <algorithm>
#include <set>
#include <utility>

#include "godot-codec/project/md5.h"
#include "godot-codec/project/project_contents.h"
#include "godot-codec/project/property_types.h"
#include "godot-codec/project/text_utils.h"

namespace godot_codec::project {
namespace {

constexpr std::size_t no_script = SIZE_MAX;
constexpr std::size_t max_lookup_depth = 200;
constexpr std::size_t max_lookups = 1'000'000;  // maximum number of lookups for all names
constexpr std::size_t max_outer_depth = 2 * max_class_depth;
constexpr std::size_t max_configurables = 64;  // maximum number of scripts with methods that other scripts configure

using Methods = std::vector<RpcMethod>;

// Sorts methods by name. If a name occurs twice, keeps the last method.
void sort_methods(Methods &methods) {
  std::ranges::stable_sort(methods, {}, &RpcMethod::name);
  const auto end = std::unique(methods.rbegin(), methods.rend(),
                               [](const RpcMethod &a, const RpcMethod &b) { return a.name == b.name; });
  methods.erase(methods.begin(), end.base());
}

// Combines two sorted lists. If both contain a name, keeps the method of the derived class.
Methods merge_methods(const Methods &inherited, const Methods &own) {
  Methods all;
  std::ranges::set_union(own, inherited, std::back_inserter(all), {}, &RpcMethod::name, &RpcMethod::name);
  return all;
}

class ScriptBuilder {
 public:
  ScriptBuilder(ProjectContents &contents, ParsedSources &sources) : contents_(contents), sources_(sources) {}

  void build() {
    for (const auto &[path, source] : sources_.scripts) add_file(path, source);
    index_class_names();
    contents_.scripts.resize(classes_.size());
    for (std::size_t i = 0; i < classes_.size(); ++i) fill_name_and_path(i);
    for (std::size_t i = 0; i < classes_.size(); ++i) contents_.scripts[i].base = script_at(resolve_base(i));
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      collect_methods(i);
      make_lists(i);
      fill_members(i);
      fill_scenes(i);
    }
    find_configurable_methods();
    build_indexes();
    if (lookup_count_ > max_lookups)
      sources_.notes.emplace_back("there are too many classes, some are without their base");
  }

 private:
  enum class ResolveProgress : std::uint8_t { untouched, busy, done };

  struct ClassEntry {
    const ScriptClass *source = nullptr;
    std::string_view file;
    std::size_t first_class = 0;  // index of the first class of the same file
    bool is_csharp = false;
    ResolveProgress base_progress = ResolveProgress::untouched;
    std::size_t base = no_script;
    ResolveProgress method_progress = ResolveProgress::untouched;
    Methods own_methods, all_methods, own_configured, all_configured;  // sorted by name
  };

  // Lists a class and its base classes, in this order. The number is limited, because base classes may form a cycle.
  [[nodiscard]] std::vector<std::size_t> class_and_bases(std::size_t index) const {
    std::vector<std::size_t> chain;
    for (; index != no_script && chain.size() < max_lookup_depth; index = classes_[index].base) chain.push_back(index);
    return chain;
  }

  const Script *script_at(std::size_t index) const { return index == no_script ? nullptr : &contents_.scripts[index]; }

  void add_file(std::string_view path, const ParsedScript &source) {
    const std::size_t first = classes_.size();
    first_class_of_file_.emplace(path, first);
    for (const ScriptClass &each : source.classes) {
      ClassEntry &added = classes_.emplace_back();
      added.source = &each;
      added.file = path;
      added.first_class = first;
      added.is_csharp = extension_of(path) == "cs";
    }
  }

  void index_class_names() {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const ClassEntry &each = classes_[i];
      if (each.source->name.empty() || each.source->is_merged) continue;
      if (each.is_csharp) {
        csharp_classes_.emplace(each.source->name, i);
      } else if (i == each.first_class) {
        global_classes_.emplace(each.source->name, i);
      }
    }
    for (const ParsedSources::ParsedAutoload &autoload : sources_.autoloads) {
      const auto file = first_class_of_file_.find(autoload.path);
      if (autoload.is_singleton && file != first_class_of_file_.end())
        global_classes_.emplace(autoload.name, file->second);
    }
  }

  void fill_name_and_path(std::size_t index) {
    const ClassEntry &each = classes_[index];
    Script &script = contents_.scripts[index];
    script.class_name = contents_.store(each.source->name);
    if (index == each.first_class) {
      script.path = contents_.store(each.file);
    } else {
      const std::string_view outer = contents_.scripts[each.first_class + each.source->outer_class].path;
      script.path = contents_.store(std::string(outer) + "::" + each.source->name);
    }
  }

  std::size_t resolve_base(std::size_t index) {
    ClassEntry &each = classes_[index];
    if (each.base_progress == ResolveProgress::untouched && resolve_depth_ < max_lookup_depth) {
      each.base_progress = ResolveProgress::busy;
      each.base = resolve_reference(each.source->base, index, true);
      if (each.base == index) each.base = no_script;
      each.base_progress = ResolveProgress::done;
    }
    return each.base;
  }

  // Resolves a class reference in the source of a class. @param is_base true for the reference after `extends`
  std::size_t resolve_reference(const ClassReference &reference, std::size_t index, bool is_base) {
    if (reference.empty() || resolve_depth_ >= max_lookup_depth || ++lookup_count_ > max_lookups) return no_script;
    ++resolve_depth_;
    const ClassEntry &from = classes_[index];
    std::size_t found = no_script;
    auto name = reference.names.begin();
    if (!reference.path.empty()) {
      const auto file = first_class_of_file_.find(sources_.find_path({{}, resolve_path(reference.path, from.file)}));
      if (file != first_class_of_file_.end()) found = file->second;
    } else if (from.is_csharp) {
      found = find_csharp_class(reference.names, from.source->full_name);
      name = reference.names.end();
    } else {
      const auto global = global_classes_.find(*name);
      found = global != global_classes_.end() ? global->second
                                              : find_in_enclosing_classes(*name, index, is_base ? index : no_script);
      ++name;
    }
    for (; found != no_script && name != reference.names.end(); ++name) found = find_in_class_or_bases(*name, found);
    --resolve_depth_;
    return found;
  }

  // Finds a C# class by its name and the qualifiers before it. If there are several, returns the class that shares the
  // longest prefix with the full name of the referring class.
  [[nodiscard]] std::size_t find_csharp_class(const std::vector<std::string> &names,
                                              std::string_view referring_class) const {
    constexpr std::size_t max_candidates = 100;
    std::string wanted = ".";
    for (const std::string &name : names) wanted.append(name).append(".");
    wanted.pop_back();
    std::size_t best = no_script;
    std::size_t best_nearness = 0;
    auto [candidate, end] = csharp_classes_.equal_range(names.back());
    for (std::size_t i = 0; candidate != end && i < max_candidates; ++candidate, ++i) {
      const std::string &full = classes_[candidate->second].source->full_name;
      const std::size_t last_dot = full.rfind('.');
      const std::string name = "." + full.substr(0, full.find('`', last_dot == std::string::npos ? 0 : last_dot));
      if (full == referring_class || !name.ends_with(wanted)) continue;
      const auto differ = std::mismatch(full.begin(), full.end(), referring_class.begin(), referring_class.end());
      const std::size_t nearness = 1 + static_cast<std::size_t>(differ.first - full.begin());
      if (nearness > best_nearness) best = candidate->second;
      best_nearness = std::max(best_nearness, nearness);
    }
    return best;
  }

  // Searches the class and its base classes, then each enclosing class in the same way.
  // @param excluded the name and the base of this class are skipped, because the class is still being resolved
  std::size_t find_in_enclosing_classes(std::string_view name, std::size_t index, std::size_t excluded) {
    for (std::size_t outwards = 0; outwards < max_outer_depth; ++outwards) {
      const ClassEntry &each = classes_[index];
      if (index != excluded && each.source->name == name) return index;
      const std::size_t found = index == excluded ? find_in_class(name, index) : find_in_class_or_bases(name, index);
      if (found != no_script && found != excluded) return found;
      if (index == each.first_class) break;
      index = each.first_class + each.source->outer_class;
    }
    return no_script;
  }

  // Searches the class and its base classes.
  std::size_t find_in_class_or_bases(std::string_view name, std::size_t index) {
    for (std::size_t depth = 0; index != no_script && depth < max_lookup_depth && ++lookup_count_ <= max_lookups;
         ++depth) {
      const std::size_t found = find_in_class(name, index);
      if (found != no_script) return found;
      index = resolve_base(index);
    }
    return no_script;
  }

  std::size_t find_in_class(std::string_view name, std::size_t index) {
    const ClassEntry &each = classes_[index];
    if (const auto inner = each.source->inner_classes.find(name); inner != each.source->inner_classes.end()) {
      return each.first_class + inner->second;
    }
    const auto constant = each.source->constants.find(name);
    if (constant == each.source->constants.end()) return no_script;
    // Each constant is resolved once. A constant that refers to itself stays unresolved.
    const auto [known, is_new] = resolved_constants_.try_emplace(&constant->second, no_script);
    if (is_new) known->second = resolve_reference(constant->second, index, false);
    return known->second;
  }

  // Collects the methods of a class, after those of its base classes. Cycles of base classes are cut.
  void collect_methods(std::size_t index) {
    std::vector<std::size_t> chain;
    for (; index != no_script && classes_[index].method_progress == ResolveProgress::untouched;
         index = classes_[index].base) {
      classes_[index].method_progress = ResolveProgress::busy;
      chain.push_back(index);
    }
    for (; !chain.empty(); chain.pop_back()) {
      ClassEntry &each = classes_[chain.back()];
      collect_own_methods(chain.back());
      const ClassEntry *base = each.base == no_script ? nullptr : &classes_[each.base];
      if (base != nullptr && base->method_progress != ResolveProgress::done) base = nullptr;
      each.all_methods = base == nullptr ? each.own_methods : merge_methods(base->all_methods, each.own_methods);
      each.all_configured =
          base == nullptr ? each.own_configured : merge_methods(base->all_configured, each.own_configured);
      remove_unconfigured_methods(each);
      each.method_progress = ResolveProgress::done;
      apply_method_limit(each);
    }
  }

  void collect_own_methods(std::size_t index) {
    ClassEntry &each = classes_[index];
    for (const RpcDeclaration &method : each.source->methods) each.own_methods.push_back(make_method(method, index));
    sort_methods(each.own_methods);
    for (const auto &[name, method] : each.source->configured_methods) {
      if (method) each.own_configured.push_back(make_method(*method, index));
    }
  }

  RpcMethod make_method(const RpcDeclaration &method, std::size_t index) {
    return {0, contents_.store(method.name), method.config, script_at(index), method.line};
  }

  static void remove_unconfigured_methods(ClassEntry &each) {
    std::erase_if(each.all_configured, [&each](const RpcMethod &method) {
      const auto found = each.source->configured_methods.find(method.name);
      return found != each.source->configured_methods.end() && !found->second;
    });
  }

  // Drops the methods of a class if the total number of methods would exceed the limit. In a long chain of derived
  // classes, the lists are much larger than the source files.
  void apply_method_limit(ClassEntry &each) {
    const std::size_t more = each.all_methods.size() + each.all_configured.size();
    if (more <= sources_.limits.max_methods - method_count_ && each.all_methods.size() < first_node_method_id) {
      method_count_ += more;
      return;
    }
    if (!is_limit_noted_)
      sources_.notes.emplace_back("there are too many remote methods, some scripts are without theirs");
    is_limit_noted_ = true;
    for (Methods *methods : {&each.own_methods, &each.all_methods, &each.own_configured, &each.all_configured})
      *methods = {};
  }

  void make_lists(std::size_t index) {
    const ClassEntry &each = classes_[index];
    std::vector<RpcList> lists;
    const bool has_own_form = each.own_methods.size() != each.all_methods.size();
    const auto add = [&](const Methods &methods, const Methods &configured, bool is_all) {
      if (!methods.empty() || !configured.empty()) lists.push_back(make_list(index, methods, configured, is_all));
    };
    add(each.all_methods, {}, true);
    if (!each.all_configured.empty()) add(each.all_methods, each.all_configured, true);
    if (has_own_form) add(each.own_methods, {}, false);
    if (has_own_form && !each.all_configured.empty()) add(each.own_methods, each.all_configured, false);
    contents_.scripts[index].lists = contents_.store(std::move(lists));
  }

  RpcList make_list(std::size_t index, const Methods &methods, const Methods &configured, bool is_all) {
    RpcList list;
    list.script = script_at(index);
    list.has_inherited = is_all;
    list.has_configured = !configured.empty();
    std::string names;
    for (const RpcMethod &method : configured) names += method.name;
    Methods numbered = methods;
    for (std::size_t id = 0; id < methods.size(); ++id) {
      numbered[id].id = static_cast<std::uint16_t>(id);
      names += methods[id].name;
    }
    for (std::size_t i = 0; i < configured.size() && i < first_node_method_id; ++i) {
      numbered.push_back(configured[i]);
      numbered.back().id = static_cast<std::uint16_t>(first_node_method_id + i);
    }
    list.md5 = contents_.store(md5_of(names));
    list.methods = contents_.store(std::move(numbered));
    return list;
  }

  template <typename Member>
  std::span<Member> store_members(const std::map<std::string, Member, std::less<>> &by_name) {
    std::vector<Member> members;
    members.reserve(by_name.size());
    for (const auto &[name, member] : by_name) members.push_back(member);
    return contents_.store(std::move(members));
  }

  void fill_members(std::size_t index) {
    const ClassEntry &each = classes_[index];
    Script &script = contents_.scripts[index];
    script.variables = store_members(each.source->variables);
    script.functions = store_members(each.source->signatures);
    const ClassReference &base = each.source->base;
    const bool is_builtin = base.path.empty() && base.names.size() == 1 && is_builtin_node_class(base.names.front());
    const bool has_unknown_base = each.base == no_script && !base.empty() && !is_builtin;
    const std::vector<std::string> &functions = each.source->functions;
    const bool has_get = std::ranges::find(functions, "_get") != functions.end();
    script.has_unknown_properties = each.is_csharp || has_get || has_unknown_base;
  }

  // Finds the methods that any script configures on another node. The node is ignored, so any class with such a method
  // is a candidate.
  void find_configurable_methods() {
    std::map<std::string_view, const RpcDeclaration *> named;
    for (const ClassEntry &each : classes_) {
      for (const auto &[name, method] : each.source->methods_configured_elsewhere) named.emplace(name, &method);
    }
    for (std::size_t i = 0; !named.empty() && i < classes_.size(); ++i) {
      if (contents_.configurable_methods.size() >= max_configurables) break;
      Methods methods;
      for (const std::size_t each : class_and_bases(i)) {
        for (const std::string &function : classes_[each].source->functions) {
          const auto found = named.find(function);
          if (found != named.end()) methods.push_back(make_method(*found->second, each));
        }
      }
      sort_methods(methods);
      if (!methods.empty()) contents_.configurable_methods.push_back({script_at(i), std::move(methods)});
    }
  }

  // Combines the authority rules of a class and its base classes. If a class overrides _enter_tree() or _ready(), the
  // function of its base class possibly does not run.
  void fill_authority(std::size_t index) {
    contents_.authority = std::max(contents_.authority, classes_[index].source->authority);
    Script &script = contents_.scripts[index];
    bool may_run = true;
    for (const std::size_t each : class_and_bases(index)) {
      const ScriptClass &source = *classes_[each].source;
      script.gives_away_authority = script.gives_away_authority || source.authority == AuthorityRule::below;
      script.is_authority_by_name =
          script.is_authority_by_name || (may_run && source.authority == AuthorityRule::by_name);
      const auto is_start = [](const std::string &name) { return name == "_enter_tree" || name == "_ready"; };
      may_run = may_run && std::ranges::none_of(source.functions, is_start);
    }
  }

  // Collects the synchronizers of a class and its base classes. A function that a derived class overrides possibly does
  // not run. A derived class may also set the base class's variables.
  void fill_synchronizers(std::size_t index) {
    if (classes_[index].source->builds_unknown_synchronizers) contents_.builds_synchronizers = true;
    if (classes_[index].source->changes_unknown_configs) contents_.changes_synchronizers = true;
    std::set<std::string_view> overridden;
    for (const std::size_t each : class_and_bases(index)) {
      const ScriptClass &source = *classes_[each].source;
      for (ScriptSynchronizer synchronizer : source.synchronizers) {
        const bool is_own = each == index || synchronizer.position != ScriptSynchronizer::TreePosition::elsewhere;
        const bool runs = synchronizer.function == "_init" || !overridden.contains(synchronizer.function);
        const bool may_be_other_list =
            overridden.contains(synchronizer.config_function) || (each != index && synchronizer.uses_class_variables);
        if (!runs || may_be_other_list) synchronizer.certainty = Certainty::unknown;
        if (synchronizer.certainty == Certainty::unknown) contents_.builds_synchronizers = true;
        synchronizer.config_path =
            std::string(classes_[each].file) + "::" + synchronizer.function + "/" + synchronizer.name;
        if ((runs || synchronizer.is_in_scene()) && is_own)
          contents_.script_synchronizers[script_at(index)].push_back(std::move(synchronizer));
      }
      overridden.insert(source.functions.begin(), source.functions.end());
    }
  }

  void fill_scenes(std::size_t index) {
    const ClassEntry &each = classes_[index];
    fill_synchronizers(index);
    if (each.source->renames_itself) contents_.self_renaming_scripts.insert(script_at(index));
    contents_.moves_nodes = contents_.moves_nodes || each.source->moves_other_nodes;
    // Load calls in C# sources are not detected, so a C# script may load anything.
    contents_.loads_unknown_scenes =
        contents_.loads_unknown_scenes || each.source->loads_unknown_scenes || each.is_csharp;
    contents_.sets_scripts = contents_.sets_scripts || each.source->sets_scripts;
    contents_.clears_spawnable = contents_.clears_spawnable || each.source->clears_spawnable;
    for (const SpawnStatement &statement : each.source->spawn_statements) {
      if (statement.action != SpawnStatement::Action::add_scene) continue;
      if (statement.scene.empty()) contents_.adds_unknown_spawnable_scenes = true;
      if (!statement.scene.empty())
        contents_.added_spawnable_scenes.insert(sources_.resolve_scene_path(statement.scene, each.file));
    }
    fill_authority(index);
    if (each.source->scenes.empty()) return;
    std::vector<std::string_view> scenes;
    for (const std::string &scene : each.source->scenes) {
      scenes.push_back(contents_.store(sources_.resolve_scene_path(scene, each.file)));
    }
    std::ranges::sort(scenes);
    contents_.scripts[index].scenes = contents_.store(std::move(scenes));
  }

  void build_indexes() {
    for (const Script &script : contents_.scripts) contents_.scripts_by_path.push_back(&script);
    std::ranges::stable_sort(contents_.scripts_by_path, {}, &Script::path);
    for (const ClassEntry &each : classes_) {
      for (const std::string &name : each.source->functions) contents_.function_names.push_back(contents_.store(name));
    }
    std::vector<std::string_view> &names = contents_.function_names;
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const Script &script : contents_.scripts) {
      for (const RpcList &list : script.lists) contents_.lists_by_md5.push_back(&list);
    }
    std::ranges::stable_sort(contents_.lists_by_md5, {}, &RpcList::md5);
  }

  ProjectContents &contents_;
  ParsedSources &sources_;
  std::vector<ClassEntry> classes_;
  std::map<std::string_view, std::size_t> first_class_of_file_;  // index of the first class of a file, by path
  std::map<std::string_view, std::size_t> global_classes_;
  std::multimap<std::string_view, std::size_t> csharp_classes_;
  std::map<const ClassReference *, std::size_t>
      resolved_constants_;         // the classes that constants refer to, by reference
  std::size_t resolve_depth_ = 0;  // current nesting of resolve_reference() calls
  std::size_t lookup_count_ = 0;
  std::size_t method_count_ = 0;
  bool is_limit_noted_ = false;
};

}  // namespace

void build_scripts(ProjectContents &contents, ParsedSources &sources) {
  ScriptBuilder(contents, sources).build();
  // Frees what the later steps do not need: they only use the data about created scenes.
  for (auto &[path, source] : sources.scripts) {
    for (ScriptClass &each : source.classes) {
      each.signatures = {};
      each.functions = {};
      each.variables = {};
      each.methods = {};
    }
  }
}

}  // namespace godot_codec::project
