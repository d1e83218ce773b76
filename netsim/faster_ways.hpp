#pragma once
// What a user who waits for a simulation may like to hear of.

#include <string>
#include <string_view>
#include <vector>

#include "netsim/run.hpp"

namespace toroid::netsim {

/// The engine that solves the model of the chosen one faster; empty if there is none.
std::string_view faster_engine(const EngineChoice& engine);

/// A sentence for each way in which this run, which took so many seconds, would have taken less time: a faster engine;
/// or, if there is none, a sample of iterations where none repeats another. None if the run took 10 s or less.
std::vector<std::string> faster_ways(const RunRequest& request, const Result& result, double seconds);

}  // namespace toroid::netsim
