#pragma once
// Where boxes of free routers begin: found for all places at once, as bits.

#include <bit>
#include <cstdint>
#include <vector>

#include "alloc/geometry/shapes.hpp"

namespace toroid::alloc {

/// The routers on which all nodes are free, a bit for each. To find where free boxes begin, the set is eroded by the
/// box: along each dimension a bit stays set if all bits from it on, as many as the box is long, are set.
class FreeCorners final : public FreeView {
 public:
  explicit FreeCorners(FreeNodes& free);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// Calls visit(router) for the first router of each box of a shape in which all nodes are free, in ascending order,
  /// until it returns false. Takes O(log(longest side)) operations per word of 64 routers along dimension 0.
  template <class Visit>
  void for_each(const Shape& shape, Visit&& visit) {
    if (!find(shape)) return;
    for (std::size_t i = 0; i < corners_.size(); ++i)
      for (auto bits = corners_[i]; bits != 0; bits &= bits - 1) {
        const auto x = i % words_ * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (!visit(RouterId(static_cast<std::int32_t>(i / words_) * extent_ + static_cast<std::int32_t>(x)))) return;
      }
  }

 private:
  using Word = std::uint64_t;

  /// The bit of a router.
  struct Place {
    std::size_t word;
    Word bit;
  };
  bool is_free(RouterId router) const;
  bool find(const Shape& shape);
  void erode_lines(std::int32_t step);
  void erode_slices(std::size_t d, std::int32_t step);
  bool any() const;

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::int32_t extent_;  ///< extent of dimension 0
  std::size_t words_;    ///< words of a line along dimension 0
  core::IdVector<RouterId, Place> places_;
  std::vector<Word> routers_, corners_, before_;
};

}  // namespace toroid::alloc
