#pragma once
// What these tests ask of results.

#include <catch2/catch.hpp>
#include <vector>

#include "toroid/core/json.hpp"

namespace toroid::test {

constexpr double us = 1e-6;

/// When a rank ends, in s.
inline double finish(const core::Json& result, std::size_t rank) {
  return result["ranks"][rank]["finish_s"];
}

/// One number for each job.
inline void check_jobs(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t job = 0; job < found.size(); ++job)
    CHECK(found[job] == Approx(expected[job]).epsilon(1e-8).margin(1e-12));
}

}  // namespace toroid::test
