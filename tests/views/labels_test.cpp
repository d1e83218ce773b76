#include "views/labels.hpp"

#include <catch2/catch.hpp>

using namespace toroid::views;
using Names = std::vector<std::string>;

TEST_CASE("paths lose what they share") {
  CHECK(short_names({"d/cg.A/trace.ti", "d/mg.A/trace.ti"}) == Names{"cg.A", "mg.A"});
  CHECK(short_names({"d/cg.A/trace.ti", "stencil:grid=2x2", "d/mg.A/trace.ti"}) ==
        Names{"cg.A", "stencil:grid=2x2", "mg.A"});
  CHECK(short_names({"a/x.ti", "a/b/x.ti"}) == Names{"x.ti", "b/x.ti"});  // the file name is all there is of the first
  CHECK(short_names({"d/a.ti", "d/b.ti"}) == Names{"a.ti", "b.ti"});
  CHECK(short_names({"very/long/cg.A/trace.ti"}) == Names{"cg.A/trace.ti"});
  CHECK(short_names({"cg", "mg"}) == Names{"cg", "mg"});
  CHECK(short_names({}).empty());
}

TEST_CASE("names that would be alike stay as they are") {
  CHECK(short_names({"d/cg", "d/mg", "cg"}) == Names{"d/cg", "d/mg", "cg"});
}

TEST_CASE("long texts lose their middle") {
  CHECK(shortened("abcdefgh", 8) == "abcdefgh");
  CHECK(shortened("abcdefghi", 6) == "abc\u2026hi");
  CHECK(shortened("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc", 3) == "\u00e4\u2026\u00fc");
  CHECK(fitted("short", 12, 500) == "short");
  for (const double width : {50.0, 100.0, 333.0})
    CHECK(text_width(fitted(std::string(200, 'x'), 12, width), 12) <= width);
  CHECK(fitted("abcdef", 12, 1) == "a\u2026f");
}
