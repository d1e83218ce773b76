#include "alloc/leak/manager.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"

namespace toroid::alloc::leak {

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
  search.found.insert(search.found.end(), puddle.begin(), puddle.end());
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

void Manager::close(NodeId neighbour) {
  std::erase(open_, neighbour);
}

void Manager::pour(std::int32_t load, World& world) {
  TOROID_ASSERT(awaited_ == 0);
  remaining_ = load;
  if (load > 0 && !has_asked_ && !open_.empty()) return ask_neighbours(world);
  spread(world);
}

void Manager::ask_neighbours(World& world) {
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
  if (remaining_ == 0 || open_.empty()) return end_of_flow(world);
  const std::int32_t load = std::exchange(remaining_, 0), sides = static_cast<std::int32_t>(open_.size());
  awaited_ = std::min(load, sides);
  for (std::int32_t side = 0; side < awaited_; ++side) {
    const std::int32_t share = load / sides + (side < load % sides ? 1 : 0);
    send(open_[static_cast<std::size_t>(side)], owner_, Flow{share, puddle_}, world);
  }
}

void Manager::on(const Message& message, const Confirmation& confirmation, World& world) {
  TOROID_ASSERT(owner_ == message.request && awaited_ > 0);
  found_.insert(found_.end(), confirmation.found.begin(), confirmation.found.end());
  remaining_ += confirmation.remaining;
  if (confirmation.remaining > 0) close(message.from);
  if (--awaited_ == 0) spread(world);
}

void Manager::end_of_flow(World& world) {
  if (parent_ == node_) return end_of_puddle(world);
  send(parent_, owner_, Confirmation{remaining_, std::exchange(found_, {})}, world);
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

}  // namespace toroid::alloc::leak
