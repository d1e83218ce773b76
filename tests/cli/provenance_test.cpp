// What results say of where the values of their machines are from.

#include <catch2/catch.hpp>

#include <string>

#include "tests/support/support.hpp"

using namespace toroid;
using core::Json;

TEST_CASE("a result says of every property of its machine where it is from") {
  const test::Scratch scratch;
  const auto trace = scratch.write("one.ti", "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
  const auto result = test::json_of("simulate titan:router.vcs=4 " + trace + " --engine fluid --set gap=100ns");
  const auto& sources = result["manifest"]["provenance"];
  REQUIRE(sources.size() == 1);
  const auto& titan = sources[0];
  CHECK(titan["platform"] == "titan:router.vcs=4,gap=100ns");
  CHECK(titan["chosen"] == Json{{"gap", "100ns"}, {"router.vcs", "4"}});
  CHECK(titan["measured"].contains("base-latency"));
  CHECK(titan["published"]["shape"] == "25x16x24");
  CHECK(titan["estimate"].contains("x.bandwidth"));
  CHECK(titan["estimate"]["overhead"] == "0s");
  CHECK(titan["default"].contains("loopback-latency"));
  CHECK(titan["unstated"].empty());
}

TEST_CASE("studies say it of each machine, platform files of what they state, calibrated ones of what was fitted") {
  const test::Scratch scratch;
  const auto trace = scratch.write("one.ti", "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
  std::string measured = "from,to,bytes,us\n";
  for (const int to : {1, 2, 3})
    for (const int bytes : {1000, 100000, 1000000})
      measured += fmt::format("0,{},{},{}\n", to, bytes, 1.5 + 0.1 * to + 1e-3 * bytes / 2);
  const auto data = scratch.write("pingpong.csv", measured), fitted = scratch.path("fitted.xml");
  REQUIRE(test::run_toroid("calibrate mesh:4x4,base=1us " + data + " -o " + fitted).exit_code == 0);
  const auto plain = scratch.write("plain.xml",
                                   "<platform version=\"4.1\"><zone id=\"plain\" routing=\"Full\">"
                                   "<prop id=\"shape\" value=\"4x4\"/><prop id=\"bandwidth\" value=\"2GBps\"/>"
                                   "</zone></platform>");
  const auto study = test::json_of("compare " + fitted + " " + plain + " mesh:4x4,lat=1us --trace " + trace +
                                   " --map consecutive --repeat 1");
  const auto& sources = study["manifest"]["provenance"];
  REQUIRE(sources.size() == 3);
  CHECK(sources[0]["measured"].size() == 3);
  CHECK(sources[0]["measured"].contains("latency"));
  CHECK(sources[1]["unstated"] == Json{{"shape", "4x4"}, {"bandwidth", "2GBps"}});
  CHECK(sources[2]["chosen"] == Json{{"shape", "4x4"}, {"wrap", "mesh"}, {"latency", "1us"}});
}

TEST_CASE("an interval is named as such, and platform show tells sources") {
  const test::Scratch scratch;
  const auto trace = scratch.write("one.ti", "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
  const auto drawn = test::json_of("simulate mesh:4x4,bandwidth=1..3GBps " + trace + " --engine fluid --uncertainty 3");
  CHECK(drawn["manifest"]["provenance"][0]["chosen"]["bandwidth"] == "1GBps..3GBps");
  const auto shown = test::run_toroid("platform show hpcline:latency=50ns").out;
  CHECK(shown.find("sources       measured: base-latency ejection-bandwidth injection-bandwidth\n") !=
        std::string::npos);
  CHECK(shown.find("              chosen: latency\n") != std::string::npos);
  CHECK(test::run_toroid("platform show mesh:4x4").out.find("sources") == std::string::npos);
}

TEST_CASE("a provenance that names what is no property is one line, and nothing is written") {
  test::check_fails("platform show \"mesh:4x4,provenance=(published: bandwith)\"", 2,
                    "provenance: unknown property 'bandwith'; did you mean 'bandwidth'?");
}
