#include <cmath>

#include "core/error.hpp"
#include "core/units.hpp"
#include "workloads/generators/generators.hpp"

namespace toroid::workloads {
namespace {

class ConjugateGradient final : public GeneratedTrace {
 public:
  ConjugateGradient(std::string name, Rank side, std::uint64_t steps, std::uint64_t bytes, double flops)
      : GeneratedTrace(std::move(name), side * side), side_(side), steps_(steps), bytes_(bytes), flops_(flops) {}

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override {
    if (step >= steps_) return false;
    const Rank row = rank / side_, column = rank % side_;
    if (flops_ > 0) out.push_back({.kind = OpKind::compute, .amount = flops_});
    sum_over_row(rank, bytes_, out);
    swap(column * side_ + row, bytes_, out);
    sum_over_row(rank, sizeof(double), out);
    sum_over_row(rank, sizeof(double), out);
    return true;
  }

 private:
  void sum_over_row(Rank rank, std::uint64_t bytes, std::vector<Operation>& out) const {
    for (Rank distance = 1; distance < side_; distance *= 2)
      swap(rank - rank % side_ + ((rank % side_) ^ distance), bytes, out);
  }

  static void swap(Rank partner, std::uint64_t bytes, std::vector<Operation>& out) {
    constexpr RequestHandle receive = 0;
    out.push_back({.kind = OpKind::irecv, .from = partner, .request = receive, .bytes = bytes});
    out.push_back({.kind = OpKind::send, .to = partner, .bytes = bytes});
    out.push_back({.kind = OpKind::wait, .request = receive});
  }

  Rank side_;
  std::uint64_t steps_, bytes_;
  double flops_;
};

}  // namespace

std::unique_ptr<Trace> make_cg(const core::Spec& spec) {
  const auto ranks = spec.get_integer("ranks", 64, 1, 1 << 24U);
  const auto side = static_cast<Rank>(std::lround(std::sqrt(static_cast<double>(ranks))));
  if (side * side != ranks || (side & (side - 1)) != 0)
    core::fail_input("'{}': ranks={}: expected a power of four: 4, 16, 64, 256, ...", spec.text(), ranks);
  return std::make_unique<ConjugateGradient>(
      spec.text(), side, static_cast<std::uint64_t>(spec.get_integer("steps", 25, 0, std::int64_t{1} << 40U)),
      core::parse_whole_bytes(spec.get("bytes", "14000"), "bytes"),
      core::parse_speed(spec.get("flops", "100kf"), "flops"));
}

}  // namespace toroid::workloads
