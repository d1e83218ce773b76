#pragma once
// Spec strings: an algorithm or machine with its parameters, the same text everywhere.
//   name[:argument][,key=value]...      consecutive   random:seed=7   mesh:8x8,bw=1GBps   refine:base=(grasp:cost=td)
//
// Keys, too: what the things in a registry can be told, each with its type, range and default, said once, beside the
// code that uses them. `toroid list` prints them; a spec is checked against them before that code runs, which gets
// values of the right type and parses no text.
//
//   const core::Parameter<std::int64_t> sweeps{"sweeps", "proposed swaps of each rank", core::whole(1, 1000), "300"};
//   ...
//   arguments[sweeps]  // a std::int64_t from 1 to 1000

#include <any>
#include <functional>
#include <map>

#include "toroid/core/error.hpp"

namespace toroid::core {

/// The text without the pair of parentheses around it, in which a spec stands as the value of another spec's key; text
/// without such a pair is returned unchanged.
std::string_view unwrap(std::string_view value);

class Spec {
 public:
  /// Throws InputError on an empty name, a key without value, or a key given twice, unless `repeats` allows that.
  static Spec parse(std::string_view text, bool repeats = false);
  /// Parses a spec that is a value in `outer`. Throws InputError as parse() does, and when there are more than
  /// `most_nested` specs around it.
  static Spec inside(const Spec& outer, std::string_view text);
  /// `name:argument`, where the argument may have any characters, as a path has.
  static Spec with_argument(std::string_view name, std::string_view argument);

  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  /// The part after the colon that is not key=value: the `8x8` of `mesh:8x8`. Empty if there is none.
  const std::string& argument() const { return argument_; }
  const std::vector<std::pair<std::string, std::string>>& parameters() const { return parameters_; }

  std::optional<std::string> find(std::string_view key) const;

 private:
  static constexpr int most_nested = 20;

  int nested_ = 0;  ///< specs around it
  std::string text_, name_, argument_;
  std::vector<std::pair<std::string, std::string>> parameters_;
};

/// Where a value stands: the spec and the key in it.
struct Place {
  const Spec& spec;
  std::string_view key;

  std::string text() const;  ///< `'random:seed=x': seed`, for messages
};

/// What a key may be set to.
template <class T>
struct Type {
  std::string values;  ///< after "expected" and in help: `a whole number from 1 to 50`
  /// Returns what `text` stands for, or nothing if it is none of the values. May throw an InputError that says more.
  std::function<std::optional<T>(std::string_view text, const Place& place)> parse;

  /// Returns what `text` stands for. Throws InputError, with the place, when it is none of the values.
  T read(std::string_view text, const Place& place) const {
    auto value = parse(text, place);
    if (!value) fail_input("{}={}: expected {}", place.text(), excerpt(text), values);
    return *std::move(value);
  }
};

/// Whole decimal numbers from `low` to `high`. A number that is too large for `Integer` is refused, not cut.
template <class Integer>
Type<Integer> whole(Integer low, Integer high) {
  return {fmt::format("a whole number from {} to {}", low, high),
          [=](std::string_view text, const Place&) -> std::optional<Integer> {
            const auto value = parse_number<Integer>(text);
            return value && *value >= low && *value <= high ? value : std::nullopt;
          }};
}

Type<bool> yes_or_no();
Type<std::uint64_t> whole_bytes();  ///< `64KiB`, see units.hpp
/// `8x4x2`: up to `most_axes` extents of 1 or more, whose product is at most `most_places`.
Type<std::vector<std::int32_t>> extents(std::size_t most_axes, std::int64_t most_places);

/// One of a few words, which stand for values.
template <class T>
Type<T> one_of(std::vector<std::pair<std::string_view, T>> choices) {
  std::vector<std::string> words;
  words.reserve(choices.size());
  for (const auto& choice : choices) words.emplace_back(choice.first);
  return {either(words), [choices = std::move(choices)](std::string_view text, const Place&) -> std::optional<T> {
            for (const auto& [word, value] : choices)
              if (word == text) return value;
            return std::nullopt;
          }};
}

/// A key as `toroid list` and the registry see it.
struct AnyParameter {
  std::string_view name, help;
  std::string values, fallback;
  std::function<std::any(const Spec&)> read;  ///< its value in a spec. Throws InputError.
};

/// A key whose values are of type T. It adds no data to AnyParameter, so an AnyParameter can hold a copy of it.
template <class T>
struct Parameter : AnyParameter {
  /// `otherwise` is the text that stands for the value where the key is not given.
  Parameter(std::string_view key, std::string_view meaning, const Type<T>& type, const std::string& otherwise)
      : AnyParameter{key, meaning, type.values, otherwise, [=](const Spec& spec) -> std::any {
                       return type.read(spec.find(key).value_or(otherwise), {spec, key});
                     }} {}
};

/// A key that may stay without a value; `otherwise` says in words what happens then.
template <class T>
struct OptionalParameter : AnyParameter {
  OptionalParameter(std::string_view key, std::string_view meaning, const Type<T>& type, const std::string& otherwise)
      : AnyParameter{key, meaning, type.values, otherwise, [=](const Spec& spec) -> std::any {
                       const auto text = spec.find(key);
                       return text ? std::optional<T>(type.read(*text, {spec, key})) : std::nullopt;
                     }} {}
};

/// The value of each parameter in a spec: the one that the spec gives, or else the default.
class Arguments {
 public:
  /// Throws InputError on a value that its parameter does not take. The keys must be those of the parameters.
  Arguments(Spec spec, const std::vector<AnyParameter>& parameters);

  const Spec& spec() const { return spec_; }

  /// `parameter` must be one of those that the constructor was given.
  template <class T>
  const T& operator[](const Parameter<T>& parameter) const {
    return std::any_cast<const T&>(values_.at(parameter.name));
  }
  template <class T>
  const std::optional<T>& operator[](const OptionalParameter<T>& parameter) const {
    return std::any_cast<const std::optional<T>&>(values_.at(parameter.name));
  }

 private:
  Spec spec_;
  std::map<std::string_view, std::any> values_;
};

}  // namespace toroid::core
