#pragma once
// From measured collectives to the properties of a machine: by simulation, as nothing but a simulation says how
// messages of a collective share links.
//
// Values are fitted by their logarithms, to the logarithms of the times, by Gauss and Newton's method with Huber's
// weights: an algorithm that the library has in another form than we have it does not pull values to it. Times of one
// algorithm over sizes err together, so intervals are by leaving out one curve after the other (the jackknife).

#include "study/calibration/times.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/study/statistics/statistics.hpp"

namespace toroid::study {

/// A machine on which collectives were measured, and where ranks were there.
struct MeasuredShape {
  std::string name;  ///< the name that times have; empty for times without one
  platforms::MachineSource platform;
  mapping::MapperChoice mapper = "consecutive";
};

struct CollectiveCalibrationRequest {
  std::vector<MeasuredShape> shapes;
  std::vector<std::string> properties;  ///< the properties that are fitted, with the same value on all machines
  netsim::ReplayOptions replay = {};    ///< the rule of replay.collectives is for times that name no algorithm
  netsim::EngineChoice engine = "fluid";
  std::size_t workers = 1;
};

/// A property that was fitted.
struct FittedProperty {
  std::string property;
  platforms::Quantity quantity{};
  double value = 0;
  Interval interval{};                                  ///< 90 %
  std::optional<double> before;                         ///< the machine's; none if that is no limit
  std::vector<std::pair<std::string, double>> follows;  ///< curves, and their share of what the times say of it

  std::string text(double of) const;  ///< a value as a property has it, to four digits
};

/// A time beside the fit.
struct FittedTime {
  CollectiveTime time;
  double fitted = 0;  ///< seconds
  double weight = 1;  ///< below 1: the time is too far off to count like the others

  double ratio() const { return fitted / time.seconds; }
};

struct CollectiveCalibration {
  std::vector<FittedProperty> properties;
  std::vector<FittedTime> times;  ///< the times in the order in which they were given
  int rounds = 0;                 ///< the number of rounds of the fit
};

/// Fits properties to times. Throws InputError where a shape has no machine, a property can have no interval, and where
/// the times cannot tell a value: none follows it, some follow two alike, or its interval is wider than a factor of 10
/// either way.
CollectiveCalibration calibrate_collectives(const CollectiveCalibrationRequest& request,
                                            const std::vector<CollectiveTime>& times);

}  // namespace toroid::study
