// The distributed allocator Leak: the host, which hands requests to the managers and hears their answers.

#include "alloc/leak/manager.hpp"
#include "core/units.hpp"

namespace toroid::alloc {
namespace leak {
namespace {

enum class Contiguous : std::uint8_t { no, yes, first };

const core::Parameter<Contiguous> contiguous{
    "contiguous", "one puddle or several; first: several if no single one is large enough",
    core::one_of<Contiguous>({{"no", Contiguous::no}, {"yes", Contiguous::yes}, {"first", Contiguous::first}}), "no"};

const core::Parameter<double> handling{
    "handling", "time that a manager takes for each message, besides that on the network", core::duration(), "0s"};

double time_per_message(const Site& site, const core::Arguments& arguments) {
  if (arguments[handling] > 0 && site.clock == nullptr)
    core::fail_input("'{}': handling: no time passes here while nodes are sought", arguments.spec().text());
  return arguments[handling];
}

/// Nodes of the largest region whose managers reach each other.
std::int32_t largest_region(const Machine& machine, const Topology& topology) {
  core::IdVector<NodeId, char> seen(machine.node_count(), 0);
  std::size_t largest = 0;
  for (const NodeId origin : machine.compute_nodes()) {
    Nodes region;
    const auto reach = [&](NodeId node) {
      if (seen[node] == 0) region.push_back(node);
      seen[node] = 1;
    };
    reach(origin);
    for (std::size_t i = 0; i < region.size(); ++i)
      for (const NodeId next : topology.neighbours(region[i])) reach(next);
    largest = std::max(largest, region.size());
  }
  return static_cast<std::int32_t>(largest);
}

class Leak final : public Allocator, World {
 public:
  Leak(const Site& site, const core::Arguments& arguments)
      : site_(site),
        contiguous_(arguments[contiguous]),
        topology_(site.machine()),
        post_(site, time_per_message(site, arguments), [this](Message message) { deliver(std::move(message)); }) {
    for (const NodeId node : site.machine().nodes()) managers_.add(node);
    largest_ = contiguous_ == Contiguous::yes ? largest_region(site.machine(), topology_)
                                              : static_cast<std::int32_t>(site.machine().compute_nodes().size());
  }

  void allocate(const Request& request, Decided decided) override;
  void release(std::int64_t job, std::span<const NodeId> nodes) override;
  bool fits(const Request& request) const override { return request.nodes <= largest_; }
  bool counting_suffices() const override { return contiguous_ != Contiguous::yes; }
  std::vector<core::Figure> figures() const override;

 private:
  struct Pending {
    std::int32_t nodes;
    std::optional<NodeId> origin;  ///< the node where a job that grows asks
    Decided decided;
    netsim::Time asked;
    std::int64_t messages = 0;
    bool alone = true;  ///< whether nobody else in the machine searches or releases
  };
  /// Counts of initial allocations, or of partial ones.
  struct Tally {
    std::int64_t requests = 0, granted = 0;
    std::int64_t messages = 0;  ///< the messages of granted requests, from question to answer
    netsim::Time time;          ///< the time of granted requests
  };

  netsim::Time now() const { return site_.clock == nullptr ? netsim::Time() : site_.clock->now(); }
  void search(Pending pending);
  void search_again();
  void deliver(Message message);

  void send(Message message) override;
  bool is_free(NodeId node) const override { return managers_[node].owner() == no_request && site_.free.is_free(node); }
  std::vector<NodeId> neighbours(NodeId node) const override { return topology_.neighbours(node); }
  void answered(RequestNumber request, std::optional<Nodes> nodes) override;
  void freed(NodeId node, RequestNumber request) override {
    if (request == no_request) site_.free.give_back({&node, 1});
  }

  Site site_;
  Contiguous contiguous_;
  Topology topology_;
  std::int32_t largest_ = 0;  ///< job that fits an empty machine
  core::IdVector<NodeId, Manager> managers_;
  Post post_;
  RequestNumber next_request_ = 0;
  std::uint32_t next_corner_ = 0;
  std::map<RequestNumber, Pending> searching_;
  std::deque<Pending> disturbed_;  ///< found nothing, but were not alone
  std::int64_t releases_ = 0;      ///< messages under way
  Tally initial_, partial_;
};

// The host knows how many nodes are free, and troubles no manager for more.
void Leak::allocate(const Request& request, Decided decided) {
  TOROID_ASSERT(request.nodes >= 1);
  if (request.held.empty() && request.nodes > site_.free.count()) return decided(std::nullopt);
  ++(request.held.empty() ? initial_ : partial_).requests;
  const auto origin = request.held.empty() ? std::nullopt : std::optional(request.held.front());
  search({request.nodes, origin, std::move(decided), now()});
}

void Leak::search(Pending pending) {
  const auto number = next_request_++;
  pending.alone = searching_.empty() && releases_ == 0;
  for (auto& [_, other] : searching_) other.alone = false;
  const auto tour =
      pending.origin ? topology_.spiral(*pending.origin) : topology_.snake(next_corner_++ % topology_.corners());
  Search search{.load = pending.nodes, .tour = tour};
  // Partial allocations are not contiguous: few partitions have room beside them when they want to grow.
  search.contiguous = contiguous_ != Contiguous::no && !pending.origin;
  search.once_more = search.contiguous && contiguous_ == Contiguous::first;
  searching_.emplace(number, std::move(pending));
  post_.send({tour->front(), tour->front(), number, std::move(search)});
}

void Leak::deliver(Message message) {
  const bool is_release = std::holds_alternative<Release>(message.content);
  const NodeId to = message.to;
  managers_[to].receive(std::move(message), *this);
  if (is_release) --releases_;
  search_again();
}

// What two searches hold of the same nodes neither finds, and who asks while nodes are on their way back does not find
// them: a refusal counts only if the search was alone. Otherwise it is made again when it can be.
void Leak::search_again() {
  if (disturbed_.empty() || !searching_.empty() || releases_ > 0) return;
  auto next = std::move(disturbed_.front());
  disturbed_.pop_front();
  search(std::move(next));
}

void Leak::answered(RequestNumber request, std::optional<Nodes> nodes) {
  const auto found = searching_.find(request);
  TOROID_ASSERT(found != searching_.end());
  auto pending = std::move(found->second);
  searching_.erase(found);
  if (!nodes && !pending.alone) return disturbed_.push_back(std::move(pending));
  if (nodes) {
    TOROID_ASSERT(nodes->size() == static_cast<std::size_t>(pending.nodes));
    site_.free.take(*nodes);
    auto& tally = pending.origin ? partial_ : initial_;
    ++tally.granted;
    tally.messages += pending.messages;
    tally.time += now() - pending.asked;
  }
  pending.decided(std::move(nodes));
}

void Leak::send(Message message) {
  if (std::holds_alternative<Release>(message.content)) ++releases_;
  if (const auto found = searching_.find(message.request); found != searching_.end())
    found->second.messages += message.from == message.to ? 0 : 1;
  post_.send(std::move(message));
}

// The wave begins at the first of the nodes. Nodes of a job are free in FreeNodes as it reaches them.
void Leak::release(std::int64_t, std::span<const NodeId> nodes) {
  if (nodes.empty()) return;
  for (auto& [_, other] : searching_) other.alone = false;
  send({nodes.front(), nodes.front(), no_request, Release{Nodes(nodes.begin() + 1, nodes.end())}});
}

std::vector<core::Figure> Leak::figures() const {
  std::vector<core::Figure> all;
  const auto add = [&](std::string name, double value) { all.push_back({std::move(name), value}); };
  const auto add_mean = [&](std::string name, double sum, std::int64_t count) {
    add(std::move(name), count == 0 ? 0 : sum / static_cast<double>(count));
  };
  const auto add_tally = [&](const std::string& prefix, const Tally& tally) {
    add(prefix + "requests", static_cast<double>(tally.requests));
    add(prefix + "granted", static_cast<double>(tally.granted));
    add_mean(prefix + "messages_per_allocation", static_cast<double>(tally.messages), tally.granted);
    add_mean(prefix + "mean_allocation_s", tally.time.seconds(), tally.granted);
  };
  add_tally("", {initial_.requests + partial_.requests, initial_.granted + partial_.granted,
                 initial_.messages + partial_.messages, initial_.time + partial_.time});
  add_tally("initial_", initial_);
  add_tally("partial_", partial_);
  const auto& counts = post_.counts();
  add("messages", static_cast<double>(counts.total));
  for (std::size_t kind = 0; kind < message_kinds.size(); ++kind)
    add(fmt::format("{}_messages", message_kinds[kind]), static_cast<double>(counts.by_kind[kind]));
  add_mean("mean_message_bytes", static_cast<double>(counts.bytes), counts.total);
  return all;
}

}  // namespace
}  // namespace leak

core::Entry<MakeAllocator> leak_allocator() {
  return {"leak",
          "distributed (De Rose): managers on the nodes search by messages; form-free puddles",
          make<leak::Leak>,
          {leak::contiguous, leak::handling}};
}

}  // namespace toroid::alloc
