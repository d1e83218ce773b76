#pragma once
// OTF2, the archives of Score-P and other tracers: a file *.otf2, beside it a file of definitions, and a folder with
// the events of each location. What is understood is in docs/reference/traces.md.

#include <memory>
#include <string>

#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Reads an archive. Throws InputError, with the location and the number of the event, on anything that is not
/// understood completely, and on every archive if toroid was built without the OTF2 library.
std::unique_ptr<CompactTrace> read_otf2(const std::string& path);

}  // namespace toroid::workloads
