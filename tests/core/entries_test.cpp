#include "core/entries.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "toroid/core/registry.hpp"

namespace toroid::core {

TOROID_ENTRIES(Entry<int>, numbers, two, one, three)
TOROID_ENTRIES(std::vector<Entry<int>>, families, fourfold)

Entry<int> one() {
  return {"one", "", 1};
}
Entry<int> two() {
  return {"two", "", 2};
}
Entry<int> three() {
  return {"three", "", 3};
}
std::vector<Entry<int>> fourfold() {
  return {{"four", "", 4}, {"eight", "", 8}};
}

TEST_CASE("A table has what its functions return, in their order, and families one after the other") {
  const Registry<int> registry("number", joined(std::vector{numbers(), joined(families())}));
  CHECK(registry.names() == std::vector<std::string>{"two", "one", "three", "four", "eight"});
  CHECK(registry.find("three").make == 3);
  CHECK_THROWS_AS(Registry<int>("number", joined(std::vector{numbers(), numbers()})), ContractError);
}

}  // namespace toroid::core
