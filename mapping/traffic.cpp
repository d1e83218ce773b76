#include "mapping/traffic.hpp"

#include "netsim/placed_grid.hpp"

namespace toroid::mapping {

MatrixKind parse_matrix_kind(std::string_view text) {
  if (text == "expanded") return MatrixKind::expanded;
  if (text == "p2p") return MatrixKind::point_to_point;
  core::fail_input("unknown matrix '{}'{}", text, core::valid_instead(text, {"expanded", "p2p"}));
}

Traffic::Traffic(const workloads::Trace& trace, const workloads::CollectiveChoice& collectives, MatrixKind kind)
    : ranks_(trace.ranks()), trace_(&trace), collectives_(collectives), kind_(kind) {}

Traffic::Traffic(CommunicationMatrix matrix)
    : ranks_(static_cast<std::int32_t>(matrix.rows.size())), matrix_(std::move(matrix)) {}

const CommunicationMatrix& Traffic::matrix() const {
  if (trace_ == nullptr) return matrix_;
  std::call_once(made_, [this] {
    matrix_ = kind_ == MatrixKind::expanded ? workloads::communication_matrix(*trace_, collectives_)
                                            : workloads::point_to_point_matrix(*trace_);
  });
  return matrix_;
}

std::optional<CommunicationMatrix> Traffic::placed_matrix(const platforms::Machine& machine,
                                                          const netsim::Mapping& mapping) const {
  if (trace_ == nullptr || kind_ != MatrixKind::expanded) return {};
  const auto collectives = collectives_.for_program(*trace_);
  if (!collectives.may_use_grid()) return {};
  return netsim::placed_matrix(machine, *trace_, collectives, mapping);
}

}  // namespace toroid::mapping
