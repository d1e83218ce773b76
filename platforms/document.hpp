#pragma once
// A machine as a JSON document, for scripts and pages.

#include <string>
#include <vector>

#include "core/fields.hpp"
#include "platforms/link_facts.hpp"
#include "platforms/survey.hpp"

namespace toroid::platforms {

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

}  // namespace toroid::platforms
