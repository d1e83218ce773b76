#pragma once
// The processor managers, what they tell each other, and their logical topology (De Rose, Heiss, Linnert: Distributed
// dynamic processor allocation for multicomputers, Parallel Computing 33, 2007, Figures 2 and 3).

#include "netsim/network.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc::leak {

/// All compute nodes, each once, in the order in which a search visits their managers.
using Tour = std::shared_ptr<const std::vector<NodeId>>;

/// The logical topology of the managers: who is whose neighbour, and in which order a search visits them.
class Topology {
 public:
  /// The machine must outlive it.
  explicit Topology(const Machine& machine) : machine_(machine) {}

  /// The neighbours of a node: the other compute nodes on its router, then those on routers that a working link, in
  /// either direction, joins to its router.
  std::vector<NodeId> neighbours(NodeId node) const;

  /// The number of corners from which a search may start: 2^n with n dimensions of more than one router.
  std::uint32_t corners() const;
  /// The tour row by row, back and forth, from a corner. Bit k of `corner` says that the k-th dimension of more than
  /// one router is walked from its end.
  Tour snake(std::uint32_t corner);

  /// The tour from near to far: square rings around `origin`, each walked round in steps of one; in more dimensions the
  /// shells of cubes, plane by plane. A torus is cut open where it is farthest from the origin.
  Tour spiral(NodeId origin);

 private:
  /// The most nodes in all tours that are kept; further tours are made anew each time.
  static constexpr std::size_t most_kept = std::size_t{1} << 22U;

  using Name = std::pair<bool, std::int64_t>;  ///< a snake's corner, or a spiral's origin
  Tour keep(Name name, const std::vector<RouterId>& routers);

  const Machine& machine_;
  std::map<Name, Tour> tours_;
  std::size_t kept_ = 0;
};

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

/// What managers need of the outside: the messages, the topology, and the record of free nodes.
class World {
 public:
  virtual ~World() = default;
  virtual void send(Message message) = 0;
  /// Whether a node is free. A manager asks this only of its own node.
  virtual bool is_free(NodeId node) const = 0;
  virtual std::vector<NodeId> neighbours(NodeId node) const = 0;
  /// Hears that a request is decided, at the node where it was made: with its nodes, or with nothing if it gets none.
  virtual void answered(RequestNumber request, std::optional<Nodes> nodes) = 0;
  /// Hears that a node is free again that a request had, or, if `request` is no_request, a job.
  virtual void freed(NodeId node, RequestNumber request) = 0;
};

/// A processor manager: the actor on each node that, with those on the others, decides whom the node serves. It knows
/// nothing but its own state and acts when a message comes. It never waits for one message and leaves others lying: of
/// several requests under way at once none can block another.
class Manager {
 public:
  explicit Manager(NodeId node) : node_(node), parent_(node) {}

  /// The request that the manager's node belongs to, granted or under way; no_request if there is none.
  RequestNumber owner() const { return owner_; }

  void receive(Message message, World& world);

 private:
  void on(const Message& message, Search& search, World& world);
  void on(const Message& message, const Question& question, World& world);
  void on(const Message& message, const Reply& reply, World& world);
  void on(const Message& message, const Flow& flow, World& world);
  void on(const Message& message, const Confirmation& confirmation, World& world);
  void on(const Message& message, Answer& answer, World& world);
  void on(const Message& message, const Release& release, World& world);

  void occupy(RequestNumber request, std::int32_t puddle, NodeId parent, World& world);
  void pour(std::int32_t load, World& world);
  void spread(World& world);
  void close(NodeId neighbour) { std::erase(open_, neighbour); }
  void end_of_puddle(World& world);
  void pass_on(RequestNumber request, Search search, World& world);
  void take_back(RequestNumber request, const Nodes& nodes, bool in_vain, World& world);
  void send(NodeId to, RequestNumber request, Content content, World& world) const;

  NodeId node_;
  RequestNumber owner_ = no_request;
  RequestNumber tried_ = no_request;  ///< the request that had its node in a puddle that was too small
  std::int32_t puddle_ = 0;
  NodeId parent_;                   ///< node from which the flow came; at the origin the node itself
  std::int32_t remaining_ = 0;      ///< nodes of its load that are not yet found or left to others
  std::int32_t awaited_ = 0;        ///< number of replies or confirmations that are still to come
  bool has_asked_ = false;          ///< whether it has asked its neighbours
  std::vector<NodeId> open_;        ///< neighbours that may still find nodes
  Nodes found_;                     ///< nodes found since its last confirmation, its own and those behind it
  std::unique_ptr<Search> search_;  ///< the search, at the origin of a growing puddle; else null
};

/// How many messages nodes have sent each other. What a manager tells itself, or the host tells it, is no message and
/// takes no time.
struct MessageCounts {
  std::array<std::int64_t, message_kinds.size()> by_kind{};
  std::int64_t total = 0;
  std::uint64_t bytes = 0;
};

/// Delivers messages. A message takes the time that the network needs, if there is one; then, as a manager handles one
/// message at a time, it waits for those before it and takes its own handling time. Where neither takes time, messages
/// are delivered before anything else happens, in the order of sending.
class Post final : netsim::FlowClient, netsim::TimerClient {
 public:
  using Deliver = std::function<void(Message)>;

  /// `handling` is the time, in seconds, that a manager takes for each message. The site needs a clock if anything
  /// takes time.
  Post(const Site& site, double handling, Deliver deliver);
  ~Post() override;

  void send(Message message);
  const MessageCounts& counts() const { return counts_; }

 private:
  enum class Stage { delivered, on_network, handled };
  struct Letter {
    Message message;
    Stage stage = Stage::delivered;
    std::uint32_t waits_for = 0;  ///< number of the flow or timer
  };

  void flow_ended(std::uint32_t letter, const netsim::FlowEnd&) override { arrive(letter); }
  void timer_ended(std::uint32_t letter) override;
  void arrive(std::uint32_t letter);
  void deliver_all();

  netsim::Clock* clock_;
  netsim::Network* network_;
  netsim::Time handling_;
  Deliver deliver_;
  core::Pool<Letter> letters_;  ///< messages under way, where they take time
  std::deque<Message> queue_;   ///< messages under way, where they take none
  bool delivering_ = false;
  core::IdVector<NodeId, netsim::Time> idle_from_;  ///< when a node's manager has handled its messages
  MessageCounts counts_;
};

}  // namespace toroid::alloc::leak
