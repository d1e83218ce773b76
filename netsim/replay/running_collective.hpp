#pragma once
// A collective between its begin and its end, as one rank takes part in it. A rank may have several under way.

#include <vector>

#include "core/pool.hpp"
#include "netsim/replay/requests.hpp"
#include "netsim/replay_report.hpp"
#include "workloads/collectives/schedule.hpp"
#include "workloads/communicator.hpp"

namespace toroid::netsim {

struct RunningCollective {
  workloads::Schedule schedule = {};
  const workloads::Communicator* communicator;
  std::int32_t tag;
  std::uint32_t context;              ///< with the tag, keeps its messages apart from all others
  RequestId request;                  ///< of the collective as a whole
  History history;                    ///< of its last step
  Time since;                         ///< when that was
  std::vector<RequestId> round = {};  ///< what it has posted since its last wait
  std::size_t pending = 0;            ///< how many of those have not ended, or of the puts that a fence waits for
  std::vector<std::uint64_t> send_counts = {}, recv_counts = {};  ///< of a call that does not block
};

using RunningCollectives = core::Pool<RunningCollective>;

// The calls of a rank on one communicator are numbered: messages of one collective are never taken for those of
// another. With the kind in the tag, ranks that are in different collectives do not understand each other.

constexpr std::uint32_t collective_kind_bits = 6;
static_assert(workloads::op_kind_count <= std::size_t{1} << collective_kind_bits);

constexpr std::int32_t collective_tag(workloads::OpKind kind, std::uint32_t call) {
  const auto tag = (call << collective_kind_bits) | static_cast<std::uint32_t>(kind);
  return static_cast<std::int32_t>(tag & 0x7fffffffU);
}
constexpr workloads::OpKind kind_of_collective_tag(std::int32_t tag) {
  return static_cast<workloads::OpKind>(tag & ((1 << collective_kind_bits) - 1));
}

}  // namespace toroid::netsim
