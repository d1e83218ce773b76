#include <algorithm>

#include "core/json.hpp"
#include "netsim/result_json.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/comparison.hpp"
#include "study/opinions.hpp"

namespace toroid::python {
namespace {

using Texts = std::vector<std::string>;

/// The report of a comparison as JSON text: docs/reference/results.md has its fields.
std::string compare(const Texts& machines, const Texts& traces, const Texts& maps,
                    const std::tuple<Texts, Texts, Texts>& labels, py::dict keywords) {
  study::ComparisonSpec spec;
  spec.platforms.assign(machines.begin(), machines.end());
  spec.labels = {std::get<0>(labels), std::get<1>(labels), std::get<2>(labels), {}};
  spec.repeats = take<std::size_t>(keywords, "repeat", 1);
  spec.seed = take<std::uint64_t>(keywords, "seed", 1);
  const auto engines = take<Texts>(keywords, "engines", {std::string(netsim::fast_engine)});
  const bool verify = take<bool>(keywords, "verify", true);
  const auto alpha = take<double>(keywords, "alpha", 0.05);
  const auto baseline = take_text(keywords, "baseline", "");
  auto workers = take<std::size_t>(keywords, "workers", 0);
  spec.matrix = mapping::parse_matrix_kind(take_text(keywords, "matrix", "expanded"));
  Texts allocs;
  if (keywords.contains("alloc") && py::isinstance<py::sequence>(keywords["alloc"]) &&
      !py::isinstance<py::str>(keywords["alloc"]))
    allocs = take<Texts>(keywords, "alloc", {});
  const auto placement = take_placement(keywords);
  if (!allocs.empty() && !placement.nodes.empty()) core::fail_input("alloc: found nodes as well, expected one of them");
  spec.options = take_replay(keywords);
  check_empty(keywords);
  if (!(alpha > 0 && alpha < 1)) core::fail_input("alpha: found {}, expected a number between 0 and 1", alpha);
  if (spec.repeats < 1) core::fail_input("repeat: found 0, expected 1 or more");
  if (machines.empty() || traces.empty() || maps.empty() || engines.empty())
    core::fail_input("expected at least one machine, trace, map and engine");
  if (workers == 0) workers = study::default_workers(1);
  return run([&] {
    spec.traces.assign(traces.begin(), traces.end());
    spec.maps = core::choices_of<mapping::MapperChoice>(maps);
    spec.placements.assign(std::max<std::size_t>(1, allocs.size()), placement);
    for (std::size_t i = 0; i < allocs.size(); ++i) spec.placements[i].alloc.emplace(allocs[i]);
    if (!baseline.empty()) spec.gains_over = study::contender_named(spec, baseline, "baseline");
    spec.engine = engines.front();
    spec.opinions.assign(engines.begin() + 1, engines.end());
    spec.verify = verify && spec.engine.name() != netsim::reference_engine;
    const study::Comparison comparison(spec);
    const auto executor = study::make_local_executor([&](std::size_t task) { return comparison.work(task); }, workers);
    return core::json_text(study::compared_json(study::compare(comparison, *executor, nullptr, alpha)));
  });
}

}  // namespace

void add_studies(py::module_& module) {
  module.def("compare", compare, py::arg("machines"), py::arg("traces"), py::arg("maps"), py::arg("labels"),
             py::arg("keywords"));
}

}  // namespace toroid::python
