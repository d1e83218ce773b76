#pragma once
// Links by how loaded they are: the most loaded one, and draws of links by weight, as loads change.

#include <algorithm>
#include <bit>
#include <vector>

#include "core/random.hpp"
#include "platforms/grid.hpp"

namespace toroid::mapping {

/// A binary tree whose leaves are links, each node with the largest load and the sum of the weights below it. A change
/// of one link and a draw take log(links) steps.
class LoadTree {
 public:
  explicit LoadTree(std::size_t links) : leaves_(std::bit_ceil(std::max<std::size_t>(links, 1))), nodes_(2 * leaves_) {}

  void set(platforms::LinkId link, double load, double weight) {
    std::size_t i = leaves_ + link.index();
    nodes_[i] = {load, weight};
    while ((i /= 2) > 0) join(i);
  }

  /// Sets all links: `node(link)` returns the load and the weight of one.
  template <class Node>
  void set_all(std::size_t links, Node&& node) {
    for (std::size_t i = 0; i < links; ++i) {
      const auto [load, weight] = node(platforms::LinkId(i));
      nodes_[leaves_ + i] = {load, weight};
    }
    for (std::size_t i = leaves_ - 1; i > 0; --i) join(i);
  }

  double largest_load() const { return nodes_[1].load; }
  double sum_of_weights() const { return nodes_[1].weight; }

  /// Draws a link with a probability proportional to its weight. There must be one with a weight above 0.
  platforms::LinkId draw(core::Random& random) const {
    double left = random.unit() * nodes_[1].weight;
    std::size_t i = 1;
    while (i < leaves_) {
      i *= 2;
      // Sums are rounded: one must not run into a branch without any weight.
      if (left >= nodes_[i].weight && nodes_[i + 1].weight > 0) left -= nodes_[i++].weight;
    }
    return platforms::LinkId(i - leaves_);
  }

 private:
  struct Node {
    double load = 0, weight = 0;
  };

  void join(std::size_t i) {
    const Node &a = nodes_[2 * i], &b = nodes_[2 * i + 1];
    nodes_[i] = {std::max(a.load, b.load), a.weight + b.weight};
  }

  std::size_t leaves_;
  std::vector<Node> nodes_;
};

}  // namespace toroid::mapping
