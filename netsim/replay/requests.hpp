#pragma once
// Requests: what a rank can wait for. A call that does not block leaves one outstanding, to be found later by its place
// in the order of posting or by its name.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flat_map.hpp"
#include "core/pool.hpp"
#include "workloads/operation.hpp"

namespace toroid::netsim {

using workloads::Rank;
using workloads::RequestName;

using RequestId = std::uint32_t;
inline constexpr RequestId no_request = ~RequestId{0};

struct Request {
  RequestName name;  ///< as posted: a receive may have wildcards in it
  Rank owner;
  std::uint32_t context;    ///< of its message (matching.hpp)
  std::uint64_t operation;  ///< index in the owner's stream
  bool is_send;
  bool by_name = false;  ///< a wait of the program will end it by its name
  bool done = false;
  bool awaited = false;  ///< its owner is blocked on it

  struct Links {
    RequestId before = no_request, after = no_request;
  };
  Links in_order = {}, of_name = {};  ///< neighbours in the lists of Outstanding
};

using Requests = core::Pool<Request>;

struct HashRequestName {
  std::uint64_t operator()(const RequestName& name) const;
};

/// The outstanding requests of one rank. Adding, removing and finding take constant time, amortised, but for a wait
/// with wildcards: a few requests are searched, many are indexed by their names.
class Outstanding {
 public:
  explicit Outstanding(Requests& requests) : requests_(requests) {}

  void add(RequestId id);
  void remove(RequestId id);

  /// The oldest one of that name; if there is none the oldest that fits when wildcards count, in the name or in how
  /// the request was posted; else no_request.
  RequestId find(const RequestName& name);

  /// Puts the `count` newest that no later wait names, or all if there are fewer, into `chosen`, oldest first.
  void newest(std::size_t count, std::vector<RequestId>& chosen) const;
  /// Takes all out and puts them into `chosen`.
  void take_all(std::vector<RequestId>& chosen);

 private:
  struct List {
    RequestId first = no_request, last = no_request;
  };

  template <Request::Links Request::*links>
  void append(List& list, RequestId id);
  template <Request::Links Request::*links>
  void unlink(List& list, RequestId id);
  void add_to_index(RequestId id);
  void build_index();
  RequestId find_indexed(const RequestName& name) const;
  template <class Wanted>
  RequestId oldest(Wanted&& wanted) const;
  RequestId older(RequestId a, RequestId b) const;

  Requests& requests_;
  List named_, others_;  ///< by_name or not, in order of posting
  std::size_t size_ = 0;
  bool indexed_ = false;  ///< since a search among many, until none is left
  core::FlatMap<RequestName, List, HashRequestName> of_name_;
};

}  // namespace toroid::netsim
