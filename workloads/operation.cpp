#include "toroid/workloads/operation.hpp"

#include <array>

namespace toroid::workloads {

std::string_view to_string(OpKind kind) {
  constexpr std::array<std::string_view, op_kind_count> names{
      "compute",   "sleep",          "compute_after", "send",       "isend",    "recv",      "irecv",      "sendrecv",
      "send_init", "recv_init",      "send_after",    "recv_after", "start",    "startall",  "wait",       "waitall",
      "waitany",   "waitsome",       "test",          "join",       "put",      "barrier",   "bcast",      "reduce",
      "allreduce", "gather",         "gatherv",       "scatter",    "scatterv", "allgather", "allgatherv", "alltoall",
      "alltoallv", "reduce_scatter", "scan",          "exscan",     "fence"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace toroid::workloads
