#include "core/units.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

enum class Order { shift, at_once };

const core::Parameter<std::int32_t> rank_count{"ranks", "number of ranks", core::whole<std::int32_t>(1, 1 << 20), "64"};
const core::Parameter<std::uint64_t> round_count{"rounds", "how often all send to all",
                                                 core::whole(std::uint64_t{0}, std::uint64_t{1} << 40U), "25"};
const core::Parameter<std::uint64_t> bytes{"bytes", "bytes of a message", core::whole_bytes(), "16KiB"};
const core::Parameter<Order> order{
    "order", "shift: to the rank 1, 2, ... further on, one after the other; at-once: to all, then a wait for all",
    core::one_of<Order>({{"shift", Order::shift}, {"at-once", Order::at_once}}), "shift"};
const core::Parameter<double> flops{"flops", "computation per rank and round", core::flops(), "100kf"};

/// All-to-all broadcasts: in each round every rank sends the same to all others, as point-to-point messages, and then
/// computes. P. Walker, D. Bunde, V. Leung, Faster high-quality processor allocation, LCI 2010, section II, whose jobs
/// repeat the test 25 times; size and order of the messages are not told there.
class Broadcasts final : public GeneratedTrace {
 public:
  explicit Broadcasts(const core::Arguments& arguments) : GeneratedTrace(arguments, arguments[rank_count]) {}

  /// A round is in several steps, so that a rank does not hold as many operations at a time as there are ranks.
  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override {
    const auto steps_of_round = this->steps_of_round();
    if (step / steps_of_round >= rounds_) return false;
    const auto at = static_cast<std::size_t>(step % steps_of_round);
    if (at + 1 < steps_of_round)
      out.push_back(order_ == Order::shift ? exchange(rank, at + 1) : post(rank, at));
    else
      finish(out);
    return true;
  }

  Loop loop() const override { return {0, rounds_ * steps_of_round(), steps_of_round()}; }

 private:
  std::size_t steps_of_round() const { return handles_.size() + (order_ == Order::shift ? others() : 0) + 1; }
  std::size_t others() const { return static_cast<std::size_t>(ranks()) - 1; }

  /// The rank that is so much further on.
  CommRank further(Rank rank, std::size_t distance) const {
    return static_cast<CommRank>((rank.index() + distance) % (others() + 1));
  }
  CommRank back(Rank rank, std::size_t distance) const { return further(rank, others() + 1 - distance); }

  Operation exchange(Rank rank, std::size_t distance) const {
    return {.kind = OpKind::sendrecv, .to = further(rank, distance), .from = back(rank, distance), .bytes = bytes_};
  }

  /// First all receives, then all sends.
  Operation post(Rank rank, std::size_t number) const {
    const auto request = handles_[number];
    if (number < others())
      return {.kind = OpKind::irecv, .from = back(rank, number + 1), .request = request, .bytes = bytes_};
    return {.kind = OpKind::isend, .to = further(rank, number - others() + 1), .request = request, .bytes = bytes_};
  }

  void finish(std::vector<Operation>& out) const {
    if (!handles_.empty()) out.push_back({.kind = OpKind::waitall, .requests = handles_});
    if (flops_ > 0) out.push_back({.kind = OpKind::compute, .amount = flops_});
  }

  std::uint64_t rounds_ = given(round_count), bytes_ = given(bytes);
  Order order_ = given(order);
  double flops_ = given(flops);
  /// The handles of the receives from all others and of the sends to them, all at once.
  std::vector<RequestHandle> handles_ = handles_below(order_ == Order::at_once ? 2 * others() : 0);
};

}  // namespace

core::Entry<MakeTrace> broadcasts_generator() {
  return {"broadcasts",
          "each rank sends to all others, again and again",
          make_trace<Broadcasts>,
          {rank_count, round_count, bytes, order, flops}};
}

}  // namespace toroid::workloads
