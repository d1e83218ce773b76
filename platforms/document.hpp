#pragma once
// A machine as a JSON document, for scripts and pages.

#include <string>

#include "core/json.hpp"
#include "platforms/link_facts.hpp"
#include "platforms/survey.hpp"

namespace toroid::platforms {

/// The name, the properties and the figures of a machine, and all its routers, nodes and links in `router_table`,
/// `node_table` and `link_table`, a line each; names are those of names.hpp, `at` are coordinates.
/// docs/reference/results.md has the fields.
std::string machine_document(const Machine& machine, const Survey& survey);

/// Adds what every table of links says of each to its row, from `kind` to `latency_s`; number and name come before.
void add_link_facts(core::Json& row, const Machine& machine, const LinkFacts& facts);

}  // namespace toroid::platforms
