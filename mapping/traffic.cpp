#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/collectives/choice.hpp"

namespace toroid::mapping {

MatrixKind parse_matrix_kind(std::string_view text) {
  if (text == "expanded") return MatrixKind::expanded;
  if (text == "p2p") return MatrixKind::point_to_point;
  core::fail_input("unknown matrix '{}'{}", text, core::valid_instead(text, {"expanded", "p2p"}));
}

struct Traffic::Program {
  const workloads::Trace& trace;
  workloads::CollectiveChoice collectives;
  MatrixKind kind;
};

Traffic::Traffic(const workloads::Trace& trace) : Traffic(trace, {}) {}

Traffic::Traffic(const workloads::Trace& trace, const workloads::CollectiveChoice& collectives, MatrixKind kind)
    : ranks_(trace.ranks()), program_(new Program{trace, collectives, kind}) {}

Traffic::Traffic(CommunicationMatrix matrix)
    : ranks_(static_cast<std::int32_t>(matrix.rows.size())), matrix_(std::move(matrix)) {}

Traffic::~Traffic() = default;

const CommunicationMatrix& Traffic::matrix() const {
  if (program_ == nullptr) return matrix_;
  std::call_once(made_, [this] {
    const auto& [trace, collectives, kind] = *program_;
    matrix_ = kind == MatrixKind::expanded ? workloads::communication_matrix(trace, collectives)
                                           : workloads::point_to_point_matrix(trace);
  });
  return matrix_;
}

std::optional<CommunicationMatrix> Traffic::placed_matrix(const platforms::Machine& machine,
                                                          const netsim::Mapping& mapping) const {
  if (program_ == nullptr || program_->kind != MatrixKind::expanded) return {};
  const auto collectives = program_->collectives.for_program(program_->trace);
  if (!collectives.may_use_grid()) return {};
  return netsim::placed_matrix(machine, program_->trace, collectives, mapping);
}

}  // namespace toroid::mapping
