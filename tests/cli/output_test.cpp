// What becomes of outputs when something goes wrong: of every command, as its users run it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/support.hpp"

using namespace toroid;
using test::check_fails;
using test::content;
using test::run_script;
using test::run_toroid;

namespace {

namespace fs = std::filesystem;

/// Every command that writes files, with all it can write; OUT/ is a folder for them.
const std::vector<std::string> commands{
    "simulate mesh:4x4 stencil:grid=4x4 --json OUT/a --links-csv OUT/b --ranks-csv OUT/c",
    "map mesh:4x4 stencil:grid=4x4 --map random -o OUT/a --json OUT/b",
    "compare mesh:4x4 --trace stencil:grid=4x4 --no-verify --csv OUT/a --json OUT/b --svg OUT/c --html OUT/d "
    "--markdown OUT/e --tex OUT/f",
    "advise mesh:4x4 stencil:grid=4x4 --map quick --repeat 1 -o OUT/a --json OUT/b --html OUT/c",
    "trace convert stencil:grid=4x4 -o OUT/a",
    "trace convert stencil:grid=4x4 -o OUT/a.zst",
    "trace convert stencil:grid=2x2 --per-rank -o OUT/a",
    "trace info stencil:grid=4x4 --json OUT/a",
    "trace matrix stencil:grid=4x4 -o OUT/a",
    "platform show mesh:4x4 --json OUT/a --svg OUT/b --html OUT/c",
    "platform create m --shape 4x4 -o OUT/a",
    "platform export mesh:4x4 -o OUT/a",
    "platform export mesh:4x4 --to simgrid -o OUT/a",
    "schedule mesh:4x4 derose:jobs=20,side=4 --json OUT/a --jobs-csv OUT/b --timeline-csv OUT/c --gantt OUT/d "
    "--html OUT/e --columns OUT/f",
    "schedule mesh:4x4 derose:jobs=20,side=4 --scheduler easy --scheduler fcfs --csv OUT/a --json OUT/b --svg OUT/c",
    "jobs convert walker:first=20 -o OUT/a",
    "jobs info derose:jobs=20 --json OUT/a",
    "simulate mesh:4x4 stencil:grid=2x2 --engine fluid --alloc mbs --busy 0-3 --critical-path-csv OUT/a --json OUT/b",
    "compare mesh:4x4 --trace stencil:grid=4x4 --engines fluid packet --no-verify --csv OUT/a --json OUT/b"};

std::string in_folder(std::string command, const std::string& folder) {
  for (auto at = command.find("OUT"); at != std::string::npos; at = command.find("OUT")) command.replace(at, 3, folder);
  return command;
}

using Files = std::map<std::string, std::string>;

Files files_in(const std::string& folder) {
  Files files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = content(entry.path().string());
  return files;
}

/// As before another run; but a journal is one.
Files all_old(Files files) {
  for (auto& [name, text] : files)
    if (!name.ends_with(".journal")) text = "old";
  return files;
}

/// A folder with these files alone.
void fill(const std::string& folder, const Files& files) {
  fs::remove_all(folder);
  fs::create_directory(folder);
  for (const auto& [name, text] : files) std::ofstream(fs::path(folder) / name) << text;
}

constexpr const char* stencil_run = "simulate mesh:4x4 stencil:grid=4x4";

}  // namespace

TEST_CASE("Browsers are told to fetch nothing for any page") {
  const test::Scratch scratch;
  const auto page = scratch.path("page.html");
  for (const std::string arguments :
       {"simulate mesh:4x4 stencil:grid=4x4 --engine fluid", "compare mesh:4x4 --trace stencil:grid=4x4 --no-verify",
        "schedule mesh:4x4 derose:side=4,jobs=5", "advise mesh:4x4 derose:side=4,jobs=5 --repeat 2",
        "platform show mesh:4x4"}) {
    CAPTURE(arguments);
    REQUIRE(test::run_toroid(arguments + " --html " + page).exit_code == 0);
    CHECK(test::content(page).find("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ") !=
          std::string::npos);
  }
}

TEST_CASE("on a full disk old files stay and no new ones appear, whatever the command", "[slow]") {
  const test::Scratch scratch;
  const auto folder = scratch.path("out");
  for (const auto& command : commands) {
    CAPTURE(command);
    fill(folder, {});
    REQUIRE(run_toroid(in_folder(command, folder)).exit_code == 0);
    const auto whole = files_in(folder);
    REQUIRE_FALSE(whole.empty());
    // No file may grow, as on a full disk; none was there, or all were.
    for (const auto& before : {Files{}, all_old(whole)}) {
      fill(folder, before);
      const auto r =
          run_script("(ulimit -f 0; $toroid " + in_folder(command, folder) + ") 2>&1 | cat >&2\nexit ${PIPESTATUS[0]}");
      CHECK(r.exit_code == 2);
      CHECK_THAT(r.err, Catch::Contains("cannot be written: File too large"));
      CHECK(files_in(folder) == before);
    }
  }
}

TEST_CASE("whenever a command is ended, its files are the old ones or whole, and nothing else is there", "[slow]") {
  const test::Scratch scratch;
  const auto folder = scratch.path("out");
  for (const auto& command : {commands[0], commands[1], commands[5], commands[8]}) {
    CAPTURE(command);
    fill(folder, {});
    REQUIRE(run_toroid(in_folder(command, folder)).exit_code == 0);
    const auto whole = files_in(folder), old = all_old(whole);
    for (const std::string signal : {"TERM", "INT", "HUP", "KILL"})
      for (const std::string delay : {"0.002", "0.01", "0.03", "0.06"}) {
        CAPTURE(signal, delay);
        fill(folder, old);
        run_script("$toroid " + in_folder(command, folder) + " & sleep " + delay + "; kill -" + signal +
                   " $!; wait $!");
        const auto files = files_in(folder);
        if (signal != "KILL") CHECK((files == old || files == whole));
        for (const auto& [name, text] : old) CHECK((files.at(name) == "old" || files.at(name) == whole.at(name)));
      }
  }
}

TEST_CASE("a signal while outputs are written leaves what was there before") {
  const test::Scratch scratch;
  for (const std::string signal : {"TERM", "INT", "HUP", "QUIT"}) {
    CAPTURE(signal);
    fill(scratch.path("out"), {{"links", "old"}});
    // Nobody reads the pipe: the command waits there, its files written, but not in their places yet.
    const auto r =
        // Job control: without it a shell has its background commands ignore INT and QUIT.
        run_script("set -m; cd " + scratch.path("out") + "; mkfifo ../p$$; sleep 50 <> ../p$$ & sleeper=$!\n" +
                   "$toroid simulate mesh:16x16 stencil:grid=16x16 --engine fluid --json ../p$$ --links-csv links & "
                   "toroid=$!\n"
                   "until ls | grep -q partial; do sleep 0.05; done; sleep 0.2\n"
                   "kill -" +
                   signal + " $toroid; wait $toroid; code=$?; kill $sleeper; exit $code");
    CHECK(r.exit_code > 128);
    CHECK(files_in(scratch.path("out")) == Files{{"links", "old"}});
  }
}

TEST_CASE("a reader that goes away costs no file") {
  const test::Scratch scratch;
  fill(scratch.path("out"), {{"links", "old"}});
  run_script("cd " + scratch.path("out") +
             "; $toroid simulate mesh:16x16 stencil:grid=16x16 --engine fluid --json - --links-csv links | head -c 9");
  CHECK(files_in(scratch.path("out")) == Files{{"links", "old"}});
}

TEST_CASE("no worker outlives a command that is ended") {
  const test::Scratch scratch;
  for (const std::string command :
       {"simulate torus:16x16x16 stencil:grid=16x16x16,steps=1000 --json ",
        "compare torus:16x16x16 --workers 3 --trace stencil:grid=16x16x16,steps=1000 --json "}) {
    for (const std::string signal : {"TERM", "INT", "KILL"}) {
      const auto name = scratch.path(signal);
      CAPTURE(command, signal);
      const auto r = run_script("set -m; count() {  # itself left out\n grep -lsz [/]" + name.substr(1) +
                                " /proc/[0-9]*/cmdline | wc -l; }\n"
                                "$toroid " +
                                command + name +
                                " & toroid=$!\n"
                                "for i in {1..400}; do [ $(count) -ge 2 ] && break; sleep 0.05; done\n"
                                "echo before $(count); kill -" +
                                signal +
                                " $toroid; wait $toroid\n"
                                "for i in {1..100}; do [ $(count) = 0 ] && break; sleep 0.05; done\n"
                                "echo after $(count)");
      CHECK_THAT(r.out, !Catch::Contains("before 0") && !Catch::Contains("before 1\n") && Catch::EndsWith("after 0\n"));
    }
  }
}

TEST_CASE("outputs may be pipes, named or not") {
  const test::Scratch scratch;
  const auto run = "cd " + scratch.path("") + "; $toroid " + stencil_run + " --json ";
  const auto whole = run_toroid(std::string(stencil_run) + " --json -").out;
  REQUIRE(core::Json::accept(whole));
  for (const std::string& script :
       {"cd " + scratch.path("") + "; mkfifo p; cat p & $toroid " + stencil_run + " --json p >&2; wait",
        run + ">(cat > got) >&2; wait $!; cat got", run + "/dev/stdout | cat", run + "/dev/stdout", run + "/dev/fd/1",
        run + "/dev/fd/5 5>&1 >&2", run + "/dev/stderr 2>&1 >/dev/null"}) {
    CAPTURE(script);
    const auto r = run_script(script);
    CHECK(r.exit_code == 0);
    CHECK(r.out == whole);
  }
  const auto r =
      run_script("cd " + scratch.path("") +
                 "; mkfifo out.csv.journal; $toroid compare mesh:2x2 --trace stencil:grid=2x2 --csv out.csv");
  CHECK(r.exit_code == 2);
  CHECK_THAT(r.err, Catch::Contains("out.csv.journal: is no regular file"));
}

TEST_CASE("outputs that are one file, or an input, are refused before the work") {
  const test::Scratch scratch;
  const auto in = [&](const std::string& command) { return run_script("cd " + scratch.path("") + "; " + command); };
  const std::string compare = "$toroid compare mesh:2x2 --trace stencil:grid=2x2 --no-verify ";
  REQUIRE(run_toroid("trace convert stencil:grid=2x2 -o " + scratch.path("t.ti")).exit_code == 0);
  REQUIRE(run_toroid("platform create m --shape 2x2 -o " + scratch.path("m.xml")).exit_code == 0);
  scratch.write("r.map", "0\n1\n2\n3\n");
  scratch.write("hosts", "a\nb\nc\nd\n");
  const auto before = files_in(scratch.path(""));
  for (const std::string& command :
       {compare + "--csv z --json z.journal", compare + "--csv z --json ./z", compare + "--json z --html $PWD/z",
        compare + "--csv z > z.csv --html z.csv; code=$?; rm z.csv; exit $code",
        std::string("$toroid simulate m.xml t.ti --json t.ti"),
        std::string("$toroid simulate m.xml t.ti --json ./m.xml"),
        std::string("$toroid simulate m.xml t.ti --map r.map --links-csv r.map"),
        std::string("$toroid map m.xml t.ti --map r.map -o r.map"),
        std::string("$toroid map m.xml t.ti --map random --format slurm --hosts hosts -o hosts"),
        std::string("$toroid compare m.xml --trace t.ti --map r.map --json r.map"),
        std::string("$toroid compare m.xml --trace t.ti --csv m.xml"),
        std::string("$toroid trace convert t.ti -o t.ti"), std::string("$toroid trace info t.ti --json t.ti"),
        std::string("$toroid trace matrix t.ti -o t.ti"), std::string("$toroid platform export m.xml -o m.xml"),
        std::string("$toroid platform show m.xml --json m.xml"),
        std::string("$toroid platform create n --from m.xml -o m.xml")}) {
    CAPTURE(command);
    const auto r = in(command);
    CHECK(r.exit_code == 2);
    CHECK_THAT(r.err, Catch::Contains("same file") || Catch::Contains("given for two outputs") ||
                          Catch::Contains("is an input of this run"));
    CHECK(files_in(scratch.path("")) == before);
  }
  CHECK_THAT(run_toroid(std::string(stencil_run) + " --json ''").err,
             Catch::Contains("--json: found nothing, expected a file"));
}

TEST_CASE("standard streams may be closed or full") {
  const test::Scratch scratch;
  const auto whole = run_toroid(std::string(stencil_run) + " --json -").out;
  const auto in = [&](const std::string& command) {
    return run_script("cd " + scratch.path("") + "; " + command).exit_code;
  };
  const std::string run = std::string("$toroid ") + stencil_run;
  CHECK(in(run + " --json x <&- >&- 2>&-") == 0);
  CHECK(content(scratch.path("x")) == whole);
  CHECK(in(run + " --json - <&- >&- 2>&-") == 2);
  for (const std::string ending : {" 2>&-", " 2>/dev/full", " >&- 2>&- <&-"}) {
    CAPTURE(ending);
    CHECK(in("$toroid simulate nonsense cg" + ending) == 2);
    CHECK(in("$toroid nonsense" + ending) == 2);
    scratch.write("d.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
    CHECK(in("$toroid simulate mesh:2 d.ti" + ending) == 1);
  }
  for (const std::string command :
       {"--help", "simulate --help", "--version", "", "list", "platform show mesh:4x4", stencil_run,
        "simulate mesh:4x4 stencil:grid=4x4 --json -", "trace info cg", "trace matrix cg"}) {
    CAPTURE(command);
    const auto r = run_script("$toroid " + command + " >/dev/full");
    CHECK(r.exit_code == 2);
    CHECK_THAT(r.err, Catch::Contains("standard output cannot be written: No space left on device"));
  }
}

TEST_CASE("names that are no UTF-8 are no obstacle") {
  const test::Scratch scratch;
  const auto r = run_script("cd " + scratch.path("") + R"(; set -e
    t=$'t\xff\x1b.ti'; m=$'m\xfe.xml'; p=$'p\xfd.map'
    $toroid trace convert stencil:grid=2x2 -o "$t"
    $toroid platform create m --shape 2x2 -o "$m"
    $toroid map "$m" "$t" --map random -o "$p" --json map.json
    $toroid simulate "$m" "$t" --map "$p" --json simulate.json
    $toroid platform show "$m" --json show.json --svg show.svg
    $toroid trace info "$t" --json info.json
    $toroid compare "$m" --trace "$t" --map "$p" --csv compare.csv --json compare.json --html compare.html)");
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  for (const std::string name : {"map", "simulate", "show", "info", "compare"}) {
    CAPTURE(name);
    CHECK(core::Json::accept(content(scratch.path(name + ".json"))));
  }
}

TEST_CASE("numbers are decimal digits within their range") {
  const std::string map = "map mesh:4x4 stencil:grid=4x4 --map random -o - --seed ";
  CHECK(run_toroid(map + "010").out == run_toroid(map + "10").out);
  CHECK(run_toroid(map + "18446744073709551615").exit_code == 0);
  for (const std::string wrong :
       {"-1", "0x10", "1e3", "' 1'", "1.0", "''", "18446744073709551616", "nan", "99999999999999999999999", "+1"}) {
    CAPTURE(wrong);
    const auto r = run_toroid(map + wrong);
    CHECK(r.exit_code == 2);
    CHECK_THAT(r.err, Catch::Contains("expected a whole number from 0 to 18446744073709551615"));
    CHECK(r.err.size() < 200);
  }
  const std::string compare = "compare mesh:4x4 --trace stencil:grid=4x4 ";
  for (const std::string wrong : {"nan", "inf", "-nan", "0", "1", "0x1p-4", "1e-400", "''"}) {
    CAPTURE(wrong);
    check_fails(compare + "--alpha " + wrong, 2, "expected a number from 0.0001 to 0.5");
  }
  check_fails(compare + "--repeat 2.5", 2, "expected a whole number from 1 to 1000000");
  check_fails(compare + "--workers 4097", 2, "expected a whole number from 1 to 4096");
  check_fails("simulate mesh:4x4 cg:ranks=16 --ranks-per-node 99999999999", 2, "expected a whole number from 1");
}

TEST_CASE("what is wrong is shown in one line, however long it is and whatever it does to terminals") {
  const test::Scratch scratch;
  const std::string junk = "\x1b[31m\r" + std::string(1'000'000, 'x');
  const auto map = scratch.write("junk.map", junk);
  const auto long_name = "'" + std::string(100'000, 'x') + "\x1b'";
  for (const std::string& command :
       {"simulate mesh:2x2 stencil:grid=2x2 --map " + map, "simulate mesh:2x2 " + map, "simulate " + map + " cg",
        "map mesh:2x2 stencil:grid=2x2 --map random --hosts " + map, "simulate mesh:2x2 cg --map " + long_name,
        "simulate " + long_name + " cg", "simulate mesh:2x2 cg --engine " + long_name, "list " + long_name,
        "simulate mesh:2x2 cg --nodes " + long_name, "simulate mesh:2x2 cg --seed " + long_name,
        "simulate mesh:2x2 cg --set " + long_name, "simulate mesh:2x2 cg --compute " + long_name,
        "simulate mesh:2x2 cg --collectives " + long_name, "simulate mesh:2x2 cg " + long_name, long_name,
        "trace matrix cg --format " + long_name, "simulate mesh:2x2 cg --json " + long_name}) {
    const auto r = run_toroid(command);
    CAPTURE(command.substr(0, 60), r.err.substr(0, 200));
    CHECK(r.exit_code == 2);
    CHECK(r.err.size() < 3000);
    CHECK(r.err.find('\x1b') == std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}
