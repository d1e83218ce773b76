// tools/figures tells results that are current from those that are not, and makes them again.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/docs/document.hpp"
#include "tests/support/support.hpp"

namespace toroid::test {
namespace {

/// A checkout with one page that shows one result, whose probe reads a file, as if that were what the version decides.
class Checkout {
 public:
  Checkout() {
    std::filesystem::create_directories(scratch_.path("docs"));
    write("docs/results.toml",
          "[speedy]\npage = 'docs/page.md'\nminutes = 1\nmade = 'on Monday'\ntable = true\n"
          "run = '''echo '| new |'; echo '|--:|'; echo \"| $(cat ../../../version) |\"'''\n"
          "probe = '''cat ../../../version'''\ngave = '''one'''\n");
    write("version", "one\n");
    write("docs/page.md", page("on Monday", ""));
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(scratch_.path(name)) << text; }
  std::string text(const std::string& name) const { return content(scratch_.path(name)); }
  CommandResult figures(const std::string& arguments) const {
    return run_script("TOROID_ROOT='" + scratch_.path("") + "' python3 '" + source_folder() +
                      "/tools/figures' --toroid \"$toroid\" " + arguments);
  }
  static std::string page(const std::string& made, const std::string& remark, const std::string& table = "| old |\n") {
    return "# Page\n\n*Made " + made + ": `tools/figures speedy`." + remark + "*\n\n" + table + "\nAfter.\n";
  }

 private:
  Scratch scratch_;
};

bool has_python() {
  if (run_script("command -v python3 && python3 -c 'import tomllib'").exit_code == 0) return true;
  WARN("skipped: there is no python3 with tomllib");
  return false;
}

TEST_CASE("A page says of each long result whether it is older than the version") {
  if (!has_python()) return;
  const Checkout checkout;
  CHECK(checkout.figures("--check").exit_code == 0);
  CHECK_THAT(checkout.figures("--list").out, Catch::Contains("current"));

  checkout.write("version", "two\n");
  const auto stale = checkout.figures("--check");
  CHECK(stale.exit_code == 1);
  CHECK_THAT(stale.out, Catch::Contains("docs/page.md: speedy is stale, which its mark does not say"));
  CHECK(checkout.figures("--mark").exit_code == 0);
  CHECK(checkout.text("docs/page.md") == Checkout::page("on Monday", " The present version gives other numbers."));
  CHECK(checkout.figures("--check").exit_code == 0);

  checkout.write("docs/page.md", "# Page\n");
  CHECK_THAT(checkout.figures("--check").out, Catch::Contains("docs/page.md: no mark of the result speedy"));
  checkout.write("docs/page.md", Checkout::page("on Monday", "") + "\n*Made on Sunday: `tools/figures other`.*\n");
  CHECK_THAT(checkout.figures("--check").out,
             Catch::Contains("a mark of other, which docs/results.toml does not know"));
}

TEST_CASE("A long result that is stale is made again, its table and its mark are written") {
  if (!has_python()) return;
  const Checkout checkout;
  CHECK(checkout.figures("").exit_code == 0);
  CHECK(checkout.text("docs/page.md") == Checkout::page("on Monday", ""));  // it was current

  checkout.write("version", "two\n");
  CHECK(checkout.figures("").exit_code == 0);
  const auto page = checkout.text("docs/page.md");
  CHECK_THAT(page, Catch::Contains("| new |\n|--:|\n| two |\n\nAfter.\n"));
  CHECK_THAT(page, !Catch::Contains("| old |") && !Catch::Contains("Monday") && !Catch::Contains("other numbers"));
  CHECK(checkout.figures("--check").exit_code == 0);
  CHECK_THAT(checkout.text("docs/results.toml"), Catch::Contains("gave = '''two'''"));
}

TEST_CASE("tools/figures refuses what it does not know") {
  if (!has_python()) return;
  const auto result = Checkout().figures("nothing");
  CHECK(result.exit_code != 0);
  CHECK_THAT(result.err, Catch::Contains("unknown result nothing; known are speedy"));
}

}  // namespace
}  // namespace toroid::test
