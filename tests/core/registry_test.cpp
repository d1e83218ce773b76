#include "core/registry.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"

namespace toroid::core {
namespace {

using Make = int (*)(const Spec&);
int one(const Spec&) {
  return 1;
}
int two(const Spec&) {
  return 2;
}

Registry<Make> shapes() {
  return {"shape", {{"dot", "a point", one}, {"box", "a box", two, {{"w", "width"}, {"h", "height"}}, "NAME"}}};
}

std::string error_of(const std::string& text) {
  return test::message_of<InputError>([&] { shapes().find(Spec::parse(text)); });
}

TEST_CASE("A registry finds an entry by the name of the spec") {
  const auto registry = shapes();
  const auto spec = Spec::parse("box:mine,h=2,w=1");
  CHECK(registry.find(spec).make(spec) == 2);
}

TEST_CASE("A registry knows which names it has") {
  CHECK(shapes().has("dot"));
  CHECK_FALSE(shapes().has("do"));
  CHECK_FALSE(shapes().has(""));
  CHECK(shapes().names() == "dot, box");
}

TEST_CASE("An unknown name is an error that lists the valid ones") {
  CHECK(error_of("ball") == "unknown shape 'ball'; valid: dot, box");
}

TEST_CASE("An unknown key is an error that lists the valid ones") {
  CHECK(error_of("box:w=1,depth=2") == "'box:w=1,depth=2': shape 'box' has no key 'depth'; valid: w, h");
}

TEST_CASE("An unknown key of an entry without keys is an error") {
  CHECK(error_of("dot:w=1") == "'dot:w=1': shape 'dot' has no key 'w'; valid: none");
}

TEST_CASE("An argument where none is taken is an error") {
  CHECK(error_of("dot:mine") == "shape 'dot' takes no argument, found 'mine'");
}

}  // namespace
}  // namespace toroid::core
