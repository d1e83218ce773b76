// Orders of devices for a mesh: that the layouts are all there are, that rings are rings, and that the best is found.

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "mapping/meshes/layouts.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::mapping {
namespace {

using jax::Shape;

std::int32_t distance(const Shape& a, const Shape& b) {
  std::int32_t sum = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) sum += std::abs(a[axis] - b[axis]);
  return sum;
}

TEST_CASE("A round trip visits every place of a box once, and goes over neighbours where that can be") {
  for (const Shape& box : std::vector<Shape>{{2, 2},
                                             {2, 4},
                                             {4, 2},
                                             {3, 4},
                                             {4, 3},
                                             {4, 4},
                                             {2, 2, 2},
                                             {3, 2, 5},
                                             {4, 1, 6},
                                             {3, 3, 4},
                                             {5},
                                             {1, 8},
                                             {3, 3},
                                             {1, 1}}) {
    const auto ring = round_trip(box);
    std::size_t places = 1, long_ones = 0;
    for (const auto extent : box) {
      places *= static_cast<std::size_t>(extent);
      long_ones += extent > 1 ? 1 : 0;
    }
    CHECK(ring.size() == places);
    CHECK(std::set(ring.begin(), ring.end()).size() == places);
    if (long_ones < 2 || places % 2 == 1) continue;
    for (std::size_t i = 0; i < ring.size(); ++i) CHECK(distance(ring[i], ring[(i + 1) % ring.size()]) == 1);
  }
}

TEST_CASE("Each layout gives every rank a place of its own, and no two are alike") {
  for (const auto& [physical, logical] : std::vector<std::pair<Shape, Shape>>{
           {{4, 4}, {16}}, {{4, 4}, {4, 4}}, {{2, 4, 4}, {4, 8}}, {{4, 4, 2}, {2, 4, 4}}, {{6, 4}, {2, 12}}}) {
    std::set<std::vector<std::int32_t>> seen;
    std::size_t count = 0;
    for_each_layout(physical, {true, true, false}, logical, 1000, [&](const Layout& layout) {
      const auto places = places_of(layout, physical);
      CHECK(std::set(places.begin(), places.end()).size() == places.size());
      seen.insert(places);
      ++count;
    });
    CHECK(count > 0);
    CHECK(seen.size() == count);
  }
  const auto count_of = [](const std::vector<bool>& rings, std::size_t most) {
    std::size_t count = 0;
    for_each_layout({4, 4}, rings, {4, 4}, most, [&](const Layout&) { ++count; });
    return count;
  };
  // 4x4 on 4x4: each axis whole (2), or halves of both, each of which may have the large steps (4).
  CHECK(count_of({false, false}, 1000) == 6);
  CHECK(count_of({false, false}, 3) == 3);
  // Halves may be walked to and fro along one ring, or both.
  CHECK(count_of({false, true}, 1000) == 10);
  CHECK(count_of({true, true}, 1000) == 18);
}

// Ranks 0 and 1, 2 and 3 are pairs along the second axis, 0 and 2, 1 and 3 along the first.
TEST_CASE("Two pairs on a ring of four are neighbours along both axes when it is walked to and fro") {
  std::vector<std::vector<std::int32_t>> all;
  for_each_layout({4}, {true}, {2, 2}, 100, [&](const Layout& layout) { all.push_back(places_of(layout, {4})); });
  CHECK(all == std::vector<std::vector<std::int32_t>>{{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 3, 1, 2}});
}

TEST_CASE("Demands are bytes of a rank by the axes of its groups") {
  const auto trace =
      workloads::open_trace("sharded:mesh=4x2x8,all-gather=0/0/800,all-reduce=1000/0/0,all-to-all=0/40/0");
  const auto all = demands({*trace, {}}, {4, 2, 8});
  REQUIRE(all.size() == 3);
  CHECK(all.at({2}).rings == Approx(800));
  CHECK(all.at({0}).rings == Approx(2 * 1000));
  CHECK(all.at({1}).exchanges == Approx(10));
  // Stages of a pipeline send messages along the first axis of pp, dp, tp.
  const auto step = workloads::open_trace("llm:model=llama2-7b,layers=4,tensor=2,data=2,pipeline=4,micro-batches=4");
  const auto of_step = demands({*step, {}}, {4, 2, 2});
  CHECK(of_step.at({0}).messages > 0);
  CHECK(of_step.at({2}).rings > 0);
}

/// A sharded program on all nodes of a slice.
class Step {
 public:
  Step(const std::string& slice, const std::string& mesh, const std::string& traffic)
      : machine_(platforms::make_machine(slice)),
        mesh_(mesh),
        trace_(workloads::open_trace(fmt::format("sharded:mesh={},{}", mesh, traffic))) {}

  double time(const Mapping& mapping) const {
    return netsim::run({machine_, *trace_, mapping, {}, netsim::EngineChoice("fluid")}).runtime;
  }
  /// In the order of a mapper that has the key `mesh`.
  double time_by(const std::string& mapper) const {
    const Program program{*trace_, {}};
    const Traffic traffic(*trace_);
    return time(make_mapping(mapper + "mesh=" + mesh_, {machine_, all_nodes(machine_), traffic, 1, &program}));
  }
  double by_mesh() const { return time_by("mesh:"); }
  double by_jax() const { return time_by("jax:split=yes,"); }

  /// The least time of all orders whose first device is one of these.
  double least(const std::vector<NodeId>& firsts) const {
    double least = std::numeric_limits<double>::infinity();
    for (const auto first : firsts) {
      std::vector<NodeId> order{first};
      for (const auto node : machine_.nodes())
        if (node != first) order.push_back(node);
      do {
        Mapping mapping;
        for (const auto node : order) mapping.add(node);
        least = std::min(least, time(mapping));
      } while (std::next_permutation(order.begin() + 1, order.end()));
    }
    return least;
  }

 private:
  platforms::Machine machine_;
  std::string mesh_;
  std::unique_ptr<workloads::Trace> trace_;
};

// 8 chips along x of v6e-128 are a line, which takes twice as long as rings of 2x4 would.
TEST_CASE("Eight devices of tensor parallelism on v6e-128 go round rings of 2x4") {
  const Step step("tpu-v6e:8x16", "16x8", "all-gather=0/256MB");
  const double found = step.by_mesh();
  CHECK(step.by_jax() / found == Approx(2).epsilon(0.02));
  CHECK(found == Approx(256e6 * 7 / 8 / 200e9).epsilon(0.02));
}

TEST_CASE("An order for a mesh is never behind that of JAX", "[slow]") {
  struct Case {
    const char *slice, *mesh;
  };
  for (const auto& [slice, mesh] :
       {Case{"tpu-v4:2x2x4", "2x8"}, Case{"tpu-v4:4x4x4", "16x4"}, Case{"tpu-v4:4x4x4", "2x4x8"},
        Case{"tpu-v5p:4x4x8_twisted", "16x8"}, Case{"tpu-v7:2x2x4", "4x8"}, Case{"tpu-v6e:8x16", "4x32"}}) {
    CAPTURE(slice, mesh);
    for (const std::string mix : {"all-gather=64MB,all-reduce=64MB", "all-gather=16MB,all-to-all=256MB"}) {
      const Step step(slice, mesh, mix);
      CHECK(step.by_mesh() <= step.by_jax());
    }
  }
}

TEST_CASE("Of all orders on a slice of four or six chips none is faster than that of mesh", "[slow]") {
  for (const std::string slice : {"tpu-v4:2x2x1", "tpu-v6e:2x3", "torus:2x3"}) {
    const auto chips = platforms::make_machine(slice).node_count();
    const auto any = all_nodes(platforms::make_machine(slice));
    for (const auto& mesh :
         {fmt::format("{}x1", chips), fmt::format("2x{}", chips / 2), fmt::format("{}x2", chips / 2)})
      for (const std::string mix : {"all-gather=0/256MB,all-reduce=64MB/0", "all-gather=256MB/0,all-to-all=0/1GB",
                                    "all-gather=0,all-to-all=512MB,all-reduce=16MB"}) {
        CAPTURE(slice, mesh, mix);
        const Step step(slice, mesh, mix);
        CHECK(step.by_mesh() <= step.least(any) * 1.002);
      }
  }
}

// Orders that mesh does not try have single ranks exchanged, so that neither axis lies along an axis of the machine.
// Of 2x4 chips all others mirror the two that are given.
TEST_CASE("Of all orders on a slice of eight chips none is much faster than that of mesh", "[slow]") {
  const Step halves("tpu-v6e:2x4", "2x2x2", "all-reduce=64MB/0/0,all-to-all=0/1GB/0,all-gather=0/0/256MB");
  CHECK(halves.by_mesh() <= halves.least({0, 2}) * 1.15);
}

TEST_CASE("A mesh needs a program, as many ranks as slots, and a box") {
  const auto machine = platforms::make_machine("torus:4x4");
  const auto trace = workloads::open_trace("sharded:mesh=2x4");
  const Program what{*trace, {}};
  const Traffic traffic(*trace);
  const auto error_of = [&](const std::vector<NodeId>& slots, const Program* program, const std::string& mesh) {
    return test::error_of([&] {
      make_mapping(MapperChoice("mesh:mesh=" + mesh), {machine, slots, traffic, 1, program});
    });
  };
  const std::vector<NodeId> box{0, 1, 2, 3, 4, 5, 6, 7}, hook{0, 1, 2, 3, 4, 8, 9, 10};
  CHECK(error_of(box, &what, "2x4").empty());
  CHECK(error_of(box, nullptr, "2x4") ==
        "mapper 'mesh': found a communication matrix only, expected a trace to simulate");
  CHECK(error_of(box, &what, "3x4") == "mesh=3x4: found 12 places, expected one for each of 8 ranks");
  CHECK(error_of(hook, &what, "2x4") ==
        "the 8 slots on torus:4x4 fill no box of it, one on each router; expected one, for a mesh over them");
  CHECK(error_of(all_nodes(machine), &what, "2x4") ==
        "8 ranks on 16 slots of torus:4x4: expected as many ranks as slots, for a mesh over all of them");
}

}  // namespace
}  // namespace toroid::mapping
