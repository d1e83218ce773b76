// Two runs beside each other, held against the results of both; documents that are damaged; and the page in a browser.

#include "views/documents/run_difference.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "toroid/platforms/load.hpp"

using namespace toroid;
using test::Document;

namespace {

const std::string trace = "cg:class=S,ranks=16,iterations=1";

/// Writes the columns of a run, and returns their file.
std::string columns_of(const test::Scratch& scratch, const std::string& name, const std::string& arguments) {
  const auto file = scratch.path(name);
  REQUIRE(test::run_toroid("simulate " + arguments + " --engine fluid --columns " + file).exit_code == 0);
  return file;
}

}  // namespace

TEST_CASE("A difference has every link of both machines, with what each run has of it") {
  const test::Scratch scratch;
  const auto mesh = columns_of(scratch, "mesh", "mesh:4x4,y.bandwidth=x0.5 " + trace);
  const auto torus = columns_of(scratch, "torus", "torus:4x4 " + trace + " --map random");
  const views::ColumnsFile before(mesh), after(torus);
  const views::RunDifference difference(before, after);
  const Document document(difference.columns().document());
  const auto machine = platforms::make_machine("torus:4x4");  // which has all links of the mesh
  const auto kind = document.column<std::uint8_t>("link_kind");
  CHECK(std::count_if(kind.begin(), kind.end(), [](auto k) { return k < 254; }) == 64);
  CHECK(test::sum(document.column<double>("before_bytes")) == test::sum(before.column<double>("link_bytes")));
  CHECK(test::sum(document.column<double>("after_bytes")) == test::sum(after.column<double>("link_bytes")));
  CHECK(test::sum(document.column<double>("after_lost_s")) == Approx(after.meta()["lost_s"].get<double>()));

  // By name: what each document says of the link.
  const auto by_name = [&](const views::ColumnsFile& file, const platforms::Machine& of) {
    std::map<std::string, double> bytes;
    const auto all = file.column<double>("link_bytes");
    std::size_t i = 0;
    for (const auto link : of.links())
      if (of.is_of_grid(link) && of.grid().link_exists(link)) bytes[of.link_name(link)] = all.at(i++);
    return bytes;
  };
  auto a = by_name(before, platforms::make_machine("mesh:4x4"));
  auto b = by_name(after, machine);
  const auto changes = difference.changes(1000);
  REQUIRE(changes.size() > 20);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& change = changes[i];
    CHECK(change.bytes_before == a[change.name]);
    CHECK(change.bytes_after == b[change.name]);
    CHECK(change.before != change.after);
    if (i > 0) CHECK(std::abs(change.after - change.before) <= std::abs(changes[i - 1].after - changes[i - 1].before));
  }
  CHECK(difference.changes(3).size() == 3);
}

TEST_CASE("A difference says of each run whether computation is left out") {
  const test::Scratch scratch;
  const views::ColumnsFile without(columns_of(scratch, "without", "torus:4x4 " + trace)),
      whole(columns_of(scratch, "whole", "torus:4x4 " + trace + " --compute trace"));
  const Document document(views::RunDifference(without, whole).columns().document());
  CHECK(document.head["meta"]["before"]["computation_is_left_out"] == true);
  CHECK(document.head["meta"]["after"]["computation_is_left_out"] == false);
}

TEST_CASE("A run differs from itself by nothing, and two runs both ways alike") {
  const test::Scratch scratch;
  const views::ColumnsFile one(columns_of(scratch, "one", "ring:4x4,x.shared=yes " + trace)),
      two(columns_of(scratch, "two", "ring:4x4,x.shared=yes " + trace + " --map random"));
  CHECK(views::RunDifference(one, one).changes(10).empty());
  const auto there = views::RunDifference(one, two).changes(100), back = views::RunDifference(two, one).changes(100);
  REQUIRE(there.size() == back.size());
  std::map<std::string, std::pair<double, double>> changed;
  for (const auto& change : there) changed[change.name] = {change.before, change.after};
  for (const auto& change : back) CHECK(changed.at(change.name) == std::pair(change.after, change.before));
}

TEST_CASE("diff refuses what is no run, is damaged, or is another machine", "[slow]") {
  const test::Scratch scratch;
  const auto run = columns_of(scratch, "run", "mesh:4x4 " + trace);
  const auto other = columns_of(scratch, "other", "mesh:4x4x2 " + trace);
  test::check_fails("diff " + run + " " + other, 2, "found a machine of 4x4x2, expected one of 4x4");
  test::check_fails("diff " + run + " nowhere", 2, "nowhere");
  for (const auto& [name, text] : std::map<std::string, std::string>{
           {"empty", ""}, {"text", "a line\nanother\n"}, {"json", "{}\n"}, {"list", "[1]\n"}})
    test::check_fails("diff " + run + " " + scratch.write(name, text), 2,
                      "expected a document of columns, as --columns writes it");
  const auto schedule = scratch.path("schedule");
  REQUIRE(test::run_toroid("schedule mesh:4x4 derose:side=4,jobs=5 --columns " + schedule).exit_code == 0);
  test::check_fails("diff " + run + " " + schedule, 2, "expected that of a run");
  // What the head says of the run and the machine, in another type.
  const auto document = test::content(run);
  for (const auto& [part, damaged] :
       std::multimap<std::string, std::string>{{R"("engine":"fluid")", R"("engine":1)"},
                                               {R"("nodes_per_router":1)", R"("nodes_per_router":"1")"},
                                               {R"("extent":4)", R"("extent":1e308)"},
                                               {R"("extent":4)", R"("extent":18446744073709551615)"},
                                               {R"("shared":false)", R"("shared":null)"},
                                               {R"("hops_per_byte":)", R"("hops_per_bite":)"}}) {
    const auto at = document.find(part);
    REQUIRE(at != std::string::npos);
    auto text = document;
    test::check_fails("diff " + run + " " + scratch.write("other-type", text.replace(at, part.size(), damaged)), 2,
                      "found another document (");
  }
  // Whatever is taken out of the head or has another type, nothing but the document is blamed.
  const auto whole = core::parse_json(document.substr(0, document.find('\n')));
  for (const auto& [name, value] : whole["meta"].items())
    for (const auto* another : {"", "null", "7", "\"text\"", "[{}]", "{\"compute\": []}"}) {
      auto head = whole;
      if (*another == 0)
        head["meta"].erase(name);
      else
        head["meta"][name] = core::parse_json(another);
      const auto file = scratch.write("other", head.dump() + document.substr(document.find('\n')));
      for (const auto& arguments : {run + " " + file, file + " " + run}) {
        const auto r = test::run_toroid("diff " + arguments + " --html /dev/null");
        CAPTURE(name, another, r.err);
        CHECK((r.exit_code == 0 || r.exit_code == 2));
        CHECK(r.err.find("json.exception") == std::string::npos);
      }
    }
  // Cut off anywhere, or with bytes that were changed, it is refused or read; it never ends otherwise.
  const auto text = test::content(run);
  const auto head = text.find('\n') + 1;
  for (std::size_t part = 1; part < 12; ++part) {
    const auto cut = scratch.write("cut", text.substr(0, head + (text.size() - head) * part / 12));
    CHECK(test::run_toroid("diff " + run + " " + cut).exit_code == 2);
    auto changed = text;
    changed[head * part / 12] ^= 5;
    CHECK(test::run_toroid("diff " + run + " " + scratch.write("changed", changed)).exit_code % 2 == 0);
  }
}

TEST_CASE("The page of a difference in a browser: both runs, changes, widths, both schemes", "[slow]") {
  const test::Scratch scratch;
  const auto one = scratch.write("one.ti", "0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
  const auto before = columns_of(scratch, "before", "mesh:8x8 " + one + " --nodes 27,28");
  const auto after = columns_of(scratch, "after", "mesh:8x8 " + one + " --nodes 35,36");
  const auto page = scratch.path("page.html");
  const auto run = test::run_toroid("diff " + before + " " + after + " --html " + page);
  CHECK_THAT(run.out, Catch::Contains("n27 -> n28 (+x)"));
  REQUIRE(run.exit_code == 0);
  test::look_at_page("diff_page.py", page);
}
