#pragma once
// What the processor managers tell each other (De Rose, Heiss, Linnert: Distributed dynamic processor allocation for
// multicomputers, Parallel Computing 33, 2007, Figures 2 and 3).

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "alloc/leak/topology.hpp"

namespace toroid::alloc::leak {

using Nodes = std::vector<NodeId>;

/// The number of a request while its allocation is made. No number is used twice.
using RequestNumber = std::int64_t;
constexpr RequestNumber no_request = -1;

/// Phase 1 asks a manager whether its node is free to be the origin of a puddle. If it is not, or the puddle is not
/// large enough, the search goes on to the next node of the tour.
struct Search {
  std::int32_t load = 0;     ///< nodes that are still to be found
  Tour tour;                 ///< only its start travels in a real message: the tour follows from it
  std::size_t place = 0;     ///< place of the receiver on the tour
  std::int32_t puddles = 0;  ///< number of puddles begun so far
  bool contiguous = false;
  bool once_more = false;  ///< whether, if no single puddle is large enough, it starts again for several
  Nodes found = {};        ///< nodes of the puddles found so far
};

/// Asks a neighbour whether its node is free.
struct Question {};
struct Reply {
  bool is_free = false;
};

/// Phase 2 tells a manager to find `load` nodes: its own, and nodes behind it.
struct Flow {
  std::int32_t load = 0;
  std::int32_t puddle = 0;  ///< number of the puddle within the request: remains of one do not belong to the next
};

/// The result of a Flow.
struct Confirmation {
  std::int32_t remaining = 0;  ///< nodes that were not found
  Nodes found;
};

/// The result of a request, for the manager that it was made to, at the first node of its tour.
struct Answer {
  std::optional<Nodes> nodes;
};

/// Tells a manager that its node is free again. It passes the message on to the first node of each half of `others`,
/// with the rest of that half.
struct Release {
  Nodes others = {};
  bool in_vain = false;  ///< whether its puddle was too small: the same search need not try its node again
};

using Content = std::variant<Search, Question, Reply, Flow, Confirmation, Answer, Release>;
/// The names of the kinds of messages, in the order of Content.
constexpr std::array<std::string_view, std::variant_size_v<Content>> message_kinds{
    "search", "question", "reply", "flow", "confirmation", "answer", "release"};

struct Message {
  NodeId from, to;
  RequestNumber request = no_request;  ///< no_request: it concerns a job that ends or shrinks
  Content content;
};

}  // namespace toroid::alloc::leak
