#include "study/advice/slice_layouts.hpp"

#include <cmath>
#include <set>

#include "mapping/meshes/jax.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::study {
namespace {

using platforms::Dimension;
using platforms::SliceFamily;

constexpr std::int32_t cube = 4;
constexpr std::array below_cube{std::pair(4, "2x2x1"), std::pair(8, "2x2x2"), std::pair(16, "2x2x4"),
                                std::pair(32, "2x4x4")};
constexpr std::array mesh_axes{"data", "fsdp", "tensor"};  // the mesh's, in JAX's order

/// Shapes of so many chips in whole cubes, the short sides first.
void add_cubes(const SliceFamily& family, std::int32_t chips, std::vector<std::int32_t> sides,
               std::vector<std::string>& shapes) {
  if (sides.size() == 2) {
    if (chips >= sides.back() && chips <= family.longest)
      shapes.push_back(fmt::format("{}x{}x{}", sides[0], sides[1], chips));
    return;
  }
  for (auto side = sides.empty() ? cube : sides.back(); side <= family.longest; side += cube) {
    if (chips % side != 0 || chips / side % cube != 0) continue;
    auto more = sides;
    more.push_back(side);
    add_cubes(family, chips / side, std::move(more), shapes);
  }
}

/// Squares, and two squares side by side, of sides that are powers of two.
std::optional<std::string> flat_shape(std::int32_t chips) {
  for (std::int32_t side = 1; side * side <= chips; side *= 2)
    if (chips == side * side || (side > 1 && chips == 2 * side * side)) return fmt::format("{}x{}", side, chips / side);
  return std::nullopt;
}

/// The slices of so many chips that the maker offers.
std::vector<std::string> shapes_of(const SliceFamily& family, std::int32_t chips) {
  std::vector<std::string> shapes;
  if (family.axes == 2) {
    if (const auto shape = flat_shape(chips); shape && chips <= family.most_chips)
      shapes.push_back(*shape);
    else if (chips % family.most_chips == 0 && family.between_cores == 0)
      shapes.push_back(fmt::format("{0}x{0}_{1}slices", family.longest, chips / family.most_chips));
    else
      core::fail_input("{} chips of {}: expected a power of two up to {}{}", chips, family.name, family.most_chips,
                       family.between_cores == 0 ? ", or a multiple of that" : "");
    return shapes;
  }
  for (const auto& [count, shape] : below_cube)
    if (count == chips) return {shape};
  if (chips % (cube * cube * cube) != 0)
    core::fail_input("{} chips of {}: expected 4, 8, 16, 32, or a multiple of {} chips (cubes of {}x{}x{})", chips,
                     family.name, cube * cube * cube, cube, cube, cube);
  if (chips <= family.most_chips) add_cubes(family, chips, {}, shapes);
  return shapes;
}

/// Bytes a second that the ring along a dimension brings to each of its members: both ways, if it is closed.
double into_member(const Dimension& d) {
  return (d.wrap == platforms::Wrap::torus ? 2 : 1) * d.bandwidth;
}

/// Seconds in which members along these dimensions gather what each has `bytes` of all of: along all at once where they
/// are as fast as each other; else the fast ones last, as they have the most.
double gather_seconds(std::vector<Dimension> along, double bytes) {
  std::ranges::sort(along, std::greater(), into_member);
  double seconds = 0;
  for (std::size_t i = 0; i < along.size();) {
    double members = 1, bandwidth = 0, hops = 0;
    for (const auto first = into_member(along[i]); i < along.size() && into_member(along[i]) == first; ++i) {
      members *= along[i].extent;
      bandwidth += first;
      hops += along[i].latency * along[i].extent / 2;
    }
    seconds += bytes * (1 - 1 / members) / bandwidth + hops;
    bytes /= members;
  }
  return seconds;
}

/// The whole of what a group of so many members has behind a gather, before a scatter, or sums; and how often that goes
/// over the network.
double collective_seconds(const workloads::Operation& op, const std::vector<Dimension>& along) {
  double members = 1;
  for (const auto& d : along) members *= d.extent;
  const auto bytes = static_cast<double>(op.bytes);
  return op.kind == workloads::OpKind::allreduce ? 2 * gather_seconds(along, bytes)
                                                 : gather_seconds(along, bytes * members);
}

/// Adds up what the first rank does, which is what each does.
void add_times(SliceLayout& layout, const workloads::Trace& trace, const platforms::Description& m,
               const std::map<std::string_view, std::vector<Dimension>>& along) {
  const auto stream = trace.open(workloads::Rank(0));
  for (workloads::Operation op; stream->next(op);) {
    if (op.kind == workloads::OpKind::compute) layout.at_peak += op.amount / layout.peak;
    if (!workloads::is_collective(op.kind)) continue;
    const auto purpose = trace.purpose(op.comm);
    const auto axis = along.find(purpose);
    if (axis == along.end()) continue;
    const auto seconds = collective_seconds(op, axis->second) + m.node.base_latency;
    layout.collectives[std::string(purpose)] += seconds;
    if (purpose == "tensor" && op.kind != workloads::OpKind::allgather) layout.sums += seconds;
  }
}

std::string with_keys(const std::string& program, std::string_view keys) {
  return fmt::format("{}{}{}", program, program.find(':') == std::string::npos ? ":" : ",", keys);
}

/// Whole axes of the slice for each axis of the mesh, as JAX takes them; nothing if it does not, or if others than
/// copies would cross the network between slices.
std::optional<std::map<std::string_view, std::vector<Dimension>>> laid_along(const platforms::Description& m,
                                                                             const mapping::jax::Shape& mesh) {
  mapping::jax::Shape physical;
  for (const auto& d : m.dimensions) physical.push_back(d.extent);
  const auto assignment = mapping::jax::whole_axes(physical, mesh);
  if (!assignment) return std::nullopt;
  std::map<std::string_view, std::vector<Dimension>> along;
  for (std::size_t axis = 0; axis < mesh_axes.size(); ++axis)
    for (std::size_t d = 0; d < physical.size(); ++d) {
      if ((*assignment)[d][axis] == 1) continue;
      if (m.dimensions[d].name == "slice" && axis > 0) return std::nullopt;
      along[mesh_axes[axis]].push_back(m.dimensions[d]);
    }
  return along;
}

/// The sizes of meshes whose axes take whole axes of a machine each: data, fsdp, tensor.
std::set<mapping::jax::Shape> meshes_of(const platforms::Description& m) {
  std::set<mapping::jax::Shape> meshes{{1, 1, 1}};
  for (const auto& d : m.dimensions) {
    std::set<mapping::jax::Shape> more;
    for (const auto& mesh : meshes)
      for (std::size_t axis = 0; axis < mesh_axes.size(); ++axis) {
        auto with = mesh;
        with[axis] *= d.extent;
        more.insert(std::move(with));
      }
    meshes = std::move(more);
  }
  return meshes;
}

/// The layout in so many micro-batches; nothing if the program has no such layout, and says why.
std::optional<SliceLayout> in_micro_batches(SliceLayout layout, std::int32_t micro_batches, const SliceRequest& request,
                                            std::string& why) {
  layout.micro_batches = micro_batches;
  layout.program =
      with_keys(request.program, fmt::format("tensor={},data={},fsdp={},pipeline=1,micro-batches={},micro-batch={}",
                                             layout.tensor, layout.ranks / layout.tensor, layout.fsdp, micro_batches,
                                             layout.group_batch / micro_batches));
  try {
    layout.work = workloads::open_trace(layout.program)->training().value();
  } catch (const core::InputError& error) {  // heads or sequences that so many ranks cannot share
    why = error.what();
    return std::nullopt;
  }
  return layout;
}

/// The layout on a mesh, in as few micro-batches as fit into memory, as all weights are gathered for each; nothing if
/// the batch cannot be divided so, or the program, which then says why.
std::optional<SliceLayout> layout_of(const SliceRequest& request, const platforms::Description& m,
                                     const mapping::jax::Shape& mesh, std::string& why) {
  const auto along = laid_along(m, mesh);
  const auto copies = mesh[0] * mesh[1];
  if (!along || request.batch % copies != 0) return std::nullopt;
  const SliceLayout empty{.chips = request.chips,
                          .ranks = copies * mesh[2],
                          .data = mesh[0],
                          .fsdp = mesh[1],
                          .tensor = mesh[2],
                          .group_batch = request.batch / copies,
                          .memory = m.node.memory,
                          .peak = m.node.peak_speed(),
                          .efficiency = request.family.efficiency};
  std::optional<SliceLayout> layout;
  for (std::int32_t count = 1; count <= empty.group_batch && !(layout && layout->fits()); ++count) {
    if (empty.group_batch % count != 0) continue;
    auto next = in_micro_batches(empty, count, request, why);
    if (!next) break;
    layout = std::move(next);
  }
  if (layout && layout->fits()) add_times(*layout, *workloads::open_trace(layout->program), m, *along);
  return layout;
}

/// Whether one layout is slower than another at both bounds, by more than a tie.
bool loses(const SliceLayout& one, const SliceLayout& other) {
  return one.hidden() > (1 + tie) * other.hidden() && one.exposed() > (1 + tie) * other.exposed();
}

void check_program(const std::string& program) {
  const auto spec = core::Spec::parse(program);
  if (spec.name() != "llm") core::fail_input("'{}': --chips is for trainings; expected llm:model=...", program);
  for (const auto* key : {"configuration", "tensor", "data", "fsdp", "pipeline", "context", "expert", "micro-batch",
                          "micro-batches", "chunks", "order"})
    if (spec.find(key))
      core::fail_input("'{}': {}: expected no key that says a layout, as --chips looks for one", program, key);
  for (const auto* key : {"steps", "evaluation"})
    if (spec.find(key)) core::fail_input("'{}': {}: expected none, as --chips is about one step", program, key);
  workloads::open_trace(with_keys(program, "tensor=1,data=1,fsdp=1,pipeline=1"));
}

/// The program with no higher rate of matrices than measured trainings of the generation reach.
std::string with_measured_rate(const std::string& program, const platforms::Efficiency& efficiency, double& rate) {
  const auto spec = core::Spec::parse(program);
  const auto given = core::parse_number<double>(spec.find("matmul-rate").value_or("1"));
  if (!efficiency.is_measured() || !given || *given <= efficiency.byte_rate) return program;
  rate = efficiency.byte_rate;
  std::vector<std::string> keys;
  for (const auto& [key, value] : spec.parameters())
    keys.push_back(fmt::format("{}={}", key, key == "matmul-rate" ? fmt::format("{}", rate) : value));
  return fmt::format("{}:{}", spec.name(), fmt::join(keys, ","));
}

}  // namespace

double SliceLayout::hidden() const {
  double longest = at_peak / efficiency.hidden;
  for (const auto& [purpose, seconds] : collectives) longest = std::max(longest, seconds);
  return longest;
}

double SliceLayout::exposed() const {
  double sum = at_peak / efficiency.exposed;
  for (const auto& [purpose, seconds] : collectives) sum += seconds;
  return sum;
}

std::map<std::string, double> SliceLayout::waits() const {
  const double compute = at_peak / efficiency.best;
  auto waits = collectives;
  double busy = compute;
  for (const auto* purpose : {"tensor", "fsdp", "data"}) {
    const auto found = waits.find(purpose);
    if (found == waits.end()) continue;
    const double beside = purpose == std::string_view("tensor") ? compute : busy;
    const double fixed = purpose == std::string_view("tensor") ? sums : 0;
    found->second = fixed + std::max(0.0, found->second - fixed - beside);
    busy += found->second;
  }
  return waits;
}

double SliceLayout::step() const {
  double sum = at_peak / efficiency.best;
  for (const auto& [purpose, seconds] : waits()) sum += seconds;
  return sum;
}

std::pair<double, double> SliceLayout::interval() const {
  const auto [least, most] = std::minmax({hidden(), step(), exposed()});
  const double beyond = std::exp(2 * efficiency.deviation);
  return {least / beyond, most * beyond};
}

SliceAdvice advise_on_slices(const SliceRequest& given) {
  check_program(given.program);
  SliceAdvice advice;
  auto request = given;
  request.program = with_measured_rate(given.program, given.family.efficiency, advice.rate);
  std::vector<SliceLayout> fitting;
  std::string why;
  for (const auto& shape : shapes_of(request.family, request.chips)) {
    const auto m = platforms::slice(request.family, shape);
    for (const auto& mesh : meshes_of(m)) {
      auto layout = layout_of(request, m, mesh, why);
      if (!layout) continue;
      layout->machine = fmt::format("{}:{}", request.family.name, shape);
      (layout->fits() ? fitting : advice.too_large).push_back(std::move(*layout));
    }
  }
  if (fitting.empty() && advice.too_large.empty())
    core::fail_input("no layout of whole axes divides {} chips of {} and a batch of {} sequences{}", request.chips,
                     request.family.name, request.batch, why.empty() ? why : "; the last one: " + why);
  for (auto& one : fitting) {
    if (std::ranges::any_of(fitting, [&](const auto& other) { return loses(one, other); }))
      ++advice.losers;
    else
      advice.kept.push_back(one);
  }
  std::ranges::stable_sort(advice.kept, {}, &SliceLayout::step);
  std::ranges::stable_sort(advice.too_large, {}, [](const auto& one) { return one.work.memory.total(); });
  return advice;
}

}  // namespace toroid::study
