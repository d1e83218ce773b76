// Many runs in one process give what as many commands would.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"
#include "toroid/core/text.hpp"

using namespace toroid;
using core::Json;
using test::run_script;
using test::run_toroid;

namespace {

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  for (const auto line : core::split(core::trim(text), '\n')) lines.push_back(core::parse_json(line));
  return lines;
}

/// The answers to runs, a line each, and what the command said of them.
struct Answers {
  std::vector<Json> lines;
  int exit_code;
  std::string err;
};

Answers batch(const std::string& runs, const std::string& options = "") {
  const test::Scratch scratch;
  const auto r = run_toroid("batch " + options + " " + scratch.write("runs", runs));
  return {r.out.empty() ? std::vector<Json>() : lines_of(r.out), r.exit_code, r.err};
}

}  // namespace

TEST_CASE("a line of a batch has the result of simulate") {
  const test::Scratch scratch;
  const auto machine = scratch.path("m.xml"), map = scratch.write("r.map", "3\n2\n1\n0\n");
  REQUIRE(run_toroid("platform create m --shape 2x2 -o " + machine).exit_code == 0);
  struct Case {
    std::string line, options;
  };
  const std::vector<Case> cases{
      {R"({"platform": "mesh:4x4", "trace": "cg:class=S,ranks=16", "engine": "fluid"})",
       "mesh:4x4 cg:class=S,ranks=16 --engine fluid"},
      {R"({"platform": "mesh:4x4", "trace": "cg:class=S,ranks=16", "engine": "fluid", "map": "random", "seed": 7})",
       "mesh:4x4 cg:class=S,ranks=16 --engine fluid --map random --seed 7"},
      {R"({"PLATFORM": "MACHINE", "TRACE": "stencil:grid=2x2", "--map": "MAP", "--compute": "x2", "--verify": true})",
       "MACHINE stencil:grid=2x2 --map MAP --compute x2 --verify"},
      {R"({"platform": "mesh:4x4,cores=2", "trace": "stencil:grid=4x4", "ranks_per_node": 2, "alloc": "mc1x1",)"
       R"( "engine": "fluid", "set": ["latency=1us", "x.bandwidth=x0.5"], "at": "10us:set y.bandwidth=x0.5"})",
       "mesh:4x4,cores=2 stencil:grid=4x4 --ranks-per-node 2 --alloc mc1x1 --engine fluid --set latency=1us --set "
       "x.bandwidth=x0.5 --at '10us:set y.bandwidth=x0.5'"},
      {R"({"platform": "mesh:4x4", "job": ["stencil:grid=2x2,name=a", "stencil:grid=4"], "engine": "fluid"})",
       "mesh:4x4 --job stencil:grid=2x2,name=a --job stencil:grid=4 --engine fluid"},
      {R"({"platform": "MACHINE", "trace": "stencil:grid=2x2", "map": "MAP"})",
       "MACHINE stencil:grid=2x2 --map MAP"},  // again: what was read for the other counts for this one
  };
  const auto named = [&](std::string text) {
    for (const auto& [word, path] : {std::pair{"MACHINE", machine}, {"MAP", map}})
      if (const auto at = text.find(word); at != std::string::npos) text.replace(at, std::string(word).size(), path);
    return text;
  };
  std::string runs;
  for (const auto& one : cases) runs += named(one.line) + "\n";
  const auto answers = batch(runs, "--tables");
  CHECK(answers.err == "");
  REQUIRE(answers.exit_code == 0);
  REQUIRE(answers.lines.size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].options);
    Json expected{{"line", i + 1}};
    expected.update(core::parse_json(run_toroid("simulate " + named(cases[i].options) + " --json -").out));
    CHECK(core::json_text(answers.lines[i]) == core::json_text(expected));
  }
  const auto without_tables = batch(runs);
  REQUIRE(without_tables.lines.size() == cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    auto rest = answers.lines[i];
    rest.erase("links");
    rest.erase("ranks");
    CHECK(without_tables.lines[i] == rest);
  }
}

TEST_CASE("a line of a batch has the fields that are asked for, and no others") {
  const std::string run = R"({"id": 5, "platform": "mesh:4x4", "trace": "stencil:grid=4x4", "engine": "fluid"})";
  const std::string jobs =
      R"({"platform": "mesh:4x4", "job": ["stencil:grid=2x2", "stencil:grid=4"], "engine": "fluid"})";
  const auto whole = batch(run + "\n" + jobs, "--tables").lines;
  for (const std::string fields :
       {"runtime_s", "hop_bytes,runtime_s,critical_path", "links", "manifest,ranks", "bottleneck_links,computation"}) {
    CAPTURE(fields);
    Json expected{{"line", 1}, {"id", 5}};
    for (const auto field : core::split(fields, ',')) expected[std::string(field)] = whole[0][std::string(field)];
    const auto answers = batch(run, "--fields " + fields);
    REQUIRE(answers.exit_code == 0);
    CHECK(core::json_text(answers.lines[0]) == core::json_text(expected));
  }
  CHECK(core::json_text(batch(run, "--fields runtime_s,messages,runtime_s").lines[0]) ==
        core::json_text(batch(run, "--fields runtime_s,messages").lines[0]));
  CHECK(batch(jobs, "--fields jobs").lines[0] == Json{{"line", 1}, {"jobs", whole[1]["jobs"]}});
  const auto wrong = batch(run, "--fields runtime_s,messages_");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.lines[0]["error"].get<std::string>(),
             Catch::Contains("--fields: the result has no field 'messages_'; did you mean 'messages'?"));
}

TEST_CASE("an id of a batch comes back digit by digit, or is refused") {
  const auto answer = [](const std::string& id) {
    return batch(R"({"id": )" + id + R"(, "platform": "mesh:2", "trace": "stencil:grid=2", "engine": "fluid"})")
        .lines[0];
  };
  for (const std::string id : {"9223372036854775807", "9223372036854775808", "18446744073709551615",
                               "-9223372036854775808", "\"36893488147419103232\"", "0.5", "[1,null]"}) {
    CAPTURE(id);
    CHECK(core::json_text(answer(id)["id"]) == id);
    CHECK(answer(id).contains("runtime_s"));
  }
  for (const std::string id : {"18446744073709551616", "-9223372036854775809", "1e300"})
    CHECK_THAT(answer(id)["error"].get<std::string>(),
               Catch::Contains("expected a whole number from -2^63 to 2^64 - 1"));
}

TEST_CASE("what is wrong in a line of a batch is its answer, and the others go on") {
  const test::Scratch scratch;
  const auto stuck = scratch.write("stuck.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const std::string good = R"({"id": "good", "platform": "mesh:2x2", "trace": "stencil:grid=2x2", "engine": "fluid"})";
  const std::string stuck_line = R"({"platform": "mesh:2", "engine": "fluid", "trace": ")" + stuck + "\"}\n";
  const auto wrong = [](const std::string& more) {
    return R"({"id": 7, "platform": "mesh:2x2", "trace": "stencil:grid=2x2", )" + more + "}\n";
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"no JSON\n", "found no JSON"},
      {"[1]\n", "expected an object such as"},
      {wrong(R"("engin": "fluid")"), "unknown argument 'engin'; did you mean 'engine'?"},
      {wrong(R"("json": "x")"), "unknown argument 'json'"},
      {wrong(R"("engine": "warp")"), "unknown engine 'warp'"},
      {wrong(R"("seed": -1)"), "expected a whole number"},
      {wrong(R"("seed": {})"), "\"--seed\": found {}, expected a text"},
      {wrong(R"("seed": 1, "--seed": 2)"), "'--seed' is given twice"},
      {wrong(R"("map": "nowhere.map")"), "nowhere.map"},
      {wrong(R"("seed": 1, "seed": 2)"), "found the field 'seed' twice"},
      {R"({"trace": "cg"})"
       "\n",
       "PLATFORM is required"},
      {R"({"platform": "mesh:2x2"})"
       "\n",
       "expected a TRACE"},
      {R"({"platform": "mesh:2x2", "trace": "bigben"})"
       "\n",
       "swapped"},
  };
  std::string runs = good + "\n\n";
  for (const auto& [line, message] : cases) runs += line;
  runs += stuck_line + good;
  const auto answers = batch(runs);
  CHECK(answers.exit_code == 2);
  CHECK(answers.err.find("14 of 16 runs failed, the first in line 3: found no JSON") != std::string::npos);
  REQUIRE(answers.lines.size() == cases.size() + 3);
  CHECK(answers.lines.front()["line"] == 1);
  CHECK(answers.lines.front()["id"] == "good");
  CHECK(answers.lines.front()["runtime_s"] == answers.lines.back()["runtime_s"]);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& answer = answers.lines[i + 1];
    CAPTURE(cases[i].first, answer);
    CHECK(answer["line"] == i + 3);
    CHECK(answer["exit_code"] == 2);
    CHECK(answer["error"].get<std::string>().find(cases[i].second) != std::string::npos);
    const bool is_read = cases[i].second != "found the field 'seed' twice";
    CHECK(answer.contains("id") == (is_read && cases[i].first.find("\"id\"") != std::string::npos));
  }
  CHECK(answers.lines[cases.size() + 1]["exit_code"] == 1);
  CHECK(batch(stuck_line).exit_code == 1);
  CHECK(batch("").exit_code == 0);
  // A result that goes to a file is there with its errors.
  const auto out = scratch.path("out.jsonl");
  CHECK(run_toroid("batch " + scratch.write("runs", good + "\n" + stuck_line) + " -o " + out).exit_code == 1);
  CHECK(lines_of(test::content(out)).size() == 2);
  test::check_fails("batch " + scratch.path("none"), 2, "No such file");
  test::check_fails("batch " + scratch.path("runs") + " -o " + scratch.path("runs"), 2, "is an input of this run");
}

TEST_CASE("a batch answers each line before it reads the next, and says when a file has changed") {
  const test::Scratch scratch;
  scratch.write("t.ti", "0 compute 1\n");
  const auto r = run_script("cd " + scratch.path("") + R"(
    line='{"platform": "mesh:1", "engine": "fluid", "compute": "trace", "trace": "t.ti"}'
    coproc batch { $toroid batch; }
    ask() { echo "$line" >&${batch[1]}; read -t 30 -u ${batch[0]} answer; echo "$answer"; }
    ask; ask; echo "0 compute 22" > t.ti; ask
    exec {batch[1]}>&-; wait $batch_PID; echo $?)");
  const auto answers = core::split(core::trim(r.out), '\n');
  REQUIRE(answers.size() == 4);
  CHECK(core::parse_json(answers[0])["manifest"] == core::parse_json(answers[1])["manifest"]);
  CHECK(core::parse_json(answers[1])["manifest"]["inputs"].size() == 1);
  CHECK(answers[2].find("found another file than before") != std::string::npos);
  CHECK(answers[3] == "2");
}
