#include "core/units.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

using Parse = double (*)(std::string_view, std::string_view);

std::string error_of(Parse parse, const std::string& text) {
  return test::error_of([&] { parse(text, "it"); });
}

TEST_CASE("Times too long for a small unit are written in a larger one") {
  CHECK(parse_duration(exact_duration(1e308), "it") == 1e308);
}

TEST_CASE("Times are read in every unit") {
  CHECK(parse_duration("35d", "it") == 35 * 86400);
  CHECK(parse_duration("1.5h", "it") == 5400);
  CHECK(parse_duration("2min", "it") == 120);
  CHECK(parse_duration("2s", "it") == 2);
  CHECK(parse_duration("2ms", "it") == 2e-3);
  CHECK(parse_duration("2us", "it") == 2e-6);
  CHECK(parse_duration("2ns", "it") == 2e-9);
  CHECK(parse_duration("2ps", "it") == 2e-12);
}

TEST_CASE("Bandwidths are read in bytes and bits, decimal and binary") {
  CHECK(parse_bandwidth("3Bps", "it") == 3);
  CHECK(parse_bandwidth("3kBps", "it") == 3e3);
  CHECK(parse_bandwidth("3KBps", "it") == 3e3);
  CHECK(parse_bandwidth("3MBps", "it") == 3e6);
  CHECK(parse_bandwidth("1.25GBps", "it") == 1.25e9);
  CHECK(parse_bandwidth("3TBps", "it") == 3e12);
  CHECK(parse_bandwidth("3KiBps", "it") == 3072);
  CHECK(parse_bandwidth("1MiBps", "it") == 1048576);
  CHECK(parse_bandwidth("1GiBps", "it") == 1073741824);
  CHECK(parse_bandwidth("1TiBps", "it") == 1099511627776);
  CHECK(parse_bandwidth("8bps", "it") == 1);
  CHECK(parse_bandwidth("8kbps", "it") == 1e3);
  CHECK(parse_bandwidth("10Gbps", "it") == 1.25e9);
  CHECK(parse_bandwidth("1Tbps", "it") == 1.25e11);
  CHECK(parse_bandwidth("1GB/s", "it") == 1e9);
}

TEST_CASE("Sizes are read plain, decimal and binary") {
  CHECK(parse_bytes("14000", "it") == 14000);
  CHECK(parse_bytes("1e6", "it") == 1e6);
  CHECK(parse_bytes("5B", "it") == 5);
  CHECK(parse_bytes("5kB", "it") == 5e3);
  CHECK(parse_bytes("5MB", "it") == 5e6);
  CHECK(parse_bytes("5GB", "it") == 5e9);
  CHECK(parse_bytes("5TB", "it") == 5e12);
  CHECK(parse_bytes("64KiB", "it") == 65536);
  CHECK(parse_bytes("1MiB", "it") == 1048576);
  CHECK(parse_bytes("1GiB", "it") == 1073741824);
  CHECK(parse_bytes("1TiB", "it") == 1099511627776);
}

TEST_CASE("Speeds are read in every unit") {
  CHECK(parse_speed("7f", "it") == 7);
  CHECK(parse_speed("7kf", "it") == 7e3);
  CHECK(parse_speed("7Mf", "it") == 7e6);
  CHECK(parse_speed("7Gf", "it") == 7e9);
  CHECK(parse_speed("7Tf", "it") == 7e12);
  CHECK(parse_speed("7Pf", "it") == 7e15);
}

TEST_CASE("Small times are the doubles nearest to them") {
  CHECK(parse_duration("100ns", "it") == 1e-7);
  CHECK(parse_duration("1e-7s", "it") == 1e-7);
  CHECK(parse_duration("3ns", "it") == 3e-9);
  CHECK(parse_duration("700ps", "it") == 7e-10);
  CHECK(parse_duration("49ms", "it") == 0.049);
}

TEST_CASE("Nothing of a quantity is a quantity") {
  CHECK(parse_duration("0s", "it") == 0);
  CHECK(parse_bytes("0", "it") == 0);
}

TEST_CASE("A unit of another quantity is an error that names key, value and what was expected") {
  CHECK(error_of(parse_duration, "1GBps") ==
        "it: '1GBps' has the unit of another quantity; expected a time such as 100ns (d, h, min, s, ms, us, ns, ps)");
  CHECK(error_of(parse_bandwidth, "1GB").find("another quantity") != std::string::npos);
  CHECK(error_of(parse_bandwidth, "1us").find("another quantity") != std::string::npos);
  CHECK(error_of(parse_bytes, "1GBps").find("another quantity") != std::string::npos);
  CHECK(error_of(parse_speed, "1GB").find("another quantity") != std::string::npos);
}

TEST_CASE("A number without unit is an error except for sizes") {
  for (const Parse parse : {parse_duration, parse_bandwidth, parse_speed})
    CHECK(error_of(parse, "1").find("'1' has no unit") != std::string::npos);
}

TEST_CASE("Negative quantities are errors") {
  CHECK(error_of(parse_duration, "-1ns").find("is negative") != std::string::npos);
  CHECK(error_of(parse_bandwidth, "-1GBps").find("is negative") != std::string::npos);
  CHECK(error_of(parse_bytes, "-1").find("is negative") != std::string::npos);
  CHECK(error_of(parse_speed, "-1Gf").find("is negative") != std::string::npos);
}

TEST_CASE("Texts that are no numbers are errors") {
  for (const std::string text : {"", "s", "fasts", "infs", "nans", "1e400s", "1-2s", "1..2s", "--1s", "."}) {
    CAPTURE(text);
    CHECK(error_of(parse_duration, text).find("no number") != std::string::npos);
  }
}

TEST_CASE("Unknown units are errors that repeat them") {
  CHECK(error_of(parse_duration, "1week").find("unknown unit 'week' in '1week'") != std::string::npos);
  CHECK(error_of(parse_bandwidth, "1XBps").find("unknown unit 'XBps'") != std::string::npos);
  CHECK(error_of(parse_bandwidth, "1mBps").find("unknown unit") != std::string::npos);
  CHECK(error_of(parse_bytes, "1kkB").find("unknown unit") != std::string::npos);
  CHECK(error_of(parse_duration, "1nss").find("unknown unit") != std::string::npos);
}

TEST_CASE("Quantities are shown with the fitting prefix") {
  CHECK(format_duration(0) == "0 s");
  CHECK(format_duration(1.5) == "1.5 s");
  CHECK(format_duration(0.25) == "250 ms");
  CHECK(format_duration(1e-7) == "100 ns");
  CHECK(format_duration(5e-10) == "0.5 ns");
  CHECK(format_bandwidth(1.25e9) == "1.25 GB/s");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(65536) == "65.54 kB");
  CHECK(format_bytes(2e18) == "2000 PB");
}

TEST_CASE("A column of times has one unit and aligned points") {
  const std::vector<double> times{0.0105, 0.005262};
  const DurationUnit unit(times);
  CHECK(unit.name() == "ms");
  CHECK(unit.format(times[0]) == "10.500");
  CHECK(unit.format(times[1]) == "5.262");
  CHECK(DurationUnit(std::vector<double>{1e-12, 5}).format(5) == "5.000000");
  CHECK(DurationUnit(std::vector<double>{2e-10}).name() == "ns");
  CHECK(DurationUnit(std::vector<double>{0, 0}).format(0) == "0");
  CHECK(DurationUnit({}).name() == "s");
}

TEST_CASE("Nothing has no sign") {
  CHECK(format_percent(0.015, 2) == "+1.50 %");
  CHECK(format_percent(-0.015, 2) == "-1.50 %");
  CHECK(format_percent(-1e-9, 3) == "0.000 %");
  CHECK(format_percent(1e-9, 3) == "0.000 %");
}

TEST_CASE("What is shown can be read again") {
  CHECK(parse_duration(format_duration(1.25e-5), "it") == 1.25e-5);
  CHECK(parse_bandwidth(format_bandwidth(1.25e9), "it") == 1.25e9);
  CHECK(parse_bytes(format_bytes(65e3), "it") == 65e3);
}

}  // namespace
}  // namespace toroid::core
