#include "toroid/core/json.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "tests/support/damaged.hpp"

namespace toroid::core {
namespace {

std::string nested(int depth, const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

std::uint64_t line_of_error(const std::string& text) {
  try {
    parse_json(text);
  } catch (const JsonError& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error.line;
  }
  return ~std::uint64_t{0};
}

TEST_CASE("JSON is read as it is written") {
  const std::string text = R"({"b":[1,2.5,"x\"[{"],"a":{"c":null}})";
  CHECK(json_text(parse_json(text)) == text);
  CHECK(json_text(parse_json<SearchedJson>(text)) == R"({"a":{"c":null},"b":[1,2.5,"x\"[{"]})");
}

TEST_CASE("an object of fields is what its list of pairs is, and takes in the fields of another") {
  const std::string text = "a text that is longer than the room in a string";
  const Json list{1, 2.5, nullptr}, inner{{"x", text}};
  Json made = object({{"b", 1}, {text, text}, {"list", list}, {"none", {}}, {"a", inner}, {"first", text.c_str()}});
  CHECK(json_text(made) ==
        json_text(Json{{"b", 1}, {text, text}, {"list", list}, {"none", nullptr}, {"a", inner}, {"first", text}}));
  CHECK(json_text(object({})) == "{}");
  auto expected = made;
  expected.update(Json{{"more", list}, {"last", true}});
  append(made, object({{"more", list}, {"last", true}}));
  CHECK(json_text(made) == json_text(expected));
}

TEST_CASE("an object that grows keeps its fields, their order and the values where they are") {
  auto whole = object({{"table", Json::array({1, 2, 3})}});
  const auto* first = &whole["table"][0];
  Json expected{{"table", {1, 2, 3}}};
  for (int i = 0; i < 20; ++i) {
    const auto name = "field " + std::to_string(i);
    add(whole, {{name, i}}, 2);
    append(whole, object({{name + "b", {}}, {name + "c", name}}));
    expected.update(Json{{name, i}, {name + "b", nullptr}, {name + "c", name}});
  }
  CHECK(json_text(whole) == json_text(expected));
  CHECK(&whole["table"][0] == first);  // a copy would lie elsewhere
  const auto room = whole.get_ref<Json::object_t&>().capacity();
  reserve(whole, 0);
  CHECK(whole.get_ref<Json::object_t&>().capacity() == room);
}

TEST_CASE("JSON that is too deep is an error, whatever it is made of; brackets in texts are no depth") {
  CHECK_NOTHROW(parse_json(nested(100, "[", "]")));
  CHECK_NOTHROW(parse_json("\"" + nested(1000, "[{", "}]") + R"(\\\"[[)" + "\""));
  CHECK_NOTHROW(parse_json("[" + std::string(1000, ' ') + R"([],[],{"a":[]}])"));
  for (const int depth : {101, 80'000, 1'000'000}) {
    CHECK_THROWS_WITH(parse_json(nested(depth, "[", "]")), Catch::Contains("more than 100 deep"));
    CHECK_THROWS_WITH(parse_json(nested(depth, "{\"a\":", "}")), Catch::Contains("more than 100 deep"));
    CHECK_THROWS_WITH(parse_json(std::string(static_cast<std::size_t>(depth), '[')), Catch::Contains("deep"));
  }
  CHECK(line_of_error("[1,\n" + nested(100, "[\n", "]") + "]") == 101);
}

TEST_CASE("A field that an object has twice is an error, whatever it is in") {
  for (const std::string twice : {R"({"a": 1, "b": 2, "a": 1})", R"([{"x": {"a": [], "c\"": 0, "a": {}}}])",
                                  R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}], "\u0061": 3})"}) {
    CHECK_THROWS_WITH(parse_json(twice), Catch::Contains("found the field 'a' twice in an object"));
    CHECK_THROWS_WITH(parse_json<SearchedJson>(twice), Catch::Contains("'a' twice"));
  }
  CHECK_NOTHROW(parse_json(R"({"a": {"a": {"a": "a:a,:"}}, "b:": [{"a": 1}, {"a": 2, ":\":": 3}]})"));
}

TEST_CASE("What is no JSON is an error that knows its line") {
  CHECK(line_of_error("") == 1);
  CHECK(line_of_error("{\n\"a\": 1,\n}") == 3);
  CHECK(line_of_error("[1e999]") == 0);
  Random random(1, "json");
  const std::string good = R"({"a": [1, -2.5e3, "t\\e\u00e9xt", null, {"b": {}}], "c": true})";
  for (int i = 0; i < 2000; ++i) {
    const auto text = test::damaged(good, random);
    test::read_or_be_refused([&] { parse_json(text); });
  }
}

}  // namespace
}  // namespace toroid::core
