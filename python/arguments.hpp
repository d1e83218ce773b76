#pragma once
// Arguments that several functions of the module take alike, as keywords.

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/text.hpp"
#include "cosim/placement.hpp"
#include "netsim/replay_options.hpp"
#include "python/calls.hpp"

namespace toroid::python {

/// Takes the options of a replay, as netsim::ReplayTexts has them, out of keywords.
netsim::ReplayOptions take_replay(py::dict& keywords);

/// Takes `nodes`, `alloc`, `busy` and `ranks_per_node` out of keywords.
cosim::Placement take_placement(py::dict& keywords);

/// Notes that a keyword may be given, whether it is or not, for check_empty().
void note_keyword(py::dict& keywords, const char* name);

/// Throws TypeError, as Python does, if a keyword is left that nobody took. The text says which one was perhaps meant.
void check_empty(const py::dict& keywords);

/// The text of a keyword, which is taken out; `otherwise` where it is not given or None.
std::string take_text(py::dict& keywords, const char* name, const std::string& otherwise);

/// What a keyword of this type may be, in words.
template <class T>
constexpr std::string_view kind_of = std::is_same_v<T, bool>       ? "True or False"
                                     : std::is_same_v<T, py::dict> ? "a dictionary"
                                     : std::is_floating_point_v<T> ? "a number"
                                     : std::is_unsigned_v<T>       ? "a whole number, not below 0"
                                     : std::is_integral_v<T>       ? "a whole number"
                                                                   : "a list of texts";

/// Takes out a number, a truth value, a list or a dictionary; `otherwise` where it is not given or None. Throws
/// InputError where it is something else.
template <class T>
T take(py::dict& keywords, const char* name, T otherwise) {
  note_keyword(keywords, name);
  if (!keywords.contains(name)) return otherwise;
  const py::object value = keywords.attr("pop")(name);
  if (value.is_none()) return otherwise;
  try {
    return value.cast<T>();
  } catch (const py::cast_error&) {
    core::fail_input("{}: found {}, expected {}", name, core::excerpt(std::string(py::repr(value))), kind_of<T>);
  }
}

/// Takes out a number from `least` to `most`. Throws InputError on another one.
template <class T>
T take_number(py::dict& keywords, const char* name, T otherwise, T least, T most) {
  const T found = take<T>(keywords, name, otherwise);
  if (!(found >= least && found <= most))
    core::fail_input("{}: found {}, expected a number from {} to {}", name, found, least, most);
  return found;
}

constexpr std::size_t most_windows = 4096;

}  // namespace toroid::python
