// The order of devices for a mesh that the simulator finds best: all ways to lay its axes along those of the machine
// are estimated by what the program asks of each axis, and the best of them are simulated, beside the order of JAX.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/error.hpp"
#include "core/units.hpp"
#include "mapping/mappers.hpp"
#include "mapping/meshes/demand.hpp"
#include "mapping/meshes/layouts.hpp"
#include "mapping/meshes/mesh_key.hpp"
#include "mapping/portfolio/simulation_judge.hpp"
#include "netsim/placed_grid.hpp"

namespace toroid::mapping {
namespace {

using Axes = std::vector<std::size_t>;

/// What a demand costs where the mesh is laid so, by the form of the groups along its axes.
class Estimate {
 public:
  Estimate(const MappingProblem& problem, const platforms::Block& block, const jax::Shape& mesh)
      : problem_(problem), block_(block), mesh_(mesh), demands_(demands(*problem.program, mesh)) {}

  /// About how many seconds the messages of the program take on the busiest links.
  double operator()(const Layout& layout) {
    double seconds = 0;
    for (const auto& [axes, demand] : demands_) {
      if (axes.empty()) continue;
      auto form = std::pair(axes, form_of(layout, axes));
      auto known = costs_.find(form);
      if (known == costs_.end()) known = costs_.emplace(std::move(form), cost_of(layout, axes)).first;
      seconds += known->second.gather * (demand.rings + demand.messages) + known->second.exchange * demand.exchanges;
    }
    return seconds;
  }

  Mapping mapping_of(const Layout& layout) const {
    Mapping mapping;
    for (const auto place : places_of(layout, block_.extents))
      mapping.add(problem_.slots[block_.node_at[static_cast<std::size_t>(place)]]);
    return mapping;
  }

 private:
  /// All groups along the axes have their collectives at the same time, all in the same form.
  netsim::GridCost cost_of(const Layout& layout, const Axes& axes) const {
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
    return netsim::grid_cost(problem_.machine, all, netsim::placed_grid(problem_.machine, all[0]));
  }

  const MappingProblem& problem_;
  const platforms::Block& block_;
  const jax::Shape& mesh_;
  std::map<Axes, Demand> demands_;
  std::map<std::pair<Axes, std::string>, netsim::GridCost> costs_;
};

/// The layouts with the least estimates, the best first, one of each mapping.
class Best {
 public:
  explicit Best(std::size_t count) : count_(count) {}
  void add(double seconds, const Layout& layout) {
    if (all_.size() == count_ && seconds >= std::prev(all_.end())->first) return;
    all_.emplace(seconds, layout);
    if (all_.size() > count_) all_.erase(std::prev(all_.end()));
  }
  const std::multimap<double, Layout>& all() const { return all_; }

 private:
  std::size_t count_;
  std::multimap<double, Layout> all_;
};

/// `8 on 4 of x, 2 of y`: how a logical axis lies on the machine.
std::string text_of(const Layout& layout, std::size_t axis, const platforms::Grid& grid) {
  std::vector<std::string> parts;
  std::int32_t size = 1;
  for (std::size_t p = 0; p < layout.parts.size(); size *= layout.parts[p++][axis])
    if (const auto part = layout.parts[p][axis]; part > 1)
      parts.push_back(part == grid.dimension(p).extent ? grid.name(p) : fmt::format("{} of {}", part, grid.name(p)));
  return parts.empty() ? "1" : fmt::format("{} on {}", size, fmt::join(parts, ", "));
}

const core::Parameter<std::size_t> runs{"runs", "simulations at most", core::whole<std::size_t>(2, 100'000), "24"};
const core::Parameter<netsim::EngineChoice> engine{"engine", "engine of the simulations", engine_in_parentheses(),
                                                   std::string(netsim::fast_engine)};

class Mesh final : public Mapper {
 public:
  explicit Mesh(const core::Arguments& arguments)
      : mesh_(arguments[mesh_parameter]), runs_(arguments[runs]), engine_(arguments[engine]) {
    netsim::load(engine_);
  }

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }

  void check(const MappingProblem& problem) const override {
    if (problem.program == nullptr)
      core::fail_input("mapper 'mesh': found a communication matrix only, expected a trace to simulate");
    mesh_of(mesh_, problem);
    block_of_job(problem);
  }

  Mapping map(const MappingProblem& problem) const override {
    check(problem);
    const auto mesh = mesh_of(mesh_, problem);
    const auto block = block_of_job(problem);
    SimulationJudge judge(problem, engine_, runs_);
    std::optional<double> best_time, jax_time;
    Mapping best;
    std::string what;
    const auto consider = [&](const Mapping& mapping, const std::string& text) {
      const double time = judge(mapping).runtime;
      if (best_time && time >= *best_time) return time;
      best_time = time;
      best = mapping;
      what = text;
      return time;
    };
    if (const auto jax = order_of_jax(problem, mesh)) jax_time = consider(*jax, "the order of JAX");
    Estimate estimate(problem, block, mesh);
    Best layouts(2 * runs_);
    constexpr std::size_t most_layouts = 200'000;
    for_each_layout(block.extents, mesh, most_layouts,
                    [&](const Layout& layout) { layouts.add(estimate(layout), layout); });
    for (const auto& [seconds, layout] : layouts.all()) {
      if (judge.exhausted()) break;
      std::vector<std::string> axes;
      for (std::size_t axis = 0; axis < mesh.size(); ++axis)
        axes.push_back(text_of(layout, axis, problem.machine.grid()));
      consider(estimate.mapping_of(layout), fmt::format("{}", fmt::join(axes, "; ")));
    }
    problem.note(fmt::format("mesh {}: {}: {}", fmt::join(mesh, "x"), what, core::format_duration(*best_time)));
    if (jax_time)
      problem.note(
          fmt::format("mesh {}: in the order of JAX: {}", fmt::join(mesh, "x"), core::format_duration(*jax_time)));
    return best;
  }

 private:
  /// Nothing on machines that JAX does not know, or where its axes do not fit.
  static std::optional<Mapping> order_of_jax(const MappingProblem& problem, const jax::Shape& mesh) {
    try {
      return make_mapping(MapperChoice(fmt::format("jax:split=yes,mesh={}", fmt::join(mesh, "x"))), problem);
    } catch (const core::InputError&) {
      return std::nullopt;
    }
  }

  std::optional<jax::Shape> mesh_;
  std::size_t runs_;
  netsim::EngineChoice engine_;
};

}  // namespace

core::Entry<MakeMapper> mesh_mapper() {
  return {"mesh",
          "the devices of a mesh in the order whose simulated run time is least, along the axes of the machine",
          make<Mesh>,
          {mesh_parameter, runs, engine}};
}

}  // namespace toroid::mapping
