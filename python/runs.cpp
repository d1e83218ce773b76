#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/advice/explanation.hpp"
#include "toroid/mapping/metrics.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/study/tasks/executor.hpp"
#include "workloads/amounts.hpp"

namespace toroid::python {
namespace {

using netsim::LinkResult;
using netsim::Mapping;
using netsim::RankReport;

struct HeldResult {
  std::shared_ptr<const platforms::Machine> machine;
  std::shared_ptr<const workloads::Trace> trace;
  netsim::ReplayOptions replay;
  netsim::EngineChoice engine;
  netsim::Result result;
  std::vector<std::string> notes;           ///< of the mapper
  core::Json explanation = core::absent();  ///< if one was asked for
};

Mapping mapping_of(const HeldMachine& machine, const py::object& nodes) {
  return Mapping(machine.nodes(nodes, "mapping"));
}

/// Where ranks may go, what mappers see, and how the program is replayed.
struct Told {
  std::uint64_t seed;
  cosim::Placement placement;
  mapping::MatrixKind matrix;
  netsim::ReplayOptions replay;
};

Told take_told(py::dict& keywords) {
  const auto seed = take<std::uint64_t>(keywords, "seed", 1);
  auto placement = take_placement(keywords);
  const auto matrix = take_matrix(keywords);
  return {seed, std::move(placement), matrix, take_replay(keywords)};
}

/// What a mapper makes of a program, whose trace is `replayed`.
Mapping made_by(const mapping::MapperChoice& mapper, const HeldMachine& machine, const workloads::Trace& replayed,
                const Told& told, std::vector<std::string>* notes = nullptr) {
  const mapping::Traffic traffic(replayed, told.replay.collectives, told.matrix);
  const mapping::Program program{replayed, told.replay};
  const auto slots = told.placement.slots_on(*machine.machine, told.seed)(replayed.ranks());
  return mapping::make_mapping(mapper, {*machine.machine, slots, traffic, told.seed, &program, notes});
}

py::tuple map(const HeldMachine& machine, const HeldTrace& trace, const py::object& mapper, py::dict keywords) {
  const mapping::MapperChoice choice(text_of(mapper, "mapper"));
  const auto told = take_told(keywords);
  check_empty(keywords);
  std::vector<std::string> notes;
  const auto mapping = run([&] { return made_by(choice, machine, *trace.trace, told, &notes); });
  return py::make_tuple(numbers_of(mapping), notes);
}

struct ToldMetrics {
  mapping::MatrixKind matrix;
  workloads::CollectiveChoice collectives;
};

ToldMetrics take_metrics(py::dict& keywords) {
  const auto matrix = take_matrix(keywords);
  return {matrix, workloads::CollectiveChoice::parse(take_text(keywords, "collectives", "default"))};
}

std::string metrics(const HeldMachine& machine, const HeldTrace& trace, const py::object& nodes, py::dict keywords) {
  const auto told = take_metrics(keywords);
  check_empty(keywords);
  const auto mapping = mapping_of(machine, nodes);
  return run([&] {
    netsim::check_mapping(mapping, *trace.trace, *machine.machine);
    const mapping::Traffic traffic(*trace.trace, told.collectives, told.matrix);
    return core::json_text(mapping::metrics_json(mapping::measure(*machine.machine, mapping, traffic)));
  });
}

struct ToldRun : Told {
  netsim::EngineChoice engine;
  std::size_t windows;
  bool critical_steps, explains;
};

ToldRun take_run(py::dict& keywords) {
  const netsim::EngineChoice engine(take_text(keywords, "engine", std::string(netsim::reference_engine)));
  const auto windows = take_number<std::size_t>(keywords, "windows", 64, 0, 4096);
  const bool critical_steps = take<bool>(keywords, "critical_steps", false);
  const bool explains = take<bool>(keywords, "explain", false);
  if (explains && windows == 0) core::fail_input("windows: found 0, expected 1 or more to explain a run");
  return {take_told(keywords), engine, windows, critical_steps, explains};
}

/// The nodes of a mapping, each with room for as many ranks as any of them has.
cosim::Placement placement_of(const Mapping& mapping) {
  std::map<platforms::NodeId, std::int32_t> ranks;
  for (const auto node : mapping) ++ranks[node];
  cosim::Placement placement;
  std::vector<std::int32_t> nodes;
  for (const auto& [node, count] : ranks) {
    nodes.push_back(node.value());
    placement.ranks_per_node = std::max(placement.ranks_per_node, count);
  }
  placement.nodes = fmt::format("{}", fmt::join(nodes, ","));
  return placement;
}

/// The run of a mapping, which is given by its nodes or by a mapper.
std::unique_ptr<HeldResult> simulate(const HeldMachine& machine, const HeldTrace& trace, const py::object& given,
                                     py::dict keywords) {
  std::optional<mapping::MapperChoice> mapper;
  Mapping mapping;
  if (is_text(given)) {
    mapper.emplace(text_of(given, "mapping"));
  } else {
    for (const auto* name : {"nodes", "alloc", "busy", "ranks_per_node", "matrix"})
      if (keywords.contains(name)) throw py::type_error(fmt::format("'{}' is for mappers, found a mapping", name));
    mapping = mapping_of(machine, given);
  }
  auto told = take_run(keywords);
  check_empty(keywords);
  told.replay.log_causes = told.critical_steps;
  if (!mapper) told.placement = placement_of(mapping);
  return run([&] {
    const auto& replayed = trace.trace;
    auto held = std::make_unique<HeldResult>(HeldResult{machine.machine, replayed, told.replay, told.engine, {}, {}});
    if (mapper) mapping = made_by(*mapper, machine, *replayed, told, &held->notes);
    netsim::Run request{*machine.machine, *replayed, mapping, told.replay, told.engine, told.windows};
    if (told.explains) study::record_for_explanation(request);
    held->result = netsim::run(request);
    if (told.explains) {
      const auto others = study::other_mappings(
          mapper.value_or("consecutive"), [&](const auto& other) { return made_by(other, machine, *replayed, told); });
      held->explanation = study::explanation_json(*study::explain(request, held->result, {others}, 0).front(),
                                                  *machine.machine, held->result);
    }
    if (!told.critical_steps) held->result.critical_steps.clear();  // which the explanation alone was made from
    return held;
  });
}

/// A column of a table whose rows are structures, or have a base that has the member: the numbers where they are,
/// without a copy. Ids are as wide as their numbers, and shown as such.
template <class Row, class Base, class T>
py::array column(const py::object& owner, const std::vector<Row>& rows, T Base::*member) {
  constexpr bool is_number = std::is_arithmetic_v<T>;
  static_assert(is_number || (sizeof(T) == sizeof(std::int32_t) && std::is_standard_layout_v<T>));
  using Number = std::conditional_t<is_number, T, std::int32_t>;
  const Row* first = rows.data();
  py::array made(py::dtype::of<Number>(), {static_cast<py::ssize_t>(rows.size())},
                 {static_cast<py::ssize_t>(sizeof(Row))}, rows.empty() ? nullptr : &(first->*member), owner);
  made.attr("setflags")(py::arg("write") = false);
  return made;
}

py::dict rank_columns(const py::object& self) {
  const auto& rows = self.cast<const HeldResult&>().result.ranks.elements();
  py::dict columns;
  columns["node"] = column(self, rows, &RankReport::node);
  columns["compute_s"] = column(self, rows, &RankReport::compute);
  columns["transfer_s"] = column(self, rows, &RankReport::transfer);
  columns["wait_s"] = column(self, rows, &RankReport::wait);
  columns["finish_s"] = column(self, rows, &RankReport::finish);
  columns["messages"] = column(self, rows, &RankReport::messages);
  columns["bytes"] = column(self, rows, &RankReport::bytes);
  return columns;
}

py::dict load_columns(const py::object& self) {
  const auto& held = self.cast<const HeldResult&>();
  const auto& rows = held.result.links;
  py::dict columns;
  columns["link"] = column(self, rows, &LinkResult::link);
  columns["bytes"] = column(self, rows, &LinkResult::bytes);
  columns["messages"] = column(self, rows, &LinkResult::flows);
  columns["busy_s"] = column(self, rows, &LinkResult::busy);
  columns["mean_utilization"] = column(self, rows, &LinkResult::mean_utilization);
  if (held.result.utilization_window) columns["peak_utilization"] = column(self, rows, &LinkResult::peak_utilization);
  columns["peak_flows"] = column(self, rows, &LinkResult::peak_flows);
  return columns;
}

netsim::ComputationUse use_in(const HeldResult& held) {
  return netsim::computation_use(*held.trace, workloads::computation_by_rank(*held.trace), *held.machine, held.replay);
}

std::string json_text(const HeldResult& held, bool links) {
  return run([&] {
    const auto json = netsim::result_json(*held.machine, held.result,
                                          {.links = links,
                                           .remarks = netsim::named_remarks(held.engine, *held.machine),
                                           .jobs = {{.computation = use_in(held),
                                                     .training = held.trace->training(),
                                                     .explanation = held.explanation,
                                                     .notes = held.notes}}});
    return core::json_text(json);
  });
}

std::string computation(const HeldResult& held) {
  return run([&] { return core::json_text(netsim::computation_json(use_in(held), held.result.runtime)); });
}

std::string critical_parts(const HeldResult& held) {
  return core::json_text(netsim::critical_path_json(held.result.critical_path, held.result.runtime));
}

std::string explanation_text(const HeldResult& held) {
  return core::json_text(held.explanation.is_discarded() ? core::Json() : held.explanation);
}

}  // namespace

void add_runs(py::module_& module) {
  py::class_<HeldResult>(module, "Result")
      .def_property_readonly("runtime", [](const HeldResult& held) { return held.result.runtime; })
      .def_property_readonly("engine_settings",
                             [](const HeldResult& held) {
                               py::dict all;
                               for (const auto& [key, value] : held.result.engine_settings) all[py::str(key)] = value;
                               return all;
                             })
      .def("_rank_columns", rank_columns)
      .def("_link_columns", load_columns)
      .def("_computation", computation)
      .def("_critical_path", critical_parts)
      .def("_explanation", explanation_text)
      .def("_json", json_text, py::arg("links"));
  note_function("map", [](py::dict& keywords) { take_told(keywords); });
  note_function("metrics", [](py::dict& keywords) { take_metrics(keywords); });
  note_function("simulate", [](py::dict& keywords) { take_run(keywords); });
  module.def("map", map, py::arg("machine"), py::arg("trace"), py::arg("mapper"), py::arg("keywords"));
  module.def("metrics", metrics, py::arg("machine"), py::arg("trace"), py::arg("mapping"), py::arg("keywords"));
  module.def("simulate", simulate, py::arg("machine"), py::arg("trace"), py::arg("mapping"), py::arg("keywords"));
}

}  // namespace toroid::python
