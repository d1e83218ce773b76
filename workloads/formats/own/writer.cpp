#include <fmt/ranges.h>

#include <unordered_map>

#include "workloads/formats/formats.hpp"
#include "workloads/formats/own/operation.hpp"
#include "workloads/formats/text.hpp"

namespace toroid::workloads {
namespace {

constexpr std::size_t line_length = 200;  // after so many characters of numbers a new line begins

std::string members_text(const Communicator& comm) {
  std::vector<std::int32_t> members;
  members.reserve(static_cast<std::size_t>(comm.size()));
  for (CommRank member = 0; member < comm.size(); ++member) members.push_back(comm.member(member).value());
  const auto stride = members.size() > 1 ? members[1] - members[0] : 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i] - members[i - 1] != stride) return fmt::format("of {}", fmt::join(members, "/"));
  return fmt::format("from {} step {} size {}", members.empty() ? 0 : members[0], stride, members.size());
}

/// A rank's program as text: lines with numbers of operations and amounts of computations.
class TextWriter {
 public:
  explicit TextWriter(core::OutputFile& file) : file_(file) {}

  void computation(double amount) {
    item_ = 'c';
    append_amount(item_, amount);
    add_item();
  }
  void operation(std::uint32_t number) {
    const fmt::format_int digits(number);
    item_.assign(digits.data(), digits.size());
    add_item();
  }
  void new_operation(std::uint32_t, const std::string& text) { other_line("+ " + text + "\n"); }
  /// What stands between the lines with numbers, at its place.
  void other_line(const std::string& text) {
    end();
    file_.write(text);
  }
  void end() {
    if (line_.empty()) return;
    line_ += '\n';
    file_.write(line_);
    line_.clear();
  }

 private:
  void add_item() {
    if (line_.size() + item_.size() > line_length) end();
    if (!line_.empty()) line_ += ' ';
    line_ += item_;
  }

  core::OutputFile& file_;
  std::string line_, item_;
};

/// A rank's program as blocks of bytes, behind the operations in them.
class CodeWriter {
 public:
  explicit CodeWriter(core::OutputFile& file) : file_(file) {}

  void computation(double amount) {
    code_.add_computation(amount);
    end_full();
  }
  void operation(std::uint32_t number) {
    code_.add_operation(number);
    end_full();
  }
  void new_operation(std::uint32_t number, const std::string& text) {
    other_line("= " + text + "\n");
    operation(number);
  }
  void other_line(const std::string& text) { file_.write(text); }
  void end() {
    const auto [items, whole, real] = code_.block();
    if (items.empty()) return;
    file_.write(fmt::format("code {} {} {}\n", items.size(), whole.size(), real.size()));
    for (const auto bytes : {items, whole, real})
      file_.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file_.write("\n");
    code_.clear();
  }

 private:
  /// Ends a block that is so long that another costs no time to begin, and short enough for a processor's cache.
  void end_full() {
    constexpr std::size_t enough = 1 << 16;
    static_assert(8 * enough <= own_block_size);
    if (code_.block().items.size() >= enough) end();
  }

  core::OutputFile& file_;
  ProgramCode code_;
};

/// Communicators are numbered as they are first used, and told before.
using Told = std::unordered_map<CommId, CommId>;

template <class Writer>
class RankWriter {
 public:
  RankWriter(const Trace& trace, Rank rank, Told& told, core::OutputFile& file)
      : trace_(trace), rank_(rank), told_(told), writer_(file) {}

  void write() {
    const auto stream = trace_.open(rank_);
    writer_.other_line(fmt::format("rank {}\n", rank_));
    for (Operation op; stream->next(op);) {
      if (op.kind == OpKind::compute) {
        writer_.computation(op.amount);
        continue;
      }
      op.comm = number_of(op.comm);
      if (has_no_lists(op))
        operation(op);
      else
        spelled(own_text(op));
    }
    writer_.end();
  }

 private:
  /// Writes an operation. The text of one without lists is asked for once.
  void operation(const Operation& op) {
    const auto [known, is_new] = known_.number_of(op);
    if (is_new)
      numbers_of_known_.push_back(spelled(own_text(op)));
    else
      writer_.operation(numbers_of_known_[known]);
  }

  /// Spells it out if it is new. Returns its number.
  std::uint32_t spelled(const std::string& text) {
    const auto [known, is_new] = numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size()));
    if (is_new)
      writer_.new_operation(known->second, text);
    else
      writer_.operation(known->second);
    return known->second;
  }

  CommId number_of(CommId comm) {
    if (comm == world) return world;
    const auto [known, is_new] = told_.emplace(comm, CommId(static_cast<std::int32_t>(told_.size()) + 1));
    if (is_new) writer_.other_line(fmt::format("comm {} {}\n", known->second, members_text(trace_.communicator(comm))));
    return known->second;
  }

  const Trace& trace_;
  Rank rank_;
  Told& told_;
  Writer writer_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  KnownOperations known_;
  std::vector<std::uint32_t> numbers_of_known_;
};

template <class Writer>
void write_with(const Trace& trace, core::OutputFile& file) {
  file.write(fmt::format("toroid trace {}\nranks {}\n", own_version, trace.ranks()));
  if (trace.collectives() == CollectiveWorld::torus) file.write("collectives torus\n");
  if (trace.computation() != Computation::modelled) {
    const auto recording = recording_of(trace);
    file.write(fmt::format("computation {}{}\n", trace.computation() == Computation::timed ? "timed" : "counted",
                           recording.clock.empty() ? ""
                                                   : fmt::format(" clock={} ranks={} cores={}", recording.clock,
                                                                 recording.ranks, recording.cores)));
  }
  Told told;
  for (const Rank rank : core::ids<Rank>(trace.ranks())) RankWriter<Writer>(trace, rank, told, file).write();
  file.write("end\n");
}

}  // namespace

void write_own(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  write_own(trace, outputs.add(path));
}

void write_own(const Trace& trace, core::OutputFile& file) {
  write_with<CodeWriter>(trace, file);
}

void write_own_text(const Trace& trace, core::OutputSet& outputs, const std::string& path) {
  write_with<TextWriter>(trace, outputs.add(path));
}

}  // namespace toroid::workloads
