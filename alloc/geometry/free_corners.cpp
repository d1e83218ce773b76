#include "alloc/geometry/free_corners.hpp"

#include <algorithm>

namespace toroid::alloc {
namespace {

using platforms::Wrap;
using Word = std::uint64_t;

/// 64 bits of a line from a place on, which may lie before its beginning or after its end, where there are none.
Word bits_from(std::span<const Word> line, std::int64_t place) {
  const auto word = [&](std::int64_t i) {
    return i < 0 || i >= static_cast<std::int64_t>(line.size()) ? Word{0} : line[static_cast<std::size_t>(i)];
  };
  const std::int64_t first = place >> 6;
  const auto offset = static_cast<unsigned>(place & 63);
  return offset == 0 ? word(first) : word(first) >> offset | word(first + 1) << (64 - offset);
}

}  // namespace

FreeCorners::FreeCorners(FreeNodes& free)
    : FreeView(free),
      free_(free),
      grid_(free.machine().grid()),
      extent_(grid_.dimension(0).extent),
      words_((static_cast<std::size_t>(extent_) + 63) / 64),
      places_(grid_.size()),
      routers_(static_cast<std::size_t>(grid_.size() / extent_) * words_) {
  for (const RouterId router : grid_.routers()) {
    const auto line = static_cast<std::size_t>(router.value() / extent_);
    const auto x = static_cast<std::size_t>(router.value() % extent_);
    places_[router] = {line * words_ + x / 64, Word{1} << x % 64};
    if (is_free(router)) routers_[places_[router].word] |= places_[router].bit;
  }
}

bool FreeCorners::is_free(RouterId router) const {
  return free_.free_on(router) == free_.machine().description().nodes_per_router;
}

void FreeCorners::taken(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const auto& place = places_[free_.machine().router(node)];
    routers_[place.word] &= ~place.bit;
  }
}

void FreeCorners::given_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    const RouterId router = free_.machine().router(node);
    if (is_free(router)) routers_[places_[router].word] |= places_[router].bit;
  }
}

/// False if there are none.
bool FreeCorners::find(const Shape& shape) {
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d)
    if (shape[d] > grid_.dimension(d).extent) return false;
  corners_ = routers_;
  // What stays for some length, and for some more further along, stays for both together.
  for (std::size_t d = 0; d < grid_.dimension_count(); ++d)
    for (std::int32_t length = 1; length < shape[d];) {
      const std::int32_t step = std::min(length, shape[d] - length);
      if (d == 0)
        erode_lines(step);
      else
        erode_slices(d, step);
      if (!any()) return false;
      length += step;
    }
  return true;
}

/// A bit stays if the one so much further along dimension 0 is set.
void FreeCorners::erode_lines(std::int32_t step) {
  const bool wraps = grid_.dimension(0).wrap != Wrap::mesh;
  if (words_ == 1) {
    for (auto& line : corners_) line &= line >> step | (wraps ? line << (extent_ - step) : 0);
    return;
  }
  for (std::size_t begin = 0; begin < corners_.size(); begin += words_) {
    before_.assign(corners_.begin() + static_cast<std::ptrdiff_t>(begin),
                   corners_.begin() + static_cast<std::ptrdiff_t>(begin + words_));
    for (std::size_t i = 0; i < words_; ++i) {
      const auto there = static_cast<std::int64_t>(64 * i) + step;
      corners_[begin + i] &= bits_from(before_, there) | (wraps ? bits_from(before_, there - extent_) : 0);
    }
  }
}

/// The same along another dimension.
void FreeCorners::erode_slices(std::size_t d, std::int32_t step) {
  const bool wraps = grid_.dimension(d).wrap != Wrap::mesh;
  std::size_t slice = words_;
  for (std::size_t below = 1; below < d; ++below) slice *= static_cast<std::size_t>(grid_.dimension(below).extent);
  const auto extent = static_cast<std::size_t>(grid_.dimension(d).extent), ahead = static_cast<std::size_t>(step);
  before_ = corners_;
  for (std::size_t begin = 0; begin < corners_.size(); begin += slice * extent)
    for (std::size_t at = 0; at < extent; ++at) {
      Word* const here = &corners_[begin + at * slice];
      const std::size_t there = at + ahead < extent ? at + ahead : at + ahead - extent;
      if (at + ahead < extent || wraps)
        for (std::size_t i = 0; i < slice; ++i) here[i] &= before_[begin + there * slice + i];
      else
        std::fill_n(here, slice, 0);
    }
}

bool FreeCorners::any() const {
  return std::any_of(corners_.begin(), corners_.end(), [](Word word) { return word != 0; });
}

}  // namespace toroid::alloc
