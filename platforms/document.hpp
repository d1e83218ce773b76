#pragma once
// A machine as a document: JSON for scripts and pages, with what tables of links say of each, and files for other
// programs.

#include "platforms/survey.hpp"
#include "toroid/core/fields.hpp"
#include "toroid/core/registry.hpp"

namespace toroid::platforms {

/// What tables of links say of each.
struct LinkFacts {
  LinkId link = 0;
  std::string name = {};
  std::string_view kind = {};       ///< `link` between two routers, `line` that is shared, `injection`, `ejection`
  std::string dimension = {};       ///< `x`; empty for injection and ejection
  std::string_view direction = {};  ///< `+`, `-`; empty where there is none
  std::string from = {}, to = {};   ///< names of its ends; the first and last router of a line
  RouterId from_router = 0, to_router = 0;
  double bandwidth = 0;  ///< bytes/s of all parallel links together
  double latency = 0;    ///< seconds; for a line, per hop
  bool works = true;
};

/// The facts of a link that the machine has, failed or not.
LinkFacts link_facts(const Machine& machine, LinkId link);

/// The name, the properties and the figures of a machine, and all its routers, nodes and links in `router_table`,
/// `node_table` and `link_table`, a line each; names are those of names.hpp, `at` are coordinates.
/// docs/reference/results.md has the fields.
std::string machine_document(const Machine& machine, const Survey& survey);

/// The objects of that document.
std::vector<core::ObjectText> machine_objects();

/// What every table of links says of a link of a machine, from `kind` to `latency_s`; number and name come before.
struct PlacedLink : LinkFacts {
  const Machine& machine;
};
const core::Object<PlacedLink>& link_facts_object();

/// The text of a file with the machine. Throws InputError where the format cannot say what the machine is.
using WriteMachine = std::string (*)(const Machine& machine);

const core::Registry<WriteMachine>& machine_formats();

using MachineFormatChoice = core::Choice<machine_formats>;

}  // namespace toroid::platforms
