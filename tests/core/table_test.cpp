#include "core/table.hpp"

#include "core/csv.hpp"

#include <catch2/catch.hpp>

namespace toroid::core {
namespace {

TEST_CASE("Columns are aligned, numbers to the right") {
  Table table({"name", "hops"});
  table.add({"a", "5"});
  table.add({"longer", "-12.5"});
  CHECK(table.text() ==
        "name     hops\n"
        "a           5\n"
        "longer  -12.5\n");
}

TEST_CASE("One cell that is no number makes a column text") {
  Table table({"value", "x"});
  table.add({"10", "1"});
  table.add({"none", "2"});
  CHECK(table.text() ==
        "value  x\n"
        "10     1\n"
        "none   2\n");
}

TEST_CASE("A table in Markdown and for LaTeX has the same cells, escaped") {
  Table table({"map", "gain [%]"});
  table.add({"a_b|c", "5"});
  table.add({"x & y", "-12.5"});
  CHECK(table.markdown() ==
        "| map | gain [%] |\n"
        "|---|--:|\n"
        "| a\\_b\\|c | 5 |\n"
        "| x & y | -12.5 |\n");
  CHECK(table.tex() ==
        "\\begin{tabular}{lr}\n\\toprule\n"
        "map & gain [\\%] \\\\\n\\midrule\n"
        "a\\_b|c & 5 \\\\\n"
        "x \\& y & -12.5 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n");
}

TEST_CASE("What ends lines or controls terminals is escaped in Markdown and for LaTeX") {
  CHECK(text_for_markdown("a\nb\x1b[2J\xc2\x9b") == "a\\\\nb\\\\x1b[2J\\\\xc2\\\\x9b");
  CHECK(text_for_tex("a\nb\x1b") == "a\\textbackslash{}nb\\textbackslash{}x1b");
}

TEST_CASE("LaTeX keeps hyphens apart, breaks long texts, and aligns what is less than a number") {
  CHECK(text_for_tex("--repeat 7, a---b, <x> {y} \\z ~^$#") ==
        "-{}-repeat 7, a-{}-{}-b, \\textless{}x\\textgreater{} \\{y\\} \\textbackslash{}z "
        "\\textasciitilde{}\\textasciicircum{}\\$\\#");
  CHECK(text_for_markdown("<b> `a` *b* c_d |\\") == "&lt;b> \\`a\\` \\*b\\* c\\_d \\|\\\\");
  Table table({"map", "p", "verdict"});
  table.add({"a", "<0.001", std::string(60, 'x')});
  table.add({"b", "0.5", "y"});
  CHECK_THAT(table.tex(), Catch::StartsWith("\\begin{tabular}{lrp{0.50\\linewidth}}\n"));
  CHECK_THAT(table.text(), Catch::Contains("a    <0.001  x") && Catch::Contains("b       0.5  y"));
}

TEST_CASE("The last column is wrapped between words") {
  Table table({"map", "verdict"});
  table.add({"consecutive", "is fastest, better than all the others"});
  table.add({"x", "y"});
  CHECK(table.text(45) ==
        "map          verdict\n"
        "consecutive  is fastest, better than all the\n"
        "             others\n"
        "x            y\n");
  CHECK(table.text(10) == table.text(43));  // the last column has 30 characters at least
}

TEST_CASE("HTML has a class for numbers, and its text is escaped") {
  Table table({"map", "hops"});
  table.add({"<a> & b", "1.5"});
  CHECK(table.html() ==
        "<table>\n<thead><tr><th>map</th><th class=\"number\">hops</th></tr></thead>\n<tbody>\n"
        "<tr><td>&lt;a&gt; &amp; b</td><td class=\"number\">1.5</td></tr>\n</tbody>\n</table>\n");
}

TEST_CASE("Lines end without blanks") {
  Table table({"a", "bbb"});
  table.add({"x", ""});
  CHECK(table.text() == "a  bbb\nx\n");
}

TEST_CASE("A table without rows is its header") {
  CHECK(Table({"a", "b"}).text() == "a  b\n");
}

TEST_CASE("A plain CSV field stays as it is") {
  CHECK(csv_field("torus:8x8 a'b") == "torus:8x8 a'b");
  CHECK(csv_field("").empty());
}

TEST_CASE("A CSV field with a comma or a quote is quoted") {
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("a\nb\r") == "a\\nb\\x0d");
}

}  // namespace
}  // namespace toroid::core
