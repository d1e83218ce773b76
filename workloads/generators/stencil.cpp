#include <numeric>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "workloads/generators/generators.hpp"

namespace toroid::workloads {
namespace {

class Stencil final : public GeneratedTrace {
 public:
  Stencil(std::string name, std::vector<Rank> extents, Rank ranks, bool periodic, std::uint64_t steps,
          std::uint64_t bytes, double flops)
      : GeneratedTrace(std::move(name), ranks),
        extents_(std::move(extents)),
        periodic_(periodic),
        steps_(steps),
        bytes_(bytes),
        flops_(flops),
        handles_(4 * extents_.size()) {
    std::iota(handles_.begin(), handles_.end(), 0U);
  }

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override {
    if (step >= steps_) return false;
    // A message is tagged with its direction: on a periodic dimension of two ranks both go to the same neighbour.
    RequestHandle requests = 0;
    const auto exchange = [&](OpKind kind) {
      Rank stride = 1;
      for (std::size_t d = 0; d < extents_.size(); stride *= extents_[d++]) {
        for (const int direction : {+1, -1}) {
          const Rank neighbour = neighbour_of(rank, d, stride, direction);
          if (neighbour < 0) continue;
          const bool sends = kind == OpKind::isend;
          const bool forward = sends ? direction > 0 : direction < 0;
          out.push_back({.kind = kind,
                         .to = sends ? neighbour : 0,
                         .from = sends ? 0 : neighbour,
                         .tag = static_cast<std::int32_t>(2 * d + (forward ? 0 : 1)),
                         .request = requests++,
                         .bytes = bytes_});
        }
      }
    };
    exchange(OpKind::irecv);
    exchange(OpKind::isend);
    out.push_back({.kind = OpKind::waitall, .requests = std::span(handles_).first(requests)});
    if (flops_ > 0) out.push_back({.kind = OpKind::compute, .amount = flops_});
    out.push_back({.kind = OpKind::allreduce, .bytes = 8});
    return true;
  }

 private:
  /// The neighbour's rank, or -1 beyond the end of a dimension that is not periodic.
  Rank neighbour_of(Rank rank, std::size_t d, Rank stride, int direction) const {
    const Rank extent = extents_[d];
    const Rank c = rank / stride % extent;
    Rank to = c + direction;
    if (extent == 1) return -1;
    if (to < 0 || to >= extent) {
      if (!periodic_) return -1;
      to = (to + extent) % extent;
    }
    return rank + (to - c) * stride;
  }

  std::vector<Rank> extents_;
  bool periodic_;
  std::uint64_t steps_, bytes_;
  double flops_;
  std::vector<RequestHandle> handles_;  ///< 0, 1, ... for both messages with each neighbour
};

}  // namespace

std::unique_ptr<Trace> make_stencil(const core::Spec& spec) {
  std::vector<Rank> extents;
  std::int64_t ranks = 1;
  const auto grid = spec.get("grid", "4x4x4");
  for (const auto part : core::split(grid, 'x')) {
    const auto extent = core::parse_number<Rank>(part);
    if (!extent || *extent < 1 || (ranks *= *extent) > 1 << 24U)
      core::fail_input("'{}': grid={}: expected extents such as 8x8 or 4x4x4, at most 2^24 ranks", spec.text(), grid);
    extents.push_back(*extent);
  }
  const auto periodic = spec.get("periodic", "no");
  if (periodic != "yes" && periodic != "no")
    core::fail_input("'{}': periodic={}: expected yes or no", spec.text(), periodic);
  const auto flops = core::parse_speed(spec.get("flops", "1Mf"), "flops");
  return std::make_unique<Stencil>(spec.text(), std::move(extents), static_cast<Rank>(ranks), periodic == "yes",
                                   static_cast<std::uint64_t>(spec.get_integer("steps", 10, 0, std::int64_t{1} << 40U)),
                                   core::parse_whole_bytes(spec.get("bytes", "8KiB"), "bytes"), flops);
}

}  // namespace toroid::workloads
