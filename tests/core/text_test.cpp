#include "toroid/core/text.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {
namespace {

using Parts = std::vector<std::string_view>;

TEST_CASE("Splitting keeps empty parts") {
  CHECK(split("a,b,,c,", ',') == Parts{"a", "b", "", "c", ""});
  CHECK(split("", ',') == Parts{""});
  CHECK(split("abc", ',') == Parts{"abc"});
}

TEST_CASE("Separators inside parentheses do not split") {
  CHECK(split("a=(b,(c,d),e),f", ',') == Parts{"a=(b,(c,d),e)", "f"});
}

TEST_CASE("Trimming takes the white space at both ends only") {
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("Joining puts the separator between the parts") {
  CHECK(join({"a", "b", "c"}) == "a, b, c");
  CHECK(join({"a"}) == "a");
  CHECK(join({}).empty());
  CHECK(join({"a", "b"}, "/") == "a/b");
}

TEST_CASE("An excerpt is one line that controls no terminal, and is not long") {
  CHECK(excerpt("plain (text)") == "plain (text)");
  CHECK(excerpt("a\nb\tc\x1b[31m\x7f") == "a\\nb\\tc\\x1b[31m\\x7f");
  CHECK(excerpt("Gr\u00f6\u00dfe \u2192 \U0001F600") == "Gr\u00f6\u00dfe \u2192 \U0001F600");
  CHECK(excerpt("\u009b31m") == "\\xc2\\x9b31m");  // Latin 1 has control characters, too
  CHECK(excerpt("a\xff"
                "b\xc3") == "a\\xffb\\xc3");
  CHECK(excerpt(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(excerpt(std::string(60, 'x')) == std::string(60, 'x'));
  CHECK(excerpt(std::string(61, 'x')) == std::string(60, 'x') + "...");
  CHECK(excerpt(std::string(1'000'000, '\x1b')).size() < 100);
  CHECK(excerpt("\u00f6\u00f6", 3) == "\u00f6...");  // no character is cut
}

TEST_CASE("A character of UTF-8 is as long as its encoding, and the shortest one") {
  // Every code point, encoded by hand.
  const auto encoded = [](std::uint32_t c) {
    const auto tail = [&](unsigned shift) { return static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
    if (c < 0x80) return std::string{static_cast<char>(c)};
    if (c < 0x800) return std::string{static_cast<char>(0xC0U | c >> 6U), tail(0)};
    if (c < 0x10000) return std::string{static_cast<char>(0xE0U | c >> 12U), tail(6), tail(0)};
    return std::string{static_cast<char>(0xF0U | c >> 18U), tail(12), tail(6), tail(0)};
  };
  std::size_t wrong = 0;
  for (std::uint32_t c = 0; c < 0x120000; ++c) {
    const bool is_character = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
    const auto text = encoded(c);
    wrong += utf8_length(text + "x") != (is_character ? text.size() : 0) ? 1 : 0;
    if (text.size() > 1) wrong += utf8_length(text.substr(0, text.size() - 1)) != 0 ? 1 : 0;
  }
  CHECK(wrong == 0);
  for (const std::string_view text : {"", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xff"})
    CHECK(utf8_length(text) == 0);
}

TEST_CASE("What an error shows of an input is an excerpt") {
  const auto message =
      test::error_of([] { fail_input_at("a\nfile", 7, "found '{}', expected {}", std::string(1'000'000, '\x1b'), 1); });
  CHECK_THAT(message, Catch::StartsWith("a\\nfile:7: found '\\x1b\\x1b") && Catch::Contains("..."));
  CHECK(message.size() < 2000);
}

TEST_CASE("What was meant begins with what was said, or is a few letters away") {
  const std::vector<std::string> valid{"bruck", "pairwise"};
  CHECK(nearest("pair", valid) == "pairwise");
  CHECK(nearest("paiwrise", valid) == "pairwise");
  CHECK_FALSE(nearest("ring", valid));
  CHECK_FALSE(nearest(std::string(100'000, 'x'), valid));
}

TEST_CASE("A number is a number to its last character") {
  CHECK(parse_number<int>("-17") == -17);
  CHECK(parse_number<double>("1.5e3") == 1500.0);
  for (const std::string_view text : {"", " 1", "1 ", "1x", "+1", "1.5", "99999999999"}) {
    CAPTURE(text);
    CHECK(parse_number<int>(text) == std::nullopt);
  }
  CHECK(parse_number<unsigned>("-1") == std::nullopt);
}

}  // namespace
}  // namespace toroid::core
