#pragma once
// The two ways a run can fail for its user. Everything else is a bug and may end in an assertion.
//
//   core::fail_input("{}: found {} nodes, expected {}", path, found, expected);

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include "toroid/core/text.hpp"

namespace toroid::core {

/// Bad arguments or input files: the message is one line that says what was found and what was expected. Exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The inputs were readable but the simulated program fails: a deadlock, an unmatched message. Exit code 1.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The message of a failure for lack of memory.
inline constexpr std::string_view out_of_memory = "not enough memory (ulimit -v, or that of the machine)";

namespace detail {

constexpr std::size_t most_of_an_argument = 1000;

/// A text as a message may show it; anything else as it is.
template <class T>
decltype(auto) shown(const T& argument) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return excerpt(argument, most_of_an_argument);
  else
    return (argument);
}

template <class... Args>
std::string message(fmt::string_view format, const Args&... args) {
  return fmt::vformat(format, fmt::make_format_args(args...));
}

}  // namespace detail

/// Throws InputError with a formatted message. Texts among the arguments are shown as excerpts, as what stands in an
/// input may be long and may control terminals.
template <class... Args>
[[noreturn]] void fail_input(fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(detail::message(format, detail::shown(args)...));
}

/// Throws InputError as fail_input() does, with the place before the message: `file:line: message`. Lines count from 1.
template <class... Args>
[[noreturn]] void fail_input_at(std::string_view file, std::uint64_t line, fmt::format_string<Args...> format,
                                Args&&... args) {
  fail_input("{}:{}: {}", file, line, detail::message(format, detail::shown(args)...));
}

}  // namespace toroid::core
