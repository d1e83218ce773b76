#include "alloc/allocator.hpp"

#include "core/blame.hpp"

// The allocators, a line each, in the order of `toroid list allocators`: the function that returns the entry.
// clang-format off
#define ALLOCATORS(line)          \
  line(consecutive_allocator)     \
  line(random_allocator)          \
  line(curve_allocator)           \
  line(mc_allocator)              \
  line(mc1x1_allocator)           \
  line(gen_alg_allocator)         \
  line(mm_allocator)              \
  line(mbs_allocator)             \
  line(layered_mbs_allocator)     \
  line(octet_mbs_allocator)       \
  line(granular_mbs_allocator)    \
  line(single_buddy_allocator)    \
  line(submesh_allocator)         \
  line(frame_sliding_allocator)   \
  line(preferred_shape_allocator) \
  line(anca_allocator)            \
  line(gabl_allocator)            \
  line(scatter_allocator)         \
  line(blocks_allocator)          \
  line(as_logged_allocator)       \
  line(slurm_torus3d_allocator)   \
  line(slurm_ring_allocator)      \
  line(leak_allocator)
// clang-format on

namespace toroid::alloc {

#define DECLARE(entry) core::Entry<MakeAllocator> entry();
ALLOCATORS(DECLARE)

namespace {

core::Registry<MakeAllocator>& table() {
#define CALL(entry) entry(),
  static core::Registry<MakeAllocator> registry("allocator", {ALLOCATORS(CALL)});
  return registry;
}

}  // namespace

const core::Registry<MakeAllocator>& allocators() {
  return table();
}

void add_allocator(core::Entry<MakeAllocator> entry) {
  entry.make = [make = entry.make, who = fmt::format("allocator '{}'", entry.name)](const Site& site,
                                                                                    const core::Arguments& arguments) {
    return core::blamed(who, [&] {
      auto made = make(site, arguments);
      auto* local = made == nullptr ? nullptr : made->local();
      if (local == nullptr) core::fail_input("{}: expected one that answers at once", who);
      local->blame(who, core::twin_by([&] { return make(site, arguments); }));
      return made;
    });
  };
  table().add(std::move(entry));
}

core::Type<MakeLocal> allocator_in_parentheses() {
  return {"an allocator that answers at once, in parentheses if it has keys",
          [](std::string_view text, const core::Place& place) -> std::optional<MakeLocal> {
            return [choice = AllocatorChoice::inside(place.spec, text)](const Site& site) {
              auto made = choice.make(site);
              auto* local = made->local();
              if (local == nullptr) core::fail_input("'{}': expected an allocator that answers at once", choice.text());
              made.release();
              return std::unique_ptr<LocalAllocator>(local);
            };
          }};
}

}  // namespace toroid::alloc
