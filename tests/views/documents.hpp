#pragma once
// Reading documents of columns, and looking at pages in a browser.

#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

namespace toroid::test {

/// Reads a document as docs/reference/run-columns.md says.
class Document {
 public:
  explicit Document(const std::string& text) {
    const auto end = text.find('\n');
    head = core::parse_json(text.substr(0, end));
    const test::Scratch scratch;
    core::LineReader reader(scratch.write("numbers.gz", text.substr(end + 1)));
    for (std::uint8_t byte; reader.read(&byte, 1);) bytes_ += static_cast<char>(byte);
  }

  template <class Number>
  std::vector<Number> column(const std::string& name) const {
    const auto& c = head["columns"][name];
    std::vector<Number> values(c["count"].get<std::size_t>());
    const auto at = c["at"].get<std::size_t>();
    REQUIRE(at % 8 == 0);
    REQUIRE(at + values.size() * sizeof(Number) <= bytes_.size());
    if (!values.empty()) std::memcpy(values.data(), bytes_.data() + at, values.size() * sizeof(Number));
    return values;
  }

  core::Json head;

 private:
  std::string bytes_;
};

inline double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Runs a script of tests/browser/ with a browser, and returns what it prints; skipped, and empty, where there is none.
inline std::string run_browser_script(const std::string& script, const std::string& arguments) {
  if (run_script("command -v chromium && command -v /usr/bin/python3").exit_code != 0) {
    WARN("skipped: there is no chromium, or no python3");
    return {};
  }
  const auto seen =
      run_script("/usr/bin/python3 " + source_folder() + "/tests/browser/" + script + " chromium " + arguments);
  if (seen.exit_code == 77) {
    WARN("skipped: chromium does not start here: " << seen.err);
    return {};
  }
  INFO(seen.err);
  CHECK(seen.exit_code == 0);
  return seen.out;
}

/// Lets a script look at a page.
inline void look_at_page(const std::string& script, const std::string& page, const std::string& arguments = {}) {
  run_browser_script(script, page + " " + arguments);
}

}  // namespace toroid::test
