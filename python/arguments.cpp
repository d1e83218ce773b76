#include "python/arguments.hpp"

namespace toroid::python {

void note_keyword(py::dict& keywords, const char* name) {
  keywords.attr("setdefault")(0, py::list()).attr("append")(name);  // by a number, as keywords are texts
}

std::string take_text(py::dict& keywords, const char* name, const std::string& otherwise) {
  note_keyword(keywords, name);
  if (!keywords.contains(name)) return otherwise;
  const py::object value = keywords.attr("pop")(name);
  return value.is_none() ? otherwise : py::isinstance<py::str>(value) ? text_of(value, name) : shown(value);
}

netsim::ReplayOptions take_replay(py::dict& keywords) {
  netsim::ReplayTexts texts;
  texts.compute = take_text(keywords, "compute", texts.compute);
  texts.eager = take_text(keywords, "eager", texts.eager);
  texts.envelope = take_text(keywords, "envelope", texts.envelope);
  texts.collectives = take_text(keywords, "collectives", texts.collectives);
  texts.order = take_text(keywords, "order", texts.order);
  texts.repeats = take_text(keywords, "repeats", texts.repeats);
  return texts.options();
}

cosim::Placement take_placement(py::dict& keywords) {
  cosim::Placement placement;
  if (keywords.contains("nodes") && !keywords["nodes"].is_none() && !py::isinstance<py::str>(keywords["nodes"])) {
    const auto numbers = whole_numbers(keywords.attr("pop")("nodes"), "nodes");
    if (numbers.empty()) core::fail_input("nodes: found none, expected at least one");
    placement.nodes = fmt::format("{}", fmt::join(numbers, ","));
  }
  placement.nodes = take_text(keywords, "nodes", placement.nodes);
  if (const auto alloc = take_text(keywords, "alloc", ""); !alloc.empty()) placement.alloc.emplace(alloc);
  if (placement.alloc && !placement.nodes.empty()) core::fail_input("alloc: found nodes as well, expected one of them");
  if (const auto busy = take_text(keywords, "busy", ""); !busy.empty()) placement.busy.emplace(busy);
  placement.ranks_per_node = take_number<std::int32_t>(keywords, "ranks_per_node", 1, 1, 1'000'000);
  return placement;
}

void check_empty(const py::dict& keywords) {
  for (const auto& [key, value] : keywords) {
    if (!py::isinstance<py::str>(key)) continue;
    const auto name = key.cast<std::string>();
    const auto meant = core::nearest(name, keywords[py::int_(0)].cast<std::vector<std::string>>());
    throw py::type_error(fmt::format("unexpected keyword argument '{}'{}", name,
                                     meant ? fmt::format("; did you mean '{}'?", *meant) : ""));
  }
}

}  // namespace toroid::python
