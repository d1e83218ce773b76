#pragma once
// Why a run takes the time that it takes, and what runs on machines that are drawn say, as tables for the screen.

#include "study/advice/explanation.hpp"
#include "study/draws.hpp"

namespace toroid::cli {

/// The tables, and the lines that say what to change; the first line is empty. `jobs` are the names of all jobs of the
/// run; none in a run of a single one.
std::string text_of(const study::Explanation& explanation, const netsim::Machine& machine, const netsim::Result& result,
                    const std::vector<std::string>& jobs = {});

/// `20 machines drawn from the intervals of bandwidth, latency`
std::string drawn_in_words(std::size_t draws, std::span<const platforms::PropertyInterval> intervals);

/// What the rank correlations of so many draws mean, for those who see them.
std::string correlations_in_words(std::size_t draws);

/// How far an engine is from flit-level times, in a clause.
std::string deviation_in_words(const netsim::EngineChoice& engine);

/// `7.9 us to 8.6 us`
std::string interval_in_words(const study::Interval& seconds);

/// The summary of a run on the machines that are drawn, where all of its times are known.
std::string uncertainty_text(const study::Draws& draws, const study::DrawnTimes& times,
                             const netsim::EngineChoice& engine);

}  // namespace toroid::cli
