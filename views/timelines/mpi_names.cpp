#include "views/timelines/mpi_names.hpp"

#include <cctype>
#include <string_view>

namespace toroid::views {

using workloads::OpKind;
using workloads::SendMode;

namespace {

/// What stands before the name of a send: `s` for MPI_Ssend.
std::string_view mode_letter(SendMode mode) {
  switch (mode) {
    case SendMode::synchronous:
      return "s";
    case SendMode::buffered:
      return "b";
    default:
      return "";
  }
}

}  // namespace

std::string mpi_name(const netsim::Call& call) {
  const std::string name(to_string(call.kind)), mode(mode_letter(call.mode));
  std::string text;
  switch (call.kind) {
    case OpKind::compute:
    case OpKind::sleep:
    case OpKind::compute_after:
    case OpKind::send_after:
    case OpKind::recv_after:
    case OpKind::join:
      return {};
    case OpKind::fence:
      return "MPI_Win_fence";
    case OpKind::send:
    case OpKind::send_init:
      text = mode + name;
      break;
    case OpKind::isend:
      text = "i" + mode + "send";
      break;
    default:
      text = workloads::is_collective(call.kind) && call.has_request ? "i" + name : name;
  }
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return "MPI_" + text;
}

}  // namespace toroid::views
