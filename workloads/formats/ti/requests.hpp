#pragma once
// The requests of TI traces. TI gives no handles: a wait names its request by sender, receiver and tag of the message,
// a waitall or waitAny only says how many requests it is for. Here names become handles.

#include "workloads/compact_trace.hpp"

namespace toroid::workloads::ti {

struct RequestName {
  CommRank sender, receiver;  ///< ranks of the world
  std::int32_t tag;
  bool operator==(const RequestName&) const = default;
};

/// The name that an isend or irecv of `rank` on the world gives its request.
RequestName request_name(const Operation& operation, Rank rank);

/// The names in the program of one rank. The handle of a request is the number of its name: requests of one name are
/// taken in the order in which they were posted, and so are those of one handle.
class RequestNames {
 public:
  /// The handle of a name; a new name gets a new handle.
  RequestHandle handle(const RequestName& name);
  /// The handle of a name; no_handle if handle() was never asked for it.
  RequestHandle find(const RequestName& name) const;
  const RequestName& operator[](RequestHandle handle) const { return names_[handle]; }
  std::size_t size() const { return names_.size(); }

 private:
  struct Hash {
    std::uint64_t operator()(const RequestName& name) const;
  };
  core::FlatMap<RequestName, RequestHandle, Hash> handles_;
  std::vector<RequestName> names_;
};

/// Finds out which requests the waits of a rank are for, by the rules of docs/reference/traces.md. Before, requests
/// have the handles of their names, and a waitall or waitany has the number of its requests as `bytes`; afterwards it
/// has their handles. Throws InputError `file:line: ...` at a wait for a request that is never posted. To be called
/// once for a rank, before the trace is finished.
void resolve_requests(CompactTrace& trace, Rank rank, const RequestNames& names);

}  // namespace toroid::workloads::ti
