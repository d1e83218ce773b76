// Properties that are known within an interval.

#include <catch2/catch.hpp>
#include <map>

#include "platforms/xml.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

double low_end(const PropertyInterval& interval) {
  return interval.low;
}

TEST_CASE("An interval has two ends, perhaps a best estimate, and the last number's unit") {
  const auto bandwidth = parse_interval("x.bw", "4.5..5.2GBps");
  REQUIRE(bandwidth);
  CHECK(bandwidth->property == "x.bandwidth");
  CHECK(bandwidth->low == 4.5e9);
  CHECK(bandwidth->high == 5.2e9);
  CHECK_FALSE(bandwidth->best);
  CHECK(bandwidth->middle() == Approx(4.85e9));
  CHECK(parse_interval("latency", "80..120ns")->low == Approx(80e-9));
  CHECK(parse_interval("latency", "800ns..1.2us")->high == Approx(1.2e-6));
  CHECK(parse_interval("latency", "1..1e3ns")->low == Approx(1e-9));
  CHECK(parse_interval("bandwidth", "4..5GB/s")->low == 4e9);
  CHECK(parse_interval("router.buffer", "1..4KiB")->low == 1024);
  CHECK(parse_interval("router.vcs", "2..8")->high == 8);
  CHECK(parse_interval("router.crossbar", "1..4")->low == 1);
  CHECK(parse_interval("router.header", "8..32")->high == 32);
  for (const auto* property : {"overhead", "gap", "handshake", "copy", "reduce", "memcpy"})
    CHECK(parse_interval(property, "100..300ns")->high == Approx(3e-7));
  CHECK(parse_interval("bandwidth", "4.5..5.05..5.2GBps")->middle() == 5.05e9);
  CHECK(parse_interval("bandwidth", "x0.9..x1.1")->high == 1.1);
  CHECK(parse_interval("bandwidth", "x0.9..1.1")->quantity == Quantity::factor);
}

TEST_CASE("What is no interval stays a value") {
  CHECK_FALSE(parse_interval("bandwidth", "4.5GBps"));
  CHECK_FALSE(parse_interval("description", "2004..2010"));
  CHECK_FALSE(parse_interval("cores", "2..4"));
  CHECK(chosen("latency", "100ns", low_end) == "100ns");
  CHECK(test::error_of([] { describe("mesh:8x8,cores=2..4"); }) != "");
  CHECK(test::error_of([] { describe("mesh:8..9"); }) != "");
}

TEST_CASE("The text of an interval reads back as the same interval") {
  for (const auto& [property, text] : std::multimap<std::string, std::string>{{"bandwidth", "4.5..5.2GBps"},
                                                                              {"bandwidth", "1..1.1..1.7GBps"},
                                                                              {"latency", "70.1..79.4ns"},
                                                                              {"speed", "1Gf..2.5Gf"},
                                                                              {"speed", "x0.5..x1.25"},
                                                                              {"router.buffer", "256B..16KiB"},
                                                                              {"router.vcs", "2..3..8"}}) {
    const auto interval = parse_interval(property, text);
    REQUIRE(interval);
    CAPTURE(interval->text());
    const auto again = parse_interval(property, interval->text());
    CHECK(again->low == interval->low);
    CHECK(again->high == interval->high);
    CHECK(again->best == interval->best);
    CHECK(again->quantity == interval->quantity);
  }
}

TEST_CASE("What is wrong with an interval is said in one line") {
  const auto error = [](const char* property, const char* text) {
    return test::error_of([&] { parse_interval(property, text); });
  };
  CHECK_THAT(error("bandwidth", "5..4GBps"), Catch::StartsWith("bandwidth: found '5..4GBps', expected the low end"));
  CHECK_THAT(error("bandwidth", "4..3..5GBps"), Catch::Contains("expected the low end"));
  CHECK_THAT(error("bandwidth", "1..2..3..4GBps"), Catch::Contains("expected the low end"));
  CHECK_THAT(error("bandwidth", "80..120ns"), Catch::Contains("'80ns'") && Catch::Contains("a bandwidth such as"));
  CHECK_THAT(error("bandwidth", "none..5GBps"), Catch::Contains("'none'"));
  CHECK_THAT(error("bandwidth", "..5GBps"), Catch::StartsWith("bandwidth: "));
  CHECK_THAT(error("bandwidth", "4..5GBps/2GBps"), Catch::Contains("x.bandwidth=..."));
  CHECK_THAT(error("router.vcs", "2.5..4"), Catch::Contains("whole number"));
  CHECK_THAT(error("router.vcs", "x2..x4"), Catch::StartsWith("router.vcs: "));
  CHECK_THAT(error("bandwidth", "x0..x1"), Catch::StartsWith("bandwidth: "));
}

TEST_CASE("Whatever may change while jobs run can be an interval") {
  for (const auto& help : property_help()) {
    if (!help.may_change) continue;
    CAPTURE(help.name);
    CHECK(parse_interval(help.name, fmt::format("1..2{}", help.unit())));
  }
}

TEST_CASE("Of whole numbers each has as much of the interval as the others") {
  const auto channels = *parse_interval("router.vcs", "2..5");
  std::map<double, int> found;
  for (int i = 0; i < 400; ++i) ++found[channels.at(i / 400.0)];
  CHECK(found == std::map<double, int>{{2, 100}, {3, 100}, {4, 100}, {5, 100}});
  CHECK(channels.at(1) == 5);
  const auto latency = *parse_interval("latency", "100..200ns");
  CHECK(latency.at(0) == Approx(100e-9));
  CHECK(latency.at(0.25) == Approx(125e-9));
}

TEST_CASE("A machine is made of chosen values, in the order in which properties are set") {
  const auto m = describe("mesh:8x8,bandwidth=1..2GBps,y.bandwidth=4GBps,latency=(50..70ns)", low_end);
  CHECK(m.dimensions[0].bandwidth == 1e9);
  CHECK(m.dimensions[1].bandwidth == 4e9);
  CHECK(m.dimensions[0].latency == Approx(50e-9));
  CHECK(describe("mesh:8x8,bandwidth=1..1.2..2GBps").dimensions[0].bandwidth == 1.2e9);
  CHECK(describe("titan:bandwidth=x0.5..x1", low_end).dimensions[0].exceptions ==
        describe("titan:bandwidth=x0.5").dimensions[0].exceptions);
}

TEST_CASE("Who draws nothing needs a best estimate") {
  const auto error = test::error_of([] { make_machine("mesh:8x8,bandwidth=1..2GBps"); });
  CHECK_THAT(error, Catch::Contains("bandwidth: found the interval 1GBps..2GBps, expected one value"));
  CHECK_THAT(error, Catch::Contains("--uncertainty N"));
  const test::Scratch scratch;
  const auto path = scratch.write("m.xml", xml_text(describe("mesh:8x8"), {*parse_interval("bandwidth", "1..2GBps")}));
  CHECK_THAT(test::error_of([&] { make_machine(path); }),
             Catch::StartsWith(path + ":") && Catch::Contains("--uncertainty N"));
  CHECK(describe(path, low_end).dimensions[1].bandwidth == 1e9);
}

TEST_CASE("The intervals of a machine are those that nothing after them sets again") {
  const auto names = [](const std::string& text) {
    std::vector<std::string> all;
    for (const auto& interval : intervals_of(text)) all.push_back(interval.property);
    return all;
  };
  using List = std::vector<std::string>;
  CHECK(names("mesh:8x8") == List{});
  CHECK(names("mesh:8x8,bw=1..2GBps,latency=1..2us") == List{"bandwidth", "latency"});
  CHECK(names("mesh:8x8,bw=1..2GBps,latency=1..2us,bandwidth=3GBps") == List{"latency"});
  CHECK(names("mesh:8x8,x.bandwidth=1..2GBps,bandwidth=3GBps") == List{});
  CHECK(names("mesh:8x8,bandwidth=1..2GBps,x.bandwidth=3GBps") == List{"bandwidth"});
  CHECK(names("mesh:8x8,bandwidth=1..2GBps,bandwidth=3..4GBps") == List{"bandwidth"});
  CHECK(intervals_of("mesh:8x8,bandwidth=1..2GBps,bandwidth=3..4GBps").front().low == 3e9);
  CHECK(names("mesh:8x8,bandwidth=2..2GBps") == List{"bandwidth"});
}

TEST_CASE("A platform file keeps its intervals") {
  const auto machine = describe("torus:4x4,bandwidth=5GBps,latency=100ns");
  const std::vector<PropertyInterval> intervals{*parse_interval("bandwidth", "4.8..5..5.3GBps"),
                                                *parse_interval("latency", "90..100..130ns")};
  const test::Scratch scratch;
  const auto path = scratch.write("fitted.xml", xml_text(machine, intervals));
  CHECK(read_xml(path) == machine);
  const auto again = intervals_of(path);
  REQUIRE(again.size() == 2);
  CHECK(again[0].low == 4.8e9);
  CHECK(again[1].high == Approx(130e-9));
  CHECK_FALSE(check_xml_file(path).has_errors());
}

}  // namespace
}  // namespace toroid::platforms
