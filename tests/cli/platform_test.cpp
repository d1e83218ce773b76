// toroid platform, and what-ifs on other commands.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "platforms/xml.hpp"
#include "tests/support/support.hpp"
#include "toroid/platforms/load.hpp"

using namespace toroid;
using test::run_toroid;

namespace {

constexpr const char* frame_start =
    "<?xml version='1.0'?>\n<platform version=\"4.1\">\n<zone id=\"m\" routing=\"Full\">\n";
constexpr const char* frame_end = "</zone>\n</platform>\n";

std::string run_out(const std::string& arguments) {
  INFO("toroid " << arguments);
  const auto r = run_toroid(arguments);
  CHECK(r.err.empty());
  CHECK(r.exit_code == 0);
  return r.out;
}

void check_refused(const std::string& arguments, const std::string& message) {
  INFO("toroid " << arguments);
  const auto r = run_toroid(arguments);
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, Catch::Contains(message));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("platform show prints figures and a drawing") {
  const auto out = run_out("platform show mesh:4x3 --fail-link 1-2 --fail-node 7");
  CHECK_THAT(out, Catch::Contains("12 routers") && Catch::Contains("11 compute, 1 failed") &&
                      Catch::Contains("  o--o  o--o\n  |  |  |  |\n  o--o--o--x\n"));
}

TEST_CASE("platform show prints a route, link by link") {
  // Along x first, then round what failed along y.
  const auto out = run_out("platform show mesh:4x3,base=1us,lat=100ns,injection=500MBps --route n0 6");
  CHECK_THAT(out, Catch::Contains("route         n0 to n6: 3 hops, the first byte arrives after 1.3 us, at 500 MB/s\n"
                                  "              n0 injection, 500 MB/s\n"
                                  "              n0 -> n1 (+x), 1 GB/s\n"
                                  "              n1 -> n2 (+x), 1 GB/s\n"
                                  "              n2 -> n6 (+y), 1 GB/s\n"));
  CHECK_THAT(run_out("platform show mesh:4x3 --route 0 2 --fail-link 1-2"), Catch::Contains("n0 to n2: 4 hops"));
  check_refused("platform show mesh:4x3 --route 0 99", "--route");
  check_refused("platform show mesh:4x3 --route 0-1 2", "--route: found '0-1', expected one node such as n3");
  check_refused("platform show mesh:4x3 --route 0", "--route");
  check_refused("platform show torus:4x4,fail-router=3 --route n3 n1", "--route: found 'n3', whose router failed");
}

TEST_CASE("platform show as JSON holds the figures") {
  const auto json = core::Json::parse(run_out("platform show torus:8x8,bandwidth=2GBps --json -"));
  CHECK(json["routers"] == 64);
  CHECK(json["diameter_hops"] == 8);
  CHECK(json["mean_hops"].get<double>() == Approx(4.0 * 64 / 63));
  CHECK(json["bisection_links"] == 16);
  CHECK(json["bisection_bandwidth_bytes_per_s"] == 32e9);
  CHECK(json["properties"]["bandwidth"] == "2GBps");
}

TEST_CASE("platform show as JSON holds every router, node and link") {
  const auto json = core::Json::parse(
      run_out("platform show 'mesh:4x3,nodes=2,injection=2GBps,service-nodes=3' --fail-link 'r1 -> r2 (+x)' --json -"));
  CHECK(json["router_table"].size() == 12);
  CHECK(json["node_table"].size() == 24);
  CHECK(json["node_table"][3] ==
        core::Json{{"node", 3}, {"name", "n3"}, {"router", 1}, {"at", {1, 0}}, {"state", "service"}});
  CHECK(json["link_table"].size() == 2 * (3 * 3 + 4 * 2) + 23);  // links of the grid, failed or not, and injections
  const auto link = [&](const std::string& name) {
    for (const auto& row : json["link_table"])
      if (row["name"] == name) return row;
    return core::Json();
  };
  CHECK(link("r1 -> r2 (+x)") == core::Json{{"link", 4},
                                            {"name", "r1 -> r2 (+x)"},
                                            {"kind", "link"},
                                            {"dimension", "x"},
                                            {"direction", "+"},
                                            {"from", "r1"},
                                            {"to", "r2"},
                                            {"from_at", {1, 0}},
                                            {"to_at", {2, 0}},
                                            {"bandwidth_bytes_per_s", 1e9},
                                            {"latency_s", 1e-7},
                                            {"works", false}});
  CHECK(link("r2 -> r1 (-x)")["works"] == true);
  CHECK(link("n4 injection")["to"] == "r2");
}

TEST_CASE("platform create writes a file that makes the machine that its flags describe") {
  const test::Scratch scratch;
  const auto path = scratch.path("sci.xml");
  run_out("platform create sci --shape 12x8 --wrap ring --bandwidth 500MBps --set x.shared=yes --fail-node 3 -o " +
          path);
  auto expected = platforms::describe("ring:12x8,bandwidth=500MBps,x.shared=yes,failed-nodes=3");
  expected.name = "sci";
  CHECK(platforms::read_xml(path) == expected);
  CHECK_THAT(run_out("platform check " + path), Catch::Contains("sci is a good machine"));
  CHECK_THAT(run_out("platform show " + path), Catch::Contains("95 compute, 1 failed"));
}

TEST_CASE("Of options that set the same, that of a single dimension holds, in any order; two alike are refused") {
  const test::Scratch scratch;
  const auto path = scratch.path("m.xml");
  const auto check = [&](const std::string& options, const std::string& same) {
    CAPTURE(options);
    run_out("platform create m " + options + " -o " + path);
    auto expected = platforms::describe(same);
    expected.name = "m";
    CHECK(platforms::read_xml(path) == expected);
  };
  for (const auto& [first, second] : {std::pair("--wrap torus", "--set z.wrap=mesh"),
                                      {"--set wrap=torus", "--wrap z=mesh"},
                                      {"--wrap torus", "--wrap z=mesh"}})
    for (const auto& options : {std::string(first) + " " + second, std::string(second) + " " + first})
      check("--shape 4x4x4 " + options, "torus:4x4x4,z.wrap=mesh");
  check("--from torus:4x4x4 --set z.wrap=torus --wrap mesh", "mesh:4x4x4,z.wrap=torus");
  check("--set z.bandwidth=2GBps --shape 4x4x4 --bandwidth 3GBps", "mesh:4x4x4,bandwidth=3GBps/3GBps/2GBps");
  const auto shown = [](const std::string& options) {
    return core::Json::parse(
        run_out("platform show torus:4x4,y.bandwidth=8GBps " + options + " --json -"))["properties"];
  };
  CHECK(shown("--set x.bw=x3 --set bandwidth=2GBps")["x.bandwidth"] == "6GBps");
  CHECK(shown("--set x.bw=x3 --set bandwidth=2GBps")["y.bandwidth"] == "2GBps");
  check_refused("platform create m --shape 4x4 --wrap torus --set wrap=mesh", "'wrap' is set twice, to mesh and torus");
  check_refused("platform create m --shape 4x4 --bandwidth 1GBps --set bw=2GBps", "'bandwidth' is set twice");
  check_refused("platform show mesh:4x4 --set y.lat=1us --set y.latency=2us", "'y.latency' is set twice");
  check_refused("simulate mesh:4x4 stencil:grid=4x4 --set bw=x2 --set bw=x2", "expected one value");
}

TEST_CASE("platform create leaves no file behind when the machine cannot be") {
  const test::Scratch scratch;
  check_refused("platform create m --bandwidth 1GBps -o " + scratch.path("m.xml"), "'shape'");
  check_refused("platform create m -o " + scratch.path("m.xml"), "--shape is missing");
  check_refused("platform create m --shape 4x4 --service-nodes 16 -o " + scratch.path("m.xml"),
                "node 16 does not exist");
  CHECK_FALSE(std::filesystem::exists(scratch.path("m.xml")));
}

TEST_CASE("platform check tells all errors, each with its place") {
  const test::Scratch scratch;
  const auto path = scratch.write("bad.xml", std::string(frame_start) +
                                                 "<prop id=\"shape\" value=\"4x4\"/>\n"
                                                 "<prop id=\"wrap\" value=\"rings\"/>\n"
                                                 "<prop id=\"latancy\" value=\"1us\"/>\n"
                                                 "<prop id=\"cores\" value=\"0\"/>\n" +
                                                 frame_end);
  const auto r = run_toroid("platform check " + path);
  CHECK(r.exit_code == 2);
  CHECK_THAT(r.out, Catch::Contains(":5:24: error: wrap: found 'rings'") &&
                        Catch::Contains(":6:27: error: unknown property 'latancy'; did you mean 'latency'?") &&
                        Catch::Contains(":7:25: error: cores: found '0'"));
  CHECK_THAT(r.err, Catch::Contains("3 errors"));
  const auto as_json = run_toroid("platform check " + path + " --json -");
  CHECK(as_json.exit_code == 2);
  const auto json = core::Json::parse(as_json.out);
  CHECK(json["is_good"] == false);
  REQUIRE(json["findings"].size() == 3);
  CHECK(json["findings"][1]["severity"] == "error");
  CHECK(json["findings"][1]["line"] == 6);
  CHECK(json["findings"][1]["column"] == 27);
  CHECK(json["findings"][1]["message"] ==
        "unknown property 'latancy'; did you mean 'latency'? (toroid list properties)");
  const auto error = core::Json::parse(run_toroid("--json-errors platform check " + path + " --json -").err);
  CHECK(error == core::Json({{"schema_version", 2}, {"exit_code", 2}, {"error", path + ": 3 errors"}}));
  CHECK(core::Json::parse(run_toroid("simulate mesh:4 --json-errors").err)["exit_code"] == 2);
  CHECK(core::Json::parse(run_toroid("--plugin nowhere.so list --json-errors").err)["error"] ==
        "--plugin nowhere.so: no such file");
  check_refused("simulate " + path + " stencil:grid=4x4", ":5:24: wrap: found 'rings'");
}

TEST_CASE("platform check tells a missing version once") {
  const test::Scratch scratch;
  const auto path =
      scratch.write("bare.xml", "<platform>\n<zone id=\"m\" routing=\"Full\">\n<prop id=\"shape\" value=\"4x4\"/>\n" +
                                    std::string(frame_end));
  const auto findings = core::Json::parse(run_toroid("platform check " + path + " --json -").out)["findings"];
  REQUIRE(findings.size() == 1);
  CHECK(findings[0]["message"] == "<platform> needs the attribute 'version'");
}

TEST_CASE("platform check warns of values that look like slips") {
  const test::Scratch scratch;
  const auto path = scratch.write("odd.xml", std::string(frame_start) +
                                                 "<prop id=\"shape\" value=\"4x4\"/>\n"
                                                 "<prop id=\"latency\" value=\"1s\"/>\n"
                                                 "<prop id=\"injection-bandwidth\" value=\"1MBps\"/>\n" +
                                                 frame_end);
  const auto out = run_out("platform check " + path);
  CHECK_THAT(out, Catch::Contains(":5:2: warning: 1 s for one hop") &&
                      Catch::Contains("more than 100 times as fast as what one node can use (1 MB/s)") &&
                      Catch::Contains("but see the warnings"));
  const auto json = core::Json::parse(run_out("platform check " + path + " --json -"));
  CHECK(json["is_good"] == true);
  CHECK(json["findings"][0]["severity"] == "warning");
}

TEST_CASE("platform check takes every file that is a machine") {
  const test::Scratch scratch;
  const auto yaml = scratch.write("topology.yaml", "- topology: t\n  ring: {rings: [{ring: r, nodes: 'n[1-4]'}]}\n");
  CHECK(run_out("platform check " + yaml) == yaml + ": t is a good machine\n");
  const auto bad = run_toroid("platform check " + scratch.write("bad.yaml", "- topology: t\n  rings: 3\n"));
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.out, Catch::Contains("bad.yaml:2:1: error: source: #/, description: unknown key 'rings'"));
  const auto json = scratch.path("m.json");
  REQUIRE(run_toroid("platform show mesh:4x3,bandwidth=3GBps,speed=2Gf --json " + json).exit_code == 0);
  CHECK_THAT(run_out("platform check " + json), Catch::Contains("is a good machine"));
  CHECK(run_out("platform export " + json) == run_out("platform export mesh:4x3,bandwidth=3GBps,speed=2Gf"));
  CHECK_THAT(run_toroid("platform check " + scratch.write("n.json", "{\n[")).out,
             Catch::Contains("n.json:2:1: error: found no JSON"));
  check_refused("platform show " + scratch.write("o.json", "{}"), "found no properties of a machine");
}

TEST_CASE("A compressed platform is one for all commands") {
  const test::Scratch scratch;
  const auto text = run_out("platform export mesh:4x3");
  for (const auto& packed : {test::gzip_compressed(text), test::zstd_compressed(text)}) {
    const auto path = scratch.write("m.xml.packed", packed);
    CHECK_THAT(run_out("platform check " + path), Catch::Contains("is a good machine"));
    CHECK(run_out("platform export " + path) == text);
    CHECK(run_toroid("simulate " + path + " stencil:grid=4x3").exit_code == 0);
  }
}

TEST_CASE("platform export writes a file of ours or plain SimGrid", "[slow]") {
  CHECK_THAT(run_out("platform export mesh:4x4 --wrap y=torus"), Catch::Contains("id=\"y.wrap\" value=\"torus\""));
  CHECK_THAT(run_out("platform export torus:4x4 --to simgrid"), Catch::Contains("topology=\"TORUS\""));
  CHECK_THAT(run_out("platform export mesh:2x2 --to simgrid"),
             Catch::Contains("<route src=\"node-0\" dst=\"router-0-0\"") &&
                 Catch::Contains("<prop id=\"network/crosstraffic\" value=\"0\"/>"));
  if (!test::is_sanitized)  // ten million entries are made before there are too many
    check_refused("platform export mesh:1000 --to simgrid", "libtoroid_platform.so");
  const test::Scratch scratch;
  const auto large = run_toroid("platform export mesh:8x8x16 --to simgrid -o " + scratch.path("large.xml"));
  CHECK(large.exit_code == 0);
  CHECK_THAT(large.err,
             Catch::Contains("among the 35840 ways of this file") && Catch::Contains("libtoroid_platform.so"));
}

TEST_CASE("What-ifs change the prediction, and the manifest records them") {
  const std::string trace = " stencil:grid=4x4,steps=2 --json -";
  const auto plain = core::Json::parse(run_out("simulate mesh:4x4" + trace));
  const auto faster =
      core::Json::parse(run_out("simulate mesh:4x4 --set y.bandwidth=4GBps --set x.bandwidth=4GBps" + trace));
  CHECK(faster["runtime_s"] < plain["runtime_s"]);
  CHECK(faster["manifest"]["platform"] == "mesh:4x4,y.bandwidth=4GBps,x.bandwidth=4GBps");
  const auto broken = core::Json::parse(run_out("simulate mesh:4x4 --fail-link 5-6" + trace));
  CHECK(broken["runtime_s"] > plain["runtime_s"]);
  CHECK(broken["hop_bytes"] > plain["hop_bytes"]);
  const auto wrapped = core::Json::parse(run_out("simulate torus:4x4 --wrap mesh" + trace));
  CHECK(wrapped["runtime_s"] == plain["runtime_s"]);
}

TEST_CASE("What-ifs work on every way to write a machine") {
  const test::Scratch scratch;
  const auto path = scratch.path("m.xml");
  run_out("platform create m --shape 4x4 -o " + path);
  const auto direct = core::Json::parse(run_out("simulate mesh:4x4,y.links=2 stencil:grid=4x4 --json -"));
  for (const auto& platform :
       {path + " --set y.links=2", path + ":y.links=2", std::string("mesh:4x4 --set y.links=2")}) {
    const auto json = core::Json::parse(run_out("simulate " + platform + " stencil:grid=4x4 --json -"));
    CHECK(json["runtime_s"] == direct["runtime_s"]);
  }
  const auto json = core::Json::parse(run_out("simulate " + path + " stencil:grid=4x4 --json -"));
  CHECK(json["manifest"]["inputs"][0]["file"] == path);
}

TEST_CASE("What-ifs override what PLATFORM says, and failures add up") {
  const auto show = [](const std::string& arguments) {
    return core::Json::parse(run_out("platform show " + arguments + " --json -"));
  };
  const auto faster = show("mesh:4x4,bandwidth=2GBps --set bandwidth=3GBps");
  CHECK(faster["properties"]["bandwidth"] == "3GBps");
  CHECK(show("mesh:4x4,fail-node=3 --fail-node 4 --fail-node 5")["failed_nodes"] == 3);
  CHECK(show("'mesh:4x4,fail-router=(0,1)'")["properties"]["failed-routers"] == "(0,1)");
  CHECK(show("'mesh:4x4,service-nodes=(0-3 2-5)'")["service_nodes"] == 6);
}

TEST_CASE("A factor changes what the machine has, exceptions included") {
  const auto bandwidth = [](const std::string& arguments) {
    return core::Json::parse(run_out("platform show " + arguments + " --json -"))["properties"];
  };
  CHECK(bandwidth("mesh:4x4,bandwidth=4GBps/2GBps --set y.bandwidth=x0.25")["y.bandwidth"] == "500MBps");
  const auto halved = bandwidth("'mesh:8x2,bandwidth=x3,x.exceptions=1 bandwidth=4GBps' --set bandwidth=x0.5");
  CHECK(halved["bandwidth"] == "1.5GBps");
  CHECK(halved["x.exceptions"] == "1 bandwidth=2GBps");
  CHECK(bandwidth("mesh:4x4,base=1us,injection=3GBps,base=x2,injection=x0.5")["base-latency"] == "2us");
  check_refused("platform show mesh:4x4 --set injection=x0.5", "there is no limit to multiply");
  check_refused("platform show mesh:4x4 --set bandwidth=x0", "expected a value, or a factor above 0 such as x0.5");
  check_refused("platform show mesh:4x4 --set latency=x1.2.3", "expected a value, or a factor");
  const auto direct = bandwidth("bigben:y.bandwidth=x0.5");
  CHECK(direct == bandwidth("bigben --set y.bandwidth=x0.5"));
}

TEST_CASE("A router that is down takes its nodes and links along, on every command that knows what-ifs") {
  CHECK(core::Json::parse(run_out("platform show mesh:4x4,nodes=2 --fail-router r5 --json -"))["failed_nodes"] == 2);
  const auto json = core::Json::parse(run_out("simulate mesh:4x4 stencil:grid=3x5 --fail-router '(1,1)' --json -"));
  CHECK(json["manifest"]["platform"] == "mesh:4x4,fail-router=((1,1))");
}

TEST_CASE("A name that is no platform is met with what was probably meant") {
  const std::string trace = " stencil:grid=4x4";
  check_refused("simulate bigbem" + trace, "did you mean 'bigben'?");
  check_refused("simulate 8x8" + trace, "did you mean mesh:8x8 or torus:8x8?");
  check_refused("simulate mesh8x8" + trace, "did you mean mesh:8x8?");
  check_refused("simulate nofile.xml" + trace, "no such file");
  check_refused("simulate bigben,y.bandwidth=1GBps" + trace, "a colon comes before the properties: bigben:y.bandwidth");
  check_refused("simulate stencil:grid=4x4 mesh:4x4", "is a trace, where PLATFORM is expected: swapped with TRACE?");
  check_refused("simulate mesh:4x4,bandwidth=1Gb/z" + trace, "Bps");
}

TEST_CASE("A platform in the place of a trace is met with what was probably meant") {
  const std::string swapped = ", where TRACE is expected: swapped with PLATFORM?";
  for (const std::string platform : {"mesh:2x2", "torus:4x4,nodes=2", "bigben", "bigben:y.bandwidth=2GBps"}) {
    check_refused("simulate mesh:2x2 " + platform, "'" + platform + "' is a platform" + swapped);
    check_refused("simulate no-such.ti " + platform, swapped);
    check_refused("map mesh:2x2 " + platform + " --map random", swapped);
    check_refused("compare mesh:2x2 --trace stencil:grid=2x2 " + platform, swapped);
  }
  const test::Scratch scratch;
  check_refused("simulate mesh:2x2 " + scratch.write("m.xml", std::string("\xef\xbb\xbf ") + frame_start + frame_end),
                "is an XML file" + swapped);
  // What there is, is meant, whatever it is called.
  std::filesystem::create_directory(scratch.path("bigben"));
  std::filesystem::copy_file(scratch.write("t.ti", "0 init\n0 finalize\n"), scratch.path("bigben/t.ti"));
  const auto command =
      "cd " + scratch.path("") + " && " + test::toroid_command() + " simulate mesh:2 bigben --json json";
  CHECK(std::system((command + " >log 2>&1").c_str()) == 0);
}

TEST_CASE("A file that another argument takes is called what it is") {
  const test::Scratch scratch;
  const auto ti = scratch.write("t", "0 init\n0 finalize\n"), goal = scratch.write("g", "num_ranks 1\nrank 0 {\n}\n"),
             matrix = scratch.write("m.csv", "0,1\n1,0\n"), swf = scratch.write("s", "; Version: 2.2\n"),
             sacct = scratch.write("a", "JobID|Submit|Start|End|NNodes\n");
  const auto refused = [&](const std::string& command, const std::string& what, const std::string& expected,
                           const std::string& by) {
    check_refused(command, "is " + what + ", where " + expected + " is expected: swapped with " + by + "?");
  };
  for (const auto& [path, what] :
       {std::pair(ti, "a trace (ti)"), {goal, "a trace (goal)"}, {matrix, "a communication matrix (table)"}}) {
    refused("platform show " + path, what, "PLATFORM", "TRACE");
    refused("schedule mesh:2x2 " + path, what, "JOBS", "TRACE");
    refused("jobs info " + path, what, "JOBS", "TRACE");
  }
  for (const auto& [path, what] : {std::pair(swf, "a job log (swf)"), {sacct, "a job log (sacct)"}}) {
    refused("platform show " + path, what, "PLATFORM", "JOBS");
    refused("simulate mesh:2x2 " + path, what, "TRACE", "JOBS");
    refused("trace info " + path, what, "TRACE", "JOBS");
  }
  // What an argument takes, whatever else it looks like; and a table that lacks a column is told by its reader.
  const auto graph = scratch.write("m.graph", "3 2\n2\n1 3\n2\n"), table = scratch.write("j.csv", "id,submit\n1,0\n");
  CHECK(run_toroid("map mesh:4 " + graph + " --map consecutive").exit_code == 0);
  check_refused("jobs info " + table, "j.csv:1:");
  const auto xml = scratch.write("x.xml", std::string(frame_start) + frame_end);
  refused("jobs info " + xml, "an XML file", "JOBS", "PLATFORM");
  refused("trace info " + xml, "an XML file", "TRACE", "PLATFORM");
  refused("schedule mesh:2x2 mesh:2x2", "a platform", "JOBS", "PLATFORM");
  refused("schedule derose mesh:2x2", "a job stream", "PLATFORM", "JOBS");
}

TEST_CASE("An attribute that is given twice is refused") {
  const test::Scratch scratch;
  const auto path = scratch.write(
      "m.xml", std::string(frame_start) + "<prop id=\"shape\" value=\"4x4\" value=\"5x5\"/>\n" + frame_end);
  check_refused("platform show " + path, "<prop> has the attribute 'value' twice");
}

TEST_CASE("What is printed can be pasted back") {
  const std::string run = "simulate 'torus:4x4,nodes=2' stencil:grid=8x4 --json - ";
  const auto name = core::Json::parse(run_out(run))["bottleneck_links"][0]["name"].get<std::string>();
  CHECK_THAT(name, Catch::StartsWith("r"));
  const auto broken = core::Json::parse(run_out(run + "--fail-link '" + name + "'"));
  for (const auto& link : broken["links"]) CHECK(link["name"] != name);
  check_refused("simulate torus:4x4,nodes=2 stencil:grid=8x4 --fail-link 5-6", "may be node 5, which is on r2");
  // The first link in the CSV.
  const std::string table = "simulate 'torus:4x4,nodes=2' stencil:grid=8x4 --links-csv - ";
  const auto csv = run_out(table);
  const auto row = csv.substr(csv.find('\n') + 1);
  const auto printed = row.substr(row.find(',') + 1, row.find(',', row.find(',') + 1) - row.find(',') - 1);
  CHECK_THAT(row, Catch::Contains("," + printed + ",") && Catch::StartsWith("0,r0 -> r1 (+x),"));
  CHECK_THAT(run_out(table + "--fail-link '" + printed + "'"), !Catch::Contains("," + printed + ","));
}

TEST_CASE("A shape that its numbering or cabling does not fit is refused") {
  check_refused("platform show bigben --set shape=22x12x16",
                "numbering: counts 11 places of dimension x, which has 22");
  check_refused("platform show 'mesh:5x4,x.cabling=(0 4 2 3 1),shape=4x4'", "the cabling does not name each place");
}

TEST_CASE("Wrong what-ifs are refused in one line") {
  const std::string trace = " stencil:grid=4x4";
  check_refused("simulate mesh:4x4 --set bandwidth" + trace, "--set 'bandwidth': expected property=value");
  check_refused("simulate mesh:4x4 --wrap q=mesh" + trace, "no dimension 'q'");
  check_refused("simulate mesh:4x4 --fail-link 0-5" + trace, "no link joins 0 and 5");
  check_refused("simulate mesh:4x4 --fail-link 0-1 --fail-link 0-4" + trace, "cuts the machine");
  check_refused("simulate mesh:4x4 --fail-node 16" + trace, "node 16 does not exist");
  check_refused("simulate mesh:4x4 --fail-node 3" + trace, "16 ranks do not fit on 15 slots");
}
