#include "toroid/core/text.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace toroid::core {
namespace {

TEST_CASE("markup is escaped, what XML cannot hold is replaced") {
  CHECK(escape_markup("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escape_markup("\u00fc\u20ac\U0001F600\t") == "\u00fc\u20ac\U0001F600\t");
  const std::string replaced = "\uFFFD";
  CHECK(escape_markup(std::string_view("\0", 1)) == replaced);
  CHECK(escape_markup("\x1b[0m") == replaced + "[0m");
  CHECK(escape_markup("\xc2\x9b[0m") == replaced + replaced + "[0m");
  CHECK(escape_markup("\xff") == replaced);
  CHECK(escape_markup("\xc3") == replaced);                                               // ends early
  CHECK(escape_markup("\xc3(") == replaced + "(");                                        // goes on wrongly
  CHECK(escape_markup("\xc0\xaf") == replaced + replaced);                                // longer than it need be
  CHECK(escape_markup("\xed\xa0\x80") == replaced + replaced + replaced);                 // half of a surrogate pair
  CHECK(escape_markup("\xf4\x90\x80\x80") == replaced + replaced + replaced + replaced);  // beyond Unicode
  CHECK(escape_markup("\xef\xbf\xbf") == replaced + replaced + replaced);                 // U+FFFF
}

}  // namespace
}  // namespace toroid::core
