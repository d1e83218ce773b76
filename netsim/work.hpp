#pragma once
// What engines do, counted: unlike time the same in every run, so that what depends on it is the same everywhere.

namespace toroid::netsim {

/// An engine that counts what it does.
class CountsWork {
 public:
  virtual ~CountsWork() = default;
  /// What its transfers have cost until now. A unit is about 10 ns of CPU time, whatever the engine
  /// (bench/simulation_price).
  virtual double work() const = 0;
};

}  // namespace toroid::netsim
