#include "toroid/core/id.hpp"

#include <catch2/catch.hpp>
#include <type_traits>
#include <unordered_set>

#include "toroid/core/json.hpp"

namespace toroid::core {
namespace {

using Apple = Id<struct AppleTag>;
using Pear = Id<struct PearTag>;

template <class A, class B>
concept comparable = requires(A a, B b) {
  a == b;
};
template <class Container, class Index>
concept indexed_by = requires(Container container, Index index) {
  container[index];
};

static_assert(!std::is_convertible_v<Apple, Pear>, "numbers of different things do not mix");
static_assert(!std::is_assignable_v<Apple&, Pear>);
static_assert(!std::is_convertible_v<std::vector<Apple>, std::vector<Pear>>);
static_assert(!std::is_convertible_v<Apple, std::int32_t>, "an id is no number");
static_assert(!comparable<Apple, Pear> && comparable<Apple, Apple>);
static_assert(!indexed_by<std::vector<int>, Apple> && !indexed_by<IdVector<Apple, int>, Pear>);
static_assert(sizeof(Apple) == sizeof(std::int32_t));

TEST_CASE("constants stand for ids, and ids are so many steps apart") {
  const Apple third = 2;
  CHECK(third.value() == 2);
  CHECK(third + 4 - third == 4);
  CHECK((third - 2).index() == 0);
  CHECK(third < Apple(3));
  CHECK(Apple::none().value() == -1);
}

TEST_CASE("ids count from 0 to below the count") {
  std::vector<std::int32_t> seen;
  for (const Apple apple : ids<Apple>(3)) seen.push_back(apple.value());
  CHECK(seen == std::vector<std::int32_t>{0, 1, 2});
  for (const Apple apple : ids<Apple>(std::size_t{0})) FAIL("there is none, found " << apple.value());
}

TEST_CASE("a vector by ids gives out the ids of its elements") {
  IdVector<Apple, std::string> names;
  const auto boskoop = names.add("boskoop"), idared = names.add(3, 'i');
  CHECK(names[boskoop] == "boskoop");
  CHECK(names[idared] == "iii");
  CHECK(names.has(idared));
  CHECK_FALSE(names.has(Apple(2)));
  CHECK_FALSE(names.has(Apple(-1)));
  CHECK_THROWS_AS(names.at(Apple(2)), std::out_of_range);
  std::vector<std::string> all;
  for (const Apple apple : names.ids()) all.push_back(names[apple]);
  CHECK(all == names.elements());
}

TEST_CASE("a vector by ids of flags is one of single elements") {
  IdVector<Pear, bool> ripe(4, false);
  ripe[Pear(2)] = true;
  CHECK(ripe.elements() == std::vector<bool>{false, false, true, false});
}

TEST_CASE("an id is printed, hashed and written as its number") {
  CHECK(fmt::format("{:>3}", Apple(7)) == "  7");
  CHECK(Json(std::vector<Apple>{Apple(1), Apple(-1)}).dump() == "[1,-1]");
  CHECK(Json(5).get<Apple>().value() == 5);
  CHECK(std::unordered_set<Apple>{Apple(1), Apple(2), Apple(1)}.size() == 2);
}

}  // namespace
}  // namespace toroid::core
