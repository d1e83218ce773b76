#include "alloc/geometry/free_sums.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace toroid::alloc {

using platforms::Wrap;

FreeSums::FreeSums(FreeNodes& free)
    : FreeView(free), free_(free), grid_(free.machine().grid()), dimensions_(grid_.dimension_count()), first_stale_(0) {
  std::ptrdiff_t size = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    spans_[d] = {grid_.dimension(d).extent, grid_.dimension(d).wrap != Wrap::mesh, size};
    size *= grid_.dimension(d).extent + 1;
  }
  sums_.assign(static_cast<std::size_t>(size), 0);
}

void FreeSums::taken(std::span<const NodeId> nodes) {
  changed(nodes);
}

void FreeSums::given_back(std::span<const NodeId> nodes) {
  changed(nodes);
}

void FreeSums::changed(std::span<const NodeId> nodes) {
  ++changes_;
  const std::int32_t slab = grid_.size() / grid_.dimension(dimensions_ - 1).extent;
  for (const NodeId node : nodes) first_stale_ = std::min(first_stale_, free_.machine().router(node).value() / slab);
}

void FreeSums::bring_up_to_date() {
  const std::int32_t last_extent = grid_.dimension(dimensions_ - 1).extent;
  if (first_stale_ == last_extent) return;
  // Each line along dimension 0 is summed up, then each dimension adds what is below.
  const std::int32_t extent = grid_.dimension(0).extent;
  const std::int32_t lines = grid_.size() / extent;
  const std::int32_t stale = dimensions_ == 1 ? 0 : lines / last_extent * first_stale_;
  for (std::int32_t line = stale; line < lines; ++line) {
    std::ptrdiff_t place = 0;
    std::int32_t rest = line;
    for (std::size_t d = 1; d < dimensions_; ++d) {
      place += (rest % grid_.dimension(d).extent + 1) * spans_[d].stride;
      rest /= grid_.dimension(d).extent;
    }
    std::int32_t* sum = &sums_[static_cast<std::size_t>(place)];
    for (std::int32_t x = 0; x < extent; ++x) sum[x + 1] = sum[x] + free_.free_on(RouterId(line * extent + x));
  }
  for (std::size_t d = 1; d < dimensions_; ++d) {
    // All places with a coordinate of 1 or more along d, from the first that changed; those above are one block.
    const std::ptrdiff_t stride = spans_[d].stride, period = stride * (grid_.dimension(d).extent + 1);
    const auto size = static_cast<std::ptrdiff_t>(sums_.size());
    const std::ptrdiff_t from = (first_stale_ + 1) * spans_[dimensions_ - 1].stride;
    for (std::ptrdiff_t block = d + 1 == dimensions_ ? 0 : from; block < size; block += period)
      for (std::ptrdiff_t row = d + 1 == dimensions_ ? from : block + stride; row < block + period; row += stride) {
        std::int32_t* sum = &sums_[static_cast<std::size_t>(row)];
        const std::int32_t* below = sum - stride;
        for (std::ptrdiff_t i = 0; i < stride; ++i) sum[i] += below[i];
      }
  }
  first_stale_ = last_extent;
}

FreeSums::Terms FreeSums::terms(std::size_t d, std::int32_t first, std::int32_t length) const {
  const std::int32_t extent = grid_.dimension(d).extent;
  const std::ptrdiff_t stride = spans_[d].stride;
  Terms terms;
  if (grid_.dimension(d).wrap == Wrap::mesh) {
    const std::int32_t end = std::min(first + length, extent);
    first = std::max(first, 0);
    if (end <= first) return terms;
    terms.add(end * stride, 1);
    if (first > 0) terms.add(first * stride, -1);
    return terms;
  }
  if (length >= extent) {
    terms.add(extent * stride, 1);
    return terms;
  }
  if (first < 0) first += extent;
  if (first >= extent) first -= extent;
  if (first > 0) terms.add(first * stride, -1);
  if (first + length <= extent) {
    terms.add((first + length) * stride, 1);
  } else {
    terms.add(extent * stride, 1);
    terms.add((first + length - extent) * stride, 1);
  }
  return terms;
}

template <class Visit>
void FreeSums::for_each_corner(const Box& box, std::size_t d, std::ptrdiff_t offset, std::int32_t sign,
                               Visit& visit) const {
  if (d == dimensions_) return visit(offset, sign);
  const Terms these = terms(d, box.first[d], box.length[d]);
  for (std::size_t i = 0; i < these.count; ++i)
    for_each_corner(box, d + 1, offset + these.all[i].offset, sign * these.all[i].sign, visit);
}

std::int32_t FreeSums::count(const Box& box) {
  if (first_stale_ < spans_[dimensions_ - 1].extent) bring_up_to_date();
  switch (dimensions_) {
    case 2:
      return count_in<2>(box);
    case 3:
      return count_in<3>(box);
    default:
      return count_in_pieces(box);
  }
}

/// Most boxes are one piece: their corners are known at once.
template <std::size_t dimensions>
std::int32_t FreeSums::count_in(const Box& box) const {
  std::array<std::ptrdiff_t, dimensions> low, high;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto& span = spans_[d];
    std::int32_t first = box.first[d], end = first + box.length[d];
    if (!span.wraps) {
      first = std::clamp(first, 0, span.extent);
      end = std::clamp(end, first, span.extent);
    } else if (box.length[d] >= span.extent) {
      first = 0;
      end = span.extent;
    } else if (first < 0 || end > span.extent) {
      return count_in_pieces(box);
    }
    low[d] = first * span.stride;
    high[d] = end * span.stride;
  }
  std::int32_t sum = 0;
  for (unsigned corner = 0; corner < 1U << dimensions; ++corner) {
    std::ptrdiff_t at = 0;
    for (std::size_t d = 0; d < dimensions; ++d) at += (corner >> d & 1U) != 0 ? low[d] : high[d];
    const auto there = sums_[static_cast<std::size_t>(at)];
    sum += std::popcount(corner) % 2 != 0 ? -there : there;
  }
  return sum;
}

std::int32_t FreeSums::count_in_pieces(const Box& box) const {
  std::int32_t sum = 0;
  auto add = [&](std::ptrdiff_t offset, std::int32_t sign) { sum += sign * sums_[static_cast<std::size_t>(offset)]; };
  for_each_corner(box, 0, 0, 1, add);
  return sum;
}

void FreeSums::count_along_line(const Box& box, std::span<std::int32_t> counts) {
  bring_up_to_date();
  const std::int32_t extent = grid_.dimension(0).extent, length = box.length[0], first = box.first[0];
  const bool wraps = grid_.dimension(0).wrap != Wrap::mesh;
  // The sums below each place of the line, and beyond both ends as far as bounds go: then all is one subtraction.
  const std::int32_t before = std::max(0, -first);
  const std::int32_t last = first + static_cast<std::int32_t>(counts.size()) - 1 + length;
  below_.resize(static_cast<std::size_t>(before + std::max(last, extent) + 1));
  std::int32_t* line = below_.data() + before;
  std::fill(line, line + extent + 1, 0);
  auto add = [&](std::ptrdiff_t offset, std::int32_t sign) {
    const std::int32_t* sum = &sums_[static_cast<std::size_t>(offset)];
    if (sign > 0)
      for (std::int32_t x = 0; x <= extent; ++x) line[x] += sum[x];
    else
      for (std::int32_t x = 0; x <= extent; ++x) line[x] -= sum[x];
  };
  for_each_corner(box, 1, 0, 1, add);
  const std::int32_t total = line[extent];
  if (wraps && length >= extent) return std::fill(counts.begin(), counts.end(), total);
  for (std::int32_t x = -1; x >= first; --x) line[x] = wraps ? line[x + extent] - total : 0;
  for (std::int32_t x = extent + 1; x <= last; ++x) line[x] = wraps ? line[x - extent] + total : total;
  const std::int32_t* low = line + first;
  const std::int32_t* high = low + length;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = high[i] - low[i];
}

}  // namespace toroid::alloc
