#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

/// A request that stands for all that have ended when they are posted, and what a wait for it tells.
struct Shared {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
};
/// The object of Open MPI, and the one that a transport may have for sends (UCX).
std::array<Shared, 2> all_shared;

int tell_status(void* shared, MPI_Status* status) {
  *status = static_cast<Shared*>(shared)->status;
  return MPI_SUCCESS;
}
int free_nothing(void*) {
  return MPI_SUCCESS;
}
int cancel_nothing(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

void find_shared_requests() {
  auto& [of_all, of_sends] = all_shared;
  PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &of_all.request);
  MPI_Request request = of_all.request;
  PMPI_Wait(&request, &of_all.status);
  std::array<MPI_Request, 2> sends, receives;
  for (auto& receive : receives) PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &receive);
  for (auto& send : sends) PMPI_Isend(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &send);
  if (sends[0] == sends[1]) of_sends.request = sends[0];
  PMPI_Wait(&sends[0], &of_sends.status);
  PMPI_Wait(&sends[1], MPI_STATUS_IGNORE);
  PMPI_Waitall(static_cast<int>(receives.size()), receives.data(), MPI_STATUSES_IGNORE);
}

void make_unique(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return;
  for (auto& shared : all_shared) {
    if (request != shared.request) continue;
    PMPI_Grequest_start(tell_status, free_nothing, cancel_nothing, &shared, &request);
    PMPI_Grequest_complete(request);
    return;
  }
}

void rename(std::uint64_t from, std::uint64_t to) {
  Entry(Record::renamed).put(from, to);
}

void complete(std::uint64_t request, const MPI_Status* status) {
  Entry entry(Record::completion);
  entry.put(1, 1, request);
  entry.put_signed(status == nullptr ? workloads::any_source : partner_of(status->MPI_SOURCE));
  entry.put_signed(status == nullptr ? workloads::any_tag : tag_of(status->MPI_TAG));
}

}  // namespace toroid::capture
