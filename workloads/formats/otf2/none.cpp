// Built in the place of otf2_archive.cpp where there is no OTF2 library.
#include "toroid/core/error.hpp"
#include "workloads/formats/otf2/archive.hpp"

namespace toroid::workloads::otf2 {

std::string_view refused_event(std::uint32_t) {
  return {};
}

Definitions read_definitions(const std::string& path) {
  core::fail_input("{}: is an OTF2 archive, which this toroid cannot read: it was built without the OTF2 library (3.0)",
                   path);
}

std::vector<Event> EventReader::next() {
  return {};
}

}  // namespace toroid::workloads::otf2
