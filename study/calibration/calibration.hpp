#pragma once
// From measured messages to the properties of a machine.
//
// What the model says of a message that is alone (docs/explanation/model.md):
//
//   base latency + sum over dimensions of hops x latency + bytes / bandwidth of the narrowest dimension on the route
//
// is linear in the latencies and in the inverse bandwidths. These are fitted by least squares of the relative
// deviations, as a benchmark of MPI is off by a share of the time, not by seconds. Above its eager limit an MPI library
// adds a handshake, a constant, which the fit finds as a step.

#include "study/calibration/times.hpp"
#include "study/statistics/regression.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::study {

/// What a measurement came to.
struct Residual {
  Measurement measurement;
  std::int32_t hops = 0;
  double fitted = 0;  ///< seconds by the fit

  double relative() const { return (fitted - measurement.seconds) / measurement.seconds; }
};

/// A latency or a bandwidth that was fitted.
struct Fitted {
  std::string property;  ///< the property that `--set` takes: `base-latency`, `latency`, `x.bandwidth`
  bool is_bandwidth = false;
  Coefficient value;  ///< seconds, or bytes per second
  double before = 0;  ///< what the machine has; where its dimensions differ, the first one's
};

/// The larger messages take a handshake more. The limit lies between two sizes that were measured.
struct Handshake {
  std::uint64_t without = 0, with = 0;  ///< the largest size without it and the smallest with it, bytes
  Coefficient seconds;
};

struct Calibration {
  std::vector<Fitted> properties;
  std::optional<Handshake> handshake;
  std::vector<Residual> deviations;  ///< the deviations, in the order in which the measurements were given
  platforms::Description machine;    ///< the machine with the fitted properties, to five digits
  std::vector<std::string> notes;    ///< what the data did not tell, or was decided for them

  double mean_deviation() const;  ///< mean of the sizes of relative deviations
  const Residual& worst() const;  ///< the largest relative deviation
  /// The fitted values, to five digits, with their confidence intervals, for a platform file. What has an interval
  /// without end has none here.
  std::vector<platforms::PropertyInterval> intervals() const;
};

/// Fits the machine's latencies and bandwidths to the measurements. A latency or bandwidth for each dimension is fitted
/// where the data has routes along each by itself and an F test finds that they differ (p < 0.01), else one for all.
/// `keep` names properties that stay as the machine has them: base-latency, latency, bandwidth. Throws InputError where
/// the data cannot tell a property: too few measurements, sizes or distances, or times that contradict the model.
Calibration calibrate(const platforms::Machine& machine, std::span<const Measurement> measurements,
                      const std::vector<std::string>& keep = {});

}  // namespace toroid::study
