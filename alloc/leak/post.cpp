#include "alloc/leak/post.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"

namespace toroid::alloc::leak {
namespace {

struct Listed {
  std::size_t operator()(const Search& search) const { return search.found.size(); }
  std::size_t operator()(const Question&) const { return 0; }
  std::size_t operator()(const Reply&) const { return 0; }
  std::size_t operator()(const Flow&) const { return 0; }
  std::size_t operator()(const Confirmation& confirmation) const { return confirmation.found.size(); }
  std::size_t operator()(const Answer& answer) const { return answer.nodes ? answer.nodes->size() : 0; }
  std::size_t operator()(const Release& release) const { return release.others.size(); }
};

/// Bytes on the network: 32 for kind, request, sender, load and the state of a search, and 4 for each node in a list.
std::uint64_t bytes_of(const Message& message) {
  return 32 + 4 * std::visit(Listed{}, message.content);
}

}  // namespace

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

void Post::count(const Message& message) {
  if (message.from == message.to) return;
  ++counts_.by_kind[message.content.index()];
  ++counts_.total;
  counts_.bytes += bytes_of(message);
}

void Post::send(Message message) {
  count(message);
  if (network_ == nullptr && idle_from_.empty()) {
    queue_.push_back(std::move(message));
    return deliver_all();
  }
  const NodeId from = message.from, to = message.to;
  const auto bytes = bytes_of(message);
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
