#pragma once
// The traffic of a job, as a mapper sees it.

#include <mutex>

#include "netsim/mapping.hpp"
#include "workloads/summary.hpp"

namespace toroid::mapping {

using workloads::CommunicationMatrix;

/// Which messages a communication matrix counts.
enum class MatrixKind : std::uint8_t {
  expanded,       ///< all: point-to-point messages and those that collectives are made of
  point_to_point  ///< without collectives
};

/// Reads `expanded` or `p2p`. Throws InputError on anything else.
MatrixKind parse_matrix_kind(std::string_view text);

/// How much each rank sends to each other. The matrix of a trace takes a pass over all its operations, so it is made
/// when a mapper first asks for it, and once: several mappings of one job share a Traffic.
class Traffic {
 public:
  /// The traffic of a trace, which must outlive this object.
  explicit Traffic(const workloads::Trace& trace, const workloads::CollectiveChoice& collectives = {},
                   MatrixKind kind = MatrixKind::expanded);
  explicit Traffic(CommunicationMatrix matrix);

  std::int32_t ranks() const { return ranks_; }

  /// The bytes and messages between ranks; messages of a rank to itself are left out. Several threads may call it.
  const CommunicationMatrix& matrix() const;
  /// What a run with this mapping sends, where that is not matrix(): where collectives go along the grid in which their
  /// members stand, and a mapper cannot see them before it has placed the ranks.
  std::optional<CommunicationMatrix> placed_matrix(const platforms::Machine& machine,
                                                   const netsim::Mapping& mapping) const;

 private:
  std::int32_t ranks_;
  const workloads::Trace* trace_ = nullptr;  ///< null if the matrix was given
  workloads::CollectiveChoice collectives_;
  MatrixKind kind_ = MatrixKind::expanded;
  mutable std::once_flag made_;
  mutable CommunicationMatrix matrix_;
};

}  // namespace toroid::mapping
