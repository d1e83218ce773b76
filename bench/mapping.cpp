// How good mappings are when nobody knows the order of the ranks: mappers beside Scotch, on programs and machines of
// many kinds.
//
//   mapping [--only NAME]... [--map SPEC]... [--seeds N] [--large]
//
// Of each instance the ranks are renumbered at random, with several seeds. A mapper is told by the means of its hops
// per byte, of the bytes on the most loaded link, and of its CPU seconds. `SPEC*N` is the best of N runs, by hops per
// byte, and the time of all of them. Instances follow from their names alone.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "bench/measure.hpp"
#include "bench/renumber.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "mapping/mapper.hpp"
#include "mapping/metrics.hpp"
#include "workloads/trace.hpp"

namespace {

using namespace toroid;
using platforms::NodeId;
using workloads::CommunicationMatrix;
using Slots = std::vector<NodeId>;

/// A job, and where it may run.
struct Instance {
  std::string name, machine;
  std::function<CommunicationMatrix()> traffic;
  std::function<Slots(const platforms::Machine&)> slots;
  bool large = false;  ///< takes longer
};

std::function<CommunicationMatrix()> program(const std::string& spec) {
  return [spec] { return workloads::point_to_point_matrix(*workloads::generators().make(spec)); };
}

/// Undirected edges between ranks.
class Edges {
 public:
  explicit Edges(std::int32_t ranks) : ranks_(ranks) {}
  void add(std::int32_t a, std::int32_t b, std::uint64_t bytes) {
    if (a == b) return;
    edges_.push_back({a, b, bytes});
    edges_.push_back({b, a, bytes});
  }
  CommunicationMatrix matrix() {
    std::sort(edges_.begin(), edges_.end());
    CommunicationMatrix matrix;
    matrix.rows.resize(ranks_);
    for (const auto& [from, to, bytes] : edges_) {
      auto& row = matrix.rows[workloads::Rank(from)];
      if (row.empty() || row.back().to.value() != to) row.push_back({workloads::Rank(to), bytes, 1});
    }
    return matrix;
  }

 private:
  struct Edge {
    std::int32_t from, to;
    std::uint64_t bytes;
    auto operator<=>(const Edge&) const = default;
  };
  std::int32_t ranks_;
  std::vector<Edge> edges_;
};

/// All neighbours in a box, as many bytes as a block of 16 points an axis has in common with each; or all alike.
std::function<CommunicationMatrix()> all_neighbours(std::int32_t x, std::int32_t y, std::int32_t z, bool alike) {
  return [=] {
    Edges edges(x * y * z);
    for (std::int32_t r = 0; r < x * y * z; ++r)
      for (std::int32_t dz = -1; dz <= 1; ++dz)
        for (std::int32_t dy = -1; dy <= 1; ++dy)
          for (std::int32_t dx = -1; dx <= 1; ++dx) {
            const std::int32_t a = r % x + dx, b = r / x % y + dy, c = r / x / y + dz;
            if (a < 0 || a >= x || b < 0 || b >= y || c < 0 || c >= z) continue;
            const int axes = (dx != 0 ? 1 : 0) + (dy != 0 ? 1 : 0) + (dz != 0 ? 1 : 0);
            const std::uint64_t bytes = alike ? 2048 : 8U << (4U * static_cast<unsigned>(3 - axes));
            edges.add(r, a + x * (b + y * c), bytes);
          }
    return edges.matrix();
  };
}

std::function<CommunicationMatrix()> random_geometric(std::int32_t ranks, double degree) {
  return [=] {
    core::Random random(1, "random geometric");
    std::vector<std::array<double, 3>> at;
    for (std::int32_t i = 0; i < ranks; ++i) at.push_back({random.unit(), random.unit(), random.unit()});
    const double near = std::cbrt(degree / ranks * 3 / (4 * 3.14159265));
    Edges edges(ranks);
    for (std::int32_t a = 0; a < ranks; ++a)
      for (std::int32_t b = 0; b < a; ++b) {
        double square = 0;
        for (std::size_t d = 0; d < 3; ++d)
          square += std::pow(at[static_cast<std::size_t>(a)][d] - at[static_cast<std::size_t>(b)][d], 2);
        if (square < near * near) edges.add(a, b, 1000 + random.below(9000));
      }
    return edges.matrix();
  };
}

std::function<CommunicationMatrix()> random_regular(std::int32_t ranks, int rings) {
  return [=] {
    core::Random random(1, "random regular");
    Edges edges(ranks);
    std::vector<std::int32_t> ring;
    for (std::int32_t i = 0; i < ranks; ++i) ring.push_back(i);
    for (int i = 0; i < rings; ++i) {
      random.shuffle(ring);
      for (std::size_t j = 0; j < ring.size(); ++j) edges.add(ring[j], ring[(j + 1) % ring.size()], 5000);
    }
    return edges.matrix();
  };
}

/// Each rank tied to four before it, the more likely the more ties they have.
std::function<CommunicationMatrix()> power_law(std::int32_t ranks) {
  return [=] {
    core::Random random(1, "power law");
    Edges edges(ranks);
    std::vector<std::int32_t> ends{0};
    for (std::int32_t a = 1; a < ranks; ++a)
      for (int i = 0; i < 4; ++i) {
        const std::int32_t b = ends[random.below(ends.size())];
        if (a == b) continue;
        edges.add(a, b, 1000 + random.below(9000));
        ends.push_back(a);
        ends.push_back(b);
      }
    return edges.matrix();
  };
}

Slots all(const platforms::Machine& machine) {
  return mapping::all_nodes(machine);
}

Slots each_twice(const Slots& nodes) {
  Slots slots;
  for (const auto node : nodes) slots.insert(slots.end(), 2, node);
  return slots;
}

/// Nodes drawn one by one.
std::function<Slots(const platforms::Machine&)> scattered(std::size_t count) {
  return [=](const platforms::Machine& machine) {
    auto nodes = mapping::all_nodes(machine);
    core::Random(1, "scattered").shuffle(nodes);
    nodes.resize(count);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
}

/// Runs of 1 to 16 nodes, as a machine leaves that has been in use.
std::function<Slots(const platforms::Machine&)> fragmented(std::size_t count) {
  return [=](const platforms::Machine& machine) {
    core::Random random(1, "fragmented");
    std::vector<char> taken(static_cast<std::size_t>(machine.node_count()), 0);
    for (std::size_t left = count; left > 0;) {
      const auto start = random.below(taken.size()), length = 1 + random.below(16);
      for (auto node = start; node < std::min(taken.size(), start + length) && left > 0; ++node)
        if (std::exchange(taken[node], 1) == 0) --left;
    }
    Slots nodes;
    for (const auto node : machine.nodes())
      if (taken[node.index()] != 0) nodes.push_back(node);
    return nodes;
  };
}

std::vector<Instance> instances() {
  const auto twice = [](auto slots) {
    return [slots](const platforms::Machine& machine) { return each_twice(slots(machine)); };
  };
  return {
      {"stencil-8x8/mesh", "mesh:8x8", program("stencil:steps=1,grid=8x8"), all},
      {"stencil-16x32x8/torus", "torus:16x16x16", program("stencil:steps=1,grid=16x32x8"), all, true},
      {"stencil-64x64/mesh", "mesh:64x64", program("stencil:steps=1,grid=64x64"), all, true},
      {"stencil-16x16x16/torus", "torus:16x16x16", program("stencil:steps=1,grid=16x16x16"), all, true},
      {"periodic-16x16x16/torus", "torus:16x16x16", program("stencil:steps=1,grid=16x16x16,periodic=yes"), all, true},
      {"stencil-8x8x8/fragmented", "torus:12x12x12", program("stencil:steps=1,grid=8x8x8"), fragmented(512)},
      {"stencil-16x32x8/cielo", "torus:16x12x24", program("stencil:steps=1,grid=16x32x8"), scattered(4096), true},
      {"stencil-16x32x8/cielo-two-a-node", "torus:16x12x24,cores=2", program("stencil:steps=1,grid=16x32x8"),
       twice(scattered(2048)), true},
      {"27-points-8x8x8/fragmented", "torus:12x12x12", all_neighbours(8, 8, 8, false), fragmented(512)},
      {"27-alike-8x8x8/torus", "torus:8x8x8", all_neighbours(8, 8, 8, true), all},
      {"lulesh-64/mesh", "mesh:8x8", program("lulesh:ranks=64,steps=1"), all},
      {"lulesh-64/fragmented", "torus:8x8x8", program("lulesh:ranks=64,steps=1"), fragmented(64)},
      {"lulesh-64/spare", "torus:8x8x8", program("lulesh:ranks=64,steps=1"), fragmented(160)},
      {"cg-64/mesh", "mesh:8x8", program("cg:class=A,ranks=64,iterations=1"), all},
      {"cg-64/fragmented", "torus:8x8x8", program("cg:class=A,ranks=64,iterations=1"), fragmented(64)},
      {"mg-64/mesh", "mesh:8x8", program("mg:class=A,ranks=64"), all},
      {"mg-64/fragmented", "torus:8x8x8", program("mg:class=A,ranks=64"), fragmented(64)},
      {"bt-64/torus", "torus:4x4x4", program("bt:class=A,ranks=64,iterations=1"), all},
      {"minighost-128/fragmented", "torus:8x8x8", program("minighost:ranks=128,steps=1"), fragmented(128)},
      {"minighost-128/two-a-node", "torus:4x4x4,cores=2", program("minighost:ranks=128,steps=1"), twice(all)},
      {"svaf-64/mesh", "mesh:8x8", program("minighost:ranks=64,method=svaf,steps=1"), all},
      {"geometric-512/torus", "torus:8x8x8", random_geometric(512, 12), all},
      {"geometric-2048/half", "torus:16x16x16", random_geometric(2048, 12), scattered(2048), true},
      {"regular-512/torus", "torus:8x8x8", random_regular(512, 4), all},
      {"power-law-512/torus", "torus:8x8x8", power_law(512), all},
      {"geometric-256/unequal", "torus:16x4x4,bw=1GBps/4GBps/4GBps", random_geometric(256, 12), all},
      {"stencil-8x8/ring", "ring:8x8", program("stencil:steps=1,grid=8x8"), all},
      {"periodic-8x8/twisted", "torus:8x8,x.twist=y+4", program("stencil:steps=1,grid=8x8,periodic=yes"), all},
      {"stencil-32x32x32/torus", "torus:32x32x32", program("stencil:steps=1,grid=32x32x32"), all, true},
  };
}

struct Figures {
  double hops = 0, load = 0, seconds = 0;
};

Figures measure(const std::string& text, mapping::MappingProblem problem) {
  const auto star = text.find('*');
  const auto runs = star == std::string::npos ? 1 : core::parse_number<int>(text.substr(star + 1)).value_or(1);
  Figures best;
  double seconds = 0;
  for (int run = 0; run < runs; ++run, ++problem.seed) {
    const double before = bench::cpu_seconds();
    const auto mapping = mapping::make_mapping(text.substr(0, star), problem);
    seconds += bench::cpu_seconds() - before;
    const auto metrics = mapping::measure(problem.machine, mapping, problem.traffic.matrix());
    const double hops = static_cast<double>(metrics.hop_bytes) / static_cast<double>(metrics.bytes);
    if (run == 0 || hops < best.hops) best = {hops, static_cast<double>(metrics.max_link_load_bytes), 0};
  }
  best.seconds = seconds;
  return best;
}

void compare(const Instance& instance, const std::vector<std::string>& mappers, std::uint64_t seeds) {
  const auto machine = platforms::make_machine(instance.machine);
  const auto slots = instance.slots(machine);
  const auto matrix = instance.traffic();
  core::Table table({"mapper", "hops per byte", "best", "worst", "link load", "CPU s"});
  for (const auto& mapper : mappers) {
    Figures mean;
    double least = 1e300, most = 0;
    try {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const mapping::Traffic traffic(bench::renumbered(matrix, seed));
        const auto figures = measure(mapper, {machine, slots, traffic, seed * 1000});
        const auto n = static_cast<double>(seeds);
        mean.hops += figures.hops / n;
        mean.load += figures.load / n;
        mean.seconds += figures.seconds / n;
        least = std::min(least, figures.hops);
        most = std::max(most, figures.hops);
      }
      table.add({mapper, fmt::format("{:.4f}", mean.hops), fmt::format("{:.4f}", least), fmt::format("{:.4f}", most),
                 fmt::format("{:.0f}", mean.load), fmt::format("{:.3f}", mean.seconds)});
    } catch (const core::InputError&) {
      table.add({mapper, "refuses", "", "", "", ""});
    }
  }
  fmt::print("\n{} ({}, {} slots)\n{}", instance.name, instance.machine, slots.size(), table.text());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"mappers beside Scotch, ranks renumbered at random"};
  std::vector<std::string> only, mappers{"scotch*16", "scotch:strategy=quality*16", "mj", "multilevel", "anneal"};
  std::uint64_t seeds = 8;
  bool large = false;
  app.add_option("--only", only, "instances whose names contain one of these");
  app.add_option("--map", mappers, "mappers, instead of the usual");
  app.add_option("--seeds", seeds, "numberings of the ranks")->check(CLI::Range(1, 1000));
  app.add_flag("--large", large, "the instances of 2,048 ranks and more, too");
  CLI11_PARSE(app, argc, argv);
  try {
    for (const auto& instance : instances()) {
      const bool wanted = std::any_of(only.begin(), only.end(), [&](const std::string& part) {
        return instance.name.find(part) != std::string::npos;
      });
      if (only.empty() ? large || !instance.large : wanted) compare(instance, mappers, seeds);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "mapping: {}\n", error.what());
    return 1;
  }
}
