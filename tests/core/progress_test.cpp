#include "core/progress.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <thread>

#include "tests/support/support.hpp"
#include "tests/support/variable.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

/// What the action says on standard error, which is no terminal meanwhile.
template <class Action>
std::string said(Action action) {
  const test::Scratch scratch;
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  std::FILE* file = std::fopen(scratch.path("said").c_str(), "w");
  ::dup2(::fileno(file), STDERR_FILENO);
  action();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  std::fclose(file);
  return test::content(scratch.path("said"));
}

void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
}

TEST_CASE("Without a terminal long work says a line now and then how far it is") {
  const test::Variable often("TOROID_PROGRESS", "0.001");
  const auto with_total = said([] {
    Progress bar("working", 200);
    wait_a_little();
    bar.update(50);
    wait_a_little();
    bar.update(400);
  });
  CHECK_THAT(with_total, Catch::StartsWith("toroid: working: 25.0 % in 0 s, about 0 s left\n") &&
                             Catch::EndsWith("toroid: working: 100.0 % in 0 s, about 0 s left\n"));
  const auto without = said([] {
    Progress bar("work\x1b[1m", 0);
    wait_a_little();
    bar.update(12'300'000);
  });
  CHECK(without == "toroid: work\\x1b[1m: 12.3 million done in 0 s\n");
}

TEST_CASE("What is left is told by how fast the work goes now, not by how fast it began") {
  const test::Variable often("TOROID_PROGRESS", "0.001");
  const auto text = said([] {
    Progress bar("working", 1000);
    bar.update(500);  // at once
    for (std::uint64_t done = 500; done < 540; ++done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      bar.update(done);
    }
  });
  // 460 more of them take 30 ms each or a little longer, as they would not by the average.
  const auto last = text.substr(text.rfind("toroid: "));
  CHECK_THAT(last, Catch::Contains("toroid: working: 53.9 % in 1 s, about 1"));
  const auto left = std::stod(last.substr(last.find("about ") + 6));
  CHECK(left >= 13);
}

TEST_CASE("Short work says nothing, nor does any where that is asked for") {
  const auto work = [] {
    Progress bar("working", 2);
    wait_a_little();
    bar.update(1);
  };
  CHECK(said(work).empty());
  const test::Variable never("TOROID_PROGRESS", "0");
  CHECK(said(work).empty());
}

TEST_CASE("How often is a number of seconds") {
  const test::Variable wrong("TOROID_PROGRESS", "often");
  CHECK_THAT(test::error_of([] { Progress("working", 1); }),
             Catch::Contains("TOROID_PROGRESS: found 'often', expected seconds"));
}

TEST_CASE("Large numbers are about right") {
  CHECK(about(0) == "0");
  CHECK(about(9999) == "9999");
  CHECK(about(123'456) == "123 thousand");
  CHECK(about(3.21e6) == "3.21 million");
  CHECK(about(6.4e10) == "64 thousand million");
  CHECK(about(1.5e18) == "1.5e+18");
}

}  // namespace
}  // namespace toroid::core
