#include "core/flat_map.hpp"

#include <catch2/catch.hpp>

#include <map>

#include "core/random.hpp"

using namespace toroid;

namespace {

/// All keys have one of a few homes, the last slots of the table among them: long runs that wrap around.
struct FewHomes {
  std::uint64_t operator()(int key) const { return static_cast<std::uint64_t>(key % 3) - 1; }
};
struct ManyHomes {
  std::uint64_t operator()(int key) const { return static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL >> 32U; }
};

template <class Hash>
void compare_with_tree(std::uint64_t keys) {
  core::Random random(keys, "flat_map");
  core::FlatMap<int, int, Hash> map;
  std::map<int, int> tree;
  for (int step = 0; step < 5000; ++step) {
    const auto key = static_cast<int>(random.below(keys));
    if (random.below(2) == 0) {
      const auto [value, is_new] = map.try_emplace(key, step);
      const auto [place, is_new_in_tree] = tree.try_emplace(key, step);
      REQUIRE(is_new == is_new_in_tree);
      REQUIRE(*value == place->second);
    } else {
      map.erase(key);
      tree.erase(key);
    }
    REQUIRE(map.size() == tree.size());
    for (int k = 0; k < static_cast<int>(keys); ++k) {
      const auto* found = map.find(k);
      const auto place = tree.find(k);
      REQUIRE((found != nullptr) == (place != tree.end()));
      if (found != nullptr) REQUIRE(*found == place->second);
    }
  }
}

}  // namespace

TEST_CASE("a flat map holds what a tree holds, also where keys run together and wrap around") {
  for (const std::uint64_t keys : {1, 3, 8, 50}) {
    compare_with_tree<FewHomes>(keys);
    compare_with_tree<ManyHomes>(keys);
  }
}

TEST_CASE("an empty flat map has nothing to find or erase") {
  core::FlatMap<int, int, ManyHomes> map;
  CHECK(map.find(1) == nullptr);
  map.erase(1);
  CHECK(map.size() == 0);
}
