#pragma once
// A family of interchangeable things (mappers, machines, generators, collective algorithms): one table, one line each.
// `toroid list`, the error messages and the tests loop over the same table.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/spec.hpp"
#include "core/text.hpp"

namespace toroid::core {

struct Parameter {
  std::string_view name;
  std::string_view help;
};

/// One line of a registry. `make` builds the thing from its spec; `argument` names what may follow the colon.
template <class Make>
struct Entry {
  std::string_view name;
  std::string_view help;
  Make make;
  std::vector<Parameter> parameters;
  std::string_view argument;

  // A constructor, not an aggregate: GCC 12 fails on nested default member initializers here.
  Entry(std::string_view entry_name, std::string_view entry_help, Make entry_make,
        std::vector<Parameter> entry_parameters = {}, std::string_view entry_argument = {})
      : name(entry_name),
        help(entry_help),
        make(entry_make),
        parameters(std::move(entry_parameters)),
        argument(entry_argument) {}
};

template <class Make>
class Registry {
 public:
  /// `kind` is what a message calls a member, e.g. "mapper".
  Registry(std::string_view kind, std::vector<Entry<Make>> entries) : kind_(kind), entries_(std::move(entries)) {}

  std::string_view kind() const { return kind_; }
  const std::vector<Entry<Make>>& entries() const { return entries_; }

  bool has(std::string_view name) const { return lookup(name) != nullptr; }

  /// The entry that `spec` names. Throws InputError listing the valid names, or the valid keys of that entry.
  const Entry<Make>& find(const Spec& spec) const {
    const auto* entry = lookup(spec.name());
    if (entry == nullptr) fail_input("unknown {} '{}'; valid: {}", kind_, spec.name(), names());
    if (entry->argument.empty() && !spec.argument().empty())
      fail_input("{} '{}' takes no argument, found '{}'", kind_, spec.name(), spec.argument());
    for (const auto& [key, value] : spec.parameters()) check_key(*entry, spec, key);
    return *entry;
  }

  std::string names() const {
    std::vector<std::string> all;
    for (const auto& entry : entries_) all.emplace_back(entry.name);
    return join(all);
  }

 private:
  const Entry<Make>* lookup(std::string_view name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  void check_key(const Entry<Make>& entry, const Spec& spec, std::string_view key) const {
    std::vector<std::string> valid;
    for (const auto& parameter : entry.parameters) {
      if (parameter.name == key) return;
      valid.emplace_back(parameter.name);
    }
    fail_input("'{}': {} '{}' has no key '{}'; valid: {}", spec.text(), kind_, entry.name, key,
               valid.empty() ? "none" : join(valid));
  }

  std::string_view kind_;
  std::vector<Entry<Make>> entries_;
};

}  // namespace toroid::core
