#pragma once
// A thing of a registry as a user chose it: a spec that was judged when it was read, so that what is mistyped is told
// before any work begins, and nobody below reads it again.

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/registry.hpp"

namespace toroid::core {

/// A thing of `registry`, the function that returns the registry, with its arguments.
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
    return std::any_of(all.begin(), all.end(), [&](const auto& parameter) { return parameter.name == key; });
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
