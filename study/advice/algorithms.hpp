#pragma once
// Which algorithms the collectives of a program should have on a machine: each that there is runs the whole program.

#include "toroid/netsim/run.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {

struct AlgorithmsTried {
  workloads::CollectiveChoice choice;
  std::string algorithms = {};      ///< netsim::collectives_in_words() of the run
  std::optional<double> time = {};  ///< seconds, by the fast engine; none where the run failed
};

struct AlgorithmAdvice {
  std::vector<AlgorithmsTried> tried;  ///< what the program has, then others; empty without collectives
  std::size_t taken = 0;               ///< number of the fastest; 0 unless one is faster by a margin
  std::string left_out = {};           ///< why no others were tried; empty: they were
  /// Seconds of the first and of the taken ones by packets, and why there are none.
  std::optional<std::pair<double, double>> by_packets = {};
  std::string no_packets = {};

  /// The others that take as long as the taken ones, up to a share of their time.
  std::vector<std::string> ties(double margin) const;
};

/// What it takes to try algorithms.
struct AlgorithmTrials {
  netsim::Run base;                                ///< the program as it is
  AlgorithmsTried now;                             ///< what came of that
  std::vector<workloads::OpKind> kinds;            ///< the kinds of its collectives
  double margin;                                   ///< what is not faster by this share of the time is not taken
  double steps, steps_of_packets;                  ///< what a run costs
  std::function<std::string(double steps)> spend;  ///< takes steps off a budget, or gives the reason why not
  std::function<std::vector<Done>(const std::vector<netsim::Run>& runs, const char* title)> run;  ///< their measures
};

/// Runs the program with each other rule, with each algorithm of each kind of its collectives, and with the best of
/// each kind together; then the best beside what the program has by packets.
AlgorithmAdvice best_algorithms(const AlgorithmTrials& trials);

}  // namespace toroid::study
