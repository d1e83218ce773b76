// Collectives, blocking or not. What a rank contributes is as workloads/operation.hpp says; in place, by the counts
// that say something then.

#include "capture/ways.hpp"

namespace toroid::capture {
namespace {

using workloads::OpKind;

constexpr int no_root = 0;
using Bytes = std::vector<std::uint64_t>;  ///< bytes for each rank

int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}
std::size_t size_in(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return static_cast<std::size_t>(size);
}

Bytes all_bytes(const int* counts, MPI_Datatype type, MPI_Comm comm) {
  Bytes bytes(size_in(comm));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = bytes_of(counts[i], type);
  return bytes;
}
Bytes all_bytes(const int* counts, const MPI_Datatype* types, MPI_Comm comm) {
  Bytes bytes(size_in(comm));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = bytes_of(counts[i], types[i]);
  return bytes;
}

void record(OpKind kind, MPI_Comm comm, const MPI_Request* request, int root, std::uint64_t bytes,
            const Bytes& sends = {}, const Bytes& receives = {}) {
  Entry entry(Record::collective);
  entry.put(kind, number_of(comm), number_of(request), root, bytes);
  for (const auto* list : {&sends, &receives}) {
    entry.put(list->size());
    for (const auto each : *list) entry.put(each);
  }
}

void barrier(MPI_Comm comm, const MPI_Request* request) {
  record(OpKind::barrier, comm, request, no_root, 0);
}

void bcast(void*, int count, MPI_Datatype type, int root, MPI_Comm comm, const MPI_Request* request) {
  record(OpKind::bcast, comm, request, root, bytes_of(count, type));
}

void reduce(const void*, void*, int count, MPI_Datatype type, MPI_Op, int root, MPI_Comm comm,
            const MPI_Request* request) {
  record(OpKind::reduce, comm, request, root, bytes_of(count, type));
}

/// allreduce, scan, exscan.
template <OpKind kind>
void reduce_for_all(const void*, void*, int count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                    const MPI_Request* request) {
  record(kind, comm, request, no_root, bytes_of(count, type));
}

void gather(const void*, int sent, MPI_Datatype sent_type, void*, int received, MPI_Datatype received_type, int root,
            MPI_Comm comm, const MPI_Request* request) {
  const auto bytes = rank_in(comm) == root ? bytes_of(received, received_type) : bytes_of(sent, sent_type);
  record(OpKind::gather, comm, request, root, bytes);
}

void scatter(const void*, int sent, MPI_Datatype sent_type, void*, int received, MPI_Datatype received_type, int root,
             MPI_Comm comm, const MPI_Request* request) {
  const auto bytes = rank_in(comm) == root ? bytes_of(sent, sent_type) : bytes_of(received, received_type);
  record(OpKind::scatter, comm, request, root, bytes);
}

void gatherv(const void*, int sent, MPI_Datatype sent_type, void*, const int* received, const int*,
             MPI_Datatype received_type, int root, MPI_Comm comm, const MPI_Request* request) {
  const auto me = rank_in(comm);
  if (me != root) return record(OpKind::gatherv, comm, request, root, bytes_of(sent, sent_type));
  const auto receives = all_bytes(received, received_type, comm);
  record(OpKind::gatherv, comm, request, root, receives[static_cast<std::size_t>(me)], {}, receives);
}

void scatterv(const void*, const int* sent, const int*, MPI_Datatype sent_type, void*, int received,
              MPI_Datatype received_type, int root, MPI_Comm comm, const MPI_Request* request) {
  const auto me = rank_in(comm);
  if (me != root) return record(OpKind::scatterv, comm, request, root, bytes_of(received, received_type));
  const auto sends = all_bytes(sent, sent_type, comm);
  record(OpKind::scatterv, comm, request, root, sends[static_cast<std::size_t>(me)], sends);
}

/// allgather, alltoall.
template <OpKind kind>
void exchange_blocks(const void*, int, MPI_Datatype, void*, int received, MPI_Datatype received_type, MPI_Comm comm,
                     const MPI_Request* request) {
  record(kind, comm, request, no_root, bytes_of(received, received_type));
}

void allgatherv(const void*, int, MPI_Datatype, void*, const int* received, const int*, MPI_Datatype received_type,
                MPI_Comm comm, const MPI_Request* request) {
  const auto receives = all_bytes(received, received_type, comm);
  record(OpKind::allgatherv, comm, request, no_root, receives[static_cast<std::size_t>(rank_in(comm))], {}, receives);
}

/// alltoallv, with one type for all, and alltoallw, with one for each.
template <class Types>
void exchange_any(const void* buffer, const int* sent, const int*, Types sent_type, void*, const int* received,
                  const int*, Types received_type, MPI_Comm comm, const MPI_Request* request) {
  const auto receives = all_bytes(received, received_type, comm);
  const auto sends = buffer == MPI_IN_PLACE ? receives : all_bytes(sent, sent_type, comm);
  record(OpKind::alltoallv, comm, request, no_root, 0, sends, receives);
}

void reduce_scatter(const void*, void*, const int* counts, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                    const MPI_Request* request) {
  record(OpKind::reduce_scatter, comm, request, no_root, 0, {}, all_bytes(counts, type, comm));
}

void reduce_scatter_block(const void*, void*, int count, MPI_Datatype type, MPI_Op, MPI_Comm comm,
                          const MPI_Request* request) {
  record(OpKind::reduce_scatter, comm, request, no_root, 0, {}, Bytes(size_in(comm), bytes_of(count, type)));
}

CAPTURE_COLLECTIVE(MPI_Barrier, MPI_Ibarrier, barrier)
CAPTURE_COLLECTIVE(MPI_Bcast, MPI_Ibcast, bcast)
CAPTURE_COLLECTIVE(MPI_Reduce, MPI_Ireduce, reduce)
CAPTURE_COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, reduce_for_all<OpKind::allreduce>)
CAPTURE_COLLECTIVE(MPI_Scan, MPI_Iscan, reduce_for_all<OpKind::scan>)
CAPTURE_COLLECTIVE(MPI_Exscan, MPI_Iexscan, reduce_for_all<OpKind::exscan>)
CAPTURE_COLLECTIVE(MPI_Gather, MPI_Igather, gather)
CAPTURE_COLLECTIVE(MPI_Gatherv, MPI_Igatherv, gatherv)
CAPTURE_COLLECTIVE(MPI_Scatter, MPI_Iscatter, scatter)
CAPTURE_COLLECTIVE(MPI_Scatterv, MPI_Iscatterv, scatterv)
CAPTURE_COLLECTIVE(MPI_Allgather, MPI_Iallgather, exchange_blocks<OpKind::allgather>)
CAPTURE_COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv, allgatherv)
CAPTURE_COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, exchange_blocks<OpKind::alltoall>)
CAPTURE_COLLECTIVE(MPI_Alltoallv, MPI_Ialltoallv, exchange_any<MPI_Datatype>)
CAPTURE_COLLECTIVE(MPI_Alltoallw, MPI_Ialltoallw, exchange_any<const MPI_Datatype*>)
CAPTURE_COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter, reduce_scatter)
CAPTURE_COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, reduce_scatter_block)

}  // namespace
}  // namespace toroid::capture
