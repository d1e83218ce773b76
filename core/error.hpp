#pragma once
// The two ways a run can fail for its user. Everything else is a bug and may end in an assertion.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

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

template <class... Args>
[[noreturn]] void fail_input(fmt::format_string<Args...> format, Args&&... args) {
  throw InputError(fmt::format(format, std::forward<Args>(args)...));
}

/// As fail_input, with the place in front: `file:line: message`. Lines count from 1.
template <class... Args>
[[noreturn]] void fail_input_at(std::string_view file, std::uint64_t line, fmt::format_string<Args...> format,
                                Args&&... args) {
  throw InputError(fmt::format("{}:{}: {}", file, line, fmt::format(format, std::forward<Args>(args)...)));
}

}  // namespace toroid::core
