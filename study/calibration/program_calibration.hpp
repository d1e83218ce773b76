#pragma once
// From captured runs of a program to the computation of its generator.
//
// A generator's computations are sums over its keys of computation (workloads/amounts.hpp): value x work. What
// a rank did between two calls of MPI was measured in the captures; which work the generator has there, the generator
// says, with one key at a time set to 1 flop. The values follow by least squares.

#include "study/statistics/regression.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::study {

/// A captured run, and which run of the program it was.
struct Capture {
  std::string name;  ///< the name that the user gave
  workloads::TraceSource trace;
  std::string
      keys;  ///< the keys of the generator: `class=W`; the number of ranks is the trace's unless it stands there
};

/// Reads `FILE` or `FILE@KEY=VALUE,...`. Throws InputError unless there is such a file.
Capture read_capture(const std::string& text);

/// The value of a key that was fitted.
struct FittedKey {
  std::string key;
  Coefficient flops;         ///< the flops for a unit of its work
  std::string unless_given;  ///< what the generator takes without it
};

/// What a captured run came to.
struct CaptureFit {
  std::string name;
  std::string spec;  ///< the run, by the generator with the fitted values
  std::int32_t ranks = 0;
  double mean = 0, fitted_mean = 0;          ///< flops of a rank, on average
  double greatest = 0, fitted_greatest = 0;  ///< flops of the rank that computes most
  /// Flops of a rank, on average, in the places where the same keys have work: measured and fitted, by these keys.
  std::map<std::string, std::pair<double, double>> places;
};

struct ProgramCalibration {
  std::vector<FittedKey> keys;
  std::vector<CaptureFit> captures;  ///< the fits of the captures, in the order in which these were given
  /// Standard deviation of what ranks compute over what the fit says of them; none: the program has no such key, or
  /// the user gave it.
  std::optional<double> imbalance;
  /// What a rank computes at the same place from one iteration to the next, without what all ranks have in common: the
  /// variance of a computation of m flops is noise m + (jitter m)^2. None: as for the imbalance, or no capture has two
  /// ranks and three iterations.
  std::optional<double> noise, jitter;
  std::string spec;                ///< the generator with the given and the fitted values: `cg:nonzero=0.7f`
  std::vector<std::string> notes;  ///< what the captures did not tell
};

/// Fits the keys of computation of a generator that `program` does not give to captured runs: `program` is its name,
/// with keys that all runs have in common. A deviation counts as a share of its capture's computation, so that all
/// captures weigh the same. Values are 0 at least. Throws InputError where a capture is not the run that its keys say,
/// and where the captures cannot tell the values of two keys apart.
ProgramCalibration calibrate_program(const std::string& program, std::span<const Capture> captures);

}  // namespace toroid::study
