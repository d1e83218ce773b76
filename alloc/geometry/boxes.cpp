#include "alloc/geometry/boxes.hpp"

#include <numeric>

#include "core/vector_width.hpp"

namespace toroid::alloc {
namespace {

/// Tries all sides from dimension d on; the last one is as long as it has to be.
class MostCompact {
 public:
  MostCompact(const platforms::Grid& grid, std::int64_t routers) : grid_(grid), routers_(routers) {
    shape_.fill(0);
    best_ = shape_;
    try_from(0, 1, 0);
    TOROID_ASSERT(routers > grid.size() || least_.second >= routers);
  }
  const Shape& shape() const { return best_; }

 private:
  void try_from(std::size_t d, std::int64_t product, std::int64_t sum) {
    const std::int64_t extent = grid_.dimension(d).extent;
    if (d + 1 == grid_.dimension_count()) {
      const std::int64_t side = (routers_ + product - 1) / product;
      if (side > extent) return;
      shape_[d] = static_cast<std::int32_t>(side);
      const auto cost = std::pair(sum + side, product * side);
      if (cost < least_) {
        least_ = cost;
        best_ = shape_;
      }
      return;
    }
    for (std::int32_t side = 1; side <= extent && sum + side < least_.first; ++side) {
      shape_[d] = side;
      try_from(d + 1, product * side, sum + side);
      if (product * side >= routers_) return;
    }
  }

  const platforms::Grid& grid_;
  std::int64_t routers_;
  Shape shape_, best_;
  std::pair<std::int64_t, std::int64_t> least_{std::numeric_limits<std::int64_t>::max(), 0};  ///< sum of sides, volume
};

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

FreeSums::FreeSums(FreeNodes& free)
    : FreeView(free), free_(free), grid_(free.machine().grid()), dimensions_(grid_.dimension_count()), first_stale_(0) {
  std::ptrdiff_t size = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    spans_[d] = {grid_.dimension(d).extent, grid_.dimension(d).wrap != Wrap::mesh, size};
    size *= grid_.dimension(d).extent + 1;
  }
  sums_.assign(static_cast<std::size_t>(size), 0);
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
  TOROID_ASSERT_HEAVY(sums_.back() == free_.count());  // the box of the whole machine
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

std::int32_t FreeSums::count(const Box& box) {
  if (first_stale_ < spans_[dimensions_ - 1].extent) bring_up_to_date();
  if (dimensions_ == 2) return count_in<2>(box);
  return dimensions_ == 3 ? count_in<3>(box) : count_in_pieces(box);
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

TOROID_FOR_EACH_VECTOR_WIDTH void FreeSums::count_along_line(const Box& box, std::span<std::int32_t> counts) {
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

const core::Parameter<bool> rotate_parameter{"rotate", "whether the job's shape may be turned", core::yes_or_no(),
                                             "yes"};

std::int64_t volume(const Shape& shape, std::size_t dimensions) {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < dimensions; ++d) product *= shape[d];
  return product;
}

Shape shape_of(const Request& request, const Machine& machine) {
  const std::int32_t per_router = machine.description().nodes_per_router;
  if (request.shape.empty()) return MostCompact(machine.grid(), (request.nodes + per_router - 1) / per_router).shape();
  const std::size_t dimensions = machine.grid().dimension_count();
  if (request.shape.size() > dimensions)
    core::fail_input("job {} asks for a shape of {} dimensions; {} has {}", request.job, request.shape.size(),
                     machine.name(), dimensions);
  Shape shape{};
  std::fill_n(shape.begin(), dimensions, 1);
  std::copy(request.shape.begin(), request.shape.end(), shape.begin());
  shape[0] = (shape[0] + per_router - 1) / per_router;
  return shape;
}

std::vector<Shape> orientations(const Shape& shape, const platforms::Grid& grid) {
  const auto dimensions = static_cast<std::ptrdiff_t>(grid.dimension_count());
  std::vector<Shape> all{shape};
  Shape turned = shape;
  std::stable_sort(turned.begin(), turned.begin() + dimensions);  // std::sort: a false warning of GCC 12 at -O3
  do
    if (turned != shape) all.push_back(turned);
  while (std::next_permutation(turned.begin(), turned.begin() + dimensions));
  std::erase_if(all, [&](const Shape& s) {
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      if (s[d] > grid.dimension(d).extent) return true;
    return false;
  });
  return all;
}

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
      if (std::ranges::none_of(corners_, [](Word word) { return word != 0; })) return false;
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

}  // namespace toroid::alloc
