#pragma once
// How jobs end, and what they did on the network.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cosim/scheduler.hpp"
#include "netsim/replay_report.hpp"

namespace toroid::cosim {

/// How a job ended.
enum class End : std::uint8_t {
  done,
  killed,       ///< killed at its estimate
  failed,       ///< its program cannot go on
  interrupted,  ///< one of its nodes failed
  rejected      ///< never started: the machine is too small for it
};

/// What a job lost to another one.
struct Loss {
  JobId to = 0;
  std::string name;    ///< of that other job in its log
  double seconds = 0;  ///< of run time, above 0
};

/// What a job did on the network. Times are in seconds.
struct Work {
  std::string program;
  std::string complaint;            ///< why it failed; empty if it did not
  double alone = 0;                 ///< run time alone on the machine, on the same nodes; 0: not known
  std::uint64_t max_link_load = 0;  ///< its bytes on the link that carried most of them; 0: not known
  netsim::SentMessages traffic;     ///< the messages that it sent
  std::optional<netsim::History> critical_path;
  /// Jobs to which it lost time, the most first (shared_links.hpp); empty unless `alone` is known.
  std::vector<Loss> losses = {};
  double left_out = 0;  ///< seconds that its busiest rank would compute besides, where computation is left out
  /// ComputationVariation::of_iterations of its program, where computation is to be averaged.
  std::optional<double> variation = {};

  /// What the neighbours cost: the run time divided by that alone; 0 if not known.
  double slowdown(double run_time) const { return alone > 0 ? run_time / alone : 0; }
};

}  // namespace toroid::cosim
