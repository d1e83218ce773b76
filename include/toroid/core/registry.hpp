#pragma once
// A family of interchangeable things (mappers, generators, engines, formats): each has an entry, which stands beside
// its code; a table lists them. `toroid list`, the error messages and the tests loop over the same table. What others
// wrote, plug-ins and functions of Python, is added to the table while the program runs.
//
//   mapping::mappers().find("random:seed=7").help

#include <algorithm>
#include <concepts>
#include <deque>
#include <iterator>

#include "toroid/core/assert.hpp"
#include "toroid/core/parameter.hpp"

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
  std::string from = {};  ///< where it comes from, such as the file of a plug-in; empty: toroid's own

  // A constructor, not an aggregate: GCC 12 fails on nested default member initializers here.
  Entry(std::string_view entry_name, std::string_view entry_help, Make entry_make,
        std::vector<AnyParameter> entry_parameters = {}, std::string_view entry_argument = {})
      : name(entry_name),
        help(entry_help),
        make(std::move(entry_make)),
        parameters(std::move(entry_parameters)),
        argument(entry_argument) {}
};

/// The entry of a registry for which the path of a file stands: with `file`, the text `nodes.txt` is `file:nodes.txt`.
struct FileEntry {
  std::string_view name;  ///< empty: there is none
  std::string_view what;  ///< what the file is in messages, e.g. "a mapping file"
};

/// The spec that the path of a file is, where it stands for that entry of a registry of such a `kind` with those
/// `names`. Throws InputError where there is no such file.
Spec spec_of_file(std::string_view path, const FileEntry& entry, std::string_view kind,
                  const std::vector<std::string>& names);

template <class Make>
class Registry {
 public:
  /// What an entry stands for.
  using Thing = Make;

  /// `kind` is what a message calls a member, e.g. "mapper".
  Registry(std::string_view kind, std::vector<Entry<Make>> entries, FileEntry of_files = {})
      : kind_(kind),
        entries_(std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end())),
        of_files_(of_files) {
    for (const auto& entry : entries_) TOROID_ASSERT(lookup(entry.name) == &entry);  // no name stands twice
  }

  std::string_view kind() const { return kind_; }
  const std::deque<Entry<Make>>& entries() const { return entries_; }

  /// Adds an entry that comes from elsewhere (`from`), or puts it in the place of the one that came from there
  /// before it. Its texts must live as long as the registry, which nobody may read meanwhile; other entries stay where
  /// they are. Throws InputError where such a name came from anywhere else, and on a name that no spec can have.
  void add(Entry<Make> entry) {
    check_name(entry.name);
    const auto same = std::ranges::find_if(entries_, [&](const auto& e) { return e.name == entry.name; });
    if (same == entries_.end())
      entries_.push_back(std::move(entry));
    else if (same->from.empty())
      fail_input("{}: {} '{}' is toroid's own; expected another name", entry.from, kind_, entry.name);
    else if (same->from != entry.from)
      fail_input("{}: {} '{}' is one of {} already; expected another name", entry.from, kind_, entry.name, same->from);
    else
      *same = std::move(entry);
  }

  bool has(std::string_view name) const { return lookup(name) != nullptr; }

  /// The spec that `text` is, as the value of a key of `outer` if that is not null. A path where the registry has an
  /// entry for files is the spec of that entry. Throws InputError where there is neither such a name nor such a file.
  Spec spec(std::string_view text, const Spec* outer = nullptr) const {
    // Names come first: a file that is called like a mapper is ./random.
    const auto name = trim(text.substr(0, text.find(':')));
    if (of_files_.name.empty() || has(name)) return outer == nullptr ? Spec::parse(text) : Spec::inside(*outer, text);
    return spec_of_file(text, of_files_, kind_, names());
  }

  /// The entry that `spec` names; the values of the keys are not read. Throws InputError when the registry has no such
  /// name, or the entry does not take a key of the spec.
  const Entry<Make>& entry(const Spec& spec) const {
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

  /// The entry that `spec` names. Throws InputError as entry() does, and when the entry does not take a value.
  const Entry<Make>& find(const Spec& spec) const {
    const auto& found = entry(spec);
    [[maybe_unused]] const Arguments judged(spec, found.parameters);
    return found;
  }
  const Entry<Make>& find(std::string_view text) const { return find(spec(text)); }

  /// Calls the `make` of the entry that `spec` names, for entries where that is a function; `context` is what the
  /// function takes before the arguments. Throws InputError as find() does, and what the function throws.
  template <class... Context>
  auto make(const Spec& spec, Context&&... context) const {
    const auto& found = entry(spec);
    return found.make(std::forward<Context>(context)..., Arguments(spec, found.parameters));
  }
  template <class... Context>
  auto make(std::string_view text, Context&&... context) const {
    return make(spec(text), std::forward<Context>(context)...);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(entries_.size());
    for (const auto& entry : entries_) all.emplace_back(entry.name);
    return all;
  }

 private:
  const Entry<Make>* lookup(std::string_view name) const {
    const auto found = std::ranges::find_if(entries_, [&](const auto& e) { return e.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  void check_name(std::string_view name) const {
    const auto is_good = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    if (name.empty() || !std::ranges::all_of(name, is_good))
      fail_input("{} '{}': expected a name of letters, digits, - and _", kind_, name);
  }

  void check_keys(const Entry<Make>& entry, const Spec& spec) const {
    std::vector<std::string> valid;
    valid.reserve(entry.parameters.size());
    for (const auto& parameter : entry.parameters) valid.emplace_back(parameter.name);
    for (const auto& [key, value] : spec.parameters())
      if (std::ranges::find(valid, key) == valid.end())
        fail_input("'{}': {} '{}' has no key '{}'{}", excerpt(spec.text()), kind_, entry.name, excerpt(key),
                   valid_instead(key, valid));
  }

  std::string_view kind_;
  std::deque<Entry<Make>> entries_;  // choices point to them
  FileEntry of_files_;
};

/// The type of keys whose value is a spec of a thing in `registry`.
template <class Thing>
Type<Thing> one_of(const Registry<Thing>& registry) {
  return {either(registry.names()), [&registry](std::string_view text, const Place& place) -> std::optional<Thing> {
            return registry.find(Spec::inside(place.spec, text)).make;
          }};
}

/// A thing of `registry`, the function that returns the registry, as a user chose it, with its arguments: a spec that
/// was judged when it was read, so that what is mistyped is told before any work begins, and nobody below reads it
/// again.
template <auto registry>
class Choice {
  using Thing = typename std::remove_cvref_t<decltype(registry())>::Thing;

 public:
  /// Reads a spec such as `random:seed=7`. Implicit: a text may stand for a choice. Throws as Registry::find().
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> Choice(const Text& text)
      : Choice(std::string_view(text), registry().spec(text)) {}

  /// Reads a spec that is the value of a key, perhaps in parentheses. Throws InputError as Registry::find().
  static Choice inside(const Spec& outer, std::string_view text) {
    return {unwrap(text), registry().spec(unwrap(text), &outer)};
  }

  /// The text as it was given.
  const std::string& text() const { return text_; }
  std::string_view name() const { return entry_->name; }
  /// What the entry stands for; where that is a function, make() calls it.
  const Thing& thing() const { return entry_->make; }
  const Arguments& arguments() const { return arguments_; }

  /// Whether the thing has such a key.
  bool takes(std::string_view key) const {
    const auto& all = entry_->parameters;
    return std::ranges::any_of(all, [&](const auto& parameter) { return parameter.name == key; });
  }

  /// Makes the thing; `context` is what its function takes before the arguments. Throws what that throws.
  template <class... Context>
  auto make(Context&&... context) const {
    return entry_->make(std::forward<Context>(context)..., arguments_);
  }

  friend bool operator==(const Choice& a, const Choice& b) { return a.text_ == b.text_; }

 private:
  Choice(std::string_view text, const Spec& spec)
      : text_(text), entry_(&registry().entry(spec)), arguments_(spec, entry_->parameters) {}

  std::string text_;
  const Entry<Thing>* entry_;
  Arguments arguments_;
};

/// The choices that texts are. Throws InputError as Choice does.
template <class AChoice>
std::vector<AChoice> choices_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

/// The texts of choices, or of other things that have a text.
template <class AChoice>
std::vector<std::string> texts_of(const std::vector<AChoice>& choices) {
  std::vector<std::string> texts;
  for (const auto& choice : choices) texts.push_back(choice.text());
  return texts;
}

/// The type of keys whose value is a thing of `registry`: SPEC or (SPEC). `what` says so in messages and help.
// The names are not in `what`: tables of other files may not be there yet when parameters are made.
template <auto registry>
Type<Choice<registry>> choice_in_parentheses(std::string what) {
  return {std::move(what), [](std::string_view text, const Place& place) -> std::optional<Choice<registry>> {
            return Choice<registry>::inside(place.spec, text);
          }};
}

}  // namespace toroid::core
