
#include "core/json.hpp"
#include "mapping/mapper.hpp"
#include "mapping/metrics.hpp"
#include "netsim/result_json.hpp"
#include "netsim/run.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/advice/explanation.hpp"
#include "study/tasks/executor.hpp"

namespace toroid::python {
namespace {

using netsim::CriticalStep;
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

/// The mapping that Python gives: the node of each rank.
Mapping mapping_of(const HeldMachine& machine, const py::object& nodes) {
  return Mapping(machine.nodes(nodes, "mapping"));
}

py::tuple map(const HeldMachine& machine, const HeldTrace& trace, const py::object& mapper, py::dict keywords) {
  const mapping::MapperChoice choice(text_of(mapper, "mapper"));
  const auto seed = take<std::uint64_t>(keywords, "seed", 1);
  const auto placement = take_placement(keywords);
  const auto kind = mapping::parse_matrix_kind(take_text(keywords, "matrix", "expanded"));
  const auto replay = take_replay(keywords);
  check_empty(keywords);
  std::vector<std::string> notes;
  const auto mapping = run([&] {
    const auto made = choice.make();
    const auto replayed = netsim::trace_for(trace.trace, replay);
    const auto slots = placement.slots_on(*machine.machine, seed)(replayed->ranks());
    const mapping::Traffic traffic(*replayed, replay.collectives, kind);
    const mapping::Program program{*replayed, replay};
    return mapping::make_mapping(*made, {*machine.machine, slots, traffic, seed, &program, &notes});
  });
  return py::make_tuple(numbers_of(mapping), notes);
}

/// The metrics as JSON text.
std::string metrics(const HeldMachine& machine, const HeldTrace& trace, const py::object& nodes, py::dict keywords) {
  const auto kind = mapping::parse_matrix_kind(take_text(keywords, "matrix", "expanded"));
  const auto collectives = workloads::CollectiveChoice::parse(take_text(keywords, "collectives", "default"));
  const auto mapping = mapping_of(machine, nodes);
  return run([&] {
    netsim::check_mapping(mapping, *trace.trace, *machine.machine);
    const mapping::Traffic traffic(*trace.trace, collectives, kind);
    return core::json_text(mapping::metrics_json(mapping::measure(*machine.machine, mapping, traffic)));
  });
}

std::unique_ptr<HeldResult> simulate(const HeldMachine& machine, const HeldTrace& trace, const py::object& nodes,
                                     py::dict keywords) {
  const netsim::EngineChoice engine(take_text(keywords, "engine", std::string(netsim::reference_engine)));
  const auto windows = take_number<std::size_t>(keywords, "windows", 64, 0, most_windows);
  const bool critical_steps = take<bool>(keywords, "critical_steps", false);
  const bool explains = take<bool>(keywords, "explain", false);
  std::vector<study::OtherMapping> others;
  for (const auto& [name, other] : take<py::dict>(keywords, "others", {}))
    others.push_back({name.cast<std::string>(), mapping_of(machine, py::reinterpret_borrow<py::object>(other))});
  const auto notes = take<std::vector<std::string>>(keywords, "notes", {});
  auto replay = take_replay(keywords);
  check_empty(keywords);
  if (explains && windows == 0) core::fail_input("windows: found 0, expected 1 or more to explain a run");
  replay.log_causes = critical_steps;
  const auto mapping = mapping_of(machine, nodes);
  return run([&] {
    const auto replayed = netsim::trace_for(trace.trace, replay);
    netsim::RunRequest request{*machine.machine, *replayed, mapping, replay, engine, false, windows};
    if (explains) study::record_for_explanation(request);
    auto held = std::make_unique<HeldResult>(
        HeldResult{machine.machine, replayed, replay, engine, netsim::run(request), notes});
    if (explains)
      held->explanation = study::explanation_json(
          study::explain(request, held->result, others, study::default_workers(1)), *machine.machine, held->result);
    if (!critical_steps) held->result.critical_steps.clear();  // which the explanation alone was made from
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
                                           .computation = use_in(held),
                                           .training = held.trace->training(),
                                           .notes = held.notes,
                                           .remarks = netsim::named_remarks(held.engine, *held.machine),
                                           .explanation = held.explanation});
    return core::json_text(json);
  });
}

std::string computation(const HeldResult& held) {
  return run([&] { return core::json_text(netsim::computation_json(use_in(held), held.result.runtime)); });
}

std::string critical_parts(const HeldResult& held) {
  auto json = netsim::critical_path_json(held.result.critical_path, held.result.runtime);
  return core::json_text(json);
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
  module.def("map", map, py::arg("machine"), py::arg("trace"), py::arg("mapper"), py::arg("keywords"));
  module.def("metrics", metrics, py::arg("machine"), py::arg("trace"), py::arg("mapping"), py::arg("keywords"));
  module.def("simulate", simulate, py::arg("machine"), py::arg("trace"), py::arg("mapping"), py::arg("keywords"));
}

}  // namespace toroid::python
