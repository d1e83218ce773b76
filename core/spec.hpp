#pragma once
// Spec strings: an algorithm or machine with its parameters, the same text everywhere.
//   name[:argument][,key=value]...      consecutive   random:seed=7   mesh:8x8,bw=1GBps   refine:base=(grasp:cost=td)

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace toroid::core
