#pragma once
// Traffic on networks of flits (flits.hpp), and the same by an engine: for tests, and for bench/engine_deviation.

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "tests/netsim/flits.hpp"

namespace toroid::test {

std::int32_t nodes(const FlitNetwork& network);

enum class FlitKind : std::uint8_t { mesh, torus, adaptive_mesh, adaptive_torus };

/// Routers of some size, their buffers of one packet or two.
FlitNetwork random_flit_network(core::Random& random, std::int32_t k, std::int32_t n, FlitKind kind);

/// Each node sends so many packets to another one, and to each one other.
std::vector<FlitMessage> random_permutation(core::Random& random, std::int32_t nodes, std::int32_t packets);
/// Each node sends so many packets, each to a random other one.
std::vector<FlitMessage> uniform_traffic(core::Random& random, std::int32_t nodes, std::int32_t packets);

/// The cycles until the last flit has arrived. Flits of packets that may go either way round a ring choose by chance:
/// the mean of three runs.
double cycles_by_flits(const FlitNetwork& network, const std::vector<FlitMessage>& messages, core::Random& random);

/// The engine `packet` with the network's routers.
std::string packet_engine_of(const FlitNetwork& network);
/// The same cycles by an engine: a flit is a byte, and a cycle a nanosecond.
double cycles_by(const std::string& engine, const FlitNetwork& network, const std::vector<FlitMessage>& messages);

}  // namespace toroid::test
