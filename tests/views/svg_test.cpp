#include "views/svg.hpp"

#include "tests/views/pictures.hpp"

using namespace toroid;
using views::escape;

TEST_CASE("markup is escaped, what XML cannot hold is replaced") {
  CHECK(escape("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escape("\u00fc\u20ac\U0001F600\t") == "\u00fc\u20ac\U0001F600\t");
  const std::string replaced = "\uFFFD";
  CHECK(escape(std::string_view("\0", 1)) == replaced);
  CHECK(escape("\x1b[0m") == replaced + "[0m");
  CHECK(escape("\xff") == replaced);
  CHECK(escape("\xc3") == replaced);                                               // ends early
  CHECK(escape("\xc3(") == replaced + "(");                                        // goes on wrongly
  CHECK(escape("\xc0\xaf") == replaced + replaced);                                // longer than it need be
  CHECK(escape("\xed\xa0\x80") == replaced + replaced + replaced);                 // half of a surrogate pair
  CHECK(escape("\xf4\x90\x80\x80") == replaced + replaced + replaced + replaced);  // beyond Unicode
  CHECK(escape("\xef\xbf\xbf") == replaced + replaced + replaced);                 // U+FFFF
}

TEST_CASE("lengths have at most two digits") {
  CHECK(views::number(3) == "3");
  CHECK(views::number(0.125) == "0.13");
  CHECK(views::number(1.5) == "1.5");
  CHECK(views::number(100) == "100");
  CHECK(views::number(-0.001) == "0");
}

TEST_CASE("a picture is XML that says what was drawn") {
  views::Svg svg(200, 100, "<title>");
  svg.open_group({{"id", "a\"b"}}, "group & tip");
  svg.shape("circle", {{"cx", 1.0}, {"r", 0.5}}, "tip");
  svg.close_group();
  svg.line(0, 1, 2, 3, "grid");
  svg.text(5, 6, "x < y", {{"class", "label"}}, "full");
  const auto document = test::parsed(svg.finish());
  const auto root = document.child("svg");
  CHECK(root.attribute("viewBox").value() == std::string("0 0 200 100"));
  CHECK(root.child("title").text().get() == std::string("<title>"));
  CHECK(root.child("g").attribute("id").value() == std::string("a\"b"));
  CHECK(root.child("g").child("title").text().get() == std::string("group & tip"));
  CHECK(root.child("g").child("circle").child("title").text().get() == std::string("tip"));
  CHECK(test::attribute(root.child("line"), "y2") == 3);
  CHECK(root.child("text").last_child().value() == std::string("x < y"));
}

TEST_CASE("series have colours of their own, and paler ones when those are used up") {
  CHECK(views::series_class(0) != views::series_class(9));
  CHECK(views::series_class(10) == views::series_class(0) + " again");
}
