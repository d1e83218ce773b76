#pragma once
// Arguments that several functions of the module take alike, as keywords.

#include "cli/option.hpp"
#include "python/calls.hpp"
#include "toroid/cosim/placement.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::python {

/// Takes the settings of a table out of keywords. What each may be, and what it is where it is not given or None, are
/// as on the command line. Throws InputError on anything else.
void take(py::dict& keywords, const cli::Options& options);

/// Takes the options of a replay, as netsim::ReplayTexts has them, out of keywords.
netsim::ReplayOptions take_replay(py::dict& keywords);

/// Takes `nodes`, `alloc`, `busy` and `ranks_per_node` out of keywords.
cosim::Placement take_placement(py::dict& keywords);

/// Takes what messages mappers see, out of the keyword `name`.
mapping::MatrixKind take_matrix(py::dict& keywords, const char* name = "matrix");

/// Notes that a keyword may be given, whether it is or not, for check_empty(), and what type hints call its values.
void note_keyword(py::dict& keywords, const char* name, const char* hint);

/// Says what takes the keywords of a function of the package, for keywords_of().
void note_function(const std::string& function, std::function<void(py::dict& keywords)> take);
/// The keywords of a function, each with its type hint.
py::dict keywords_of(const std::string& function);

/// Throws TypeError, as Python does, if a keyword is left that nobody took. The text says which one was perhaps meant.
void check_empty(const py::dict& keywords);

/// The text of a keyword, which is taken out; `otherwise` where it is not given or None.
std::string take_text(py::dict& keywords, const char* name, const std::string& otherwise);

/// The texts of a keyword: a list, or a single text, which is taken out; `otherwise` where it is not given or None.
std::vector<std::string> take_texts(py::dict& keywords, const char* name, std::vector<std::string> otherwise);

/// What a keyword of this type may be, in words.
template <class T>
constexpr std::string_view kind_of = std::is_same_v<T, bool>       ? "True or False"
                                     : std::is_floating_point_v<T> ? "a number"
                                     : std::is_unsigned_v<T>       ? "a whole number, not below 0"
                                     : std::is_integral_v<T>       ? "a whole number"
                                                                   : "a list of texts";

/// What type hints call it.
template <class T>
constexpr const char* hint_of = std::is_same_v<T, bool>       ? "bool"
                                : std::is_floating_point_v<T> ? "float"
                                : std::is_integral_v<T>       ? "int"
                                                              : "Sequence[str]";

/// Takes out a number, a truth value or a list; `otherwise` where it is not given or None. Throws InputError where it
/// is something else.
template <class T>
T take(py::dict& keywords, const char* name, T otherwise) {
  note_keyword(keywords, name, hint_of<T>);
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

}  // namespace toroid::python
