#include "core/blame.hpp"
#include "core/entries.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::workloads {

// The generators, each by the function that returns its entry; and those that are one generator under several names, by
// a function that returns all their entries.
TOROID_ENTRIES(core::Entry<MakeTrace>, generator_entries, stencil_generator, minighost_generator, lulesh_generator,
               fft_generator, ptrans_generator, namd_generator, llm_generator, sharded_generator, broadcasts_generator,
               traffic_generator, chakra_generator)
TOROID_ENTRIES(std::vector<core::Entry<MakeTrace>>, generator_families, npb_generators)

namespace {

core::Registry<MakeTrace>& table() {
  static core::Registry<MakeTrace> registry(
      "generator", core::joined(std::vector{generator_entries(), core::joined(generator_families())}));
  return registry;
}

}  // namespace

const core::Registry<MakeTrace>& generators() {
  return table();
}

void add_generator(core::Entry<MakeTrace> entry) {
  entry.make = [make = entry.make, name = std::string(entry.name)](const core::Arguments& arguments) {
    return core::blamed(fmt::format("generator '{}'", name), [&] { return checked_trace(name, make(arguments)); });
  };
  table().add(std::move(entry));
}

}  // namespace toroid::workloads
