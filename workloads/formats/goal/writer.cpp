#include <cmath>

#include "workloads/formats/formats.hpp"
#include "workloads/formats/graph/writer.hpp"

namespace toroid::workloads {
namespace {

class GoalProgram final : public GraphWriter {
 public:
  GoalProgram(const Trace& trace, const CollectiveChoice& collectives, Rank rank, core::OutputFile& file)
      : GraphWriter(trace, collectives, rank, "GOAL"), file_(file) {}

  void write() {
    file_.write(fmt::format("\nrank {} {{\n", rank()));
    walk();
    file_.write("}\n");
  }

 private:
  bool says_begins() const override { return true; }
  bool says(const Operation&) const override { return false; }
  double slept(const Operation& op) const override { return op.amount * 1e9; }

  void emit(Label label, const Node& node, const Events& after) override {
    if (node.kind == OpKind::compute_after && node.bytes > 0)
      core::fail_input("rank {}: GOAL cannot say what memory a computation touches", rank());
    auto lines = fmt::format("l{}: {}", label, text_of(node));
    if (node.core != 0) lines += fmt::format(" cpu {}", node.core);
    lines += '\n';
    for (const auto& event : after)
      lines += fmt::format("l{} {} l{}\n", label, event.begun ? "irequires" : "requires", event.label);
    file_.write(lines);
  }

  static std::string text_of(const Node& node) {
    if (node.kind == OpKind::compute_after) return fmt::format("calc {}", std::llround(node.amount));
    if (node.kind == OpKind::send_after)
      return fmt::format("send {}b to {} tag {}", node.bytes, node.partner, node.tag);
    return fmt::format("recv {}b from {} tag {}", node.bytes, node.partner, node.tag);
  }

  core::OutputFile& file_;
};

}  // namespace

void write_goal(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                const std::string& path) {
  auto& file = outputs.add(path);
  file.write(fmt::format("num_ranks {}\n", trace.ranks()));
  for (const Rank rank : core::ids<Rank>(trace.ranks())) GoalProgram(trace, collectives, rank, file).write();
}

}  // namespace toroid::workloads
