#pragma once
// What MPI gives the program, as the numbers that are recorded.

#include <mpi.h>

#include <cstdint>

#include "capture/recorder.hpp"

namespace toroid::capture {

/// A handle (of a request, a communicator, a message) in this process. 0 is no request: the call blocks.
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

/// Of the data alone, without gaps.
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

/// Open MPI has one request for all that have ended when they are posted, and so may its transports for sends. The
/// program gets one of its own instead, so that it is seen what it waits for.
void make_unique(MPI_Request& request);
/// Once MPI is initialized: finds out which these are.
void find_shared_requests();

/// A request was recorded under the first name, and goes by the second.
void rename(std::uint64_t from, std::uint64_t to);
/// A request has ended, and the rank had waited for it.
void complete(std::uint64_t request, const MPI_Status* status = nullptr);

}  // namespace toroid::capture
