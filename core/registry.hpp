#pragma once
// A family of interchangeable things (mappers, generators, engines, formats): each has an entry, which stands beside
// its code; a table lists them. `toroid list`, the error messages and the tests loop over the same table.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/parameter.hpp"
#include "core/spec.hpp"
#include "core/text.hpp"

namespace toroid::core {

/// One thing of a registry: its name, its help and its keys. `make` is the thing itself, or a function that makes it
/// from its arguments; `argument` names what must follow the colon of its spec, if anything must.
template <class Make>
struct Entry {
  std::string_view name;
  std::string_view help;
  Make make;
  std::vector<AnyParameter> parameters;
  std::string_view argument;

  // A constructor, not an aggregate: GCC 12 fails on nested default member initializers here.
  Entry(std::string_view entry_name, std::string_view entry_help, Make entry_make,
        std::vector<AnyParameter> entry_parameters = {}, std::string_view entry_argument = {})
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

  /// The entry that `spec` names. Throws InputError when the registry has no such name, or the entry does not take a
  /// key or a value of the spec.
  const Entry<Make>& find(const Spec& spec) const {
    const auto& entry = named(spec);
    Arguments(spec, entry.parameters);
    return entry;
  }
  const Entry<Make>& find(std::string_view text) const { return find(Spec::parse(text)); }

  /// Calls the `make` of the entry that `spec` names, for entries where that is a function; `context` is what the
  /// function takes before the arguments. Throws InputError as find() does, and what the function throws.
  template <class... Context>
  auto make(const Spec& spec, Context&&... context) const {
    const auto& entry = named(spec);
    return entry.make(std::forward<Context>(context)..., Arguments(spec, entry.parameters));
  }
  template <class... Context>
  auto make(std::string_view text, Context&&... context) const {
    return make(Spec::parse(text), std::forward<Context>(context)...);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : entries_) all.emplace_back(entry.name);
    return all;
  }

 private:
  const Entry<Make>* lookup(std::string_view name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  const Entry<Make>& named(const Spec& spec) const {
    const auto* entry = lookup(spec.name());
    if (entry == nullptr)
      fail_input("unknown {} '{}'{}", kind_, excerpt(spec.name()), valid_instead(spec.name(), names()));
    if (entry->argument.empty() && !spec.argument().empty())
      fail_input("{} '{}' takes no argument, found '{}'", kind_, entry->name, excerpt(spec.argument()));
    if (!entry->argument.empty() && spec.argument().empty())
      fail_input("'{}': expected {}:{}", excerpt(spec.text()), entry->name, entry->argument);
    check_keys(*entry, spec);
    return *entry;
  }

  void check_keys(const Entry<Make>& entry, const Spec& spec) const {
    std::vector<std::string> valid;
    for (const auto& parameter : entry.parameters) valid.emplace_back(parameter.name);
    for (const auto& [key, value] : spec.parameters())
      if (std::find(valid.begin(), valid.end(), key) == valid.end())
        fail_input("'{}': {} '{}' has no key '{}'{}", excerpt(spec.text()), kind_, entry.name, excerpt(key),
                   valid_instead(key, valid));
  }

  std::string_view kind_;
  std::vector<Entry<Make>> entries_;
};

/// The type of keys whose value is a spec of a thing in `registry`.
template <class Thing>
Type<Thing> one_of(const Registry<Thing>& registry) {
  return {either(registry.names()), [&registry](std::string_view text, const Place& place) -> std::optional<Thing> {
            return registry.find(Spec::inside(place.spec, text)).make;
          }};
}

}  // namespace toroid::core
