#include "cosim/fragmentation.hpp"

namespace toroid::cosim {

void Fragmentation::settled(const Time& now) {
  const double seconds = now.seconds() - since_;
  free_seconds_ += now_free_ * seconds;  // of the time before the first instant nothing is known: these are 0
  outside_seconds_ += now_outside_ * seconds;
  since_ = now.seconds();
  now_free_ = free().count();
  now_outside_ = free().count() - free().regions().largest;
}

}  // namespace toroid::cosim
