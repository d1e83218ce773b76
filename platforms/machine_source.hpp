#pragma once
// Where a machine comes from: the PLATFORM argument of the command.

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/intervals.hpp"
#include "platforms/machine.hpp"

namespace toroid::platforms {

/// A PLATFORM argument, as describe() takes it.
class MachineSource {
 public:
  /// Implicit, so that a text may stand where a source is wanted. Throws InputError unless there is such a kind, preset
  /// or file, and a kind or preset has such properties and values; files are not read.
  template <class Text>
  requires std::convertible_to<const Text&, std::string_view> MachineSource(const Text& text)
      : text_(std::string_view(text)) {
    check();
  }

  const std::string& text() const { return text_; }
  /// What describe() makes of the argument. Throws InputError where the machine cannot be read.
  Description describe(const Choose& choose = best_estimate) const;
  /// The machine whose intervals have their best estimates. Throws likewise, and where there is no best estimate.
  Machine machine() const { return Machine(describe()); }
  /// The intervals of the argument and of its file (intervals_of()).
  std::vector<PropertyInterval> intervals() const;

  friend bool operator==(const MachineSource&, const MachineSource&) = default;

 private:
  void check() const;

  std::string text_;
};

}  // namespace toroid::platforms
