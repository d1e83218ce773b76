#include "workloads/without_computations.hpp"

#include "workloads/compact_trace.hpp"
#include "workloads/forwarded_trace.hpp"

namespace toroid::workloads {
namespace {

class TraceWithoutComputations final : public ForwardedTrace {
 public:
  explicit TraceWithoutComputations(const CompactTrace& recorded) : ForwardedTrace(recorded), recorded_(recorded) {}

  std::unique_ptr<OperationStream> open(Rank rank) const override { return recorded_.open_without_computations(rank); }
  Rounds rounds(Rank rank) const override { return recorded_.rounds_without_computations(rank); }
  std::uint64_t operation_count() const override { return 0; }  // unknown

  std::string locate(Rank rank, std::uint64_t index) const override {
    std::uint64_t item = 0;
    for (ProgramCode::Reader reader(recorded_.code(rank)); !reader.at_end(); ++item, reader.pass())
      if (!reader.at_computation() && index-- == 0) break;
    return recorded_.locate(rank, item);
  }

 private:
  const CompactTrace& recorded_;
};

}  // namespace

std::unique_ptr<const Trace> without_computations(const Trace& trace) {
  const auto* recorded = dynamic_cast<const CompactTrace*>(&trace);
  if (recorded == nullptr || recorded->has_strands()) return nullptr;
  return std::make_unique<const TraceWithoutComputations>(*recorded);
}

}  // namespace toroid::workloads
