// Orders of devices for meshes on TPU slices: the simulated step by JAX's order and by the mapper `mesh`.
//
//   mesh_orders [--slice tpu-v6e:8x16]...
//
// docs/validation/mesh-orders.md says which cases these are, and which traffic they have: 248 shapes on eleven slices,
// those of the cases that JAX's own functions computed (tests/mapping/jax_test.cpp), with three mixes each. A case is a
// line; a table in Markdown follows. The program ends with 1 if JAX's order is faster in any case.
//
// The mixes follow a layer of such programs (J. Austin and others, How to Scale Your Model; D. Narayanan and others, SC
// 2021). Llama 3 70B over 8 chips, with 8,192 tokens of a group, moves 1,074 MB along the model axis and 428 MB along
// the data axis, eight experts a token what takes as long as the former: ratios of 3:1, here 4:1.

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "bench/measure.hpp"
#include "core/units.hpp"
#include "platforms/survey.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace {

using namespace toroid;

using Mesh = std::vector<std::int32_t>;

const std::vector<std::string> all_slices{"tpu-v4:2x2x1",  "tpu-v4:2x2x4", "tpu-v4:4x4x4",  "tpu-v4:4x4x8",
                                          "tpu-v4:4x8x8",  "tpu-v4:8x8x8", "tpu-v4:8x8x16", "tpu-v6e:8x16",
                                          "tpu-v6e:16x16", "tpu-v7:2x4x4", "tpu-v7:4x4x4"};

enum Role { data, expert, model };
const std::array<std::string, 3> all_mixes{"data", "expert", "tensor"};  ///< mixes by the role that dominates

/// All meshes of so many devices with up to three axes: those of one axis first.
std::vector<Mesh> meshes_of(std::int32_t devices) {
  std::array<std::vector<Mesh>, 3> by_axes;
  by_axes[0] = {{devices}};
  for (std::int32_t first = 2; first < devices; ++first) {
    if (devices % first != 0) continue;
    by_axes[1].push_back({first, devices / first});
    for (std::int32_t second = 2; second < devices / first; ++second)
      if (devices / first % second == 0) by_axes[2].push_back({first, second, devices / first / second});
  }
  std::vector<Mesh> all;
  for (const auto& meshes : by_axes) all.insert(all.end(), meshes.begin(), meshes.end());
  return all;
}

/// The step of a program in which the traffic of one role dominates. An axis that is alone has that role. Axes in
/// `halved` have half of the bytes.
std::string mix_of(const Mesh& mesh, Role heavy, const std::vector<std::size_t>& halved = {}) {
  std::vector<Role> roles{data, expert, model};
  if (mesh.size() == 2) roles = {data, heavy == expert ? expert : model};
  if (mesh.size() == 1) roles = {heavy};
  const auto bytes = [&](Role role, int most_mb, int little_mb) {
    std::vector<std::string> all;
    for (std::size_t axis = 0; axis < mesh.size(); ++axis) {
      const int mb = roles[axis] != role ? 0 : role == heavy ? most_mb : little_mb;
      all.push_back(fmt::format("{}MB", std::ranges::find(halved, axis) == halved.end() ? mb : mb / 2));
    }
    return fmt::format("{}", fmt::join(all, "/"));
  };
  const auto gathered = bytes(model, 256, 64);
  return fmt::format("sharded:mesh={},all-reduce={},all-to-all={},all-gather={},reduce-scatter={}",
                     fmt::join(mesh, "x"), bytes(data, 256, 64), bytes(expert, 2000, 512), gathered, gathered);
}

/// The axes of a mesh along which groups have pairs that lie half round a ring of the machine.
std::vector<std::size_t> half_round(const platforms::Machine& machine, const Mesh& mesh,
                                    const mapping::Mapping& mapping) {
  std::vector<std::size_t> axes;
  std::int32_t stride = 1;
  for (std::size_t axis = mesh.size(); axis-- > 0; stride *= mesh[axis]) {
    std::vector<platforms::NodeId> nodes;
    for (std::int32_t i = 0; i < mesh[axis]; ++i) nodes.push_back(mapping[workloads::Rank(i * stride)]);
    const auto block = platforms::block_of(machine, nodes);
    for (std::size_t d = 0; block && d < block->extents.size(); ++d) {
      const auto& side = machine.grid().dimension(d);
      const auto at = [&](std::size_t i) { return machine.grid().coordinate(machine.router(nodes[i]), d); };
      const bool apart = std::ranges::any_of(block->node_at,
                                             [&](std::size_t i) { return 2 * std::abs(at(i) - at(0)) == side.extent; });
      if (block->extents[d] == 2 && side.wrap == platforms::Wrap::torus && side.extent > 2 && apart) {
        axes.push_back(axis);
        break;
      }
    }
  }
  return axes;
}

struct Case {
  std::string slice;
  Role heavy = data;
  bool refused = false;  ///< whether JAX's default gave no order
  double jax = 0, mesh = 0, cpu_s = 0;
  double jax_both_ways = 0;  ///< step if messages half round a ring went both ways

  double ratio() const { return jax / mesh; }
  /// Whether the step is at least a tenth shorter.
  bool is_better() const { return mesh <= 0.9 * jax; }
  bool is_better_anyway() const { return mesh <= 0.9 * jax_both_ways; }
  bool is_behind() const { return mesh > jax; }
};

Case run(const platforms::Machine& machine, const Mesh& mesh, Role heavy) {
  const auto shape = fmt::format("{}", fmt::join(mesh, "x"));
  const auto trace = workloads::open_trace(mix_of(mesh, heavy));
  const mapping::Program program{*trace, {}};
  workloads::CommunicationMatrix none;  // which neither mapper asks
  none.rows.resize(static_cast<std::size_t>(trace->ranks()));
  const mapping::Traffic traffic(none);
  const mapping::MappingProblem problem{machine, mapping::all_nodes(machine), traffic, 1, &program};
  const auto step = [&](const workloads::Trace& what, const mapping::Mapping& mapping) {
    return netsim::run({machine, what, mapping, {}, "fluid"}).runtime;
  };
  Case c{machine.name(), heavy};
  const auto order_of_jax = [&](const std::string& split) {
    return mapping::make_mapping(fmt::format("jax:mesh={},split={}", shape, split), problem);
  };
  mapping::Mapping theirs;
  try {
    theirs = order_of_jax("no");
  } catch (const core::InputError&) {
    c.refused = true;
    theirs = order_of_jax("yes");
  }
  c.jax = c.jax_both_ways = step(*trace, theirs);
  if (const auto axes = half_round(machine, mesh, theirs); !axes.empty())
    c.jax_both_ways = step(*workloads::open_trace(mix_of(mesh, heavy, axes)), theirs);
  const double start = bench::cpu_seconds();
  const auto ours = mapping::make_mapping("mesh:mesh=" + shape, problem);
  c.cpu_s = bench::cpu_seconds() - start;
  c.mesh = step(*trace, ours);
  fmt::print("{} {} {}: JAX {}{}, both ways {}, mesh {}, {:.3f}, {:.2f} CPU s{}\n", c.slice, shape, all_mixes[heavy],
             core::format_duration(c.jax), c.refused ? " (divided)" : "", core::format_duration(c.jax_both_ways),
             core::format_duration(c.mesh), c.ratio(), c.cpu_s, c.is_behind() ? ", BEHIND" : "");
  std::fflush(stdout);
  return c;
}

/// `7 of 16; 1.05, 2.00`: how many cases are a tenth shorter, and the median and the largest ratio.
std::string cell(const std::vector<Case>& cases) {
  if (cases.empty()) return "";
  std::vector<double> ratios;
  for (const auto& c : cases) ratios.push_back(c.ratio());
  std::ranges::sort(ratios);
  return fmt::format("{} of {}; {:.2f}, {:.2f}", std::ranges::count_if(cases, &Case::is_better), cases.size(),
                     ratios[ratios.size() / 2], ratios.back());
}

template <class Chosen>
void print_row(const std::string& title, const std::vector<Case>& all, Chosen chosen) {
  std::vector<Case> cases;
  std::ranges::copy_if(all, std::back_inserter(cases), chosen);
  if (cases.empty()) return;
  fmt::print("| {} |", title);
  for (const auto heavy : {model, expert, data}) {
    std::vector<Case> of_mix;
    std::ranges::copy_if(cases, std::back_inserter(of_mix), [&](const Case& c) { return c.heavy == heavy; });
    fmt::print(" {} |", cell(of_mix));
  }
  fmt::print(" {} | {} | {:.1f} |\n", cell(cases), std::ranges::count_if(cases, &Case::is_better_anyway),
             std::ranges::max(cases, {}, &Case::cpu_s).cpu_s);
}

void print_table(const std::vector<std::string>& slices, const std::vector<Case>& all) {
  fmt::print(
      "\n| slice | tensor-heavy | expert-heavy | data-heavy | all mixes | all mixes, if JAX's messages went both ways "
      "round | longest search, CPU s |\n|---|---|---|---|---|--:|--:|\n");
  for (const auto& slice : slices) print_row(slice, all, [&](const Case& c) { return c.slice == slice; });
  print_row("all", all, [](const Case&) { return true; });
  print_row("JAX's default gives an order", all, [](const Case& c) { return !c.refused; });
  print_row("JAX's default refuses", all, [](const Case& c) { return c.refused; });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"orders of devices for meshes on TPU slices: JAX's and ours"};
  auto slices = all_slices;
  app.add_option("--slice", slices, "these slices alone");
  return bench::run_program(app, argc, argv, [&] {
    std::vector<Case> cases;
    for (const auto& slice : slices) {
      const auto machine = platforms::make_machine(slice);
      for (const auto& mesh : meshes_of(machine.node_count()))
        for (const auto heavy : {model, expert, data}) cases.push_back(run(machine, mesh, heavy));
    }
    print_table(slices, cases);
    const auto behind = std::ranges::count_if(cases, &Case::is_behind);
    fmt::print("\n{} cases, behind JAX's order: {}; {:.0f} CPU s\n", cases.size(), behind, bench::cpu_seconds());
    return behind > 0 ? 1 : 0;
  });
}
