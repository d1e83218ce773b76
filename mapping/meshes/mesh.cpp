// The order of devices for a mesh that the simulator finds best: all ways to lay its axes along those of the machine
// are estimated by what the program asks of each axis, and the best of them are simulated, beside the order of JAX.

#include <fmt/ranges.h>
#include <set>

#include "core/units.hpp"
#include "mapping/meshes/layouts.hpp"
#include "mapping/portfolio/candidates.hpp"
#include "netsim/placed_grid.hpp"

namespace toroid::mapping {

using workloads::Operation;
using workloads::OpKind;

namespace {

using MeshAxes = std::vector<std::size_t>;

class Counting {
 public:
  Counting(const Program& program, const jax::Shape& mesh) : trace_(program.trace), mesh_(mesh) {}

  std::map<MeshAxes, Demand> run() {
    const auto ranks = trace_.ranks();
    const std::set<std::int32_t> some{0, ranks / 3, ranks / 2, 2 * ranks / 3, ranks - 1};
    for (const auto rank : some) count(Rank(rank));
    for (auto& [axes, demand] : all_) {
      const auto share = 1 / static_cast<double>(some.size());
      demand = {demand.rings * share, demand.exchanges * share, demand.messages * share};
    }
    return std::move(all_);
  }

 private:
  void count(Rank rank) {
    const auto stream = trace_.open(rank);
    for (Operation op; stream->next(op);) {
      if (workloads::is_collective(op.kind)) collective(op);
      if (workloads::is_send(op.kind) && op.to >= 0)
        all_[differing({rank, trace_.communicator(op.comm).member(op.to)})].messages += static_cast<double>(op.bytes);
    }
  }

  void collective(const Operation& op) {
    const auto members = static_cast<double>(trace_.communicator(op.comm).size());
    auto& demand = all_[axes_of(op.comm)];
    const auto bytes = static_cast<double>(op.bytes);
    if (op.kind == OpKind::alltoall)
      demand.exchanges += bytes * (members - 1);
    else if (op.kind == OpKind::allgather || op.kind == OpKind::reduce_scatter)
      demand.rings += bytes * members;
    else
      demand.rings += op.kind == OpKind::allreduce ? 2 * bytes : bytes;
  }

  const MeshAxes& axes_of(workloads::CommId comm) {
    const auto known = axes_of_comm_.find(comm);
    if (known != axes_of_comm_.end()) return known->second;
    const auto& communicator = trace_.communicator(comm);
    std::vector<Rank> members;
    for (workloads::CommRank i = 0; i < communicator.size(); ++i) members.push_back(communicator.member(i));
    return axes_of_comm_.emplace(comm, differing(members)).first->second;
  }

  /// The axes along which ranks have more than one coordinate.
  MeshAxes differing(const std::vector<Rank>& ranks) const {
    MeshAxes axes;
    std::int32_t stride = 1;
    for (std::size_t axis = mesh_.size(); axis-- > 0; stride *= mesh_[axis]) {
      const auto at = [&](Rank rank) { return rank.value() / stride % mesh_[axis]; };
      for (const auto rank : ranks)
        if (at(rank) != at(ranks[0])) {
          axes.insert(axes.begin(), axis);
          break;
        }
    }
    return axes;
  }

  const workloads::Trace& trace_;
  const jax::Shape& mesh_;
  std::map<MeshAxes, Demand> all_;
  std::map<workloads::CommId, MeshAxes> axes_of_comm_;
};

/// What the messages along some axes of the mesh take: about how many seconds, in single precision, so that layouts
/// that mirror each other are equal; and what tells those apart that are not.
struct AxesEstimate {
  float seconds = 0;
  std::vector<workloads::CommRank> grid = {};  ///< extents of the grid in which the members of a group stand, ascending
  std::size_t to_and_fro = 0;                  ///< how many sides of it are walked to and fro
  auto operator<=>(const AxesEstimate&) const = default;
};

/// The sum over all axes that have messages, and its terms.
struct Estimate {
  float seconds = 0;
  std::vector<AxesEstimate> by_axes = {};
  auto operator<=>(const Estimate&) const = default;
};

/// Makes estimates of the layouts of a mesh on the block of a job. All groups along an axis have their collectives at
/// the same time; collectives along several axes come one after the other. Simulations take as long or longer, since
/// the grids of groups may have axes of unequal lengths, and rarely a tenth less, since groups may be done early.
class Estimator {
 public:
  /// All must outlive this object; the problem has a program.
  Estimator(const MappingProblem& problem, const platforms::Block& block, const jax::Shape& mesh)
      : problem_(problem), block_(block), mesh_(mesh), demands_(demands(*problem.program, mesh)) {}

  Estimate operator()(const Layout& layout) {
    Estimate estimate;
    for (const auto& [axes, demand] : demands_) {
      if (axes.empty()) continue;
      auto form = std::pair(axes, form_of(layout, axes));
      auto known = known_.find(form);
      if (known == known_.end()) known = known_.emplace(std::move(form), along(layout, axes, demand)).first;
      estimate.seconds += known->second.seconds;
      estimate.by_axes.push_back(known->second);
    }
    return estimate;
  }
  Mapping mapping_of(const Layout& layout) const {
    Mapping mapping;
    for (const auto place : places_of(layout, block_.extents))
      mapping.add(problem_.slots[block_.node_at[static_cast<std::size_t>(place)]]);
    return mapping;
  }

 private:
  /// All groups are of the same form.
  AxesEstimate along(const Layout& layout, const std::vector<std::size_t>& axes, const Demand& demand) const {
    const auto mapping = mapping_of(layout);
    std::map<std::int32_t, netsim::MemberNodes> groups;
    for (const auto rank : mapping.ids()) {
      std::int32_t stride = 1, first = rank.value();
      for (std::size_t axis = mesh_.size(); axis-- > 0; stride *= mesh_[axis])
        if (std::ranges::find(axes, axis) != axes.end()) first -= rank.value() / stride % mesh_[axis] * stride;
      groups[first].push_back(mapping[rank]);
    }
    std::vector<netsim::MemberNodes> all;
    for (auto& [first, nodes] : groups) all.push_back(std::move(nodes));
    const auto grid = netsim::placed_grid(problem_.machine, all[0]);
    const auto cost = netsim::grid_cost(grid, netsim::rings_of(problem_.machine, all, grid));
    const double seconds = cost.gather * (demand.rings + demand.messages) + cost.exchange * demand.exchanges;
    AxesEstimate estimate{static_cast<float>(seconds), grid.extents()};
    std::ranges::sort(estimate.grid);
    for (const auto axis : axes)
      for (std::size_t p = 0; p < layout.parts.size(); ++p)
        if (layout.to_and_fro[p] && layout.parts[p][axis] > 1) ++estimate.to_and_fro;
    return estimate;
  }

  const MappingProblem& problem_;
  const platforms::Block& block_;
  const jax::Shape& mesh_;
  std::map<std::vector<std::size_t>, Demand> demands_;
  std::map<std::pair<std::vector<std::size_t>, std::string>, AxesEstimate> known_;  ///< estimates by axes and form_of()
};

/// The layouts with the least estimates, the best first; of those with equal ones the first alone.
class BestLayouts {
 public:
  explicit BestLayouts(std::size_t count) : count_(count) {}

  void add(Estimate estimate, const Layout& layout) {
    if (all_.size() == count_ && !(estimate < std::prev(all_.end())->first)) return;
    all_.try_emplace(std::move(estimate), layout);
    if (all_.size() > count_) all_.erase(std::prev(all_.end()));
  }

  const std::map<Estimate, Layout>& all() const { return all_; }

 private:
  std::size_t count_;
  std::map<Estimate, Layout> all_;
};

/// `8 on 4 of x, 2 of y`: how a logical axis lies on the machine.
std::string text_of(const Layout& layout, std::size_t axis, const platforms::Grid& grid) {
  std::vector<std::string> parts;
  std::int32_t size = 1;
  for (std::size_t p = 0; p < layout.parts.size(); size *= layout.parts[p++][axis])
    if (const auto part = layout.parts[p][axis]; part > 1)
      parts.push_back(part == grid.dimension(p).extent
                          ? grid.name(p)
                          : fmt::format("{} of {}{}", part, grid.name(p), layout.to_and_fro[p] ? " to and fro" : ""));
  return parts.empty() ? "1" : fmt::format("{} on {}", size, fmt::join(parts, ", "));
}

/// Whether each axis of the block wraps.
std::vector<bool> rings_of(const platforms::Machine& machine, const platforms::Block& block) {
  std::vector<bool> rings;
  for (std::size_t d = 0; d < block.extents.size(); ++d) {
    const auto& side = machine.grid().dimension(d);
    rings.push_back(side.wrap != platforms::Wrap::mesh && side.extent == block.extents[d] && side.extent > 2);
  }
  return rings;
}

/// The order with the least simulated time so far.
class Fastest {
 public:
  Fastest(const MappingProblem& problem, const netsim::EngineChoice& engine, std::size_t runs)
      : problem_(problem), judge_(problem, engine, {runs}) {}

  /// Returns the simulated time of this order.
  double consider(const Mapping& order, const std::string& what) {
    const double time = judge_(order).runtime;
    if (time < time_) {
      time_ = time;
      order_ = order;
      what_ = what;
    }
    return time;
  }

  /// Layouts with much larger estimates than the least time are left out. Programs whose communication overlaps take
  /// less than their estimates, which the first simulations show.
  void consider(const BestLayouts& layouts, const Estimator& estimator, std::size_t axes) {
    constexpr std::size_t first_ones = 4;
    constexpr double margin = 0.85;
    double share = 1;
    std::size_t simulated = 0;
    for (const auto& [estimate, layout] : layouts.all()) {
      if (judge_.exhausted() || (simulated >= first_ones && margin * share * estimate.seconds > time_)) return;
      std::vector<std::string> texts;
      for (std::size_t axis = 0; axis < axes; ++axis) texts.push_back(text_of(layout, axis, problem_.machine.grid()));
      const double time = consider(estimator.mapping_of(layout), fmt::format("{}", fmt::join(texts, "; ")));
      share = std::min(share, time / estimate.seconds);
      ++simulated;
    }
  }

  const Mapping& order() const { return order_; }
  std::string text() const { return fmt::format("{}: {}", what_, core::format_duration(time_)); }

 private:
  const MappingProblem& problem_;
  SimulationJudge judge_;
  double time_ = std::numeric_limits<double>::infinity();
  Mapping order_;
  std::string what_;
};

const core::Parameter<std::size_t> mesh_runs{"runs", "simulations at most", core::whole<std::size_t>(2, 100'000), "24"};
const core::Parameter<netsim::EngineChoice> mesh_engine{"engine", "engine of the simulations", engine_in_parentheses(),
                                                        std::string(netsim::fast_engine)};

class Mesh final : public KeyedMapper {
 public:
  explicit Mesh(const core::Arguments& arguments) : KeyedMapper(arguments) { netsim::load(value(mesh_engine)); }

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }

  void check(const MappingProblem& problem) const override {
    if (problem.program == nullptr)
      core::fail_input("mapper 'mesh': found a communication matrix only, expected a trace to simulate");
    mesh_of(value(mesh_parameter), problem);
    block_of_job(problem);
  }

  Mapping map(const MappingProblem& problem) const override {
    check(problem);
    const auto mesh = mesh_of(value(mesh_parameter), problem);
    const auto block = block_of_job(problem);
    Fastest fastest(problem, value(mesh_engine), value(mesh_runs));
    std::optional<double> jax_time;
    if (const auto jax = order_of_jax(problem, mesh)) jax_time = fastest.consider(*jax, "the order of JAX");
    Estimator estimator(problem, block, mesh);
    BestLayouts layouts(value(mesh_runs));
    constexpr std::size_t most_layouts = 200'000;
    for_each_layout(block.extents, rings_of(problem.machine, block), mesh, most_layouts,
                    [&](const Layout& layout) { layouts.add(estimator(layout), layout); });
    fastest.consider(layouts, estimator, mesh.size());
    problem.note(fmt::format("mesh {}: {}", fmt::join(mesh, "x"), fastest.text()));
    if (jax_time)
      problem.note(
          fmt::format("mesh {}: in the order of JAX: {}", fmt::join(mesh, "x"), core::format_duration(*jax_time)));
    return fastest.order();
  }

 private:
  /// JAX's own order; nothing on machines that JAX does not know, or where its axes do not fit.
  static std::optional<Mapping> order_of_jax(const MappingProblem& problem, const jax::Shape& mesh) {
    try {
      return make_mapping(MapperChoice(fmt::format("jax:split=yes,mesh={}", fmt::join(mesh, "x"))), problem);
    } catch (const core::InputError&) {
      return std::nullopt;
    }
  }
};

}  // namespace

std::map<std::vector<std::size_t>, Demand> demands(const Program& program, const jax::Shape& mesh) {
  return Counting(program, mesh).run();
}

core::Entry<MakeMapper> mesh_mapper() {
  return {"mesh",
          "the devices of a mesh in the order whose simulated run time is least, along the axes of the machine",
          make<Mesh>,
          {mesh_parameter, mesh_runs, mesh_engine}};
}

}  // namespace toroid::mapping
