// All kinds of static pictures in a browser, where there is one: their texts are whole and lie on nothing.

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "views/bar_chart.hpp"
#include "views/line_chart.hpp"

using namespace toroid;

TEST_CASE("No text of a picture is cut or lies on another one") {
  const test::Scratch scratch;
  std::string pictures;
  const auto picture = [&](const std::string& name) {
    pictures += " " + scratch.path(name);
    return scratch.path(name);
  };
  const auto draw = [&](const std::string& command) { REQUIRE(test::run_toroid(command).exit_code == 0); };
  const std::string jobs = "derose:side=8,jobs=60";
  draw("schedule mesh:8x8 " + jobs + " --gantt " + picture("gantt.svg") + " --snapshot 8 --snapshot-svg " +
       picture("snapshot.svg"));
  draw("schedule bigben walker:first=80 --gantt " + picture("walker.svg") + " --snapshot 8 --snapshot-svg " +
       picture("bigben.svg"));
  draw(
      "schedule mesh:8x8 derose:side=8,jobs=10 --times replayed --program 'stencil:grid={size},bytes=4KiB rounds 2' "
      "--windows 20 --links-svg " +
      picture("links.svg") + " --gantt " + picture("short.svg"));
  draw("schedule mesh:8x8 " + jobs +
       " --alloc curve --alloc random --and-jobs derose:side=8,jobs=60,arrivals=0.5 --svg " + picture("sweep.svg"));
  draw("schedule mesh:8x8 " + jobs +
       " --alloc curve --alloc submesh --scheduler easy --scheduler fcfs --repeat 3 --svg " +
       picture("sweep-of-one-log.svg"));
  draw(
      "compare mesh:8x8 torus:8x8 --trace stencil:grid=8x8 cg:class=S,ranks=64,iterations=1 --map random --repeat 2 "
      "--engine fluid --no-verify --svg " +
      picture("compare.svg"));
  draw(
      "compare mesh:8x8 torus:8x8 --trace stencil:grid=8x8 --map consecutive random hilbert --repeat 6 --engines fluid "
      "packet --no-verify --json " +
      scratch.path("study.json"));
  draw("plot " + scratch.path("study.json") + " --svg " + picture("study.svg"));
  draw("plot " + scratch.path("study.json") + " --absolute --width 180 --svg " + picture("wide-study.svg"));
  draw("plot " + scratch.path("study.json") + " --absolute --log --svg " + picture("log-study.svg"));
  draw("plot " + scratch.path("study.json") + " --log --against hops_per_byte --svg " + picture("log-scatter.svg"));
  draw("plot " + scratch.path("study.json") + " --against hops_per_byte max_link_load_bytes --svg " +
       picture("scatter.svg"));
  draw("platform show bigben --svg " + picture("bigben-machine.svg"));
  draw("simulate torus:4x4x4 cg:class=S,ranks=64,iterations=1 --engine fluid --svg " + picture("run.svg"));
  draw("simulate mesh:2 stencil:grid=2 --engine fluid --svg " + picture("small-run.svg"));
  draw("simulate hpcline stencil:grid=12x8,steps=1 --engine fluid --svg " + picture("rings.svg"));
  draw("platform show mesh:4x3,bandwidth=2GBps/1GBps,fail-link=0-1,service-nodes=4,fail-router=6 --svg " +
       picture("mesh.svg"));
  draw("trace matrix cg:class=S,ranks=128,iterations=1 --svg " + picture("matrix.svg"));
  // Values with many digits beside the axis.
  views::BarChart bars{"title", "subtitle", "bytes", {"a", "b"}, {"one", "another"}, {}, "gap", ""};
  bars.panels.push_back({"panel", {{{3e8, 0, 0, ""}, {2.5e8, 0, 0, ""}}, {{1e8, 0, 0, ""}, {{}, 0, 0, ""}}}});
  scratch.write("bars.svg", views::bar_chart_svg(bars));
  picture("bars.svg");
  views::LineChart lines{"title", "subtitle", "x", "y", {{"a line", {{1e6, 1e9, ""}, {3e6, 3e9, ""}}}}};
  scratch.write("lines.svg", views::line_chart_svg(lines));
  picture("lines.svg");
  test::run_browser_script("svg_texts.py", pictures);
}
