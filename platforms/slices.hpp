#pragma once
// Slices of TPU pods: any shape, with the wraps and twists that its generation gives it.

#include <string>
#include <string_view>
#include <vector>

#include "platforms/description.hpp"

namespace toroid::platforms {

/// One generation of TPUs, by what follows `tpu-`: v2, v3, v4, v5e, v5p, v6e, v7.
struct SliceFamily {
  std::string_view name;     ///< `tpu-v5p`
  std::string_view example;  ///< a shape
  std::size_t axes;          ///< 2 or 3, of chips
  std::int32_t longest;      ///< the most chips along an axis
  std::int32_t most_chips;   ///< of a slice
  double link_bandwidth;     ///< bytes/s of a link one way, as the vendor says
  double speed;              ///< flop/s of a chip, the bf16 peak
  /// Bytes/s one way between the two cores of a chip, which are devices of their own then, along the dimension `core`.
  /// A core has half of each link of its chip. 0: a chip is one device.
  double between_cores = 0;
  std::string help = {};  ///< all of this in a line
};

const std::vector<SliceFamily>& slice_families();

/// The slice of a shape of chips: `4x4x8`, or `4x4x8_twisted`. Three-dimensional slices are made of cubes of 4 x 4 x 4
/// chips, which optical switches join: if all sides are multiples of 4 all wrap, otherwise none does. Two-dimensional
/// ones wrap along the axes that are as long as the pod. Twisted are n x n x 2n and n x 2n x 2n: a wrap of a short axis
/// moves n along the long ones. Throws InputError on shapes that the generation does not have.
Description slice(const SliceFamily& family, std::string_view shape);

}  // namespace toroid::platforms
