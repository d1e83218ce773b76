#pragma once
// Lines that the summaries of several commands share: messages and loads, what computation takes or what is left out,
// and how summaries write shares.

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

}  // namespace toroid::cli
