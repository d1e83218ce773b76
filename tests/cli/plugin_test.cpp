// Plug-ins: names like all others, wherever names are given, and errors of one line where a file is none.

#include <catch2/catch.hpp>

#include "core/inputs.hpp"
#include "tests/support/support.hpp"

namespace toroid {
namespace {

using test::check_fails;
using test::json_of;
using test::run_toroid;

const std::string example = " --plugin " TOROID_EXAMPLE_PLUGIN " ";

TEST_CASE("Algorithms of a plug-in do what they say, beside our own that do the same") {
  const std::string jobs = "schedule mesh:16x16 derose:jobs=300,seed=3 ";
  auto theirs = json_of(example + jobs + "--scheduler in-order --alloc lowest");
  auto ours = json_of(jobs + "--scheduler fcfs --alloc consecutive");
  CHECK(theirs["manifest"]["alloc"] == "lowest");
  theirs.erase("manifest");
  ours.erase("manifest");
  CHECK(theirs == ours);
  const auto mapped = json_of(example + "simulate mesh:4 one-message:bytes=5000 --engine fluid --map near-partners");
  CHECK(mapped["runtime_s"].get<double>() == Approx(100e-9 + 5000 / 1e9));
}

TEST_CASE("A plug-in may stand anywhere on the command line, twice, and in sweeps with workers") {
  const auto with = [](const std::string& arguments) { return run_toroid(arguments).out; };
  const auto expected = with(example + "map mesh:8 stencil:grid=4 --map near-partners");
  CHECK_THAT(expected, Catch::Contains("near-partners"));
  CHECK(with("map" + example + "mesh:8 stencil:grid=4 --map near-partners") == expected);
  CHECK(with("map mesh:8 stencil:grid=4 --map near-partners --plugin=" TOROID_EXAMPLE_PLUGIN) == expected);
  CHECK(with(example + "map mesh:8 stencil:grid=4 --map near-partners" + example) == expected);
  const test::Scratch scratch;
  const auto rows = [&](const std::string& workers) {
    const auto file = scratch.path("rows.csv");
    const auto run = run_toroid(example +
                                "compare mesh:8 --trace stencil:grid=4 --map near-partners random --repeat 5 "
                                "--engine fluid --no-verify --workers " +
                                workers + " --csv " + file);
    CHECK(run.exit_code == 0);
    const auto text = test::content(file);
    std::filesystem::remove(file);
    return text;
  };
  CHECK(rows("1") == rows("3"));
}

TEST_CASE("The list says where names come from, and a result which file made it") {
  const auto list = json_of(example + "list allocators")["allocators"]["entries"];
  CHECK(list.back()["name"] == "lowest");
  CHECK(list.back()["from"] == TOROID_EXAMPLE_PLUGIN);
  CHECK(list.back()["keys"][0]["name"] == "skip");
  CHECK_FALSE(list.front().contains("from"));
  CHECK_THAT(run_toroid(example + "list mappers").out,
             Catch::Contains("[" TOROID_EXAMPLE_PLUGIN "]") || Catch::Contains("nearest to those that it sends to ["));

  const test::Scratch scratch;
  const auto file = scratch.path("result.json");
  REQUIRE(run_toroid(example + "map mesh:8 stencil:grid=4 --map near-partners --json " + file).exit_code == 0);
  const auto result = core::Json::parse(test::content(file));
  CHECK(result["manifest"]["arguments"]["--plugin"] == core::Json::array({TOROID_EXAMPLE_PLUGIN}));
  CHECK(result["manifest"]["inputs"][0]["file"] == TOROID_EXAMPLE_PLUGIN);
  CHECK(result["manifest"]["inputs"][0]["sha256"].get<std::string>().size() == 64);
  const auto again = run_toroid(example + "map --json - --config " + file);
  CHECK(core::Json::parse(again.out) == result);
  CHECK(again.err.empty());
}

TEST_CASE("A result makes no command load code, and the code that is named is what it was") {
  const test::Scratch scratch;
  const auto library = scratch.path("mine.so"), result = scratch.path("result.json"), mark = scratch.path("loaded");
  std::filesystem::copy_file(TOROID_EXAMPLE_PLUGIN, library);
  const auto with = "--plugin " + library + " map ";
  REQUIRE(run_toroid(with + "mesh:8 stencil:grid=4 --map near-partners --json " + result).exit_code == 0);
  const auto dumped =
      scratch.write("dumped", run_toroid(with + "mesh:8 stencil:grid=4 --map near-partners --dump-config").out);
  CHECK(run_toroid(with + "--config " + dumped).exit_code == 0);
  // A library that says so as soon as it is loaded, in the place of the plug-in.
  const auto source = scratch.write("mine.c",
                                    "#include <stdio.h>\n__attribute__((constructor)) static void begin(void) "
                                    "{ fclose(fopen(\"" +
                                        mark + "\", \"w\")); }\n");
  REQUIRE(std::system(("cc -shared -fPIC -o " + library + " " + source).c_str()) == 0);
  check_fails("map --config " + result, 2, "mine.so has changed since this result was made from it");
  // The same bytes as the result says, so that only the command decides.
  auto of_this = core::Json::parse(test::content(result));
  of_this["manifest"]["inputs"][0]["sha256"] = core::sha256_of_file(library);
  const auto good = scratch.write("good.json", of_this.dump());
  check_fails("map --config " + good, 2, "expected the same plug-ins: toroid --plugin FILE");
  CHECK_FALSE(std::filesystem::exists(mark));
  check_fails(with + "--config " + good, 2, "found no TOROID_PLUGIN in it");
  CHECK(std::filesystem::exists(mark));
}

TEST_CASE("What is no plug-in for this program is an error, and nothing is written over a plug-in") {
  const std::string run = "map mesh:4 stencil:grid=4 ";
  check_fails(run + "--plugin /nowhere.so", 2, "--plugin /nowhere.so: no such file");
  check_fails(run + "--plugin /", 2, "--plugin /: is a directory; expected a file");
  check_fails(run + "--plugin", 2, "--plugin: found nothing after it, expected a file");
  check_fails(run + "--plugin " + test::platform_library(), 2, "found no TOROID_PLUGIN in it");
  check_fails(run + "--plugin " TOROID_STALE_PLUGIN, 2,
              "was compiled for another toroid: found version 0 of the plug-in interface, expected ");
  check_fails(run + "--plugin " TOROID_FOREIGN_PLUGIN, 2, "was compiled by another compiler: found C++ ABI 1, ");
  const test::Scratch scratch;
  const auto text = scratch.write("text.so", "no library\n");
  check_fails(run + "--plugin " + text, 2, "cannot be loaded");
  check_fails(run + "--map near-partners", 2, "'near-partners': no such mapper");
  check_fails(example + "map mesh:4 stencil:grid=4 --map near-partners:x=1", 2,
              "mapper 'near-partners' has no key 'x'");
  const auto copy = scratch.write("copy.so", test::content(TOROID_EXAMPLE_PLUGIN));
  check_fails(run + "--plugin " + copy + " --json " + copy, 2, copy);
}

TEST_CASE("A plug-in of Python is run by the package that belongs to the command, and by no other") {
  const test::Scratch scratch;
  const auto plugin = scratch.write("mine.py", "");
  for (const std::string folder : {"prefix", "toroid"}) {
    std::filesystem::create_directories(scratch.path(folder + "/bin"));
    std::filesystem::copy_file(test::toroid_command(), scratch.path(folder + "/bin/toroid"));
  }
  scratch.write("toroid/__main__.py", "print('taken')\n");  // beside the prefix; around the program that pip installed
  const auto run = [&](const std::string& folder) {
    return test::run_script(scratch.path(folder + "/bin/toroid") + " --plugin " + plugin + " list");
  };
  const auto foreign = run("prefix");
  CHECK(foreign.exit_code == 2);
  CHECK_THAT(foreign.err, Catch::Contains("this toroid was built without Python"));
  CHECK(run("toroid").out == "taken\n");
}

TEST_CASE("What a plug-in throws is told in a line that names it") {
  const std::string with = "--plugin " TOROID_THROWING_PLUGIN " ", jobs = "schedule mesh:4x4 derose:jobs=9,side=4 ";
  const std::string map = "simulate mesh:4 stencil:grid=4 --engine fluid --map throws";
  for (const auto& [number, what] : {std::pair("", "threw an exception: beyond\\nthe end"),
                                     std::pair(":number=yes", "threw int, expected a std::exception")}) {
    check_fails(with + jobs + "--alloc throws" + number, 2, std::string("allocator 'throws': ") + what);
    check_fails(with + jobs + "--scheduler throws" + number, 2, std::string("scheduler 'throws': ") + what);
    check_fails(with + map + number, 2, std::string("mapper 'throws': ") + what);
    const auto compared = run_toroid(with + "compare mesh:4 --trace stencil:grid=4 --map throws" + number);
    CHECK(compared.exit_code == 1);
    CHECK_THAT(compared.err, Catch::Contains(std::string("mapper 'throws': ") + what));
    check_fails(with + "trace info throws" + number, 2, std::string("generator 'throws': ") + what);
  }
  const auto r = test::run_script("TOROID_TEST_THROW=1 $toroid " + with + "list mappers");
  CHECK(r.exit_code == 2);
  CHECK(r.err == "toroid: --plugin " TOROID_THROWING_PLUGIN
                 ": its code: threw char const*, expected a std::exception\n");
}

}  // namespace
}  // namespace toroid
