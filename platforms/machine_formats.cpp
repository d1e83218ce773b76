#include "platforms/machine_formats.hpp"

#include "platforms/xml.hpp"

// The formats, a line each: the function that returns the entry.
// clang-format off
#define MACHINE_FORMATS(line) \
  line(own_machine_format)    \
  line(simgrid_format)        \
  line(graphml_format)        \
  line(dot_format)
// clang-format on

namespace toroid::platforms {
namespace {

core::Entry<WriteMachine> own_machine_format() {
  return {"toroid", "a platform file, which every command takes",
          [](const Machine& machine) { return xml_text(machine.description()); }};
}

core::Entry<WriteMachine> simgrid_format() {
  return {"simgrid", "plain SimGrid XML: a TORUS cluster where it fits, else the ways along each dimension",
          export_simgrid_xml};
}

}  // namespace

#define DECLARE(entry) core::Entry<WriteMachine> entry();
DECLARE(graphml_format)
DECLARE(dot_format)

const core::Registry<WriteMachine>& machine_formats() {
#define CALL(entry) entry(),
  static const core::Registry<WriteMachine> registry("machine format", {MACHINE_FORMATS(CALL)});
  return registry;
}

}  // namespace toroid::platforms
