#include "core/csv.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "core/random.hpp"

namespace toroid::core {
namespace {

/// A reader of RFC 4180, to the letter: the records of a text, each ended by a line feed.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  for (std::size_t i = 0; i < text.size();) {
    records.emplace_back();
    for (bool more = true; more; ++i) {
      std::string field;
      if (text.at(i) == '"') {
        for (++i; text.at(i) != '"' || (i + 1 < text.size() && text[i + 1] == '"'); ++i) {
          if (text[i] == '"') ++i;
          field += text[i];
        }
        ++i;
      } else {
        while (text.at(i) != ',' && text[i] != '\n') {
          REQUIRE(text[i] != '"');
          field += text[i++];
        }
      }
      records.back().push_back(field);
      more = text.at(i) == ',';
      if (!more) REQUIRE(text[i] == '\n');
    }
  }
  return records;
}

TEST_CASE("A table as CSV: names, then a line per row") {
  const auto rows =
      Json::parse(R"([{"name": "a", "bytes": 12, "share": 0.25}, {"name": null, "bytes": 3, "share": 1e-9}])");
  CHECK(csv_of(rows) == "name,bytes,share\na,12,0.25\n,3,1e-09\n");
  CHECK(csv_of(Json::array()).empty());
}

TEST_CASE("A list is one field, as JSON") {
  const auto rows = Json::parse(R"([{"at": [0, 12], "in, out": [7]}])");
  CHECK(csv_of(rows) == "at,\"in, out\"\n\"[0,12]\",[7]\n");
  CHECK(read_csv(csv_of(rows))[1] == std::vector<std::string>{"[0,12]", "[7]"});
}

TEST_CASE("Fields are quoted only where they must be") {
  CHECK(csv_field("n4 -> n3 (-x)") == "n4 -> n3 (-x)");
  CHECK(csv_field("mesh:8x8,bw=2GBps") == "\"mesh:8x8,bw=2GBps\"");
  CHECK(csv_field("say \"so\"") == "\"say \"\"so\"\"\"");
  CHECK(csv_field("two\nlines") == "\"two\nlines\"");
  CHECK(csv_field("").empty());
}

TEST_CASE("Any text reads back as it was") {
  Random random(1, "csv");
  const std::string letters = "ab,\"\n\r 1;'";
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<std::string>> wanted{{"x", "a,b", "\"q\""}};
    Json rows = Json::array();
    for (std::size_t row = 0, count = 1 + random.below(4); row < count; ++row) {
      wanted.emplace_back();
      Json object = Json::object();
      for (const auto& name : wanted[0]) {
        std::string text(random.below(6), ' ');
        for (auto& c : text) c = letters[random.below(letters.size())];
        wanted.back().push_back(text);
        object[name] = text;
      }
      rows.push_back(object);
    }
    CHECK(read_csv(csv_of(rows)) == wanted);
  }
}

}  // namespace
}  // namespace toroid::core
