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
  CHECK(csv_field("").empty());
}

TEST_CASE("What a spreadsheet would compute becomes text, numbers stay what they are") {
  for (const std::string formula : {"=1+1", "=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "-x", "'=1", "''@a"}) {
    CAPTURE(formula);
    CHECK(csv_field(formula)[0] == '\'');
    CHECK(csv_fields(csv_field(formula)) == std::vector{formula});
  }
  CHECK(csv_field("=1,\"a\"") == "\"'=1,\"\"a\"\"\"");
  for (const std::string plain :
       {"-1", "-1.5e-7", "+3", "+", "-", "a=b", "r16 -> r18 (+x)", "'", "'quoted'", "1-2", ""}) {
    CAPTURE(plain);
    CHECK(csv_field(plain) == plain);
    CHECK(csv_fields(plain) == std::vector{plain});
  }
  CHECK(csv_of(Json::parse(R"([{"name": "=1+1", "direction": "-", "time": -0.5}])")) ==
        "name,direction,time\n'=1+1,-,-0.5\n");
}

TEST_CASE("What controls terminals is escaped") {
  CHECK(csv_field(std::string("a\0b\x1b[31m\x7f", 9)) == "a\\x00b\\x1b[31m\\x7f");
  CHECK(csv_field("two\nlines\t") == "two\\nlines\\t");
  CHECK(csv_field("\xc2\x9b[31m \xff") == "\\xc2\\x9b[31m \\xff");
  CHECK(csv_field("\x01=1") == "\\x01=1");
  CHECK(csv_field("caf\xc3\xa9") == "caf\xc3\xa9");
}

TEST_CASE("Fields of any texts read back as they were") {
  Random random(2, "csv");
  const std::string letters = "ab,\"=+-@' 1e.;";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> texts(1 + random.below(4));
    std::string line;
    for (auto& text : texts) {
      text.resize(random.below(6));
      for (auto& c : text) c = letters[random.below(letters.size())];
      line += (line.empty() && &text == &texts[0] ? "" : ",") + csv_field(text);
    }
    CHECK(csv_fields(line) == texts);
  }
}

TEST_CASE("Any text without formulas reads back as it was") {
  Random random(1, "csv");
  const std::string letters = "ab,\" 1;'";
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
