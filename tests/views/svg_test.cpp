#include "views/charts/svg.hpp"

#include <set>

#include "tests/views/pictures.hpp"

using namespace toroid;

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
  const auto last = views::series_colors - 1;
  CHECK(views::series_class(0) != views::series_class(last));
  CHECK(views::series_class(views::series_colors) == views::series_class(0) + " again");
  // Each has a colour in the style sheet, which no other one has.
  const auto style = views::Svg(1, 1, "").finish();
  std::set<std::string> colours;
  for (std::size_t series = 0; series <= last; ++series) {
    const auto rule = "." + views::series_class(series) + " { color: ";
    const auto at = style.find(rule);
    REQUIRE(at != std::string::npos);
    colours.insert(style.substr(at + rule.size(), 7));
  }
  CHECK(colours.size() == views::series_colors);
}
