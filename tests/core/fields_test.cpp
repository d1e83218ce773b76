#include "toroid/core/fields.hpp"

#include <catch2/catch.hpp>

#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

struct Point {
  int x = 1;
  std::optional<double> y = {};
  std::string name = "a";
};

const Object<Point> point{"point",
                          {{"x", "count", "where", &Point::x},
                           {"y", "number or null", "where", &Point::y},
                           {"name", "text", "only if there is one", [](auto& p) { return unless_empty(p.name); }}}};
const Object<Point> marked{"marked",
                           {version_field<Point>(),
                            {"...", "fields of point", "where the mark is", [](auto& p) { return point(p); }},
                            {"later", "yes or no", "only elsewhere: written by others", {}}}};

/// Tables with a list, an object by names and words in capitals, besides the points.
std::vector<ObjectText> tables() {
  return {point,
          marked,
          {"drawing",
           {{"points", "list of point", "some"},
            {"by_name", "point or null by name", "some"},
            {"SUBJECTs", "list of text", "some"},
            {"for_PURPOSE_s", "seconds", "some"}}}};
}

std::string complaint(const char* text, std::string_view object = "drawing") {
  try {
    check_document(parse_json(text), object, tables());
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("objects are written by their tables, in their order") {
  CHECK(point({}).dump() == R"({"x":1,"y":null,"name":"a"})");
  CHECK(point({2, 0.5, ""}).dump() == R"({"x":2,"y":0.5})");
  CHECK(marked({}).dump() == R"({"schema_version":2,"x":1,"y":null,"name":"a"})");
  CHECK(point.list(std::vector<Point>(2, {3, {}, ""})).dump() == R"([{"x":3,"y":null},{"x":3,"y":null}])");
  const ObjectText text = point;
  CHECK(text.name == "point");
  CHECK(text.fields[1].type == "number or null");
}

TEST_CASE("a document beside its tables: the first field that is wrong is named") {
  CHECK(complaint(R"({"points": [{"x": 1, "y": null}], "by_name": {"b": null, "c": {"x": 1, "y": 2, "name": "c"}},
                      "maps": ["a"], "for_data_s": 1.5})")
            .empty());
  CHECK(complaint(R"({"points": [{"x": 1.5, "y": null}], "by_name": {}})") == "points[0].x: found 1.5, expected count");
  CHECK(complaint(R"({"points": [{"x": 1, "y": 2, "nam": "c"}], "by_name": {}})") ==
        "found the unknown field 'points[0].nam'; did you mean 'name'? valid: x, y, name");
  CHECK(complaint(R"({"points": 1, "by_name": {}})") == "points: found 1, expected list of point");
  CHECK(complaint(R"({"points": [], "by_name": {"b": 1}})") == "by_name[\"b\"]: found 1, expected point or null");
  CHECK(complaint(R"({"points": [], "by_name": {}, "lists": []})").find("unknown field 'lists'") != std::string::npos);
  CHECK(complaint(R"({"schema_version": 2, "x": 1, "y": 0})", "marked").empty());
  CHECK(complaint(R"({"schema_version": 2, "y": 0, "later": 1})", "marked") == "later: found 1, expected yes or no");
  CHECK(complaint("[]") == "found [], expected an object");
}

}  // namespace
}  // namespace toroid::core
