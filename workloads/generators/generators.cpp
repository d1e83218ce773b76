
#include "core/blame.hpp"
#include "workloads/derived/outside_trace.hpp"
#include "workloads/trace.hpp"

// The generators, a line each: the function that returns the entry. Those that are one generator under several names
// have a function that returns all their entries.
// clang-format off
#define GENERATORS(line)     \
  line(stencil_generator)    \
  line(minighost_generator)  \
  line(lulesh_generator)     \
  line(fft_generator)        \
  line(ptrans_generator)     \
  line(namd_generator)       \
  line(llm_generator)        \
  line(sharded_generator)    \
  line(broadcasts_generator) \
  line(traffic_generator)
#define GENERATOR_FAMILIES(line) \
  line(npb_generators)
// clang-format on

namespace toroid::workloads {

#define DECLARE(entry) core::Entry<MakeTrace> entry();
GENERATORS(DECLARE)
#undef DECLARE
#define DECLARE_ALL(entries) std::vector<core::Entry<MakeTrace>> entries();
GENERATOR_FAMILIES(DECLARE_ALL)
#undef DECLARE_ALL

namespace {

core::Registry<MakeTrace>& table() {
#define CALL(entry) entry(),
#define ADD_ALL(entries) \
  for (auto& entry : entries()) all.push_back(std::move(entry));
  static core::Registry<MakeTrace> registry("generator", [] {
    std::vector<core::Entry<MakeTrace>> all{GENERATORS(CALL)};
#undef CALL
    GENERATOR_FAMILIES(ADD_ALL)
#undef ADD_ALL
    return all;
  }());
  return registry;
}

}  // namespace

const core::Registry<MakeTrace>& generators() {
  return table();
}

void add_generator(core::Entry<MakeTrace> entry) {
  entry.make = [make = entry.make, name = std::string(entry.name)](const core::Arguments& arguments) {
    return core::blamed(fmt::format("generator '{}'", name), [&] {
      return checked_trace(name, make(arguments), core::twin_by([&] { return make(arguments); }));
    });
  };
  table().add(std::move(entry));
}

}  // namespace toroid::workloads
