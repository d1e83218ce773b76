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

/// Names an allocation while it is made. Not given twice.
using RequestNumber = std::int64_t;
constexpr RequestNumber no_request = -1;

/// Phase 1: is your node free, to be the origin of a puddle? If not, or if that is not enough, ask the next.
struct Search {
  std::int32_t load = 0;     ///< nodes that are still to be found
  Tour tour;                 ///< follows from where the search began: only that travels
  std::size_t place = 0;     ///< of the receiver on the tour
  std::int32_t puddles = 0;  ///< begun so far
  bool contiguous = false;
  bool once_more = false;  ///< if there is no puddle that is large enough, from the start for several
  Nodes found = {};        ///< puddles that count already
};

/// To a neighbour: is your node free?
struct Question {};
struct Reply {
  bool is_free = false;
};

/// Phase 2: find so many nodes, your own and those you lead to.
struct Flow {
  std::int32_t load = 0;
  std::int32_t puddle = 0;  ///< of the request, the how manieth: what is left of one is none of the next
};

/// What came of a Flow.
struct Confirmation {
  std::int32_t remaining = 0;  ///< 0 if all were found
  Nodes found;
};

/// To whom the request came, at the first node of its tour.
struct Answer {
  std::optional<Nodes> nodes;
};

/// Your node is free again; tell these, half by half.
struct Release {
  Nodes others = {};
  bool in_vain = false;  ///< its puddle was too small, so it need not be tried again in the same search
};

using Content = std::variant<Search, Question, Reply, Flow, Confirmation, Answer, Release>;
/// In the order of Content.
constexpr std::array<std::string_view, std::variant_size_v<Content>> message_kinds{
    "search", "question", "reply", "flow", "confirmation", "answer", "release"};

struct Message {
  NodeId from, to;
  RequestNumber request = no_request;  ///< no_request: of a job that ends or shrinks
  Content content;
};

}  // namespace toroid::alloc::leak
