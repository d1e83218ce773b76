#pragma once
// What several summaries have alike: lines, and tables of why a run takes the time that it takes and of what runs on
// machines that are drawn say.

#include "study/advice/explanation.hpp"
#include "study/draws.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "toroid/netsim/result.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::cli {

/// A share for people: `12.5 %`. What rounds to zero has no sign.
std::string percent(double share);

/// What a mapper notes, a line each.
std::string mapper_lines(const std::vector<std::string>& notes);

/// Messages, hops and link loads.
std::string traffic_lines(const netsim::SentMessages& sent, const netsim::LinkLoads& loads);

/// What an order of messages means: `all messages of a node one after another`.
std::string_view order_in_words(platforms::Order order);

/// What a user should know of the engine (netsim::named_remarks()), a line each.
std::string remark_lines(const std::vector<std::string>& remarks);

/// How --compute says that use: `none`, `trace`, `x0.5`.
std::string compute_in_words(const netsim::ComputationUse& use);

/// What the time of the run is: `run time`, or `communication time` where computation is left out.
std::string_view time_in_words(const netsim::ComputationUse& use);
/// `on cores of 2Gf`, or `as measured`.
std::string cores_in_words(const netsim::ComputationUse& use);
/// Says who computes how long: `5 ms by the busiest rank, 8 ms by all ranks together, on cores of 2Gf`.
std::string amount_in_words(const netsim::ComputationUse& use);
/// The lines of the summary of a run that took so many seconds; none where no rank computes.
std::string computation_lines(const netsim::ComputationUse& use, double runtime_s);

/// Says by which clock a run was recorded, and, where ranks shared cores, what that means: empty where it is not known.
std::string recording_in_words(const workloads::Recording& recording);

/// How much of an execution trace is replayed, and what is not.
std::string coverage_in_words(const workloads::Coverage& coverage);
/// Says it as a line of a summary; empty where all is replayed.
std::string coverage_line(const workloads::Recording& recording);

/// What a training keeps in memory, and whether it fits: `61 GB a rank (weights ...): does not fit into 32 GB`.
std::string memory_in_words(const workloads::TrainingMemory& memory, const netsim::ComputationUse& use);
/// The lines on how fast a run of so many ranks and seconds trains a model; empty of other programs.
std::string training_line(const std::optional<workloads::TrainingWork>& work, const netsim::ComputationUse& use,
                          std::int32_t ranks, double runtime_s);

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
