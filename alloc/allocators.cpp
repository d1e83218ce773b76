#include "toroid/alloc/allocator.hpp"

#include "core/blame.hpp"
#include "core/entries.hpp"

namespace toroid::alloc {

// The allocators, in the order of `toroid list allocators`, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<MakeAllocator>, allocator_entries, consecutive_allocator, random_allocator, curve_allocator,
               mc_allocator, mc1x1_allocator, gen_alg_allocator, mm_allocator, mbs_allocator, layered_mbs_allocator,
               octet_mbs_allocator, granular_mbs_allocator, single_buddy_allocator, submesh_allocator,
               frame_sliding_allocator, preferred_shape_allocator, anca_allocator, gabl_allocator, scatter_allocator,
               blocks_allocator, as_logged_allocator, slurm_torus3d_allocator, slurm_ring_allocator, leak_allocator)

namespace {

core::Registry<MakeAllocator>& table() {
  static core::Registry<MakeAllocator> registry("allocator", allocator_entries());
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
      local->blame(who);
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
