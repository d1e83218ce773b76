// Whatever a command reads is known to it: no output may be it, the manifest has it, and studies begin anew without it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/inputs.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::content;
using test::run_script;
using test::run_toroid;

namespace {

namespace fs = std::filesystem;

/// What is given to a command, by the names of its options and positional arguments.
using Given = std::vector<std::pair<std::string, std::string>>;

/// A run of each command that works as it is; several where options need each other.
const std::vector<std::pair<std::string, Given>> usual_runs{
    {"simulate", {{"PLATFORM", "mesh:2x2"}, {"TRACE", "stencil:grid=2"}, {"--engine", "fluid"}}},
    {"simulate", {{"PLATFORM", "mesh:2x2"}, {"--job", "stencil:grid=2"}, {"--engine", "fluid"}}},
    {"map", {{"PLATFORM", "mesh:2x2"}, {"TRACE", "stencil:grid=2x2"}, {"--map", "random"}, {"--format", "slurm"}}},
    {"advise", {{"PLATFORM", "m.xml"}, {"SUBJECT", "t.ti"}, {"--map", "quick"}, {"--repeat", "1"}, {"--budget", "1s"}}},
    {"compare", {{"PLATFORM", "mesh:2x2"}, {"--trace", "stencil:grid=2"}, {"--map", "random"}, {"--no-verify", ""}}},
    {"merge", {{"PARTS", "study.part"}}},
    {"batch", {{"RUNS", "runs.jsonl"}}},
    {"schedule",
     {{"PLATFORM", "mesh:2x2"}, {"JOBS", "log.swf"}, {"--times", "replayed"}, {"--program", "stencil:grid=2"}}},
    {"schedule",
     {{"PLATFORM", "mesh:2x2"}, {"JOBS", "derose:jobs=3,side=2"}, {"--alloc", "random"}, {"--repeat", "2"}}},
    {"trace info", {{"TRACE", "stencil:grid=2x2"}}},
    {"trace matrix", {{"TRACE", "stencil:grid=2x2"}, {"-o", "none"}}},
    {"trace convert", {{"TRACE", "stencil:grid=2x2"}, {"-o", "none"}}},
    {"trace diff", {{"TRACE", "stencil:grid=2x2"}, {"OTHER", "stencil:grid=2x2"}}},
    {"capture", {{"-o", "none"}, {"COMMAND", "true"}}},
    {"jobs info", {{"JOBS", "derose:jobs=3,side=2"}}},
    {"jobs convert", {{"JOBS", "walker:first=3"}, {"-o", "none"}}},
    {"platform show", {{"PLATFORM", "mesh:2x2"}}},
    {"platform create", {{"NAME", "m"}, {"--shape", "2x2"}}},
    {"platform check", {{"FILE", "m.xml"}}},
    {"platform export", {{"PLATFORM", "mesh:2x2"}}},
    {"calibrate", {{"PLATFORM", "mesh:2x2"}, {"DATA", "pp.csv"}}},
    {"calibrate collectives", {{"PLATFORM", "mesh:2x2"}, {"DATA", "coll.csv"}}},
    {"calibrate program", {{"PROGRAM", "stencil:grid=2x2"}, {"--from", "stencil:grid=2x2"}}},
    {"diff", {{"BEFORE", "run.columns"}, {"AFTER", "run.columns"}}},
    {"plot", {{"STUDY", "study.json"}, {"--svg", "none.svg"}}},
    {"examples", {}},
    {"list", {}},
    {"pages", {{"WHAT", "man"}}},
};

const std::vector<std::string> inputs{"t.ti",       "m.xml",      "r.map",     "log.swf",  "mix.csv",
                                      "hosts",      "matrix.csv", "pp.csv",    "coll.csv", "run.columns",
                                      "runs.jsonl", "study.part", "study.json"};

/// By command, its options that take a text or a path, and its positional arguments: as the parser has them, which the
/// manual page is made from.
std::map<std::string, std::vector<std::string>> options_of_commands() {
  std::map<std::string, std::vector<std::string>> all;
  std::istringstream page(run_toroid("pages man").out);
  std::string command, line;
  for (bool is_head = false; std::getline(page, line); is_head = line == ".TP") {
    if (line.starts_with(".SH")) command.clear();
    if (line.starts_with(".SS \"")) all[command = line.substr(5, line.size() - 6)];
    if (!is_head || command.empty()) continue;
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] != '\\')
        plain += line[i];
      else if (line[i + 1] == 'f')
        i += 2;  // a change of the font
    const auto name = plain.substr(0, plain.find_first_of(" ,"));
    const auto type = plain.find(' ') == std::string::npos ? "" : plain.substr(plain.rfind(' ') + 1);
    const bool is_positional = name[0] != '-';
    if (is_positional || type == "TEXT" || type == "FILE" || type == "FOLDER") all[command].push_back(name);
  }
  return all;
}

/// One that is there already gets the value.
Given with(Given given, const std::string& name, const std::string& value) {
  for (auto& [other, old] : given)
    if (other == name) {
      old = value;
      return given;
    }
  given.emplace_back(name, value);
  return given;
}

class Folder {
 public:
  Folder() {
    scratch_.write("t.ti", "0 init\n0 send 1 0 1000 6\n0 finalize\n1 init\n1 recv 0 0 1000 6\n1 finalize\n");
    scratch_.write("m.xml", run_toroid("platform create m --shape 2x2").out);
    scratch_.write("r.map", "1\n0\n");
    scratch_.write("log.swf", "1 0 -1 10 2 -1 -1 2 -1 -1 1 1 1 -1 1 -1 -1 -1\n");
    scratch_.write("mix.csv", "size,submitted_s,run_time_s,program\n4,0,1,t.ti\n");
    scratch_.write("hosts", "a\nb\nc\nd\n");
    scratch_.write("matrix.csv", "0,10,0,0\n10,0,0,0\n0,0,0,5\n0,0,5,0\n");
    scratch_.write("pp.csv", "from,to,bytes,us\n0,1,1,1\n0,1,1000,2\n0,1,2000,3\n0,3,1,2\n0,3,1000,3\n0,3,2000,4.1\n");
    scratch_.write("coll.csv",
                   "collective,algorithm,bytes,us\nbcast,binomial,8,9\nbcast,binomial,65536,90\nallgather,ring,8,9\n"
                   "allgather,ring,65536,120\nalltoall,linear,8,9\nalltoall,linear,65536,150\n");
    scratch_.write("runs.jsonl", R"({"platform": "mesh:2x2", "trace": "stencil:grid=2", "engine": "fluid"})");
    run_toroid("compare mesh:2x2 --trace stencil:grid=2 --map random --engine fluid --no-verify --json " +
               scratch_.path("study.json"));
    run_toroid("compare mesh:2x2 --trace stencil:grid=2 --map random --no-verify --part 1/1 -o " + path("study.part"));
    run_script("cd " + scratch_.path("") + " && $toroid simulate mesh:2x2 t.ti --engine fluid --columns run.columns");
    for (const auto& name : inputs) before_[name] = content(scratch_.path(name));
  }

  struct Outcome {
    int exit_code;
    std::string said;
    bool made;  ///< there was no file out.svg before, and is one now
  };

  /// One after the other, in one shell.
  std::vector<Outcome> run(const std::string& command, const std::vector<Given>& all) const {
    std::string script = "cd " + scratch_.path("") + "\n";
    for (std::size_t i = 0; i < all.size(); ++i) {
      script += "$toroid " + command;
      for (const auto& [name, value] : all[i])
        if (name[0] == '-') script += " " + name + (value.empty() ? "" : " '" + value + "'");
      if (!all[i].empty()) script += " --";
      for (const auto& [name, value] : all[i])
        if (name[0] != '-') script += " '" + value + "'";
      const auto number = std::to_string(i);
      script += " >/dev/null 2>said." + number + "; echo $? >code." + number + "; [ -e out.svg ] && mv out.svg made." +
                number + "; rm -f out.svg.journal\n";
    }
    run_script(script);
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto file = [&](const std::string& name) { return scratch_.path(name + "." + std::to_string(i)); };
      outcomes.push_back({std::stoi(content(file("code"))), content(file("said")), fs::exists(file("made"))});
      for (const auto* name : {"code", "said", "made"}) fs::remove_all(file(name));  // an output may be a folder
    }
    return outcomes;
  }

  /// Whether all inputs are as they were; if not, they are made so.
  bool is_unharmed() {
    bool is = true;
    for (const auto& [name, text] : before_) {
      if (content(scratch_.path(name)) == text) continue;
      is = false;
      scratch_.write(name, text);
    }
    return is;
  }
  std::string path(const std::string& name) const { return scratch_.path(name); }

 private:
  test::Scratch scratch_;
  std::map<std::string, std::string> before_;
};

/// What is said of any file, if nobody looks at it.
std::string without(std::string text, const std::string& name) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) text.replace(at, name.size(), "*");
  return text;
}

}  // namespace

TEST_CASE("no output of any command may be a file that any of its options reads", "[slow]") {
  Folder folder;
  const auto options = options_of_commands();
  std::set<std::string> tried;
  std::set<std::tuple<std::string, std::string, std::string>> read;
  for (const auto& [command, given] : usual_runs) {
    tried.insert(command);
    REQUIRE(options.contains(command));
    const auto& names = options.at(command);
    const auto each = [&](const std::vector<std::string>& some, const std::string& value) {
      std::vector<Given> all;
      for (const auto& name : some) all.push_back(with(given, name, value));
      return folder.run(command, all);
    };
    // A file that is not there is made, not looked at, or missed.
    std::vector<std::string> outputs, doubtful, inputs_too;
    std::vector<std::string> complaints;
    const auto of_none = each(names, "out.svg");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (of_none[i].made) outputs.push_back(names[i]);
      if (of_none[i].made || of_none[i].exit_code == 0) continue;
      doubtful.push_back(names[i]);
      complaints.push_back(without(of_none[i].said, "out.svg"));
    }
    const auto of_trace = each(doubtful, "t.ti");
    for (std::size_t i = 0; i < doubtful.size(); ++i)
      if (of_trace[i].exit_code == 0 || without(of_trace[i].said, "t.ti") != complaints[i])
        inputs_too.push_back(doubtful[i]);
    bool all_outputs_tried = false;
    std::size_t files_tried = 0;
    for (const auto& name : inputs_too)
      for (const auto& input : inputs) {
        const auto reading = with(given, name, input);
        if (folder.run(command, {reading})[0].exit_code != 0) continue;  // it is no such file
        // All outputs with the first file, then one after the other.
        const auto first = all_outputs_tried ? files_tried % outputs.size() : 0;
        const auto end = all_outputs_tried ? std::min(first + 1, outputs.size()) : outputs.size();
        if (!outputs.empty()) all_outputs_tried = true;
        ++files_tried;
        read.emplace(command, name, input);
        for (auto i = first; i < end; ++i) {
          CAPTURE(command, name, input, outputs[i]);
          const auto refused = folder.run(command, {with(reading, outputs[i], input)})[0];
          const bool is_told = refused.said.find("is an input of this run") != std::string::npos ||
                               refused.said.find("pictures are SVG") != std::string::npos ||
                               refused.said.find("expected the name of a new folder") != std::string::npos;
          const auto do_not_go_together = [&] {
            return folder.run(command, {with(reading, outputs[i], "out.svg")})[0].exit_code != 0;
          };
          CHECK(refused.exit_code == 2);
          CHECK((is_told || do_not_go_together()));
        }
        CHECK(folder.is_unharmed());
      }
  }
  for (const auto& [command, names] : options) {
    CAPTURE(command);
    const bool is_group = command == "trace" || command == "jobs" || command == "platform";
    CHECK((tried.contains(command) || is_group));
  }
  // Some of those that must have been found.
  using Found = std::vector<std::tuple<std::string, std::string, std::string>>;
  for (const auto& [command, name, input] : Found{{"simulate", "PLATFORM", "m.xml"},
                                                  {"simulate", "TRACE", "t.ti"},
                                                  {"simulate", "--map", "r.map"},
                                                  {"advise", "--baseline", "r.map"},
                                                  {"advise", "--hosts", "hosts"},
                                                  {"simulate", "--job", "t.ti"},
                                                  {"map", "TRACE", "matrix.csv"},
                                                  {"map", "--hosts", "hosts"},
                                                  {"compare", "--trace", "t.ti"},
                                                  {"merge", "PARTS", "study.part"},
                                                  {"batch", "RUNS", "runs.jsonl"},
                                                  {"diff", "AFTER", "run.columns"},
                                                  {"plot", "STUDY", "study.json"},
                                                  {"schedule", "JOBS", "mix.csv"},
                                                  {"schedule", "--map", "r.map"},
                                                  {"schedule", "--program", "t.ti"},
                                                  {"schedule", "--and-jobs", "log.swf"},
                                                  {"jobs convert", "JOBS", "log.swf"},
                                                  {"platform create", "--from", "m.xml"}}) {
    CAPTURE(command, name, input);
    CHECK(read.contains({command, name, input}));
  }
}

TEST_CASE("no output may be a file that an input names") {
  Folder folder;
  for (const std::string command :
       {"$toroid schedule mesh:2x2 mix.csv --times replayed --json t.ti",
        "$toroid schedule mesh:2x2 mix.csv --times epochs --jobs-csv t.ti",
        "$toroid schedule mesh:2x2 mix.csv --json t.ti",
        "$toroid schedule mesh:2x2 mix.csv --alloc random --repeat 2 --times replayed --csv t.ti",
        "$toroid schedule mesh:2x2 log.swf --times replayed --program './t.ti rounds 2 if size=2' --gantt t.ti",
        "$toroid schedule mesh:2x2 log.swf --times replayed --program stencil:grid=2 --map file:r.map --json r.map",
        "$toroid jobs info mix.csv --json t.ti", "$toroid jobs convert mix.csv -o t.ti",
        "$toroid simulate mesh:2x2 stencil:grid=2 --busy schedule:jobs=log.swf --json log.swf",
        "$toroid simulate mesh:2x2 stencil:grid=2 --map simulated:base=random+r.map --json r.map",
        "$toroid simulate mesh:2x2 --job 't.ti@0-1' --job 't.ti@2-3' --jobs-csv t.ti",
        "$toroid trace info t.ti >> t.ti", "$toroid trace diff t.ti t.ti >> t.ti",
        "$toroid platform check m.xml >> m.xml", "$toroid capture -o t.ti -- cat t.ti"}) {
    CAPTURE(command);
    const auto svg = command.find("--gantt") != std::string::npos;
    const auto r = run_script("cd " + folder.path("") + "; ln -sf t.ti gantt.svg; " + command);
    CHECK(r.exit_code == 2);
    if (!svg) CHECK_THAT(r.err, Catch::Contains("is an input of this run"));
    CHECK(folder.is_unharmed());
  }
}

TEST_CASE("no output may be a file of a trace that only a log names, where the trace is a list of files") {
  const test::Scratch scratch;
  scratch.write("r0.ti", "0 init\n0 finalize\n");
  const auto r1 = scratch.write("r1.ti", "1 init\n1 finalize\n");
  const auto before = content(r1);
  scratch.write("top.ti", "\xef\xbb\xbf# of each rank\n\nr0.ti\nr1.ti\n");  // behind a byte order mark
  scratch.write("mix.csv", "size,submitted_s,program\n2,0,top.ti\n");
  for (const std::string command :
       {"jobs info mix.csv --json r1.ti", "jobs convert mix.csv -o r1.ti", "schedule mesh:2x2 mix.csv --json r1.ti"}) {
    CAPTURE(command);
    const auto r = run_script("cd " + scratch.path("") + "; $toroid " + command);
    CHECK(r.exit_code == 2);
    CHECK_THAT(r.err, Catch::Contains("'r1.ti' is an input of this run"));
    CHECK(content(r1) == before);
  }
}

TEST_CASE("the manifest has every file that was read, with its hash") {
  Folder folder;
  const auto inputs_of = [&](const std::string& command) {
    const auto r = run_script("cd " + folder.path("") + "; $toroid " + command + " --json -");
    std::set<std::string> names;
    if (r.exit_code != 0) return names;
    const auto json = core::Json::parse(r.out);
    for (const auto& input : json["manifest"]["inputs"]) {
      names.insert(input["file"]);
      CHECK(input["sha256"] == core::sha256_of_file(folder.path(input["file"])));
    }
    return names;
  };
  using Names = std::set<std::string>;
  CHECK(inputs_of("simulate m.xml t.ti --map r.map --busy schedule:jobs=log.swf,at=99s") ==
        Names{"m.xml", "t.ti", "r.map", "log.swf"});
  CHECK(inputs_of("map m.xml matrix.csv --map random --format slurm --hosts hosts -o x") ==
        Names{"m.xml", "matrix.csv", "hosts"});
  CHECK(inputs_of("schedule m.xml mix.csv --times replayed --map r.map") == Names{"m.xml", "mix.csv", "t.ti", "r.map"});
  CHECK(
      inputs_of(
          "schedule m.xml log.swf --times epochs --program t.ti --program './t.ti weight 2' --and-jobs log.swf:first=1 "
          "--alloc random --repeat 2") == Names{"m.xml", "log.swf", "t.ti", "./t.ti"});
}

TEST_CASE("a sweep begins anew when a file has changed that its log, its rules or its mapper names") {
  const auto trace = [](int bytes) {
    const auto b = std::to_string(bytes);
    return "0 init\n0 send 1 0 " + b + " 6\n0 finalize\n1 init\n1 recv 0 0 " + b + " 6\n1 finalize\n";
  };
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"mix.csv --times replayed", "t.ti", trace(100'000'000)},
      {"log.swf --times replayed --program t.ti", "t.ti", trace(100'000'000)},
      {"log.swf --times epochs --program t.ti", "t.ti", trace(100'000'000)},
      {"mix.csv --times replayed --map r.map --reference consecutive --alloc consecutive", "r.map", "0\n3\n"}};
  for (const auto& [arguments, changed, text] : cases) {
    CAPTURE(arguments);
    Folder folder;
    const auto run = [&](const std::string& alloc, const std::string& csv) {
      const auto r = run_script("cd " + folder.path("") + "; $toroid schedule mesh:2x2,bw=1GBps " + arguments +
                                " --scheduler easy" + alloc + " --csv " + csv);
      INFO(r.err);
      CHECK(r.exit_code == 0);
      return content(folder.path(csv));
    };
    const auto before = run("", "sweep.csv");
    std::ofstream(folder.path(changed)) << text;
    const std::string more = " --scheduler fcfs";
    const auto after = run(more, "sweep.csv"), anew = run(more, "anew.csv");
    CHECK(after == anew);
    CHECK(after.find(before.substr(before.find('\n') + 1)) == std::string::npos);
  }
}
