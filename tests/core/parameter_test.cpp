#include "toroid/core/parameter.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "core/units.hpp"
#include "tests/support/support.hpp"

namespace toroid::core {
namespace {

const Spec outer = Spec::parse("a:n=1");

template <class T>
T read(const Type<T>& type, const std::string& text) {
  return type.read(text, {outer, "n"});
}

template <class T>
std::string error_of(const Type<T>& type, const std::string& text) {
  return test::error_of([&] { read(type, text); });
}

TEST_CASE("Whole numbers are taken from bound to bound, in decimal digits") {
  const auto type = whole(-3, 9);
  CHECK(read(type, "-3") == -3);
  CHECK(read(type, "9") == 9);
  CHECK(read(whole(0, 99), "010") == 10);
}

TEST_CASE("Anything but a whole number within the bounds is an error that states them") {
  for (const std::string value :
       {"-4", "10", "1.5", "1e0", "x", "0x1", "+1", " 1", "", "nan", "99999999999999999999"}) {
    CAPTURE(value);
    CHECK(error_of(whole(-3, 9), value) == "'a:n=1': n=" + value + ": expected a whole number from -3 to 9");
  }
}

TEST_CASE("The largest numbers are taken, those beyond are not cut") {
  const auto all = whole(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  CHECK(read(all, "18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(error_of(all, "18446744073709551616").empty());
  CHECK_FALSE(error_of(all, "-1").empty());
}

TEST_CASE("Yes and no") {
  CHECK(read(yes_or_no(), "yes"));
  CHECK_FALSE(read(yes_or_no(), "no"));
  CHECK(error_of(yes_or_no(), "maybe") == "'a:n=1': n=maybe: expected yes or no");
}

TEST_CASE("Units are those of the quantity") {
  CHECK(read(whole_bytes(), "64KiB") == 65536);
  CHECK(read(flops(), "2Gf") == 2e9);
  CHECK(error_of(whole_bytes(), "1Gf").find("'a:n=1': n: '1Gf' has the unit of another quantity") == 0);
  for (const std::string value : {"nan", "inf", "-1f", "1e999f"}) CHECK_FALSE(error_of(flops(), value).empty());
}

TEST_CASE("Extents, so many of them and so many places") {
  const auto type = extents(3, 64);
  CHECK(read(type, "4x8x2") == std::vector<std::int32_t>{4, 8, 2});
  CHECK(read(type, "1") == std::vector<std::int32_t>{1});
  for (const std::string value : {"", "x", "4x", "x4", "4xx4", "0", "-1", "4x-4x-4", "8x9", "65", "1x1x1x1", "4 x4",
                                  "65536x65536x65536", "4294967297"}) {
    CAPTURE(value);
    CHECK(error_of(type, value) ==
          "'a:n=1': n=" + value + ": expected extents such as 8x8 or 4x8x2, up to 3, at most 64 places");
  }
}

TEST_CASE("One of a few words") {
  const auto type = one_of<int>({{"one", 1}, {"two", 2}, {"three", 3}});
  CHECK(read(type, "two") == 2);
  CHECK(error_of(type, "four") == "'a:n=1': n=four: expected one, two or three");
}

TEST_CASE("A parameter has its default where its key is not given") {
  const Parameter<int> n{"n", "a number", whole(1, 9), "7"};
  const OptionalParameter<int> m{"m", "another", whole(1, 9), "none"};
  const Arguments some(Spec::parse("a:n=3,m=4"), {n, m}), none(Spec::parse("a"), {n, m});
  CHECK(some[n] == 3);
  CHECK(some[m] == 4);
  CHECK(none[n] == 7);
  CHECK(none[m] == std::nullopt);
}

TEST_CASE("Specs within specs end somewhere") {
  auto spec = Spec::parse("a");
  int depth = 0;
  const auto error = test::error_of([&] {
    for (; depth < 1000; ++depth) spec = Spec::inside(spec, "b:c=d");
  });
  CHECK(error == "'b:c=d': more than 20 specs within each other");
  CHECK(depth == 20);
}

}  // namespace
}  // namespace toroid::core
