#pragma once
// Why a run takes the time that it takes, as tables for the screen.

#include <string>
#include <vector>

#include "study/explanation.hpp"

namespace toroid::cli {

/// The tables, and the lines that say what to change; the first line is empty. `jobs` are the names of all jobs of the
/// run; none in a run of a single one.
std::string text_of(const study::Explanation& explanation, const netsim::Machine& machine, const netsim::Result& result,
                    const std::vector<std::string>& jobs = {});

}  // namespace toroid::cli
