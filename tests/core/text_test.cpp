#include "core/text.hpp"

#include <catch2/catch.hpp>

namespace toroid::core {
namespace {

using Parts = std::vector<std::string_view>;

TEST_CASE("Splitting keeps empty parts") {
  CHECK(split("a,b,,c,", ',') == Parts{"a", "b", "", "c", ""});
  CHECK(split("", ',') == Parts{""});
  CHECK(split("abc", ',') == Parts{"abc"});
}

TEST_CASE("Separators inside parentheses do not split") {
  CHECK(split("a=(b,(c,d),e),f", ',') == Parts{"a=(b,(c,d),e)", "f"});
}

TEST_CASE("Trimming takes the white space at both ends only") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("Joining puts the separator between the parts") {
  CHECK(join({"a", "b", "c"}) == "a, b, c");
  CHECK(join({"a"}) == "a");
  CHECK(join({}).empty());
  CHECK(join({"a", "b"}, "/") == "a/b");
}

TEST_CASE("A number is a number to its last character") {
  CHECK(parse_number<int>("-17") == -17);
  CHECK(parse_number<double>("1.5e3") == 1500.0);
  for (const std::string_view text : {"", " 1", "1 ", "1x", "+1", "1.5", "99999999999"}) {
    CAPTURE(text);
    CHECK(parse_number<int>(text) == std::nullopt);
  }
  CHECK(parse_number<unsigned>("-1") == std::nullopt);
}

}  // namespace
}  // namespace toroid::core
