#include "alloc/leak/manager.hpp"

#include <tuple>

#include "alloc/neighbours.hpp"

namespace toroid::alloc::leak {
namespace {

using platforms::Coordinates;
using platforms::Grid;

void add(const std::vector<NodeId>& more, std::vector<NodeId>& nodes) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

/// The way from `origin` to a router in hops along each dimension, the shorter way round where the dimension wraps.
Coordinates offset(const Grid& grid, RouterId origin, RouterId router) {
  Coordinates all{};
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto& dim = grid.dimension(d);
    all[d] = grid.coordinate(router, d) - grid.coordinate(origin, d);
    if (dim.wrap == Wrap::mesh) continue;
    if (2 * all[d] > dim.extent) all[d] -= dim.extent;
    if (2 * all[d] <= -dim.extent) all[d] += dim.extent;
  }
  return all;
}

/// The place of a point of the plane on the square spiral (0,0), (1,0), (1,1), (0,1), (-1,1), ...: ring q begins above
/// its lower right corner and ends in that.
std::int64_t place_on_spiral(std::int64_t x, std::int64_t y) {
  const std::int64_t q = std::max(std::abs(x), std::abs(y)), inner = (2 * q - 1) * (2 * q - 1);
  if (q == 0) return 0;
  if (y == -q) return inner + 7 * q - 1 + x;  // the last side, with both its corners but the left one
  if (x == -q) return inner + 5 * q - 1 - y;
  if (y == q) return inner + 3 * q - 1 - x;
  return inner + q - 1 + y;
}

struct Listed {
  std::size_t operator()(const auto&) const { return 0; }
  std::size_t operator()(const Search& search) const { return search.found.size(); }
  std::size_t operator()(const Confirmation& confirmation) const { return confirmation.found.size(); }
  std::size_t operator()(const Answer& answer) const { return answer.nodes ? answer.nodes->size() : 0; }
  std::size_t operator()(const Release& release) const { return release.others.size(); }
};

/// Bytes on the network: 32 for kind, request, sender, load and the state of a search, and 4 for each node in a list.
std::uint64_t bytes_of(const Message& message) {
  return 32 + 4 * std::visit(Listed{}, message.content);
}

}  // namespace

void Manager::receive(Message message, World& world) {
  TOROID_ASSERT(message.to == node_);
  std::visit([&](auto& content) { on(message, content, world); }, message.content);
}

void Manager::send(NodeId to, RequestNumber request, Content content, World& world) const {
  world.send({node_, to, request, std::move(content)});
}

// Phase 1 (Figure 2): the origin of a puddle.

void Manager::on(const Message& message, Search& search, World& world) {
  const bool in_vain = search.contiguous && tried_ == message.request;
  if (!world.is_free(node_) || in_vain) return pass_on(message.request, std::move(search), world);
  search_ = std::make_unique<Search>(std::move(search));
  occupy(message.request, ++search_->puddles, node_, world);
  pour(search_->load - 1, world);
}

void Manager::pass_on(RequestNumber request, Search search, World& world) {
  const auto& tour = *search.tour;
  ++search.place;
  if (search.place == tour.size() && search.once_more) {
    search.place = 0;
    search.contiguous = search.once_more = false;
  }
  if (search.place < tour.size()) {
    const NodeId next = tour[search.place];
    return send(next, request, std::move(search), world);
  }
  take_back(request, search.found, false, world);
  send(tour.front(), request, Answer{}, world);
}

void Manager::end_of_puddle(World& world) {
  auto search = std::move(*search_);
  search_.reset();
  auto puddle = std::exchange(found_, {});
  if (remaining_ > 0 && search.contiguous) {
    take_back(owner_, puddle, true, world);
    return pass_on(owner_, std::move(search), world);
  }
  search.load = remaining_;
  add(puddle, search.found);
  if (remaining_ > 0) return pass_on(owner_, std::move(search), world);
  send(search.tour->front(), owner_, Answer{std::move(search.found)}, world);
}

void Manager::on(const Message& message, Answer& answer, World& world) {
  world.answered(message.request, std::move(answer.nodes));
}

// Phase 2 (Figure 3): the puddle grows.

void Manager::on(const Message& message, const Flow& flow, World& world) {
  const bool is_child = owner_ == message.request && puddle_ == flow.puddle && parent_ == message.from;
  if (is_child) return pour(flow.load, world);
  if (!world.is_free(node_)) return send(message.from, message.request, Confirmation{flow.load, {}}, world);
  occupy(message.request, flow.puddle, message.from, world);
  pour(flow.load - 1, world);
}

void Manager::occupy(RequestNumber request, std::int32_t puddle, NodeId parent, World& world) {
  owner_ = request;
  puddle_ = puddle;
  parent_ = parent;
  has_asked_ = false;
  found_ = {node_};
  open_ = world.neighbours(node_);
  close(parent);
}

void Manager::pour(std::int32_t load, World& world) {
  TOROID_ASSERT(awaited_ == 0);
  remaining_ = load;
  if (load == 0 || has_asked_ || open_.empty()) return spread(world);
  has_asked_ = true;
  awaited_ = static_cast<std::int32_t>(open_.size());
  for (const NodeId neighbour : open_) send(neighbour, owner_, Question{}, world);
}

void Manager::on(const Message& message, const Question&, World& world) {
  send(message.from, message.request, Reply{world.is_free(node_)}, world);
}

void Manager::on(const Message& message, const Reply& reply, World& world) {
  TOROID_ASSERT(owner_ == message.request && awaited_ > 0);
  if (!reply.is_free) close(message.from);
  if (--awaited_ == 0) spread(world);
}

// Water that comes back from one side flows on where it still can. Figure 3 divides the load once: it would fail where
// branches of one puddle meet, as they do for 13 nodes on an empty mesh. Each round closes a side or ends the flow, so
// what comes back in the end has found every node that can be reached.
void Manager::spread(World& world) {
  if (remaining_ == 0 || open_.empty()) {
    if (parent_ == node_) return end_of_puddle(world);
    return send(parent_, owner_, Confirmation{remaining_, std::exchange(found_, {})}, world);
  }
  const std::int32_t load = std::exchange(remaining_, 0), sides = static_cast<std::int32_t>(open_.size());
  awaited_ = std::min(load, sides);
  for (std::int32_t side = 0; side < awaited_; ++side) {
    const std::int32_t share = load / sides + (side < load % sides ? 1 : 0);
    send(open_[static_cast<std::size_t>(side)], owner_, Flow{share, puddle_}, world);
  }
}

void Manager::on(const Message& message, const Confirmation& confirmation, World& world) {
  TOROID_ASSERT(owner_ == message.request && awaited_ > 0);
  add(confirmation.found, found_);
  remaining_ += confirmation.remaining;
  if (confirmation.remaining > 0) close(message.from);
  if (--awaited_ == 0) spread(world);
}

// Release: to each node of what was found in vain, or as a wave through what a job gives back.

void Manager::take_back(RequestNumber request, const Nodes& nodes, bool in_vain, World& world) {
  for (const NodeId node : nodes) send(node, request, Release{{}, in_vain}, world);
}

void Manager::on(const Message& message, const Release& release, World& world) {
  TOROID_ASSERT(owner_ != no_request && awaited_ == 0 && search_ == nullptr);
  const auto middle = release.others.begin() + static_cast<std::ptrdiff_t>((release.others.size() + 1) / 2);
  for (const Nodes& half : {Nodes(release.others.begin(), middle), Nodes(middle, release.others.end())})
    if (!half.empty()) send(half.front(), message.request, Release{Nodes(half.begin() + 1, half.end())}, world);
  if (release.in_vain) tried_ = message.request;
  owner_ = no_request;
  parent_ = node_;
  open_.clear();
  world.freed(node_, message.request);
}

std::vector<NodeId> Topology::neighbours(NodeId node) const {
  const RouterId here = machine_.router(node);
  auto nodes = compute_nodes_on(machine_, here);
  std::erase(nodes, node);
  for (const RouterId next : alloc::neighbours(machine_, here)) add(compute_nodes_on(machine_, next), nodes);
  return nodes;
}

std::uint32_t Topology::corners() const {
  const auto& grid = machine_.grid();
  std::uint32_t corners = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) corners *= 2;
  return corners;
}

Tour Topology::snake(std::uint32_t corner) {
  const Name name{false, corner};
  if (const auto found = tours_.find(name); found != tours_.end()) return found->second;
  const auto& grid = machine_.grid();
  std::vector<RouterId> routers;
  for (std::int32_t step = 0; step < grid.size(); ++step) {
    Coordinates place{};
    std::uint32_t bits = corner;
    auto passes = step;  // along the dimensions before
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const std::int32_t extent = grid.dimension(d).extent, along = passes % extent;
      passes /= extent;
      const bool back = (passes % 2 != 0) != (extent > 1 && (bits & 1U) != 0);
      place[d] = back ? extent - 1 - along : along;
      if (extent > 1) bits >>= 1U;
    }
    routers.push_back(grid.router_at(place));
  }
  return keep(name, routers);
}

Tour Topology::spiral(NodeId origin) {
  const Name name{true, origin.value()};
  if (const auto found = tours_.find(name); found != tours_.end()) return found->second;
  const auto& grid = machine_.grid();
  using Key = std::tuple<std::int32_t, Coordinates, std::int64_t, RouterId>;  // shell, plane, place in it
  std::vector<Key> keys;
  for (const RouterId router : grid.routers()) {
    auto plane = offset(grid, machine_.router(origin), router);
    std::int32_t shell = 0;
    for (const auto along : plane) shell = std::max(shell, std::abs(along));
    const auto place = place_on_spiral(plane[0], plane[1]);
    plane[0] = plane[1] = 0;
    keys.emplace_back(shell, plane, place, router);
  }
  std::ranges::sort(keys);
  std::vector<RouterId> routers;
  for (const auto& key : keys) routers.push_back(std::get<3>(key));
  return keep(name, routers);
}

Tour Topology::keep(Name name, const std::vector<RouterId>& routers) {
  auto nodes = std::make_shared<std::vector<NodeId>>();
  for (const RouterId router : routers) add(compute_nodes_on(machine_, router), *nodes);
  if (name.first) {  // its own manager asks first, whichever of its router's nodes it is
    const auto own = std::ranges::find(*nodes, NodeId(name.second));
    std::rotate(nodes->begin(), own, own + 1);
  }
  kept_ += nodes->size();
  if (kept_ > most_kept) {
    tours_.clear();
    kept_ = nodes->size();
  }
  return tours_[name] = std::move(nodes);
}

Post::Post(const Site& site, double handling, Deliver deliver)
    : clock_(site.clock),
      network_(site.network),
      handling_(handling),
      deliver_(std::move(deliver)),
      idle_from_(handling > 0 ? site.machine().node_count() : 0) {
  TOROID_ASSERT(clock_ != nullptr || (network_ == nullptr && handling == 0));
}

Post::~Post() {
  for (const auto& letter : letters_.slots()) {
    if (letter.stage == Stage::on_network) network_->cancel(letter.waits_for);
    if (letter.stage == Stage::handled) clock_->cancel(letter.waits_for);
  }
}

void Post::send(Message message) {
  const NodeId from = message.from, to = message.to;
  const auto bytes = bytes_of(message);
  if (from != to) {
    ++counts_.by_kind[message.content.index()];
    ++counts_.total;
    counts_.bytes += bytes;
  }
  if (network_ == nullptr && idle_from_.empty()) {
    queue_.push_back(std::move(message));
    return deliver_all();
  }
  const auto id = letters_.add({std::move(message)});
  if (network_ == nullptr || from == to) return arrive(id);
  letters_[id].stage = Stage::on_network;
  letters_[id].waits_for = network_->start_flow(from, to, bytes + network_->headers(bytes), *this, id);
}

void Post::arrive(std::uint32_t id) {
  auto& letter = letters_[id];
  auto done = clock_->now();
  if (letter.message.from != letter.message.to && !idle_from_.empty()) {
    auto& idle_from = idle_from_[letter.message.to];
    done = idle_from = std::max(done, idle_from) + handling_;
  }
  letter.stage = Stage::handled;
  letter.waits_for = clock_->start_timer_at(done, *this, id);
}

void Post::timer_ended(std::uint32_t id) {
  auto message = std::move(letters_[id].message);
  letters_[id].stage = Stage::delivered;
  letters_.remove(id);
  deliver_(std::move(message));
}

void Post::deliver_all() {
  if (delivering_) return;  // whoever is at it gets to it
  delivering_ = true;
  while (!queue_.empty()) {
    auto message = std::move(queue_.front());
    queue_.pop_front();
    deliver_(std::move(message));
  }
  delivering_ = false;
}

}  // namespace toroid::alloc::leak
