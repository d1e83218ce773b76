// Whatever a user can mistype is told before any work begins: all these runs would take minutes, at which they are
// stopped, if they did not end at once.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/cli/arguments.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_toroid;

namespace {

const std::string long_trace = "lu:class=D,ranks=1024";

/// Arguments by name, in their order.
using Arguments = std::vector<std::pair<std::string, std::string>>;

/// A run of each command that takes minutes; FILES are outputs.
const std::map<std::string, Arguments> long_runs{
    {"simulate", {{"PLATFORM", "torus:16x8x8"}, {"TRACE", long_trace}, {"--json", "FILE"}}},
    {"map", {{"PLATFORM", "torus:16x8x8"}, {"TRACE", long_trace}, {"--json", "FILE"}}},
    {"compare", {{"PLATFORM", "torus:16x8x8"}, {"--trace", long_trace}, {"--csv", "FILE"}}},
    {"advise", {{"PLATFORM", "torus:16x8x8"}, {"SUBJECT", long_trace}, {"--json", "FILE"}}},
    {"schedule",
     {{"PLATFORM", "mesh:16x16"},
      {"JOBS", "derose:side=16,jobs=100000"},
      {"--times", "replayed"},
      {"--program", "stencil:grid={size},steps=10000"},
      {"--json", "FILE"}}},
};

/// Flags, which have no value that could be wrong.
const std::vector<std::string> flags{"--no-verify", "--kill", "--dynamic", "--no-alone", "--lenient"};

/// Wrong values that begin well, by command and argument.
const std::vector<std::tuple<std::string, std::string, std::string>> deep{
    {"simulate", "--map", "refine:base=(grasp:cost=none)"},
    {"simulate", "--map", "auto:engine=(packet:vcs=many)"},
    {"simulate", "--map", "nowhere.map"},
    {"simulate", "--engine", "packet:vcs=0"},
    {"simulate", "--engine", "fluid:tolerance=0.1"},
    {"simulate", "--verify", "packet:vc=2"},
    {"simulate", "--nodes", "0-99999"},
    {"simulate", "--busy", "0-99999"},
    {"simulate", "--busy", "random:2"},
    {"simulate", "--busy", "rnadom:0.5"},
    {"simulate", "--busy", "schedule:jobs=derose,program=(stencil:grid={boox})"},
    {"simulate", "--busy", "schedule:jobs=nowhere.swf"},
    {"simulate", "--busy", "schedule:jobs=derose,alloc=none"},
    {"simulate", "--alloc", "curve:fit=none"},
    {"simulate", "--ranks-per-node", "2"},
    {"simulate", "--at", "1ms:set bandwith=x0.5"},
    {"simulate", "--at", "1ms:fail-link n1-n99999"},
    {"simulate", "--at", "1ms:kill job1"},
    {"simulate", "--at", "1:fail-link n1-n2"},
    {"simulate", "--set", "x.bandwidth=2"},
    {"simulate", "--fail-link", "n0-n99999"},
    {"simulate", "--collectives", "default:alltoall=none"},
    {"simulate", "--job", long_trace + "@0-99999"},
    {"map", "--map", "multilevel:tries=-1"},
    {"map", "--hosts", "nowhere/hosts"},
    {"compare", "--map", "random:sed=1"},
    {"compare", "--map", "mine := nowhere.map"},
    {"compare", "--map", "mine :="},
    {"compare", "--engines", "fluid packet:vcs=0"},
    {"compare", "--what-if", "w.bandwidth=x0.5"},
    {"compare", "--baseline", "consecutiv"},
    {"compare", "--baseline", ""},
    {"compare", "--nodes", "0-99999"},
    {"compare", "--ranks-per-node", "2"},
    {"advise", "--map", "auto:budget=none"},
    {"advise", "--baseline", "nowhere.map"},
    {"advise", "--scheduler", "easy:order=none"},
    {"advise", "--alloc", "curve:order=none"},
    {"advise", "--shares", "0"},
    {"advise", "--budget", "2"},
    {"advise", "--budget", "0s"},
    {"advise", "--nodes", "0-99999"},
    {"advise", "--format", "slrum"},
    {"schedule", "--scheduler", "easy:order=none"},
    {"schedule", "--alloc", "curve:order=none"},
    {"schedule", "--reference", "mc1x2"},
    {"schedule", "--map", "auto:budget=none"},
    {"schedule", "--estimates", "2"},
    {"schedule", "--and-jobs", "derose:lod=3"},
    {"schedule", "--and-jobs", "nowhere.swf"},
    {"schedule", "--and-platform", "bigbend"},
    {"schedule", "--ranks-per-node", "2"},
    {"schedule", "--program", "stencil:grid={sise}"},
    {"schedule", "--program", "stencil:grid={size} if usr=3"},
    {"schedule", "--program", "stencil:gird={size}"},
    {"schedule", "--program", "stencil:grid={size} rounds many"},
    {"schedule", "--engine", "fluid:x=1"},
};

/// The command line of the run, with one argument instead of its own, or besides.
std::string line(const std::string& command, const std::string& name, const std::string& value) {
  auto arguments = long_runs.at(command);
  bool is_there = false;
  for (auto& [other, text] : arguments)
    if (other == name) {
      text = value;
      is_there = true;
    }
  if (name == "--job") std::erase_if(arguments, [](const auto& argument) { return argument.first == "TRACE"; });
  if (!is_there) arguments.emplace_back(name, value);
  std::string line = command, options;
  for (const auto& [other, text] : arguments)
    if (other == "--verify")
      options += " --verify='" + text + "'";
    else if (other.starts_with("--"))
      options += " " + other + (other == "--engines" ? " " + text : " '" + text + "'");
    else
      line += " '" + text + "'";
  return line + options;
}

void check_refused(const std::string& command, const std::string& name, const std::string& value) {
  const test::Scratch scratch;
  const auto file = scratch.write("out", "as before");
  auto words = line(command, name, value);
  words.replace(words.find("FILE"), 4, file);
  CAPTURE(words);
  const auto told = run_toroid(words);
  CAPTURE(told.err);
  CHECK(told.exit_code == 2);
  CHECK(told.out.empty());
  CHECK(told.err.starts_with("toroid: "));
  CHECK(content(file) == "as before");
}

}  // namespace

TEST_CASE("A word that means nothing is refused at once as any argument of any command", "[slow]") {
  for (const auto& command : test::recording_commands)
    for (const auto& name : test::arguments_of(command))
      if (std::find(flags.begin(), flags.end(), name) == flags.end()) check_refused(command, name, "no-such-thing");
}

TEST_CASE("What begins well and ends wrong is refused at once") {
  for (const auto& [command, name, value] : deep) check_refused(command, name, value);
}

TEST_CASE(
    "An option that is not known is told with the one that was perhaps meant, and what a command does not take by "
    "name") {
  using test::check_fails;
  check_fails("simulate mesh:2 stencil:grid=2 --mapper auto", 2,
              "simulate has no option '--mapper'; did you mean '--map'?");
  check_fails("simulate --confg=3", 2, "simulate has no option '--confg'; did you mean '--config'?");
  check_fails("simulate --mesh", 2, "simulate has no option '--mesh' (see --help)");
  check_fails("trace info --qqqqqqqqq x", 2, "trace info has no option '--qqqqqqqqq' (see --help)");
  check_fails("-z", 2, "toroid has no option '-z' (see --help)");
  check_fails("simulat --mapper auto", 2, "unknown command 'simulat'; did you mean 'simulate'?");
  check_fails("simulate mesh:2 stencil:grid=2 foo bar", 2, "found 'foo' behind the last argument");
  check_fails("trace", 2, "A subcommand is required");
  for (const std::string words : {"simulate --seed x -- mesh:2 stencil:grid=2", "simulate mesh:2 --", "capture --"}) {
    const auto failed = test::run_toroid(words);
    CHECK(failed.exit_code == 2);
    CHECK_THAT(failed.err, !Catch::Contains("no option"));
  }
}

TEST_CASE("What is often mistaken is told with the next step") {
  using test::check_fails;
  const test::Scratch scratch;
  const auto log = scratch.write("l.swf", "1 0 -1 100 99 -1 -1 99 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const std::string trace = " cg:class=S,ranks=16";
  check_fails("simulate tourus:4x4" + trace, 2, "did you mean 'torus'?");
  check_fails("simulate torus:4x4 cgg", 2, "cgg: no such file and no such generator; did you mean 'cg'?");
  check_fails("simulate torus:4x4 my.trace", 2, "my.trace: no such file");
  check_fails("simulate torus:4,4" + trace, 2, "found '4', expected key=value; numbers of an extent have an x between");
  check_fails("simulate torus:2x2" + trace, 2,
              "16 ranks do not fit on 4 slots of torus:2x2; expected a larger machine, "
              "more nodes or more ranks per node (--ranks-per-node)");
  check_fails("simulate torus:4x4,bandwidth=2" + trace, 2, "'2' has no unit; expected a bandwidth such as 1.25GBps");
  check_fails("simulate torus:4x4,bandwith=2GBps" + trace, 2, "did you mean 'bandwidth'? (toroid list properties)");
  check_fails("simulate" + trace + " torus:4x4", 2, "swapped with TRACE?");
  check_fails("schedule mesh:4x4 " + log, 2, "--too-large reject leaves such jobs out");
  check_fails("map torus:4x4 stencil:grid=4x4 --nodes ''", 2, "--nodes: found nothing, expected nodes such as 0-15");
  check_fails("advise mesh:4x4 no.swf --alloc mc1x1 curve", 2, "no.swf: no such file");
}
