#pragma once
// Which slice of a generation of TPUs, and which layout there, for the training of a language model: bounds of a step's
// time by closed formulas, for each layout whose axes are whole axes of the slice, as JAX takes them.

#include "toroid/core/fields.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::study {

struct SliceRequest {
  const platforms::SliceFamily& family;
  std::int32_t chips, batch;  ///< batch: sequences of a step
  std::string program;        ///< `llm:...`, without keys that say a layout
};

/// A layout on a slice. Times are in seconds.
struct SliceLayout {
  std::string machine = {}, program = {};  ///< words that `toroid simulate` takes
  std::int32_t chips = 0, ranks = 0, data = 1, fsdp = 1, tensor = 1,
               group_batch = 1,    ///< sequences of a step and tensor group
               micro_batches = 1;  ///< parts of these, one after the other
  workloads::TrainingWork work = {};
  double memory = 0;                               ///< bytes of a device; 0: nobody says
  double peak = 0;                                 ///< flop/s of a device
  double at_peak = 0;                              ///< computation of a step at the peak
  platforms::Efficiency efficiency = {};           ///< the generation's
  std::map<std::string, double> collectives = {};  ///< what they are for, and how long they take
  double sums = 0;                                 ///< the tensor ranks' sums among these, which nothing hides

  /// With all collectives beside computation, those of one axis one after the other; and with none.
  double hidden() const;
  double exposed() const;
  /// Compilers are taken to have gathers beside the multiplication of what they gather, weights and gradients
  /// beside all computation. `waits` are what is left of each purpose then.
  double step() const;
  std::map<std::string, double> waits() const;
  /// The least and the most that these three say, and two deviations of measured trainings beyond.
  std::pair<double, double> interval() const;
  double tokens_per_second() const { return work.tokens / step(); }
  double mfu() const { return work.flops / (step() * ranks * peak); }
  bool fits() const { return memory == 0 || work.memory.total() <= memory; }
};

struct SliceAdvice {
  std::vector<SliceLayout> kept;  ///< layouts that none beats at both bounds, by their steps
  std::size_t losers = 0;
  std::vector<SliceLayout> too_large;  ///< do not fit into memory, the one that needs least first
  /// The key matmul-rate that was taken where the program has a higher one than measured trainings reach; 0: as given.
  double rate = 0;
};

/// Times closer than this are ties: measured steps are off by as much (docs/validation/training.md).
inline constexpr double tie = 0.06;

/// Throws InputError where no layout divides the chips and the batch, and on keys that say a layout.
SliceAdvice advise_on_slices(const SliceRequest& request);

/// The layouts of several generations as JSON (docs/reference/results.md).
core::Json slice_advice_json(const std::vector<SliceAdvice>& all);
std::vector<core::ObjectText> slice_advice_objects();

}  // namespace toroid::study
