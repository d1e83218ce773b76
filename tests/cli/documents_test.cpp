// Documents of ours that are read back are held to the tables of fields (core/fields.hpp).

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

using namespace toroid;

namespace {

/// What a command says of the document that a change has made of this one.
template <class Change>
std::string said_of(core::Json document, Change change, const std::string& command, const std::string& rest) {
  const test::Scratch scratch;
  change(document);
  const auto run = test::run_toroid(command + " " + scratch.write("c.json", document.dump()) + " " + rest);
  CHECK(run.exit_code == 2);
  CHECK(std::count(run.err.begin(), run.err.end(), '\n') == 1);
  return run.err.substr(run.err.rfind("c.json"));
}

}  // namespace

TEST_CASE("plot names the field of a comparison that is not as compare writes it") {
  const auto whole = test::json_of("compare mesh:2x2 --trace stencil:grid=2x2 --map snake consecutive --no-verify");
  const auto said = [&](auto change) { return said_of(whole, change, "plot", "--svg /dev/null"); };
  CHECK(said([](auto& c) { c["rows"][1]["runtime_s"] = "1 s"; }) ==
        "c.json: rows[1].runtime_s: found \"1 s\", expected seconds or null\n");
  CHECK(said([](auto& c) { c["rows"][0].erase("runtime_s"); }).find("key 'runtime_s' not found") != std::string::npos);
  CHECK(said([](auto& c) {
          c["statistics"][0]["pears"] = core::Json::array();
        }).starts_with("c.json: found the unknown field 'statistics[0].pears'; did you mean 'pairs'?"));
}

TEST_CASE("Documents of an earlier version are read, of a later schema and of another command refused") {
  const auto whole = test::json_of("compare mesh:2x2 --trace stencil:grid=2x2 --map snake consecutive --no-verify");
  const test::Scratch scratch;
  auto old = whole;
  old["schema_version"] = 1;
  old["manifest"]["toroid"] = "0.1.0-before";
  old["what there was once"] = 1;
  const auto file = scratch.write("old.json", old.dump());
  CHECK(test::run_toroid("plot " + file + " --svg /dev/null").exit_code == 0);
  const auto again = test::run_toroid("compare --config " + file);
  CHECK(again.exit_code == 0);
  CHECK(again.err.find("is by toroid 0.1.0-before") != std::string::npos);
  CHECK(test::run_toroid("--json-errors compare --config " + file).err.empty());
  const auto said = [&](auto change) { return said_of(whole, change, "plot", "--svg /dev/null"); };
  CHECK(said([](auto& c) { c["schema_version"] = 99; }) ==
        "c.json: found schema_version 99, expected 2 at most: a later toroid has written it\n");
  CHECK(said([](auto& c) {
          c = test::json_of("simulate mesh:2x2 stencil:grid=2x2 --engine fluid");
        }) == "c.json: found a result of toroid simulate, expected one of toroid compare\n");
}

TEST_CASE("A field of a manifest that is not as results have it is named", "[slow]") {
  const auto whole = test::json_of("simulate mesh:2x2 stencil:grid=2x2 --engine fluid");
  const auto said = [&](auto change) { return said_of(whole, change, "simulate --config", ""); };
  CHECK(said([](auto& r) {
          r["manifest"]["inputs"] = {{{"file", "a"}, {"sha256", 5}}};
        }) == "c.json: inputs[0].sha256: found 5, expected text\n");
  CHECK(said([](auto& r) { r["manifest"]["toroid"] = 1; }) == "c.json: toroid: found 1, expected text\n");
}
