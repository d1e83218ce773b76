#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>

#include "workloads/formats/known_operations.hpp"
#include "workloads/formats/own.hpp"
#include "workloads/formats/own_operation.hpp"

namespace toroid::workloads {
namespace {

constexpr std::size_t line_length = 200;  // after so many characters of numbers a new line begins

std::string members_text(const Communicator& comm) {
  std::vector<std::int32_t> members;
  for (CommRank member = 0; member < comm.size(); ++member) members.push_back(comm.member(member).value());
  const auto stride = members.size() > 1 ? members[1] - members[0] : 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i] - members[i - 1] != stride) return fmt::format("of {}", fmt::join(members, "/"));
  return fmt::format("from {} step {} size {}", members.empty() ? 0 : members[0], stride, members.size());
}

class RankWriter {
 public:
  RankWriter(const Trace& trace, Rank rank, std::unordered_map<CommId, CommId>& told, core::OutputFile& file)
      : trace_(trace), rank_(rank), told_(told), file_(file) {}

  void write() {
    const auto stream = trace_.open(rank_);
    file_.write(fmt::format("rank {}\n", rank_));
    for (Operation op; stream->next(op);) {
      if (op.kind == OpKind::compute) {
        item_ = 'c';
        append_amount(item_, op.amount);
        add_item();
        continue;
      }
      op.comm = number_of(op.comm);
      if (KnownOperations::takes(op))
        operation(op);
      else
        spelled(own_text(op));
    }
    end_line();
  }

 private:
  /// Of operations without lists the text is asked for once.
  void operation(const Operation& op) {
    const auto [known, is_new] = known_.number_of(op);
    if (is_new)
      numbers_of_known_.push_back(spelled(own_text(op)));
    else
      repeat(numbers_of_known_[known]);
  }

  /// Spells it out if it is new. Returns its number.
  std::size_t spelled(const std::string& text) {
    const auto [known, is_new] = numbers_.emplace(text, numbers_.size());
    if (is_new)
      spell_out(text);
    else
      repeat(known->second);
    return known->second;
  }

  void repeat(std::size_t number) {
    const fmt::format_int digits(number);
    item_.assign(digits.data(), digits.size());
    add_item();
  }

  void spell_out(const std::string& text) {
    end_line();
    file_.write("+ " + text + "\n");
  }

  /// Communicators are numbered as they are first used, and told before.
  CommId number_of(CommId comm) {
    if (comm == world) return world;
    const auto [known, is_new] = told_.emplace(comm, CommId(static_cast<std::int32_t>(told_.size()) + 1));
    if (is_new) {
      end_line();
      file_.write(fmt::format("comm {} {}\n", known->second, members_text(trace_.communicator(comm))));
    }
    return known->second;
  }

  void add_item() {
    if (line_.size() + item_.size() > line_length) end_line();
    if (!line_.empty()) line_ += ' ';
    line_ += item_;
  }

  void end_line() {
    if (line_.empty()) return;
    line_ += '\n';
    file_.write(line_);
    line_.clear();
  }

  const Trace& trace_;
  Rank rank_;
  std::unordered_map<CommId, CommId>& told_;
  core::OutputFile& file_;
  std::unordered_map<std::string, std::size_t> numbers_;
  KnownOperations known_;
  std::vector<std::size_t> numbers_of_known_;
  std::string line_, item_;
};

}  // namespace

void write_own(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  auto& file = outputs.add(path);
  file.write(fmt::format("{}\nranks {}\n", own_header, trace.ranks()));
  std::unordered_map<CommId, CommId> told;
  for (const Rank rank : core::ids<Rank>(trace.ranks())) RankWriter(trace, rank, told, file).write();
  file.write("end\n");
}

}  // namespace toroid::workloads
