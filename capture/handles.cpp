#include "capture/handles.hpp"

namespace toroid::capture {
namespace {

MPI_Request shared_request = MPI_REQUEST_NULL;
MPI_Status shared_status;  ///< what a wait for it tells

int tell_status(void*, MPI_Status* status) {
  *status = shared_status;
  return MPI_SUCCESS;
}
int free_nothing(void*) {
  return MPI_SUCCESS;
}
int cancel_nothing(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

void find_shared_request() {
  PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &shared_request);
  MPI_Request request = shared_request;
  PMPI_Wait(&request, &shared_status);
}

void make_unique(MPI_Request& request) {
  if (request != shared_request) return;
  PMPI_Grequest_start(tell_status, free_nothing, cancel_nothing, nullptr, &request);
  PMPI_Grequest_complete(request);
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
