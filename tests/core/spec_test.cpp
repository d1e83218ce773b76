#include "toroid/core/parameter.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string error_of_spec(const std::string& text) {
  return test::error_of([&] { Spec::parse(text); });
}

TEST_CASE("A bare name is a spec without argument and parameters") {
  const auto spec = Spec::parse("consecutive");
  CHECK(spec.name() == "consecutive");
  CHECK(spec.argument().empty());
  CHECK(spec.parameters().empty());
}

TEST_CASE("The argument comes first, the parameters keep their order") {
  const auto spec = Spec::parse("mesh:8x8,lat=1us,bw=1GBps");
  CHECK(spec.name() == "mesh");
  CHECK(spec.argument() == "8x8");
  CHECK(spec.parameters() == Parameters{{"lat", "1us"}, {"bw", "1GBps"}});
}

TEST_CASE("A spec can have parameters without an argument") {
  const auto spec = Spec::parse("random:seed=7");
  CHECK(spec.argument().empty());
  CHECK(spec.parameters() == Parameters{{"seed", "7"}});
}

TEST_CASE("A spec remembers its text to the letter") {
  CHECK(Spec::parse("mesh: 8x8 , bw = 1GBps").text() == "mesh: 8x8 , bw = 1GBps");
}

TEST_CASE("Blanks around the parts of a spec mean nothing") {
  const auto spec = Spec::parse(" mesh : 8x8 , bw = 1GBps ");
  CHECK(spec.name() == "mesh");
  CHECK(spec.argument() == "8x8");
  CHECK(spec.parameters() == Parameters{{"bw", "1GBps"}});
}

TEST_CASE("A value keeps everything behind the first equals sign") {
  CHECK(Spec::parse("a:b=c=d").parameters() == Parameters{{"b", "c=d"}});
}

TEST_CASE("A spec in parentheses is the value of a key") {
  const auto outer = Spec::parse("refine:base=(grasp:cost=td,iterations=50),rounds=3");
  CHECK(outer.parameters() == Parameters{{"base", "grasp:cost=td,iterations=50"}, {"rounds", "3"}});
  CHECK(Spec::parse(outer.find("base").value()).parameters() == Parameters{{"cost", "td"}, {"iterations", "50"}});
}

TEST_CASE("Parentheses nest") {
  const auto outer = Spec::parse("a:b=(c:d=(e:f=1,g=2),h=3),i=4");
  const auto middle = Spec::parse(outer.find("b").value());
  const auto inner = Spec::parse(middle.find("d").value());
  CHECK(outer.find("i") == "4");
  CHECK(middle.find("h") == "3");
  CHECK(inner.parameters() == Parameters{{"f", "1"}, {"g", "2"}});
}

TEST_CASE("A value of two parenthesised parts keeps its parentheses") {
  CHECK(Spec::parse("a:b=(c)(d)").find("b") == "(c)(d)");
}

TEST_CASE("Parentheses that do not match are an error") {
  for (const std::string text : {"a:b=(c,d=1", "a:b=c),d=1"}) {
    CAPTURE(text);
    CHECK_FALSE(error_of_spec(text).empty());
  }
}

TEST_CASE("A spec without a name is an error") {
  for (const std::string text : {"", " ", ":8x8", " :a=1"}) {
    CAPTURE(text);
    CHECK(error_of_spec(text).find("expected name") != std::string::npos);
  }
}

TEST_CASE("A part that is no key=value is an error") {
  for (const std::string text : {"a:", "a:b,c", "a:b=", "a:=1", "a:b=1,c", "a:b=1,", "a:b,,c=1", "a:b=()"}) {
    CAPTURE(text);
    CHECK(error_of_spec(text).find("expected key=value") != std::string::npos);
  }
}

TEST_CASE("A key given twice is an error that names it") {
  CHECK(error_of_spec("a:b=1,c=2,b=3") == "'a:b=1,c=2,b=3': 'b' is given twice");
}

TEST_CASE("A key that is absent has no value") {
  CHECK(Spec::parse("a:b=1").find("b") == "1");
  CHECK(Spec::parse("a:b=1").find("c") == std::nullopt);
}

TEST_CASE("A message has an excerpt of a long spec, without its control characters") {
  const auto error = error_of_spec("a:b=\x1b[31m" + std::string(1'000'000, 'x') + ",b=2");
  CHECK(error.size() < 200);
  CHECK(error.find('\x1b') == std::string::npos);
}

}  // namespace
}  // namespace toroid::core
