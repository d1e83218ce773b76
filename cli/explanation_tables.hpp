#pragma once
// Why a run takes the time that it takes, as tables for the screen.

#include <string>

#include "study/explanation.hpp"

namespace toroid::cli {

/// The tables, and the lines that say what to change; the first line is empty.
std::string text_of(const study::Explanation& explanation, const netsim::Machine& machine,
                    const netsim::Result& result);

}  // namespace toroid::cli
