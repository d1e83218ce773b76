#include "toroid/core/text.hpp"

#include <catch2/catch.hpp>

#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

TEST_CASE("An event is a time, what happens, and to what") {
  const std::vector<std::string> known{"fail-node", "set"};
  const auto read = [&](const std::string& text) {
    const auto event = read_event(text, known, "TIME:EVENT");
    return std::vector{event.time, event.what, event.which};
  };
  using All = std::vector<std::string>;
  CHECK(read("10h:fail-node 0-3 until 14h") == All{"10h", "fail-node", "0-3 until 14h"});
  CHECK(read(" 2ms : set x.bandwidth=x0.5 ") == All{"2ms", "set", "x.bandwidth=x0.5"});
  CHECK(read("2024-05-01T10:00:fail-node a:b") == All{"2024-05-01T10:00", "fail-node", "a:b"});
  CHECK(read("2024-05-01T10:00:30:fail-node 3 until 2024-05-01T11:00") ==
        All{"2024-05-01T10:00:30", "fail-node", "3 until 2024-05-01T11:00"});
  CHECK_THROWS_WITH(read("10h"), "expected TIME:EVENT");
  CHECK_THROWS_WITH(read("2024-05-01T10:00"), "expected TIME:EVENT");
  CHECK_THROWS_WITH(read("10h:fail-nodes 3"), "found 'fail-nodes', expected fail-node or set");
  CHECK_THROWS_WITH(read("10h:"), "found '', expected fail-node or set");
  CHECK_THROWS_WITH(read("10h:set "), "set: found nothing after it, expected TIME:EVENT");
}

TEST_CASE("The last word of its kind cuts a text in two") {
  using Two = std::pair<std::string, std::string>;
  CHECK(cut_off("z=0 until 14h", "until", "a time") == Two{"z=0", "14h"});
  CHECK(cut_off("a until b until c", "until", "a time") == Two{"a until b", "c"});
  CHECK(cut_off("untilled", "until", "a time") == Two{"untilled", ""});
  CHECK_THROWS_WITH(cut_off("z=0 until", "until", "a time"), "until: found nothing after it, expected a time");
}

}  // namespace
}  // namespace toroid::core
