#include <set>
#include <string_view>

#include "tests/alloc/storms.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

namespace toroid::alloc {
namespace {

TEST_CASE("consecutive takes the lowest numbers that are free") {
  const auto machine = platforms::make_machine("mesh:4x2,service-nodes=1");
  FreeNodes free(machine);
  const auto allocator = allocators().make("consecutive", Site{free});
  std::optional<Allocation> first, second, third;
  allocator->allocate({1, 3}, [&](auto nodes) { first = nodes; });
  allocator->allocate({2, 2}, [&](auto nodes) { second = nodes; });
  CHECK(first == Allocation{0, 2, 3});
  CHECK(second == Allocation{4, 5});
  allocator->release(1, *first);
  allocator->allocate({3, 6}, [&](auto nodes) { third = nodes; });
  CHECK_FALSE(third);
  allocator->allocate({3, 4}, [&](auto nodes) { third = nodes; });
  CHECK(third == Allocation{0, 2, 3, 6});
  CHECK(allocator->fits({4, 7}));
  CHECK_FALSE(allocator->fits({4, 8}));
}

TEST_CASE("random follows its seed, and every choice comes") {
  const auto machine = platforms::make_machine("mesh:2x2");
  FreeNodes free(machine);
  const auto draws = [&](const std::string& spec, std::uint64_t seed) {
    const auto allocator = allocators().make(spec, Site{free, nullptr, seed});
    std::vector<Allocation> all;
    for (int draw = 0; draw < 200; ++draw) {
      allocator->allocate({draw, 2}, [&](auto nodes) { all.push_back(*nodes); });
      allocator->release(draw, all.back());
    }
    return all;
  };
  const auto all = draws("random", 3);
  CHECK(std::set<Allocation>(all.begin(), all.end()).size() == 12);
  CHECK(draws("random", 3) == all);
  CHECK(draws("random", 4) != all);
  CHECK(draws("random:seed=3", 4) == all);
  CHECK(allocators().make("random", Site{free})->uses_seed());
  CHECK_FALSE(allocators().make("random:seed=3", Site{free})->uses_seed());
  CHECK_FALSE(allocators().make("consecutive", Site{free})->uses_seed());
}

TEST_CASE("Every allocator survives storms of jobs on all kinds of machines without losing a node") {
  core::Random random(1, "test");
  for (const auto& entry : allocators().entries())
    for (const auto& text : machines_of_all_kinds())
      // Without the one that answers later (leak_test.cpp) and those that want certain machines (slurm_test.cpp).
      if (entry.name != "leak" && !entry.name.starts_with("slurm-")) {
        const bool waits =
            std::set<std::string_view>{"single-buddy", "submesh", "frame-sliding", "as-logged"}.contains(entry.name);
        storm(std::string(entry.name), platforms::make_machine(text), random,
              {.steps = 100, .exact = entry.name != "single-buddy", .always = !waits});
      }
}

TEST_CASE("Unknown allocators and keys are errors that say what there is") {
  const auto machine = platforms::make_machine("mesh:2x2");
  FreeNodes free(machine);
  const auto message = [&](const std::string& spec) {
    return test::error_of([&] { allocators().make(spec, Site{free}); });
  };
  CHECK_THAT(message("consecutiv"),
             Catch::Contains("unknown allocator 'consecutiv'") && Catch::Contains("consecutive"));
  CHECK_THAT(message("random:sed=1"), Catch::Contains("has no key 'sed'") && Catch::Contains("seed"));
  CHECK_THAT(message("random:seed=x"), Catch::Contains("expected a whole number"));
}

}  // namespace
}  // namespace toroid::alloc
