#include "views/charts/labels.hpp"

#include <catch2/catch.hpp>
#include <set>

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

TEST_CASE("a slash that parts values, or stands in parentheses, makes no path") {
  for (const std::string name : {"mesh:4x4,y.exceptions=(0/2 latency=1us)", "refine:base=(file:d/m.map)",
                                 "mesh:4x4,bandwidth=4GBps/2GBps", "(a/b)", "(a/b"}) {
    CHECK(short_names({name}) == Names{name});
    CHECK(short_names({name, "mesh:8x8,bandwidth=1GBps/2GBps"}) == Names{name, "mesh:8x8,bandwidth=1GBps/2GBps"});
    CHECK(short_names({"a/b/x.ti", name, "a/c/x.ti"}) == Names{"b", name, "c"});
  }
  CHECK(short_names({"/", "//"}) == Names{"/", "//"});
}

TEST_CASE("long texts that lose what tells them apart lose their beginning instead") {
  CHECK(shortened_apart({"archi.xml x.bandwidth=x2", "archi.xml y.bandwidth=x2", "archi.xml"}, 16) ==
        Names{"\u2026l x.bandwidth=\u2026", "\u2026l y.bandwidth=\u2026", "archi.xml"});
  CHECK(shortened_apart({"aaaaaaaaaa", "aaaaaaaaaa"}, 5) == Names{"aa\u2026aa", "aa\u2026aa"});  // nothing does
  const std::string same(40, 'u'), umlauts = "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc";
  for (std::size_t most = 3; most < 20; ++most)
    for (const auto& names :
         {Names{same, same + "a", same + "b", same + "bb"}, Names{same + "a" + same, same + "b" + same},
          Names{umlauts + "a" + umlauts, umlauts + umlauts, umlauts + "\u00fc" + umlauts},
          Names{same + "1" + same + "1" + same, same + "1" + same + "2" + same, same + "3" + same}}) {
      const auto shown = shortened_apart(names, most);
      CAPTURE(most, shown);
      CHECK(std::set<std::string>(shown.begin(), shown.end()).size() == names.size());
      for (const auto& one : shown) CHECK(text_width(one, 1) <= text_width(std::string(most, 'x'), 1) * (1 + 1e-9));
    }
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
