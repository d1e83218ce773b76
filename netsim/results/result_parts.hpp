#pragma once
// The objects of JSON that documents of one job and of several, and those of mappings and studies, have in common.

#include "platforms/document.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::netsim {

extern const core::Object<SentMessages> traffic_object;
extern const core::Object<LinkLoads> loads_object;

/// What a time was taken for.
struct TimeParts : History {
  double whole = 0;  ///< seconds
  core::Json steps = core::absent();
};
extern const core::Object<TimeParts> critical_path_object;

extern const core::Object<CollectiveUse> collective_object;
struct ToldStep : CriticalStep {
  template <class Value>
  core::Json of_message(Value CriticalStep::*value) const {
    return is_message ? core::Json(this->*value) : core::Json();
  }
};
extern const core::Object<ToldStep> step_object;
/// How long a rank was blocked, on average.
struct Exposed : Blocked {
  std::string purpose;
};
extern const core::Object<Exposed> exposed_object;

struct RankRow : RankReport {
  std::size_t rank;
};
extern const core::Object<RankRow> rank_object;

struct UsedLink : LinkResult {
  platforms::PlacedLink placed;
  bool peaks;               ///< whether peak utilisations were measured
  core::Json bytes_by_job;  ///< what the link carried for each job; absent with one job
};
extern const core::Object<UsedLink> link_object;

struct Computed : ComputationUse {
  std::optional<double> runtime;  ///< seconds that the run takes
};
extern const core::Object<Computed> computation_object;

struct ToldTraining : workloads::TrainingWork {
  std::optional<TrainingRate> rate;
  double peak, reached;  ///< flop/s of a core; 0 if timed
  double has;            ///< bytes of memory of a core; 0: nobody says
};
extern const core::Object<workloads::TrainingMemory> training_memory_object;
extern const core::Object<ToldTraining> training_object;

}  // namespace toroid::netsim
