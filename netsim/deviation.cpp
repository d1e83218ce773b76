#include "netsim/deviation.hpp"

#include <algorithm>
#include <array>

namespace toroid::netsim {
namespace {

// Means of the tenths of all runs of bench/engine_deviation.
constexpr std::array programs_by_packets{0.968, 0.992, 0.999, 1.005, 1.012, 1.017, 1.024, 1.029, 1.040, 1.063};
constexpr std::array placements_by_packets{0.920, 0.958, 0.974, 0.987, 0.996, 1.004, 1.013, 1.026, 1.044, 1.087};
constexpr std::array programs_by_flows{0.568, 0.635, 0.706, 0.759, 0.811, 0.858, 0.909, 0.998, 1.081, 1.229};
constexpr std::array placements_by_flows{0.847, 0.922, 0.951, 0.974, 0.991, 1.005, 1.023, 1.048, 1.081, 1.196};

}  // namespace

constinit const Deviation deviation_of_packets{programs_by_packets, placements_by_packets};
constinit const Deviation deviation_of_flows{programs_by_flows, placements_by_flows};

double deviating_seconds(double in_network, double sharing) {
  constexpr double in_full = 0.2;
  return std::min(in_network, sharing / in_full);
}

}  // namespace toroid::netsim
