#pragma once
// What MPI gives the program, as the numbers that are recorded.

#include <mpi.h>

#include "capture/recorder.hpp"

namespace toroid::capture {

/// The number under which a handle (of a request, a communicator, a message) of this process is recorded. 0 is no
/// request: the call blocks.
template <class Handle>
std::uint64_t number_of(Handle* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}
inline std::uint64_t number_of(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? 0 : reinterpret_cast<std::uintptr_t>(request);
}
inline std::uint64_t number_of(const MPI_Request* request) {
  return request == nullptr ? 0 : number_of(*request);
}

/// The size of a datatype in bytes, that of its data alone, without gaps.
inline std::uint64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(size);
}
inline std::uint64_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::uint64_t>(count) * size_of(type);
}

inline workloads::CommRank partner_of(int rank) {
  if (rank == MPI_ANY_SOURCE) return workloads::any_source;
  return rank == MPI_PROC_NULL ? workloads::no_process : rank;
}
inline std::int32_t tag_of(int tag) {
  return tag == MPI_ANY_TAG ? workloads::any_tag : tag;
}

/// Replaces a request that the library shares among calls by one of its own, so that it is known what the program waits
/// for. Open MPI has one request for all that have ended when they are posted, and so may its transports for sends.
void make_unique(MPI_Request& request);
/// Finds out which requests the library shares. Called once MPI is initialized.
void find_shared_requests();

/// Records that the request that was recorded as `from` is called `to` from now on.
void rename(std::uint64_t from, std::uint64_t to);
/// Records that a request has ended that the rank had waited for.
void complete(std::uint64_t request, const MPI_Status* status = nullptr);

/// Records a communicator that all ranks of `parent` have made together, or, for record_communicator_of_group(), that
/// its own ranks have made with a tag. `made` is MPI_COMM_NULL if this rank is not in it.
void record_communicator(MPI_Comm parent, MPI_Comm made);
void record_communicator_of_group(MPI_Comm parent, int tag, MPI_Comm made);

}  // namespace toroid::capture
