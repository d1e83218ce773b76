#include <list>

#include "mapping/given.hpp"
#include "python/arguments.hpp"
#include "python/objects.hpp"
#include "study/opinions.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::python {
namespace {

using Texts = std::vector<std::string>;

struct ToldStudy {
  study::ComparisonSpec spec;
  Texts engines;
  bool verify;
  double alpha;
  std::string baseline;
  std::size_t workers;
};

ToldStudy take_study(py::dict& keywords) {
  ToldStudy told;
  auto& spec = told.spec;
  spec.repeats = take_number<std::size_t>(keywords, "repeat", 1, 1, study::most_repeats);
  spec.seed = take<std::uint64_t>(keywords, "seed", 1);
  told.engines = take_texts(keywords, "engine", {std::string(netsim::fast_engine)});
  told.verify = take<bool>(keywords, "verify", true);
  told.alpha = take<double>(keywords, "alpha", 0.05);
  told.baseline = take_text(keywords, "baseline", "");
  told.workers = take_number<std::size_t>(keywords, "workers", 0, 0, 4096);
  spec.matrix = take_matrix(keywords);
  const auto allocs = take_texts(keywords, "alloc", {});
  spec.placements.assign(std::max<std::size_t>(1, allocs.size()), take_placement(keywords));
  note_keyword(keywords, "alloc", "Texts");
  for (std::size_t i = 0; i < allocs.size(); ++i) spec.placements[i].alloc.emplace(allocs[i]);
  if (!allocs.empty() && !spec.placements[0].nodes.empty())
    core::fail_input("alloc: found nodes as well, expected one of them");
  const auto collectives = take_texts(keywords, "collectives", {});
  spec.options = take_replay(keywords);
  note_keyword(keywords, "collectives", "Texts");
  for (const auto& choice : collectives) spec.collectives.push_back(workloads::CollectiveChoice::parse(choice));
  if (!(told.alpha > 0 && told.alpha < 1))
    core::fail_input("alpha: found {}, expected a number between 0 and 1", told.alpha);
  return told;
}

/// The report of a comparison as JSON text: docs/reference/results.md has its fields.
std::string compare(const Texts& machines, const Things& traces, const Things& maps,
                    const std::tuple<Texts, Texts, Texts>& labels, py::dict keywords) {
  auto told = take_study(keywords);
  check_empty(keywords);
  if (machines.empty() || traces.empty() || maps.empty() || told.engines.empty())
    core::fail_input("expected at least one machine, trace, map and engine");
  auto& spec = told.spec;
  spec.platforms.assign(machines.begin(), machines.end());
  spec.labels = {std::get<0>(labels), std::get<1>(labels), std::get<2>(labels), {}};
  for (const auto& [name, trace] : traces) spec.traces.push_back(source_of(name, trace));
  std::list<mapping::GivenMapping> given;
  for (const auto& [text, nodes] : maps) {
    const auto& label = std::get<2>(labels)[spec.maps.size()];
    const auto path = text.substr(text.find(':') + 1);  // `file:PATH`
    if (!nodes.is_none()) given.emplace_back(path, label, mapping::Mapping(nodes_in(nodes, label)));
    spec.maps.emplace_back(text);
  }
  return run([&] {
    if (!told.baseline.empty()) spec.gains_over = study::contender_named(spec, told.baseline, "baseline");
    spec.engine = told.engines.front();
    spec.opinions.assign(told.engines.begin() + 1, told.engines.end());
    spec.verify = told.verify && spec.engine.name() != netsim::reference_engine;
    const study::Comparison comparison(spec);
    const auto executor =
        study::make_local_executor([&](std::size_t task) { return comparison.work(task); }, told.workers);
    return core::json_text(study::compared_json(study::compare(comparison, *executor, nullptr, told.alpha)));
  });
}

}  // namespace

void add_studies(py::module_& module) {
  note_function("compare", [](py::dict& keywords) { take_study(keywords); });
  module.def("compare", compare, py::arg("machines"), py::arg("traces"), py::arg("maps"), py::arg("labels"),
             py::arg("keywords"));
}

}  // namespace toroid::python
