// Where the values of machines are from.

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "platforms/xml.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/description.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

using namespace toroid;
using platforms::describe;
using platforms::Source;

namespace {

/// The source of a property, as its word; default or unstated if it has none.
std::string source(const platforms::Description& machine, const std::string& property) {
  for (const auto& one : platforms::sourced_properties(machine))
    if (one.property == property)
      return one.source ? std::string(platforms::to_word(*one.source)) : one.is_default ? "default" : "unstated";
  return "no such property";
}

}  // namespace

TEST_CASE("presets and slices of TPUs say of all their properties where they are from") {
  std::vector<std::string> names;
  for (const auto& preset : platforms::presets()) names.emplace_back(preset.name);
  for (const auto& family : platforms::slice_families())
    names.push_back(fmt::format("{}:{}", family.name, family.example));
  for (const auto& name : names)
    for (const auto& [property, value, source, is_default] : platforms::sourced_properties(describe(name))) {
      CAPTURE(name, property, value);
      CHECK((source || is_default));
    }
}

TEST_CASE("presets state what their routers and cards are, and slices of TPUs where that is from") {
  const std::vector<std::string> of_routers_and_cards{
      "sending",        "overhead",    "gap",           "handshake",         "router.packet",
      "router.header",  "router.vcs",  "router.buffer", "router.inject",     "router.crossbar",
      "router.routing", "router.ties", "router.rings",  "router.arbitration"};
  for (const auto& preset : platforms::presets())
    for (const auto& property : of_routers_and_cards) {
      CAPTURE(preset.name, property);
      CHECK(preset.xml.find(fmt::format("<prop id=\"{}\" value=\"", property)) != std::string::npos);
      CHECK(source(describe(std::string(preset.name)), property) != "default");
    }
  for (const auto& family : platforms::slice_families())
    for (const auto& property : of_routers_and_cards) {
      CAPTURE(family.name, property);
      CHECK(source(describe(fmt::format("{}:{}", family.name, family.example)), property) == "estimate");
    }
}

TEST_CASE("what a user sets is chosen, whatever a preset says of it") {
  const auto titan = describe("titan:bandwidth=9GBps,base=2us,router.vcs=4,fail-node=7");
  CHECK(source(titan, "bandwidth") == "chosen");  // also of y, which was measured
  CHECK(source(titan, "base-latency") == "chosen");
  CHECK(source(titan, "failed-nodes") == "chosen");
  CHECK(source(titan, "router.vcs") == "chosen");
  CHECK(source(titan, "router.buffer") == "estimate");
  CHECK(source(titan, "router.packet") == "published");
  CHECK(source(titan, "latency") == "measured");
  CHECK(source(titan, "gap") == "estimate");
  CHECK(source(titan, "loopback-latency") == "default");
  const auto usual = describe("titan");
  CHECK(source(usual, "y.bandwidth") == "measured");
  CHECK(source(usual, "x.bandwidth") == "estimate");
  const auto factor = describe("titan:y.bandwidth=x2");
  CHECK(source(factor, "y.bandwidth") == "chosen");
  CHECK(source(factor, "z.bandwidth") == "estimate");
  const auto mesh = describe("mesh:8x8,lat=1us");
  CHECK(source(mesh, "shape") == "chosen");
  CHECK(source(mesh, "latency") == "chosen");
  CHECK(source(mesh, "bandwidth") == "default");
  auto file = mesh;  // which does not say who says so, and is no other machine
  file.provenance = {};
  CHECK(mesh == file);
}

TEST_CASE("sources go into platform files and come back") {
  const test::Scratch scratch;
  for (const auto* name : {"titan", "bigben:y.bandwidth=3GBps", "tpu-v5p:4x4x8"}) {
    const auto machine = describe(name);
    const auto again = describe(scratch.write("machine.xml", platforms::xml_text(machine)));
    CHECK(again.provenance.sources == machine.provenance.sources);
    CHECK_FALSE(again.provenance.sources.empty());
  }
  auto silent = describe("mesh:4x4,bw=2GBps");
  silent.provenance = {};
  const auto file = describe(scratch.write("silent.xml", platforms::xml_text(silent)));
  CHECK(source(file, "bandwidth") == "unstated");
  CHECK(source(file, "latency") == "default");
}

TEST_CASE("sources that make no sense are refused in a line") {
  const auto error = [](const std::string& text) {
    return test::error_of([&] { describe("mesh:4x4,provenance=(" + text + ")"); });
  };
  CHECK(error("guess: bandwidth") ==
        "provenance: found 'guess: bandwidth', expected a source and properties, as in published: shape bandwidth; "
        "estimate: latency");
  CHECK(error("published bandwidth").find("expected a source and properties") != std::string::npos);
  CHECK(error("published: bandwith").find("did you mean 'bandwidth'") != std::string::npos);
  CHECK(error("published: q.bandwidth").find("unknown property 'q.bandwidth'") != std::string::npos);
  CHECK(error("published: latency; estimate: lat") ==
        "provenance: found 'latency' twice, expected one source for each property");
  CHECK(error("published: shape x.bandwidth router.*; estimate: y.bandwidth router.vcs").empty());
}
