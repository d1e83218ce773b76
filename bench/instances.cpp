#include "bench/instances.hpp"
#include "toroid/workloads/collectives/choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/random.hpp"
#include "workloads/compact_trace.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::bench {
namespace {

using platforms::NodeId;
using workloads::CommunicationMatrix;
using Slots = std::vector<NodeId>;

/// What a program's messages are, without those of collectives unless it is to be `expanded`.
struct Program {
  explicit Program(std::string text, bool with_collectives = false)
      : spec(std::move(text)), expanded(with_collectives) {}
  std::string spec;
  bool expanded;
  std::unique_ptr<workloads::Trace> trace() const { return workloads::generators().make(spec); }
  CommunicationMatrix matrix() const {
    return expanded ? workloads::communication_matrix(*trace(), {}) : workloads::point_to_point_matrix(*trace());
  }
};

using Place = std::function<Slots(const platforms::Machine&)>;

Instance job(std::string name, std::string machine, const Program& program, Place slots, bool large = false) {
  return {std::move(name),
          std::move(machine),
          [=] { return program.trace(); },
          [=] { return program.matrix(); },
          std::move(slots),
          large};
}

Instance job(std::string name, std::string machine, std::function<CommunicationMatrix()> matrix, Place slots,
             bool large = false) {
  return {std::move(name), std::move(machine), {}, std::move(matrix), std::move(slots), large};
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
  using P = Program;
  const auto twice = [](auto slots) {
    return [slots](const platforms::Machine& machine) { return each_twice(slots(machine)); };
  };
  return {
      job("stencil-8x8/mesh", "mesh:8x8", P("stencil:steps=1,grid=8x8"), all),
      job("stencil-16x32x8/torus", "torus:16x16x16", P("stencil:steps=1,grid=16x32x8"), all, true),
      job("stencil-64x64/mesh", "mesh:64x64", P("stencil:steps=1,grid=64x64"), all, true),
      job("stencil-16x16x16/torus", "torus:16x16x16", P("stencil:steps=1,grid=16x16x16"), all, true),
      job("periodic-16x16x16/torus", "torus:16x16x16", P("stencil:steps=1,grid=16x16x16,periodic=yes"), all, true),
      job("stencil-8x8x8/fragmented", "torus:12x12x12", P("stencil:steps=1,grid=8x8x8"), fragmented(512)),
      job("stencil-16x32x8/cielo", "torus:16x12x24", P("stencil:steps=1,grid=16x32x8"), scattered(4096), true),
      job("stencil-16x32x8/cielo-two-a-node", "torus:16x12x24,cores=2", P("stencil:steps=1,grid=16x32x8"),
          twice(scattered(2048)), true),
      job("27-points-8x8x8/fragmented", "torus:12x12x12", all_neighbours(8, 8, 8, false), fragmented(512)),
      job("27-alike-8x8x8/torus", "torus:8x8x8", all_neighbours(8, 8, 8, true), all),
      job("lulesh-64/mesh", "mesh:8x8", P("lulesh:ranks=64,steps=1"), all),
      job("lulesh-64/fragmented", "torus:8x8x8", P("lulesh:ranks=64,steps=1"), fragmented(64)),
      job("lulesh-64/spare", "torus:8x8x8", P("lulesh:ranks=64,steps=1"), fragmented(160)),
      job("cg-64/mesh", "mesh:8x8", P("cg:class=A,ranks=64,iterations=1"), all),
      job("cg-64/fragmented", "torus:8x8x8", P("cg:class=A,ranks=64,iterations=1"), fragmented(64)),
      job("mg-64/mesh", "mesh:8x8", P("mg:class=A,ranks=64"), all),
      job("mg-64/fragmented", "torus:8x8x8", P("mg:class=A,ranks=64"), fragmented(64)),
      job("bt-64/torus", "torus:4x4x4", P("bt:class=A,ranks=64,iterations=1"), all),
      job("minighost-128/fragmented", "torus:8x8x8", P("minighost:ranks=128,steps=1"), fragmented(128)),
      job("minighost-128/two-a-node", "torus:4x4x4,cores=2", P("minighost:ranks=128,steps=1"), twice(all)),
      job("svaf-64/mesh", "mesh:8x8", P("minighost:ranks=64,method=svaf,steps=1"), all),
      job("geometric-512/torus", "torus:8x8x8", random_geometric(512, 12), all),
      job("geometric-2048/half", "torus:16x16x16", random_geometric(2048, 12), scattered(2048), true),
      job("regular-512/torus", "torus:8x8x8", random_regular(512, 4), all),
      job("power-law-512/torus", "torus:8x8x8", power_law(512), all),
      job("geometric-256/unequal", "torus:16x4x4,bw=1GBps/4GBps/4GBps", random_geometric(256, 12), all),
      job("stencil-8x8/ring", "ring:8x8", P("stencil:steps=1,grid=8x8"), all),
      job("periodic-8x8/twisted", "torus:8x8,x.twist=y+4", P("stencil:steps=1,grid=8x8,periodic=yes"), all),
      job("llm-128/torus", "torus:4x4x8", P("llm:layers=8,data=4,tensor=8,pipeline=4,steps=1", true), all),
      job("llm-128/fragmented", "torus:8x8x8", P("llm:layers=8,data=4,tensor=8,pipeline=4,steps=1", true),
          fragmented(128)),
      job("stencil-32x32x32/torus", "torus:32x32x32", P("stencil:steps=1,grid=32x32x32"), all, true),
  };
}

std::vector<Instance> held_out_instances() {
  using P = Program;
  const auto shared = [](int ranks_of_a_node) {
    return [=](const platforms::Machine& machine) {
      Slots slots;
      for (const auto node : mapping::all_nodes(machine)) slots.insert(slots.end(), ranks_of_a_node, node);
      return slots;
    };
  };
  return {
      job("sp-81/holes", "mesh:10x10,failed-routers=r44 r45 r54 r55", P("sp:class=A,ranks=81,iterations=1"), all),
      job("bt-100/torus", "torus:5x5x4", P("bt:class=A,ranks=100,iterations=1"), all),
      job("lu-128/twisted", "torus:8x16,x.twist=y+8", P("lu:class=A,ranks=128,iterations=1"), all),
      job("cg-128/mesh", "mesh:16x8", P("cg:class=A,ranks=128,iterations=1"), all),
      job("mg-128/spare", "torus:6x6x6", P("mg:class=A,ranks=128,iterations=1"), fragmented(180)),
      job("lulesh-216/three-a-node", "torus:6x6x2,cores=3", P("lulesh:ranks=216,steps=1"), shared(3)),
      job("minighost-256/four-a-node", "torus:4x4x4,cores=4", P("minighost:ranks=256,stencil=3d27pt,steps=1"),
          shared(4)),
      job("stencil-12x6-periodic/ring", "ring:12x6", P("stencil:steps=1,grid=12x6,periodic=yes"), all),
      job("stencil-4x4x4x4/unequal", "torus:8x8x4,bw=1GBps/2GBps/4GBps", P("stencil:steps=1,grid=4x4x4x4"), all),
      job("stencil-9x7x5/fragmented", "torus:10x10x10", P("stencil:steps=1,grid=9x7x5"), fragmented(315)),
      job("fft-64/fragmented", "torus:6x6x6", P("fft:points=64x64x64,grid=8x8,fields=1,steps=1", true), fragmented(64)),
      job("namd-96/fragmented", "torus:6x6x6", P("namd:ranks=96,steps=1"), fragmented(96)),
      job("sharded-128/torus", "torus:8x4x4", P("sharded:mesh=16x8,all-gather=1MB,all-reduce=1MB", true), all),
      job("experts-128/fragmented", "torus:8x8x8",
          P("llm:model=mixtral-8x7b,layers=4,data=8,expert=8,tensor=4,pipeline=4,steps=1", true), fragmented(128),
          true),
      job("permutation-100/mesh", "mesh:5x5x4", P("traffic:pattern=random,grid=10x10,messages=20"), all),
      job("geometric-300/mesh", "mesh:10x6x5", random_geometric(300, 20), all),
      job("power-law-200/scattered", "torus:8x8x8", power_law(200), scattered(200)),
  };
}

std::vector<Instance> maplib_instances(const std::string& folder) {
  std::vector<Instance> all_of_them;
  for (const std::string name : {"amg", "btmz", "cg", "lulesh"})
    for (const std::string machine : {"mesh", "torus"}) {
      const auto path = folder + "/" + name + "-bytes.csv";
      const auto read = [path] { return workloads::matrix_format_of(path)->make.read(path); };
      all_of_them.push_back(job("maplib-" + name + "/" + machine, machine + ":4x4x4", read, all));
    }
  return all_of_them;
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
    auto& handles = requests[rank.index()];
    op.request = static_cast<workloads::RequestHandle>(handles.size());
    handles.push_back(op.request);
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
