#include "alloc/slurm/request.hpp"

#include "platforms/names.hpp"

namespace toroid::alloc::slurm {

const core::OptionalParameter<std::int32_t> segment_parameter{
    "segment", "nodes of each of the boxes that a larger job is made of (--segment)",
    core::whole(1, std::numeric_limits<std::int32_t>::max()), "one box for each job"};

const core::Parameter<std::string> weights_parameter{
    "weights",
    "of nodes, in parentheses: (0-7 nid[009-012] 5; 13 2); boxes whose largest weight is lower come first",
    {"lists of nodes, each followed by a weight, with semicolons between them",
     [](std::string_view text, const core::Place&) -> std::optional<std::string> { return std::string(text); }},
    "none"};

namespace {

/// Sets the weight of the nodes in `0-7 nid[009-012] 5`.
void set_weight(Weights& weights, const Machine& machine, std::string_view part, const std::string& spec) {
  const auto blank = part.rfind(' ');
  const auto weight = core::parse_number<std::int64_t>(part.substr(blank + 1));
  if (blank == std::string_view::npos || !weight || *weight < 0)
    core::fail_input("'{}': weights: found '{}', expected nodes and their weight such as 0-7 5", spec, part);
  for (const auto word : core::split(part.substr(0, blank), ' ')) {
    if (word.empty()) continue;
    for (const auto node : platforms::nodes_called(machine, word, fmt::format("'{}': weights", spec)))
      weights[node] = *weight;
  }
}

}  // namespace

Weights weights_of(const Machine& machine, const core::Arguments& arguments) {
  Weights weights(machine.node_count(), 1);
  const std::string& text = arguments[weights_parameter];
  if (text != "none")
    for (const auto part : core::split(text, ';'))
      set_weight(weights, machine, core::trim(part), arguments.spec().text());
  return weights;
}

}  // namespace toroid::alloc::slurm
