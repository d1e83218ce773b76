#include "cosim/followed_pieces.hpp"

namespace toroid::cosim {

void FollowedPieces::hold(JobId id, std::span<const NodeId> nodes) {
  auto& held = held_[id];
  free_.give_back(held);
  free_.take(nodes);
  held.assign(nodes.begin(), nodes.end());
}

void FollowedPieces::ended(const Record& record) {
  if (record.end == End::rejected) return;  // it held nothing
  hold(record.id, {});
  held_.erase(record.id);
}

void FollowedPieces::node_out(NodeId node, const Time&) {
  free_.take({&node, 1});
  ++out_;
}

void FollowedPieces::node_back(NodeId node, const Time&) {
  free_.give_back({&node, 1});
  --out_;
}

}  // namespace toroid::cosim
