#include "mapping/graph/spectral_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace toroid::mapping {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The Laplacian of a connected part: degrees on the diagonal, minus the bytes beside it.
class Laplacian {
 public:
  void add_edge(std::size_t to, double bytes) { entries_.push_back({to, bytes}); }
  void end_row() {
    double degree = 0;
    for (std::size_t e = end_.empty() ? 0 : end_.back(); e < entries_.size(); ++e) degree += entries_[e].bytes;
    degree_.push_back(degree);
    end_.push_back(entries_.size());
  }
  std::size_t size() const { return degree_.size(); }
  double degree(std::size_t row) const { return degree_[row]; }

  void multiply(const Vector& x, Vector& y) const {
    for (std::size_t row = 0, e = 0; row < size(); ++row) {
      double sum = degree_[row] * x[row];
      for (; e < end_[row]; ++e) sum -= entries_[e].bytes * x[entries_[e].to];
      y[row] = sum;
    }
  }

 private:
  struct Entry {
    std::size_t to;
    double bytes;
  };
  std::vector<Entry> entries_;
  std::vector<std::size_t> end_;
  Vector degree_;
};

/// Makes the entries sum to 0 and their squares to 1: orthogonal to the eigenvector of the eigenvalue 0.
void normalize(Vector& x) {
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  for (auto& entry : x) entry -= mean;
  const double length = std::sqrt(dot(x, x));
  if (length > 0)
    for (auto& entry : x) entry /= length;
}

/// x with L x = b, to one part in a thousand, by conjugate gradients with the diagonal as preconditioner.
Vector solve(const Laplacian& laplacian, const Vector& b) {
  constexpr int most_steps = 300;
  constexpr double tolerance = 1e-6;  // of squares
  const std::size_t n = laplacian.size();
  Vector x(n, 0), rest = b, direction(n), image(n), scaled(n);
  const auto precondition = [&] {
    for (std::size_t i = 0; i < n; ++i) scaled[i] = rest[i] / laplacian.degree(i);
    return dot(rest, scaled);
  };
  double product = precondition();
  const double enough = tolerance * product;
  direction = scaled;
  for (int step = 0; step < most_steps && product > enough; ++step) {
    laplacian.multiply(direction, image);
    const double length = product / dot(direction, image);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += length * direction[i];
      rest[i] -= length * image[i];
    }
    const double before = std::exchange(product, precondition());
    for (std::size_t i = 0; i < n; ++i) direction[i] = scaled[i] + product / before * direction[i];
  }
  return x;
}

/// The iteration begins with the order of the rows.
Vector fiedler_vector(const Laplacian& laplacian) {
  constexpr int most_steps = 8;
  constexpr double close = 1 - 1e-5;
  Vector x(laplacian.size());
  std::iota(x.begin(), x.end(), 0.0);
  normalize(x);
  for (int step = 0; step < most_steps; ++step) {
    auto next = solve(laplacian, x);
    normalize(next);
    const double same = dot(next, x);
    x = std::move(next);
    if (same > close) break;
  }
  return x;
}

}  // namespace

void SpectralOrder::sort(std::span<Rank> part) {
  constexpr std::int32_t unseen = -2, outside = -1;
  for (const Rank rank : part) local_[rank] = unseen;
  std::vector<Rank> sorted, component;
  for (const Rank first : part) {
    if (local_[first] != unseen) continue;
    component.assign(1, first);
    local_[first] = 0;
    for (std::size_t i = 0; i < component.size(); ++i)
      for (const auto& edge : graph_.neighbours(component[i]))
        if (local_[edge.rank] == unseen) {
          local_[edge.rank] = 0;
          component.push_back(edge.rank);
        }
    std::sort(component.begin(), component.end());
    for (std::size_t i = 0; i < component.size(); ++i) local_[component[i]] = static_cast<std::int32_t>(i);
    Laplacian laplacian;
    for (const Rank rank : component) {
      for (const auto& edge : graph_.neighbours(rank))
        if (local_[edge.rank] >= 0) laplacian.add_edge(static_cast<std::size_t>(local_[edge.rank]), edge.bytes());
      laplacian.end_row();
    }
    if (component.size() > 2) {
      const auto entries = fiedler_vector(laplacian);
      std::stable_sort(component.begin(), component.end(), [&](Rank a, Rank b) {
        return entries[static_cast<std::size_t>(local_[a])] < entries[static_cast<std::size_t>(local_[b])];
      });
    }
    for (const Rank rank : component) local_[rank] = outside;
    sorted.insert(sorted.end(), component.begin(), component.end());
  }
  std::copy(sorted.begin(), sorted.end(), part.begin());
}

}  // namespace toroid::mapping
