#include "platforms/machine_source.hpp"

#include "platforms/load.hpp"

namespace toroid::platforms {

void MachineSource::check() const {
  if (platform_file(text_).empty()) platforms::describe(text_, &PropertyInterval::middle);
}

Description MachineSource::describe(const Choose& choose) const {
  return platforms::describe(text_, choose);
}

std::vector<PropertyInterval> MachineSource::intervals() const {
  return intervals_of(text_);
}

}  // namespace toroid::platforms
