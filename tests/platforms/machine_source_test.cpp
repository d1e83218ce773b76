#include "toroid/platforms/load.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"

using namespace toroid;
using platforms::MachineSource;

TEST_CASE("a source of machines is judged when it is made, and files are read later") {
  const test::Scratch scratch;
  const auto fault = [](const std::string& text) { return test::error_of([&] { MachineSource{text}; }); };
  CHECK_THAT(fault("mesh:8x8,bandwith=1GBps"), Catch::Contains("bandwith"));
  CHECK_THAT(fault("mesh:8x"), Catch::Contains("8x"));
  CHECK_THAT(fault("bigben:x.wrap=toros"), Catch::Contains("toros"));
  CHECK_THAT(fault("bigbenn"), Catch::Contains("did you mean 'bigben'"));
  CHECK_THAT(fault(scratch.path("none.xml")), Catch::Contains("no such file"));
  CHECK_THAT(fault(scratch.path("")), Catch::Contains("is a directory; expected a file"));
  const auto broken = scratch.write("broken.xml", "<platform");
  CHECK_NOTHROW(MachineSource(broken));
  CHECK_FALSE(test::error_of([&] { MachineSource(broken).machine(); }).empty());
}

TEST_CASE("a source gives the machine that its text stands for") {
  for (const std::string text : {"mesh:4x3,x.wrap=torus", "bigben"}) {
    const MachineSource source = text;
    CHECK(source.text() == text);
    CHECK(source.describe() == platforms::describe(text));
    CHECK(source.machine().node_count() == platforms::make_machine(text).node_count());
    CHECK(source.intervals().empty());
  }
  const MachineSource interval = "mesh:4,bandwidth=1..2GBps";
  CHECK(interval.intervals().size() == 1);
  CHECK_FALSE(test::error_of([&] { interval.machine(); }).empty());
  const platforms::Machine fastest(interval.describe([](const auto& one) { return one.high; }));
  CHECK(fastest.link_bandwidth(0) == 2e9);
}
