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

TEST_CASE("A CSV field with a comma, a quote or a line end is quoted") {
  CHECK(csv_field("a,b") == "\"a,b\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("a\nb") == "\"a\nb\"");
  CHECK(csv_field("a\r") == "\"a\r\"");
}

}  // namespace
}  // namespace toroid::core
