#include "bench/instances.hpp"
#include "toroid/workloads/collectives/choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/random.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::bench {
namespace {

using platforms::NodeId;
using workloads::CommunicationMatrix;
using Slots = std::vector<NodeId>;

using Place = std::function<Slots(const platforms::Machine&)>;

/// Its matrix is without the messages of collectives unless they are to be `expanded`.
Work program(const std::string& spec, bool expanded = false) {
  const auto trace = [=] { return workloads::generators().make(spec); };
  return {trace, [=] {
            return expanded ? workloads::communication_matrix(*trace(), {})
                            : workloads::point_to_point_matrix(*trace());
          }};
}

/// Undirected edges between ranks. Of several between the same two the one with the fewest bytes counts.
class Edges {
 public:
  void add(std::int32_t a, std::int32_t b, std::uint64_t bytes) {
    if (a == b) return;
    for (const auto& edge : {std::pair(a, b), std::pair(b, a)}) {
      auto& known = edges_.try_emplace(edge, bytes).first->second;
      known = std::min(known, bytes);
    }
  }
  CommunicationMatrix matrix(std::int32_t ranks) const {
    CommunicationMatrix matrix;
    matrix.rows.resize(ranks);
    for (const auto& [edge, bytes] : edges_)
      matrix.rows[workloads::Rank(edge.first)].push_back({workloads::Rank(edge.second), bytes, 1});
    return matrix;
  }

 private:
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> edges_;
};

/// All neighbours in a box, as many bytes as a block of 16 points an axis has in common with each; or all alike.
Work all_neighbours(std::int32_t x, std::int32_t y, std::int32_t z, bool alike) {
  return {{}, [=] {
            Edges edges;
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
            return edges.matrix(x * y * z);
          }};
}

Work random_geometric(std::int32_t ranks, double degree) {
  return {{}, [=] {
            core::Random random(1, "random geometric");
            std::vector<std::array<double, 3>> at;
            for (std::int32_t i = 0; i < ranks; ++i) at.push_back({random.unit(), random.unit(), random.unit()});
            const double near = std::cbrt(degree / ranks * 3 / (4 * 3.14159265));
            Edges edges;
            for (std::int32_t a = 0; a < ranks; ++a)
              for (std::int32_t b = 0; b < a; ++b) {
                double square = 0;
                for (std::size_t d = 0; d < 3; ++d)
                  square += std::pow(at[static_cast<std::size_t>(a)][d] - at[static_cast<std::size_t>(b)][d], 2);
                if (square < near * near) edges.add(a, b, 1000 + random.below(9000));
              }
            return edges.matrix(ranks);
          }};
}

Work random_regular(std::int32_t ranks, int rings) {
  return {{}, [=] {
            core::Random random(1, "random regular");
            Edges edges;
            std::vector<std::int32_t> ring;
            for (std::int32_t i = 0; i < ranks; ++i) ring.push_back(i);
            for (int i = 0; i < rings; ++i) {
              random.shuffle(ring);
              for (std::size_t j = 0; j < ring.size(); ++j) edges.add(ring[j], ring[(j + 1) % ring.size()], 5000);
            }
            return edges.matrix(ranks);
          }};
}

/// Each rank tied to four before it, the more likely the more ties they have.
Work power_law(std::int32_t ranks) {
  return {{}, [=] {
            core::Random random(1, "power law");
            Edges edges;
            std::vector<std::int32_t> ends{0};
            for (std::int32_t a = 1; a < ranks; ++a)
              for (int i = 0; i < 4; ++i) {
                const std::int32_t b = ends[random.below(ends.size())];
                if (a == b) continue;
                edges.add(a, b, 1000 + random.below(9000));
                ends.push_back(a);
                ends.push_back(b);
              }
            return edges.matrix(ranks);
          }};
}

Slots all(const platforms::Machine& machine) {
  return mapping::all_nodes(machine);
}

/// Nodes of a place, each for so many ranks.
Place shared(int ranks_of_a_node, const Place& place = all) {
  return [=](const platforms::Machine& machine) {
    Slots slots;
    for (const auto node : place(machine)) slots.insert(slots.end(), ranks_of_a_node, node);
    return slots;
  };
}

/// Nodes drawn one by one.
Place scattered(std::size_t count) {
  return [=](const platforms::Machine& machine) {
    auto nodes = mapping::all_nodes(machine);
    core::Random(1, "scattered").shuffle(nodes);
    nodes.resize(count);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
}

/// Runs of 1 to 16 nodes, as a machine leaves that has been in use.
Place fragmented(std::size_t count) {
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

}  // namespace

std::vector<Instance> instances() {
  return {
      {"stencil-8x8/mesh", "mesh:8x8", program("stencil:steps=1,grid=8x8"), all},
      {"stencil-16x32x8/torus", "torus:16x16x16", program("stencil:steps=1,grid=16x32x8"), all, true},
      {"stencil-64x64/mesh", "mesh:64x64", program("stencil:steps=1,grid=64x64"), all, true},
      {"stencil-16x16x16/torus", "torus:16x16x16", program("stencil:steps=1,grid=16x16x16"), all, true},
      {"periodic-16x16x16/torus", "torus:16x16x16", program("stencil:steps=1,grid=16x16x16,periodic=yes"), all, true},
      {"stencil-8x8x8/fragmented", "torus:12x12x12", program("stencil:steps=1,grid=8x8x8"), fragmented(512)},
      {"stencil-16x32x8/cielo", "torus:16x12x24", program("stencil:steps=1,grid=16x32x8"), scattered(4096), true},
      {"stencil-16x32x8/cielo-two-a-node", "torus:16x12x24,cores=2", program("stencil:steps=1,grid=16x32x8"),
       shared(2, scattered(2048)), true},
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
      {"minighost-128/two-a-node", "torus:4x4x4,cores=2", program("minighost:ranks=128,steps=1"), shared(2)},
      {"svaf-64/mesh", "mesh:8x8", program("minighost:ranks=64,method=svaf,steps=1"), all},
      {"geometric-512/torus", "torus:8x8x8", random_geometric(512, 12), all},
      {"geometric-2048/half", "torus:16x16x16", random_geometric(2048, 12), scattered(2048), true},
      {"regular-512/torus", "torus:8x8x8", random_regular(512, 4), all},
      {"power-law-512/torus", "torus:8x8x8", power_law(512), all},
      {"geometric-256/unequal", "torus:16x4x4,bw=1GBps/4GBps/4GBps", random_geometric(256, 12), all},
      {"stencil-8x8/ring", "ring:8x8", program("stencil:steps=1,grid=8x8"), all},
      {"periodic-8x8/twisted", "torus:8x8,x.twist=y+4", program("stencil:steps=1,grid=8x8,periodic=yes"), all},
      {"llm-128/torus", "torus:4x4x8", program("llm:layers=8,data=4,tensor=8,pipeline=4,steps=1", true), all},
      {"llm-128/fragmented", "torus:8x8x8", program("llm:layers=8,data=4,tensor=8,pipeline=4,steps=1", true),
       fragmented(128)},
      {"stencil-32x32x32/torus", "torus:32x32x32", program("stencil:steps=1,grid=32x32x32"), all, true},
  };
}

std::vector<Instance> held_out_instances() {
  return {
      {"sp-81/holes", "mesh:10x10,failed-routers=r44 r45 r54 r55", program("sp:class=A,ranks=81,iterations=1"), all},
      {"bt-100/torus", "torus:5x5x4", program("bt:class=A,ranks=100,iterations=1"), all},
      {"lu-128/twisted", "torus:8x16,x.twist=y+8", program("lu:class=A,ranks=128,iterations=1"), all},
      {"cg-128/mesh", "mesh:16x8", program("cg:class=A,ranks=128,iterations=1"), all},
      {"mg-128/spare", "torus:6x6x6", program("mg:class=A,ranks=128,iterations=1"), fragmented(180)},
      {"lulesh-216/three-a-node", "torus:6x6x2,cores=3", program("lulesh:ranks=216,steps=1"), shared(3)},
      {"minighost-256/four-a-node", "torus:4x4x4,cores=4", program("minighost:ranks=256,stencil=3d27pt,steps=1"),
       shared(4)},
      {"stencil-12x6-periodic/ring", "ring:12x6", program("stencil:steps=1,grid=12x6,periodic=yes"), all},
      {"stencil-4x4x4x4/unequal", "torus:8x8x4,bw=1GBps/2GBps/4GBps", program("stencil:steps=1,grid=4x4x4x4"), all},
      {"stencil-9x7x5/fragmented", "torus:10x10x10", program("stencil:steps=1,grid=9x7x5"), fragmented(315)},
      {"fft-64/fragmented", "torus:6x6x6", program("fft:points=64x64x64,grid=8x8,fields=1,steps=1", true),
       fragmented(64)},
      {"namd-96/fragmented", "torus:6x6x6", program("namd:ranks=96,steps=1"), fragmented(96)},
      {"sharded-128/torus", "torus:8x4x4", program("sharded:mesh=16x8,all-gather=1MB,all-reduce=1MB", true), all},
      {"experts-128/fragmented", "torus:8x8x8",
       program("llm:model=mixtral-8x7b,layers=4,data=8,expert=8,tensor=4,pipeline=4,steps=1", true), fragmented(128),
       true},
      {"permutation-100/mesh", "mesh:5x5x4", program("traffic:pattern=random,grid=10x10,messages=20"), all},
      {"geometric-300/mesh", "mesh:10x6x5", random_geometric(300, 20), all},
      {"power-law-200/scattered", "torus:8x8x8", power_law(200), scattered(200)},
  };
}

std::vector<Instance> chosen(const std::vector<Instance>& instances, const std::vector<std::string>& names,
                             bool large) {
  std::vector<Instance> some;
  std::copy_if(instances.begin(), instances.end(), std::back_inserter(some), [&](const Instance& instance) {
    if (names.empty()) return large || !instance.large;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& part) { return instance.name.find(part) != std::string::npos; });
  });
  return some;
}

std::unique_ptr<workloads::Trace> all_at_once(const CommunicationMatrix& matrix) {
  using workloads::OpKind;
  auto trace = std::make_unique<workloads::CompactTrace>(static_cast<std::int32_t>(matrix.rows.size()));
  std::vector<std::vector<workloads::RequestHandle>> requests(matrix.rows.size());
  const auto add = [&](workloads::Rank rank, workloads::Operation op) {
    op.request = static_cast<workloads::RequestHandle>(requests[rank.index()].size());
    requests[rank.index()].push_back(op.request);
    trace->add(rank, op);
  };
  for (const auto from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from]) {
      workloads::Operation receive{.kind = OpKind::irecv};
      receive.from = from.value();
      receive.bytes = cell.bytes;
      add(cell.to, receive);
    }
  for (const auto from : matrix.rows.ids()) {
    for (const auto& cell : matrix.rows[from]) {
      workloads::Operation send{.kind = OpKind::isend};
      send.to = cell.to.value();
      send.bytes = cell.bytes;
      add(from, send);
    }
    workloads::Operation wait{.kind = OpKind::waitall};
    wait.requests = requests[from.index()];
    if (!wait.requests.empty()) trace->add(from, wait);
  }
  trace->finish();
  return trace;
}

}  // namespace toroid::bench
