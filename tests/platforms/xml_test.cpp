// Machines as XML: written and read again, and everything that can be wrong with a file.

#include "platforms/xml.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/isolate.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

TEST_CASE("A description that is written and read is the same to the last bit") {
  core::Random random(71, "xml");
  for (int i = 0; i < 2000; ++i) {
    auto description = test::random_description(random, 500);
    const auto text = xml_text(description);
    CAPTURE(text);
    REQUIRE(parse_xml(text, "machine.xml") == description);
  }
}

TEST_CASE("So is one with failures that leave it whole") {
  core::Random random(72, "xml");
  int whole = 0;
  for (int i = 0; i < 300; ++i) {
    auto description = test::random_description(random, 100);
    test::add_failures(random, description, 1 + random.below(3));
    if (!test::error_of([&] { Machine{description}; }).empty()) continue;
    ++whole;
    REQUIRE(parse_xml(xml_text(description), "machine.xml") == description);
  }
  CHECK(whole > 100);
}

TEST_CASE("Setting all properties on nothing gives the same description") {
  core::Random random(73, "properties");
  for (int i = 0; i < 500; ++i) {
    const auto description = test::random_description(random, 200);
    Description again;
    again.name = description.name;
    for (const auto& [name, value] : properties(description)) set_property(again, name, value);
    REQUIRE(again == description);
  }
}

TEST_CASE("SimGrid accepts what we write, and the presets, as platform files") {
  const test::Scratch scratch;
  core::Random random(74, "simgrid");
  std::vector<std::string> files;
  for (const auto& preset : presets())
    files.push_back(scratch.write(std::string(preset.name) + ".xml", std::string(preset.xml)));
  for (int i = 0; i < 30; ++i)
    files.push_back(scratch.write(fmt::format("random-{}.xml", i), xml_text(test::random_description(random, 60))));
  for (const auto& file : files) {
    CAPTURE(file);
    const auto zone = core::run_isolated([&](std::uint64_t&) -> std::string {
      int argc = 1;
      char name[] = "test";
      char* argv[] = {name, nullptr};
      simgrid::s4u::Engine engine(&argc, argv);
      engine.load_platform(file);
      const auto* root = engine.get_netzone_root();
      return root->get_name() + "|" + root->get_property("shape");
    });
    const auto description = read_xml(file);
    CHECK(zone == description.name + "|" + properties(description).front().second);
  }
}

// What is wrong. The files of the corpus each have one fault, or a few that come together.

std::string corpus(const std::string& file) {
  return (std::filesystem::path(test::source_folder()) / "tests/platforms/corpus" / file).string();
}

TEST_CASE("Every faulty file is an error with its place") {
  const std::map<std::string, std::string> expected{
      {"all-service.xml", "4:4: 'm': no node is left that can compute"},
      {"binary.xml", "this is no XML here"},
      {"cabling.xml", "6:33: x.cabling: found '0 1 1 3', expected folded"},
      {"cdata.xml", "6:14: found the text '<prop id=\"a\" value=\"b\"/>'"},
      {"cluster.xml", "4:4: found a cluster whose hosts are joined by one switch, expected a grid"},
      {"cores.xml", "6:29: cores: found '0', expected a whole number"},
      {"cut.xml", "6:6: 'm': what failed cuts the machine"},
      {"doubled-shape.xml", "6:6: the property 'shape' is given twice"},
      {"doubled.xml", "7:6: the property 'bandwidth' is given twice"},
      {"empty.xml", "1:1: this is no XML here"},
      {"enormous-shape.xml", "5:29: shape: '2147483647x2147483647x2147483647' is too large"},
      {"enormous-twist.xml", "7:31: x.twist: found '2147483647', expected"},
      {"entity-bomb.xml", "18:29: shape: found '&a11;', expected extents"},
      {"exception-backward.xml", "6:36: x.exceptions: found '3-1', expected positions"},
      {"exception-empty.xml", "6:36: x.exceptions: found 'bandwidth=1GBps', expected positions"},
      {"exception-outside.xml", "6:6: exceptions at 4-4 of x; expected positions from 0 to 3"},
      {"exception-shared.xml", "7:6: dimension x: a shared line has no links"},
      {"exception-step.xml", "6:36: x.exceptions: found '0', expected a whole number"},
      {"external-entity.xml", "7:29: shape: found '&file;', expected extents"},
      {"failed-link-between-strangers.xml", "6:6: 'm': failed-links: no link joins 0 and 5"},
      {"failed-link-one-end.xml", "6:36: failed-links: found '5-', expected"},
      {"failed-link-outside.xml", "6:6: failed-links: node 99 does not exist"},
      {"failed-router-outside.xml", "6:38: failed-routers: found '4' for x, which has the coordinates 0 to 3"},
      {"good.xml", ""},
      {"hosts.xml", "5:6: found <host>, expected <prop"},
      {"infinite.xml", "6:33: bandwidth: 'infGBps' is no number"},
      {"latin1.xml", "6:35: unknown property 'descr\\xe4ption'; did you mean 'description'?"},
      {"many-dimensions.xml", "5:29: shape: a grid has 1 to 8 dimensions, found 9"},
      {"names.xml", "6:34: dimensions: found 'x', expected different names"},
      {"nan.xml", "6:31: latency: 'nanns' is no number"},
      {"negative-bandwidth.xml", "6:33: bandwidth: '-1GBps' is negative"},
      {"negative-extent.xml", "5:29: shape: found '4x-4'"},
      {"no-bandwidth.xml", "6:6: dimension x: bandwidth 0 B/s; expected more than 0"},
      {"no-extent.xml", "5:29: shape: found '4x0'"},
      {"no-id.xml", "4:4: <zone> needs the attribute 'id'"},
      {"no-root.xml", "4:1: this is no XML here (no document element found)"},
      {"no-shape.xml", "4:4: no shape; expected"},
      {"no-unit.xml", "6:31: latency: '1' has no unit"},
      {"no-version.xml", "3:2: <platform> needs the attribute 'version'"},
      {"no-zone.xml", "3:2: no zone; expected"},
      {"nulls.xml", "1:25: this is no XML here"},
      {"numbering-short.xml", "6:33: numbering: 'x:4' leaves 4 places of y"},
      {"numbering.xml", "6:33: numbering: 'x:3' does not divide"},
      {"old-version.xml", "3:2: platform version: found '4', expected 4.1"},
      {"overflow-extent.xml", "5:29: shape: found '99999999999999999999x4'"},
      {"overflow.xml", "6:33: bandwidth: '1e999GBps' is no number"},
      {"prop-attribute.xml", "5:6: <prop> has no attribute 'unit'; valid: id, value"},
      {"prop-without-id.xml", "6:6: <prop> needs the attribute 'id'"},
      {"prop-without-value.xml", "6:6: <prop> needs the attribute 'value'"},
      {"routing.xml", "6:31: routing: found 'x x', expected each of x y once"},
      {"service-enormous.xml", "6:6: service-nodes: node 2147483647 does not exist"},
      {"service-outside.xml", "6:6: service-nodes: node 16 does not exist; the machine has nodes 0 to 15"},
      {"shape-text.xml", "5:29: shape: found 'four by four'"},
      {"spaces.xml", "3:1: this is no XML here"},
      {"text-in-zone.xml", "found the text 'loose words', expected <prop"},
      {"text.xml", "2:1: this is no XML here"},
      {"too-many-nodes.xml", "6:6: the machine is too large: more than 4194304 nodes"},
      {"truncated-attribute.xml", "5:15: this is no XML here"},
      {"truncated-comment.xml", "3:12: this is no XML here"},
      {"truncated-doctype.xml", "1:21: this is no XML here"},
      {"truncated-tag.xml", "5:28: this is no XML here"},
      {"twist-around-itself.xml", "7:6: dimension x: a twist goes along another dimension"},
      {"twist-both.xml", "7:6: dimension x: a twist goes along another dimension"},
      {"twisted-mesh.xml", "6:6: dimension x: only the wrap of a torus can be twisted, found mesh"},
      {"two-roots.xml", "8:2: found <platform> after the end of <platform>"},
      {"two-zones.xml", "5:4: found a second <zone>, expected"},
      {"unknown-dimension.xml", "6:35: z.bandwidth: no dimension 'z'; the machine has x, y"},
      {"unknown.xml", "6:32: unknown property 'bandwith'; did you mean 'bandwidth'?"},
      {"utf16.xml", "this is no XML here"},
      {"values-per-dimension.xml", "6:33: bandwidth: 3 values for 2 dimensions; expected 1 or 2"},
      {"wrap.xml", "6:28: wrap: found 'klein-bottle', expected mesh, torus or ring"},
      {"wrong-root.xml", "3:2: found <machine>, expected <platform"},
      {"wrong-unit.xml", "6:31: latency: '1GBps' has the unit of another quantity"},
      {"zone-attribute.xml", "4:4: <zone> has no attribute 'colour'; valid: id, routing"},
      {"zone-in-zone.xml", "6:6: found <zone>, expected <prop"}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus(""))) {
    const auto file = entry.path().filename().string();
    CAPTURE(file);
    ++files;
    REQUIRE(expected.count(file) == 1);
    const auto path = entry.path().string();
    const auto message = test::error_of([&] { read_xml(path); });
    if (file == "good.xml") {
      CHECK(message.empty());
    } else {
      CHECK(message.rfind(path + ":", 0) == 0);
      CHECK_THAT(message, Catch::Contains(expected.at(file)));
    }
  }
  CHECK(files == expected.size());
}

std::string file_with(const std::string& inside) {
  return "<platform version=\"4.1\"><zone id=\"m\" routing=\"Full\"><prop id=\"shape\" value=\"4x4\"/>" + inside +
         "</zone></platform>";
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("No fault hides another one, and none is told twice") {
  const auto messages = [](const std::string& inside) {
    std::vector<std::string> all;
    for (const auto& finding : check_xml(file_with(inside)).findings) all.push_back(finding.message);
    return all;
  };
  const auto all = messages(
      "<prop id=\"service-nodes\" value=\"0-99\"/>\n<prop id=\"failed-links\" value=\"n0-n2 n0-n99 n99-n98 n5-n6\"/>");
  REQUIRE(all.size() == 4);
  CHECK_THAT(all[0], Catch::Contains("service-nodes: node 99 does not exist"));
  CHECK_THAT(all[1], Catch::Contains("failed-links: node 99 does not exist"));
  CHECK_THAT(all[2], Catch::Contains("failed-links: node 98 does not exist"));
  CHECK_THAT(all[3], Catch::Contains("no link joins n0 and n2"));
  const auto links = messages("<prop id=\"failed-links\" value=\"n0-n2 n5-n6 n0-n10\"/>");
  REQUIRE(links.size() == 2);
  CHECK_THAT(links[0], Catch::Contains("no link joins n0 and n2"));
  CHECK_THAT(links[1], Catch::Contains("no link joins n0 and n10"));
  CHECK(messages("<prop id=\"failed-nodes\" value=\"y=1\"/>\n<prop id=\"numbering\" value=\"x:3 x y\"/>").size() == 1);
}

TEST_CASE("An element without its end is told where it begins") {
  const auto first = [](const std::string& text) {
    const auto findings = check_xml(text).findings;
    REQUIRE(findings.size() == 1);
    return fmt::format("{}:{}: {}", findings[0].line, findings[0].column, findings[0].message);
  };
  const std::string head = "<platform version=\"4.1\">\n<zone id=\"m\" routing=\"Full\">\n";
  CHECK(first(head +
              "<prop id=\"shape\" value=\"4\">\n<prop id=\"failed-links\" value=\"1>2\"/>\n</zone>\n</platform>") ==
        "3:2: <prop> is not closed; expected <prop .../> or </prop>");
  CHECK(first(head + "<!-- <prop> --><prop id=\"shape\" value=\"4\"/>\n</platform>") ==
        "2:2: <zone> is not closed; expected <zone .../> or </zone>");
  CHECK_THAT(first(head + "<prop id=\"shape\" value=\"4\"/></zoen></platform>"),
             Catch::Contains("this is no XML here"));
  CHECK_THAT(first(head + "<prop id=\"shape\" value=\"4\"/>"), Catch::Contains("this is no XML here"));
}

TEST_CASE("What is unlikely is a warning") {
  const auto warning = [](const std::string& inside) {
    const auto checked = check_xml(file_with(inside));
    REQUIRE(checked.findings.size() <= 1);
    REQUIRE_FALSE(checked.has_errors());
    return checked.findings.empty() ? std::string() : checked.findings[0].message;
  };
  CHECK(warning("<prop id=\"latency\" value=\"5us\"/>").empty());
  CHECK_THAT(warning("<prop id=\"loopback-bandwidth\" value=\"10MBps\"/>"),
             Catch::Contains("10 MB/s between ranks of one node are less than a tenth of what the network has"));
  CHECK_THAT(warning("<prop id=\"speed\" value=\"20Tf\"/>"), Catch::Contains("those of an accelerator"));
  CHECK(warning("<prop id=\"speed\" value=\"20Tf\"/><prop id=\"provenance\" value=\"published: speed\"/>").empty());
  const auto floyd = check_xml(
      "<platform version=\"4.1\"><zone id=\"m\" routing=\"Floyd\"><prop id=\"shape\" "
      "value=\"4\"/></zone></platform>");
  REQUIRE(floyd.findings.size() == 1);
  CHECK_FALSE(floyd.has_errors());
  CHECK_THAT(floyd.findings[0].message, Catch::Contains("routing: found 'Floyd', expected Full"));
  CHECK_THAT(warning("<prop id=\"x.latency\" value=\"200us\"/>"), Catch::Contains("200 us for one hop"));
  CHECK(warning("<prop id=\"bandwidth\" value=\"10GBps/1GBps\"/>").empty());
  CHECK_THAT(warning("<prop id=\"bandwidth\" value=\"10Gbps/10GBps\"/>"),
             Catch::Contains("10Gbps is in bits, and 10GBps in bytes"));
  CHECK_THAT(warning("<prop id=\"bandwidth\" value=\"10GB/s\"/>\n<prop id=\"injection-bandwidth\" value=\"20Gb/s\"/>"),
             Catch::Contains("20Gbps is in bits, and 10GBps in bytes"));
  CHECK(warning("<prop id=\"bandwidth\" value=\"10GB/s\"/>\n<prop id=\"description\" value=\"links of 80Gbps\"/>")
            .empty());
  CHECK_THAT(warning("<prop id=\"bandwidth\" value=\"100GBps/1GBps\"/>"),
             Catch::Contains("links along x have 100 GB/s, along y 1 GB/s"));
  const auto long_one = check_xml(
      "<platform version=\"4.1\"><zone id=\"m\" routing=\"Full\"><prop id=\"shape\" "
      "value=\"4x400\"/></zone></platform>");
  REQUIRE(long_one.findings.size() == 1);
  CHECK_THAT(long_one.findings[0].message, Catch::Contains("dimension y has 400 places, the next largest 4"));
}

TEST_CASE("All faults of a file are told, in their order, up to a hundred") {
  const auto checked = check_xml(file_with("\n<prop id=\"a\" value=\"1\"/>\n<prop id=\"wrap\" value=\"b\"/>"));
  REQUIRE(checked.findings.size() == 2);
  CHECK(checked.findings[0].line == 2);
  CHECK(checked.findings[1].line == 3);
  CHECK(check_xml(file_with(repeated("<prop id=\"shape\" value=\"4\"/>", 1000))).findings.size() == 100);
}

TEST_CASE("Long, deep and many-fold files are answered at once") {
  // Each took minutes, gigabytes, or the stack where a step went over the file or the machine once for each fault.
  const std::size_t many = test::tenth_if_sanitized(100000);
  CHECK(check_xml(repeated("<a>", many)).has_errors());
  CHECK(check_xml(repeated("<a>", many) + repeated("</a>", many)).has_errors());
  CHECK(check_xml(file_with(repeated("<zone>", many) + repeated("</zone>", many))).has_errors());
  CHECK(check_xml(file_with(repeated("<prop id=\"a\"/>", many))).has_errors());
  CHECK(check_xml(file_with(repeated("<b/>", many))).has_errors());
  CHECK(check_xml(file_with("<prop id=\"" + std::string(1000000, 'w') + "\" value=\"\"/>")).has_errors());
  CHECK(check_xml(file_with("<prop id=\"wrap\" value=\"" + std::string(1000000, '/') + "\"/>")).has_errors());
  CHECK(check_xml(file_with("<prop id=\"routing\" value=\"" + repeated("x ", many) + "\"/>")).has_errors());
  CHECK(check_xml(file_with("<prop id=\"dimensions\" value=\"" + repeated("x ", many) + "\"/>")).has_errors());
  const auto large = [](const std::string& properties) {
    return "<platform version=\"4.1\"><zone id=\"m\" routing=\"Full\"><prop id=\"shape\" value=\"1000000\"/>" +
           properties + "</zone></platform>";
  };
  CHECK_FALSE(
      check_xml(large("<prop id=\"service-nodes\" value=\"" + repeated("0-999997 ", many) + "\"/>")).has_errors());
  CHECK_FALSE(check_xml(large("<prop id=\"service-nodes\" value=\"0\"/><prop id=\"numbering\" value=\"" +
                              repeated("x:1 ", many) + "x\"/>"))
                  .has_errors());
  std::string backward;
  for (std::size_t i = many; i-- > 0;) backward += std::to_string(i) + " ";
  CHECK_FALSE(check_xml("<platform version=\"4.1\"><zone id=\"m\" routing=\"Full\"><prop id=\"shape\" value=\"" +
                        std::to_string(many) + "\"/><prop id=\"cabling\" value=\"" + backward +
                        "\"/></zone></platform>")
                  .has_errors());
}

TEST_CASE("Not a file, and a file that is far too large, are errors") {
  const test::Scratch scratch;
  CHECK(test::error_of([&] { read_xml(scratch.path("none.xml")); }) != "");
  const auto large = scratch.write("large.xml", std::string(std::size_t{17} << 20U, ' '));
  CHECK_THAT(test::error_of([&] { read_xml(large); }), Catch::Contains("more than 16 MiB"));
  const auto lines = scratch.write("lines.xml", std::string(std::size_t{17} << 20U, '\n'));
  CHECK_THAT(test::error_of([&] { read_xml(lines); }), Catch::Contains("more than 16 MiB"));
}

}  // namespace
}  // namespace toroid::platforms
