// All static pictures that the program draws, in a browser where there is one: texts are whole and lie on nothing,
// ticks are round and have units, and each colour is in the legend.

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "tests/support/support.hpp"
#include "tests/views/documents.hpp"
#include "views/charts/charts.hpp"

using namespace toroid;

namespace {

/// What the program is told to draw a picture: `%` in the command stands for the picture's file.
struct Picture {
  std::string name, option, command;
};

/// All kinds of pictures. `STUDY` stands for the JSON of a comparison, `PART` for a whole study that compare has
/// written as a part.
const std::vector<Picture> pictures{
    {"gantt", "schedule --gantt", "schedule mesh:8x8 derose:side=8,jobs=60 --gantt %"},
    {"outages", "schedule --gantt",
     "schedule mesh:8x8 derose:side=8,jobs=60 --at '2s:fail-node 0-2 until 90s' --gantt %"},
    {"walker", "schedule --gantt", "schedule bigben walker:first=80 --gantt %"},
    {"links", "schedule --links-svg",
     "schedule mesh:8x8 derose:side=8,jobs=10 --times replayed --program 'stencil:grid={size},bytes=4KiB rounds 2' "
     "--windows 20 --links-svg %"},
    {"sweep", "schedule --svg",
     "schedule mesh:8x8 derose:side=8,jobs=60 --alloc curve --alloc random --and-jobs "
     "derose:side=8,jobs=60,arrivals=0.5 --svg %"},
    {"sweep-of-one-log", "schedule --svg",
     "schedule mesh:8x8 derose:side=8,jobs=60 --alloc curve --alloc submesh --scheduler easy --scheduler fcfs "
     "--repeat 3 --svg %"},
    {"compare", "compare --svg",
     "compare mesh:8x8 torus:8x8 --trace stencil:grid=8x8 cg:class=S,ranks=64,iterations=1 --map random --repeat 2 "
     "--engine fluid --no-verify --svg %"},
    {"machines", "compare --svg",
     "compare mesh:8x8 torus:8x8 --trace stencil:grid=8x8 --map random --repeat 2 --engine fluid --no-verify --svg %"},
    {"programs", "compare --svg",
     "compare mesh:8x8 --trace stencil:grid=8x8 cg:class=S,ranks=64,iterations=1 --map random --repeat 2 --engine "
     "fluid --no-verify --svg %"},
    {"merged", "merge --svg", "merge PART --svg %"},
    {"study", "plot --svg", "plot STUDY --svg %"},
    {"wide-study", "plot --svg", "plot STUDY --absolute --width 180 --svg %"},
    {"log-study", "plot --svg", "plot STUDY --absolute --log --svg %"},
    {"scatter", "plot --svg", "plot STUDY --against hops_per_byte max_link_load_bytes --svg %"},
    {"log-scatter", "plot --svg", "plot STUDY --log --against hops_per_byte --svg %"},
    {"bigben-machine", "platform show --svg", "platform show bigben --svg %"},
    {"hpcline-machine", "platform show --svg", "platform show hpcline --svg %"},
    {"twisted-machine", "platform show --svg", "platform show tpu-v4-4x4x8-twisted --svg %"},
    {"mesh", "platform show --svg",
     "platform show mesh:4x3,bandwidth=2GBps/1GBps,fail-link=0-1,service-nodes=4,fail-router=6 --svg %"},
    {"run", "simulate --svg", "simulate torus:4x4x4 cg:class=S,ranks=64,iterations=1 --engine fluid --svg %"},
    {"small-run", "simulate --svg", "simulate mesh:2 stencil:grid=2 --engine fluid --svg %"},
    {"rings", "simulate --svg", "simulate hpcline stencil:grid=12x8,steps=1 --engine fluid --svg %"},
    {"jobs", "simulate --svg",
     "simulate torus:4x4x4 --job stencil:grid=4x4x2@random --job '(cg:class=S,ranks=16,iterations=1)@random' --plane "
     "z=1 --engine fluid --svg %"},
    {"jobs-on-one-router", "simulate --svg",
     "simulate mesh:4x3,nodes-per-router=4 --job stencil:grid=2x2 --job '(stencil:grid=3x1,bytes=64KiB)' --job "
     "'(stencil:grid=3x2,bytes=1KiB),name=a-name-that-is-longer-than-there-is-room-for-in-a-legend' --job "
     "'stencil:grid=6,name=another-long-name' --job stencil:grid=2x3 --job stencil:grid=2 --job stencil:grid=3 --job "
     "stencil:grid=5 --engine fluid --svg %"},
    {"matrix", "trace matrix --svg", "trace matrix cg:class=S,ranks=128,iterations=1 --svg %"},
    {"even-matrix", "trace matrix --svg", "trace matrix stencil:grid=4x4 --svg %"},
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// The options of a command that write SVG: those whose names say so, or whose help does.
void add_options(const std::string& command, std::set<std::string>& options) {
  const auto help = test::run_toroid(command + " --help-all").out;
  const std::regex option(R"((?:^|\n) *(?:-\w,)?(--[\w-]+)[^\n]*(?:\n {20,}[^\n]+)*)");
  for (std::sregex_iterator found(help.begin(), help.end(), option), end; found != end; ++found) {
    const std::string name = (*found)[1], all = found->str();
    const bool draws = name.ends_with("svg") || all.find("SVG") != std::string::npos;
    if (draws) options.insert(command + " " + name);
  }
}

}  // namespace

TEST_CASE("Each option that writes a picture has one on the list") {
  std::set<std::string> drawn, listed;
  for (const auto& picture : pictures) listed.insert(picture.option);
  const std::regex subcommand(R"(\n  ([a-z]+) +[^\n]+)");
  const auto names_in = [&](const std::string& text) {
    std::vector<std::string> names;
    const auto from = text.find("ubcommands");
    if (from == std::string::npos) return names;
    const auto rest = text.substr(from);
    for (std::sregex_iterator found(rest.begin(), rest.end(), subcommand), end; found != end; ++found)
      names.push_back((*found)[1]);
    return names;
  };
  const auto commands = names_in(test::run_toroid("--help").out);
  REQUIRE(commands.size() > 10);
  for (const auto& command : commands) {
    const auto parts = names_in(test::run_toroid(command + " --help").out);
    if (parts.empty()) add_options(command, drawn);  // the help of a group tells all options of its parts
    for (const auto& part : parts) add_options(command + " " + part, drawn);
  }
  CHECK(drawn == listed);
}

TEST_CASE("Texts of pictures are whole, ticks are round and have units, colours are in the legend", "[slow]") {
  const test::Scratch scratch;
  const auto study = scratch.path("study.json");
  REQUIRE(test::run_toroid("compare mesh:8x8 torus:8x8 --trace stencil:grid=8x8 --map consecutive random hilbert "
                           "--repeat 6 --engines fluid packet --no-verify --json " +
                           study)
              .exit_code == 0);
  const auto part = scratch.path("part.csv");
  REQUIRE(
      test::run_toroid("compare mesh:8x8 --trace stencil:grid=8x8 --map consecutive random --repeat 2 --engine fluid "
                       "--no-verify --part 1/1 -o " +
                       part)
          .exit_code == 0);
  const auto written_out = [&](const std::string& command) {
    return replaced(replaced(command, "STUDY", study), "PART", part);
  };
  std::string files;
  for (const auto& [name, option, command] : pictures) {
    const auto file = scratch.path(name + ".svg");
    CAPTURE(command);
    REQUIRE(test::run_toroid(replaced(written_out(command), "%", file)).exit_code == 0);
    files += " " + file;
  }
  // Values with many digits beside the axis.
  views::BarChart bars{"title", "subtitle", "load [bytes]", {"a", "b"}, {"one", "another"}, {}, "gap", ""};
  bars.panels.push_back({"load [bytes]", {{{3e8, 0, 0, ""}, {2.5e8, 0, 0, ""}}, {{1e8, 0, 0, ""}, {{}, 0, 0, ""}}}});
  scratch.write("bars.svg", views::bar_chart_svg(bars));
  views::LineChart lines{"title", "subtitle", "x [s]", "y [s]", {{"a line", {{1e6, 1e9, ""}, {3e6, 3e9, ""}}}}};
  scratch.write("lines.svg", views::line_chart_svg(lines));
  test::run_browser_script("svg_pictures.py", files + " " + scratch.path("bars.svg") + " " + scratch.path("lines.svg"));
}
