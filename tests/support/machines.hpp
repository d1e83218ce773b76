#pragma once
// Random machines, with everything that a description can say.

#include "core/random.hpp"
#include "toroid/platforms/description.hpp"

namespace toroid::test {

/// A description that makes a machine: every property takes part, but nothing has failed. At most `most_routers`
/// routers, and at least two.
platforms::Description random_description(core::Random& random, std::int32_t most_routers);

/// Fails up to `count` links, routers and nodes of it, by numbers and by coordinates. They may cut the machine.
void add_failures(core::Random& random, platforms::Description& description, std::uint64_t count);

}  // namespace toroid::test
