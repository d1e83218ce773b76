#include "cosim/schedulers/easy.hpp"

namespace toroid::cosim {

core::Entry<MakeScheduler> easy_scheduler() {
  return {
      "easy",
      "EASY backfilling: the first job of the queue has a reservation; later jobs that do not delay it may overtake",
      [](const core::Arguments& arguments) { return std::make_unique<Easy>(arguments[queue_order]); },
      {queue_order}};
}

}  // namespace toroid::cosim
