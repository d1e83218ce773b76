// The order of devices for a mesh that the simulator finds best: all ways to lay its axes along those of the machine
// are estimated by what the program asks of each axis, and the best of them are simulated, beside the order of JAX.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/error.hpp"
#include "core/units.hpp"
#include "mapping/mapper.hpp"
#include "mapping/meshes/estimate.hpp"
#include "mapping/meshes/layouts.hpp"
#include "mapping/portfolio/simulated.hpp"

namespace toroid::mapping {
namespace {

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

class Mesh final : public Mapper {
 public:
  explicit Mesh(const core::Arguments& arguments)
      : mesh_(arguments[mesh_parameter]), runs_(arguments[mesh_runs]), engine_(arguments[mesh_engine]) {
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
    Fastest fastest(problem, engine_, runs_);
    std::optional<double> jax_time;
    if (const auto jax = order_of_jax(problem, mesh)) jax_time = fastest.consider(*jax, "the order of JAX");
    Estimator estimator(problem, block, mesh);
    BestLayouts layouts(runs_);
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

  std::optional<jax::Shape> mesh_;
  std::size_t runs_;
  netsim::EngineChoice engine_;
};

}  // namespace

core::Entry<MakeMapper> mesh_mapper() {
  return {"mesh",
          "the devices of a mesh in the order whose simulated run time is least, along the axes of the machine",
          make<Mesh>,
          {mesh_parameter, mesh_runs, mesh_engine}};
}

}  // namespace toroid::mapping
