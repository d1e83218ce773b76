#include "mapping/costs/swapped_loads.hpp"

namespace toroid::mapping {

const core::OptionalParameter<Routing> routing_parameter{"routing", "the routes that messages take",
                                                         core::one_of<Routing>(platforms::words<Routing>()),
                                                         "the machine's router.routing"};

Routes::Routes(const platforms::Machine& machine, Routing routing) : machine_(machine) {
  if (routing == Routing::dimension_order) return;
  const auto& grid = machine.grid();
  auto order = grid.order();
  const auto add = [&](std::vector<std::size_t> other) {
    std::ranges::stable_sort(other, std::greater<>(), [&](auto d) { return zone(routing, grid.dimension(d)); });
    if (std::exchange(order, other) == other) return;  // the one before again
    auto description = machine.description();
    description.routing = std::move(other);
    others_.emplace_back(std::move(description));
  };
  add(order);
  takes_own_ = others_.empty();
  add({order.rbegin(), order.rend()});
}

SwappedLoads::SwappedLoads(const TrafficGraph& traffic, Routes routes, std::span<const NodeId> slots,
                           Assignment slot_of)
    : routes_(std::move(routes)),
      slots_(std::vector(slots.begin(), slots.end())),
      placement_(std::move(slot_of)),
      messages_of_(traffic.rank_count()) {
  TOROID_ASSERT(slots_.size() == placement_.slot_of().size());
  const auto links = static_cast<std::size_t>(routes_.machine().link_count());
  bytes_.resize(links);
  seconds_per_byte_.resize(links);
  messages_on_.resize(links);
  change_.resize(links);
  is_changed_.resize(links);
  for (const LinkId link : bytes_.ids())
    if (routes_.machine().link_exists(link)) seconds_per_byte_[link] = 1 / routes_.machine().link_bandwidth(link);
  for (const Rank from : traffic.ranks())
    for (const auto& edge : traffic.neighbours(from)) {
      if (edge.sent == 0) continue;
      const auto id = static_cast<MessageId>(messages_.size());
      for (const Rank rank : {from, edge.rank}) messages_of_[rank].push_back(id);
      messages_.push_back({from, edge.rank, edge.sent});
      routes_.for_each_link(node(from), node(edge.rank), [&](LinkId link) {
        bytes_[link] += edge.sent / routes_.ways();
        messages_on_[link].push_back(id);
      });
    }
}

double SwappedLoads::peak() const {
  double most = 0;
  for (const LinkId link : links()) most = std::max(most, seconds(link));
  return most;
}

bool SwappedLoads::are_as_recounted() const {
  core::IdVector<LinkId, double> bytes(bytes_.size(), 0);
  core::IdVector<LinkId, std::size_t> messages(bytes_.size(), 0);
  double most = 0;
  for (const auto& message : messages_)
    routes_.for_each_link(node(message.from), node(message.to), [&](LinkId link) {
      most = std::max(most, bytes[link] += message.bytes / routes_.ways());
      ++messages[link];
    });
  return std::ranges::all_of(bytes.ids(), [&](LinkId link) {
    return std::abs(bytes[link] - bytes_[link]) <= 1e-9 * (1 + most) && messages[link] == messages_on_[link].size();
  });
}

std::span<const SwappedLoads::MessageId> SwappedLoads::messages_of(Rank rank) const {
  if (!messages_of_.has(rank)) return {};
  return messages_of_[rank];
}

/// Each message of the two once.
template <class Visit>
void SwappedLoads::for_each_message(Rank a, Rank b, Visit&& visit) const {
  for (const MessageId id : messages_of(a)) visit(id);
  if (a == b) return;
  for (const MessageId id : messages_of(b))
    if (messages_[id].other(b) != a) visit(id);
}

/// Adds so many bytes for each way of the message, as its ranks stand now, to the changes of the links.
void SwappedLoads::add(const Message& message, double bytes) {
  routes_.for_each_link(node(message.from), node(message.to), [&](LinkId link) {
    ++visits_;
    change_[link] += bytes;
    if (!std::exchange(is_changed_[link], true)) changes_.push_back({link, 0});
  });
}

const std::vector<SwappedLoads::Change>& SwappedLoads::changes(Rank a, Rank b) {
  changes_.clear();
  for (const double sign : {-1.0, 1.0}) {
    for_each_message(a, b, [&](MessageId id) { add(messages_[id], sign * messages_[id].bytes / routes_.ways()); });
    placement_.swap(a, b);
  }
  for (auto& [link, bytes] : changes_) {
    bytes = std::exchange(change_[link], 0);
    is_changed_[link] = false;
  }
  TOROID_ASSERT_HEAVY(std::ranges::none_of(is_changed_, [](char changed) { return changed != 0; }));
  return changes_;
}

double SwappedLoads::change_of_squares(Rank a, Rank b) {
  double sum = 0;
  for (const auto& [link, bytes] : changes(a, b)) {
    const double before = seconds(link), change = bytes * seconds_per_byte_[link];
    sum += change * (2 * before + change);
  }
  return sum;
}

const std::vector<SwappedLoads::Change>& SwappedLoads::swap(Rank a, Rank b) {
  changes(a, b);
  for_each_message(a, b, [&](MessageId id) {
    routes_.for_each_link(node(messages_[id].from), node(messages_[id].to), [&](LinkId link) {
      auto& all = messages_on_[link];
      const auto here = std::ranges::find(all, id);
      TOROID_ASSERT_HEAVY(here != all.end());  // what crosses the link is on its list
      *here = all.back();
      all.pop_back();
    });
  });
  placement_.swap(a, b);
  for_each_message(a, b, [&](MessageId id) {
    routes_.for_each_link(node(messages_[id].from), node(messages_[id].to),
                          [&](LinkId link) { messages_on_[link].push_back(id); });
  });
  for (const auto& [link, bytes] : changes_) bytes_[link] += bytes;
  constexpr std::size_t quickly_counted = 64;
  TOROID_ASSERT_HEAVY(bytes_.size() > quickly_counted || are_as_recounted());
  return changes_;
}

int SwappedLoads::crossings(NodeId from, NodeId to, LinkId link) {
  int count = 0;
  routes_.for_each_link(from, to, [&](LinkId used) {
    ++visits_;
    count += used == link ? 1 : 0;
  });
  return count;
}

std::vector<Rank> SwappedLoads::ranks_across(LinkId link) const {
  std::vector<Rank> across;
  for (const MessageId id : messages_on(link)) across.insert(across.end(), {messages_[id].from, messages_[id].to});
  std::ranges::sort(across);
  across.erase(std::unique(across.begin(), across.end()), across.end());
  return across;
}

}  // namespace toroid::mapping
