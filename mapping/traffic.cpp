#include "mapping/traffic.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace toroid::mapping {

MatrixKind parse_matrix_kind(std::string_view text) {
  if (text == "expanded") return MatrixKind::expanded;
  if (text == "p2p") return MatrixKind::point_to_point;
  core::fail_input("unknown matrix '{}'{}", text, core::valid_instead(text, {"expanded", "p2p"}));
}

Traffic::Traffic(const workloads::Trace& trace, const workloads::CollectiveChoice& collectives, MatrixKind kind)
    : ranks_(trace.ranks()), make_([&trace, collectives, kind] {
        return kind == MatrixKind::expanded ? workloads::communication_matrix(trace, collectives)
                                            : workloads::point_to_point_matrix(trace);
      }) {}

Traffic::Traffic(CommunicationMatrix matrix)
    : ranks_(static_cast<std::int32_t>(matrix.rows.size())), make_([matrix = std::move(matrix)] { return matrix; }) {}

const CommunicationMatrix& Traffic::matrix() const {
  std::call_once(made_, [this] { matrix_ = make_(); });
  return matrix_;
}

}  // namespace toroid::mapping
