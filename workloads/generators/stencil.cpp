#include "core/units.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace toroid::workloads {
namespace {

const core::Parameter<std::vector<std::int32_t>> grid{"grid", "the grid of ranks", core::extents(8, 1 << 24U), "4x4x4"};
const core::Parameter<std::uint64_t> steps{"steps", "time steps",
                                           core::whole(std::uint64_t{0}, std::uint64_t{1} << 40U), "10"};
const core::Parameter<std::uint64_t> bytes{"bytes", "bytes to each neighbour", core::whole_bytes(), "8KiB"};
const core::Parameter<double> flops{"flops", "computation per rank and step", core::flops(), "1Mf"};
enum class Method { sends, puts };
const core::Parameter<Method> method{"method", "how neighbours are told: messages, or one-sided puts between fences",
                                     core::one_of<Method>({{"send", Method::sends}, {"put", Method::puts}}), "send"};
const core::Parameter<bool> periodic{"periodic", "whether the ends of an axis are neighbours", core::yes_or_no(), "no"};

/// Halo exchange with the neighbours on an n-D grid of ranks, computation, and a small allreduce: one step of an
/// explicit solver. Rank = x + X*y + X*Y*z.
class Stencil final : public GeneratedTrace {
 public:
  explicit Stencil(const core::Arguments& arguments) : GeneratedTrace(arguments, RankGrid(arguments[grid]).size()) {}

  bool step(Rank rank, std::uint64_t step, std::vector<Operation>& out) const override {
    if (step >= steps_) return false;
    // A message is tagged with its direction: on a periodic dimension of two ranks both go to the same neighbour.
    RequestHandle requests = 0;
    const auto exchange = [&](OpKind kind) {
      for (std::size_t axis = 0; axis < grid_.axes(); ++axis)
        for (const int direction : {+1, -1}) {
          const CommRank neighbour = grid_.neighbour(rank, axis, direction, periodic_);
          if (neighbour == no_process) continue;
          Operation op{.kind = kind, .bytes = bytes_};
          (kind == OpKind::irecv ? op.from : op.to) = neighbour;
          if (kind != OpKind::put) {
            const bool forward = (kind == OpKind::isend) == (direction > 0);
            op.tag = static_cast<std::int32_t>(2 * axis + (forward ? 0 : 1));
            op.request = requests++;
          }
          out.push_back(op);
        }
    };
    if (method_ == Method::puts) {
      out.push_back({.kind = OpKind::fence});
      exchange(OpKind::put);
      out.push_back({.kind = OpKind::fence});
    } else {
      exchange(OpKind::irecv);
      exchange(OpKind::isend);
      out.push_back({.kind = OpKind::waitall, .requests = std::span(handles_).first(requests)});
    }
    if (flops_ > 0) out.push_back({.kind = OpKind::compute, .amount = flops_});
    out.push_back({.kind = OpKind::allreduce, .bytes = 8});
    return true;
  }

  Iterations iteration_steps() const override { return {0, steps_}; }
  Loop loop() const override { return {0, steps_, 1}; }

 private:
  RankGrid grid_{given(grid)};
  bool periodic_ = given(periodic);
  std::uint64_t steps_ = given(steps), bytes_ = given(bytes);
  double flops_ = given(flops);
  Method method_ = given(method);
  std::vector<RequestHandle> handles_ = handles_below(4 * grid_.axes());  ///< both messages with each neighbour
};

}  // namespace

core::Entry<MakeTrace> stencil_generator() {
  return {"stencil",
          "halo exchange on an n-D grid of ranks",
          make_trace<Stencil>,
          {grid, steps, bytes, flops, method, periodic}};
}

}  // namespace toroid::workloads
