#pragma once
// What is said of traces that cannot be opened.

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/support.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::workloads {

/// The message for a trace of that name; an empty string if it opens.
inline std::string error_of_trace(const std::string& name) {
  return test::error_of([&] { open_trace(name); });
}

/// The message for a file of that name with that text, from its line on: `12: send: ...`.
inline std::string error_of_file(const std::string& name, const std::string& text) {
  const test::Scratch scratch;
  const auto path = scratch.write(name, text);
  const auto error = error_of_trace(path);
  CHECK(error.find('\n') == std::string::npos);
  return error.starts_with(path + ":") ? error.substr(path.size() + 1) : error;
}

}  // namespace toroid::workloads
