#include "toroid/core/registry.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"

namespace toroid::core {
namespace {

const Parameter<std::int64_t> width{"width", "from side to side", whole<std::int64_t>(1, 9), "2"};
const OptionalParameter<std::int64_t> height{"height", "from foot to head", whole<std::int64_t>(1, 9), "as the width"};

using Make = std::int64_t (*)(std::int64_t scale, const Arguments&);

const Registry<Make>& shapes() {
  static const Registry<Make> registry(
      "shape", {{"dot", "a point", [](std::int64_t, const Arguments&) { return std::int64_t{0}; }},
                {"box",
                 "a box",
                 [](std::int64_t scale, const Arguments& a) { return scale * a[width] * a[height].value_or(a[width]); },
                 {width, height}},
                {"named",
                 "another one",
                 [](std::int64_t, const Arguments& a) { return static_cast<std::int64_t>(a.spec().argument().size()); },
                 {},
                 "NAME"}});
  return registry;
}

std::string error_of_shape(const std::string& text) {
  auto error = test::error_of([&] { shapes().make(text, 1); });
  CHECK(test::error_of([&] { shapes().find(text); }) == error);
  return error;
}

TEST_CASE("A registry makes what the spec says, by values and by defaults") {
  CHECK(shapes().make("dot", 10) == 0);
  CHECK(shapes().make("box", 10) == 40);
  CHECK(shapes().make("box:height=3", 10) == 60);
  CHECK(shapes().make("box:height=3,width=5", 10) == 150);
  CHECK(shapes().make("named:four", 10) == 4);
  CHECK(shapes().find("box").name == "box");
}

TEST_CASE("A registry knows which names it has") {
  CHECK(shapes().has("dot"));
  CHECK_FALSE(shapes().has("do"));
  CHECK_FALSE(shapes().has(""));
  CHECK(shapes().names() == std::vector<std::string>{"dot", "box", "named"});
}

TEST_CASE("An unknown name is an error that lists the valid ones, and says which is near") {
  CHECK(error_of_shape("circle") == "unknown shape 'circle'; valid: dot, box, named");
  CHECK(error_of_shape("bax") == "unknown shape 'bax'; did you mean 'box'? valid: dot, box, named");
}

TEST_CASE("An unknown key is an error that lists the valid ones, and says which is near") {
  CHECK(error_of_shape("box:width=1,depth=2") ==
        "'box:width=1,depth=2': shape 'box' has no key 'depth'; valid: width, height");
  CHECK(error_of_shape("box:with=1") ==
        "'box:with=1': shape 'box' has no key 'with'; did you mean 'width'? valid: width, height");
  CHECK(error_of_shape("dot:w=1") == "'dot:w=1': shape 'dot' has no key 'w'; valid: none");
}

TEST_CASE("A value that its key does not take is an error before anything is made") {
  CHECK(error_of_shape("box:width=10") == "'box:width=10': width=10: expected a whole number from 1 to 9");
  CHECK(error_of_shape("box:height=x") == "'box:height=x': height=x: expected a whole number from 1 to 9");
}

TEST_CASE("An argument where none is taken, or none where one is, is an error") {
  CHECK(error_of_shape("dot:mine") == "shape 'dot' takes no argument, found 'mine'");
  CHECK(error_of_shape("named") == "'named': expected named:NAME");
}

TEST_CASE("An entry of a registry as a value") {
  const Registry<int> sizes("size", {{"small", "", 1}, {"large", "", 2}});
  const Parameter<int> size{"size", "how large", one_of(sizes), "large"};
  CHECK(size.values == "small or large");
  CHECK(Arguments(Spec::parse("a"), {size})[size] == 2);
  CHECK(Arguments(Spec::parse("a:size=small"), {size})[size] == 1);
  CHECK(test::error_of([&] { Arguments(Spec::parse("a:size=huge"), {size}); }) ==
        "unknown size 'huge'; valid: small, large");
}

/// An entry that comes from a file.
Entry<int> outside(std::string_view name, int value) {
  Entry<int> entry{name, "from a file", value};
  entry.from = "mine.so";
  return entry;
}

TEST_CASE("What comes from elsewhere is added to a registry, and others stay where they are") {
  Registry<int> sizes("size", {{"small", "", 1}, {"large", "", 9}});
  const auto* small = &sizes.find("small");
  for (const auto name : {"a", "b", "c", "d", "e", "f", "g", "h"}) sizes.add(outside(name, 5));
  CHECK(sizes.find("h").make == 5);
  CHECK(sizes.find("h").from == "mine.so");
  CHECK(sizes.names() == std::vector<std::string>{"small", "large", "a", "b", "c", "d", "e", "f", "g", "h"});
  CHECK(&sizes.find("small") == small);
  CHECK(small->from.empty());
  sizes.add(outside("b", 7));
  CHECK(sizes.find("b").make == 7);
  CHECK(sizes.entries().size() == 10);
}

TEST_CASE("A registry keeps its own names, and takes none that no spec can have") {
  Registry<int> sizes("size", {{"small", "", 1}});
  const auto error = [&](std::string_view name) { return test::error_of([&] { sizes.add(outside(name, 2)); }); };
  CHECK(error("small") == "mine.so: size 'small' is toroid's own; expected another name");
  for (const auto name : {"", "a b", "a:b", "a,b", "(a)", "a=b"})
    CHECK(error(name) == fmt::format("size '{}': expected a name of letters, digits, - and _", name));
  CHECK(sizes.names() == std::vector<std::string>{"small"});
}

}  // namespace
}  // namespace toroid::core
