#pragma once
// The options of a replay as users write them.

#include <string>

#include "netsim/replay_options.hpp"

namespace toroid::netsim {

struct ReplayTexts {
  std::string compute = "default";      ///< see parse_compute()
  std::string eager = "64KiB";          ///< bytes
  std::string envelope = "0";           ///< bytes
  std::string collectives = "default";  ///< see CollectiveChoice::parse()
  std::string order = {};               ///< see parse_order(); empty: the machine's `sending`
  std::string repeats = "exact";        ///< see parse_repeats()

  /// The options that the texts say. Throws InputError on values that are not valid.
  ReplayOptions options() const;
};

}  // namespace toroid::netsim
