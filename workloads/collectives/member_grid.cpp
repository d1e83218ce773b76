#include "workloads/collectives/member_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/assert.hpp"

namespace toroid::workloads {

MemberGrid::MemberGrid(std::vector<CommRank> extents) : extents_(std::move(extents)) {
  for (const auto extent : extents_) {
    TOROID_ASSERT(extent > 1);
    strides_.push_back(size_);
    size_ *= extent;
    rings_.push_back({extent});
  }
  parts_ = ring_parts(rings_);
}

void MemberGrid::set_rings(std::vector<RingAxis> rings) {
  TOROID_ASSERT(rings.size() == axes());
  if (rings == rings_) return;
  rings_ = std::move(rings);
  parts_ = ring_parts(rings_);
}

MemberGrid MemberGrid::ring(CommRank size) {
  return MemberGrid(size > 1 ? std::vector{size} : std::vector<CommRank>{});
}

MemberGrid::MemberGrid(std::vector<CommRank> extents, std::vector<CommRank> members) : MemberGrid(std::move(extents)) {
  TOROID_ASSERT(members.size() == static_cast<std::size_t>(size_));
  members_ = std::move(members);
  places_.resize(members_.size());
  for (CommRank place = 0; place < size_; ++place) places_[static_cast<std::size_t>(member(place))] = place;
}

std::string MemberGrid::text() const {
  return extents_.empty() ? "1" : fmt::format("{}", fmt::join(extents_, "x"));
}

}  // namespace toroid::workloads
