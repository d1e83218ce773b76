#include "workloads/compact_trace.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include <fmt/format.h>

namespace toroid::workloads {
namespace {

auto key_of(const Operation& o) {
  return std::tuple(o.kind, o.mode, o.waited_by_name, o.comm, o.peer, o.other, o.tag, o.bytes,
                    std::bit_cast<std::uint64_t>(o.amount));
}

struct HashOperation {
  std::size_t operator()(const Operation& o) const {
    std::size_t h = 0;
    std::apply(
        [&](const auto&... field) {
          ((h = (h ^ static_cast<std::size_t>(field)) * 0x9e3779b97f4a7c15ULL, h ^= h >> 29U), ...);
        },
        key_of(o));
    return h;
  }
};
struct SameOperation {
  bool operator()(const Operation& a, const Operation& b) const { return key_of(a) == key_of(b); }
};

/// The numbers in the program; computations have none.
std::vector<std::uint32_t> operation_numbers(const ProgramCode& code) {
  std::vector<std::uint32_t> numbers;
  for (ProgramCode::Reader reader(code); !reader.at_end();) {
    if (reader.at_computation())
      reader.amount();
    else
      numbers.push_back(reader.number());
  }
  return numbers;
}

/// The program with other numbers in place of its own.
ProgramCode with_numbers(const ProgramCode& code, const std::vector<std::uint32_t>& numbers) {
  ProgramCode changed;
  auto number = numbers.begin();
  for (ProgramCode::Reader reader(code); !reader.at_end();) {
    if (reader.at_computation()) {
      changed.add_computation(reader.amount());
    } else {
      reader.number();
      changed.add_operation(*number++);
    }
  }
  return changed;
}

}  // namespace

struct CompactTrace::Numbering {
  std::vector<std::unordered_map<Operation, std::uint32_t, HashOperation, SameOperation>> of_rank;
};

class CompactTrace::Stream final : public OperationStream {
 public:
  explicit Stream(const Program& program) : vocabulary_(program.vocabulary.data()), reader_(program.code) {}

  bool next(Operation& operation) override {
    if (reader_.at_end()) return false;
    if (reader_.at_computation()) {
      const double amount = reader_.amount();
      operation = Operation{};
      operation.amount = amount;
    } else {
      operation = vocabulary_[reader_.number()].operation;
    }
    return true;
  }

 private:
  const Word* vocabulary_;
  ProgramCode::Reader reader_;
};

CompactTrace::CompactTrace(Rank ranks)
    : programs_(static_cast<std::size_t>(ranks)), numbering_(std::make_unique<Numbering>()) {}
CompactTrace::~CompactTrace() = default;

std::span<const std::uint64_t> CompactTrace::keep(std::vector<std::uint64_t> counts) {
  return counts_.emplace_back(std::move(counts));
}

/// The operation's number in the rank's vocabulary. Operations with counts are not looked up: they hardly
/// repeat.
std::uint32_t CompactTrace::number_of(Rank rank, const Operation& operation, std::uint64_t line) {
  auto& vocabulary = programs_[static_cast<std::size_t>(rank)].vocabulary;
  auto& numbers = numbering_->of_rank[static_cast<std::size_t>(rank)];
  const bool has_counts = !operation.send_counts.empty() || !operation.recv_counts.empty();
  const auto next = static_cast<std::uint32_t>(vocabulary.size());
  if (!has_counts) {
    const auto [entry, inserted] = numbers.try_emplace(operation, next);
    if (!inserted) return entry->second;
  }
  Word word{operation, line};
  if (!operation.send_counts.empty())
    word.operation.send_counts = keep({operation.send_counts.begin(), operation.send_counts.end()});
  if (!operation.recv_counts.empty())
    word.operation.recv_counts = keep({operation.recv_counts.begin(), operation.recv_counts.end()});
  vocabulary.push_back(word);
  return next;
}

std::uint32_t CompactTrace::add(Rank rank, const Operation& operation, std::uint64_t line) {
  const auto r = static_cast<std::size_t>(rank);
  if (r >= programs_.size()) programs_.resize(r + 1);
  if (r >= numbering_->of_rank.size()) numbering_->of_rank.resize(programs_.size());
  if (operation.kind == OpKind::compute) {
    compute(rank, operation.amount, line);
    return 0;
  }
  const auto number = number_of(rank, operation, line);
  repeat(rank, number, line);
  return number;
}

CommId CompactTrace::add_communicator(std::vector<Rank> members) {
  communicators_.push_back(std::move(members));
  return static_cast<CommId>(communicators_.size() - 1);
}

void CompactTrace::set_file(Rank rank, const std::string& path) {
  if (static_cast<std::size_t>(rank) >= programs_.size()) programs_.resize(static_cast<std::size_t>(rank) + 1);
  // Ranks of one file come one after the other.
  if (files_.empty() || files_.back() != path) files_.push_back(path);
  programs_[static_cast<std::size_t>(rank)].file = files_.size() - 1;
}

void CompactTrace::mark_named_waits() {
  for (Rank rank = 0; rank < ranks(); ++rank) {
    auto& program = programs_[static_cast<std::size_t>(rank)];
    const auto has = [&](auto test) {
      return std::any_of(program.vocabulary.begin(), program.vocabulary.end(),
                         [&](const Word& w) { return test(w.operation.kind); });
    };
    const bool ambiguous = has([](OpKind k) { return k == OpKind::waitall || k == OpKind::waitany; });
    if (ambiguous && has([](OpKind k) { return k == OpKind::wait; })) mark_named_waits(rank);
  }
}

void CompactTrace::mark_named_waits(Rank rank) {
  auto& program = programs_[static_cast<std::size_t>(rank)];
  const auto& vocabulary = program.vocabulary;
  auto numbers = operation_numbers(program.code);
  // Found once for each word of the vocabulary: the number of its request's name, and the same word marked.
  std::map<RequestName, std::size_t> names;
  std::vector<std::size_t> name_of;
  for (const auto& word : vocabulary)
    name_of.push_back(names.try_emplace(request_name(word.operation, rank), names.size()).first->second);
  std::vector<std::optional<std::uint32_t>> marked(vocabulary.size());
  // From the end: a wait looks for the last request of its name before it.
  std::vector<std::uint64_t> open_waits(names.size());
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    const auto kind = vocabulary[*number].operation.kind;
    auto& waits = open_waits[name_of[*number]];
    if (kind == OpKind::wait) ++waits;
    if ((kind != OpKind::isend && kind != OpKind::irecv) || waits == 0) continue;
    --waits;
    auto& replacement = marked[*number];
    if (!replacement) {
      auto word = vocabulary[*number];
      word.operation.waited_by_name = true;
      replacement = number_of(rank, word.operation, word.first_line);
    }
    *number = *replacement;
  }
  program.code = with_numbers(program.code, numbers);
}

void CompactTrace::finish() {
  mark_named_waits();
  numbering_.reset();
  communicators_[0].resize(programs_.size());
  std::iota(communicators_[0].begin(), communicators_[0].end(), 0);
  for (auto& program : programs_) {
    program.code.shrink_to_fit();
    program.vocabulary.shrink_to_fit();
    program.lines.shrink_to_fit();
  }
}

std::unique_ptr<OperationStream> CompactTrace::open(Rank rank) const {
  return std::make_unique<Stream>(programs_.at(static_cast<std::size_t>(rank)));
}

std::string CompactTrace::locate(Rank rank, std::uint64_t index) const {
  const auto& program = programs_.at(static_cast<std::size_t>(rank));
  const auto after = std::upper_bound(program.lines.begin(), program.lines.end(), index,
                                      [](std::uint64_t i, const LineRun& run) { return i < run.index; });
  const LineRun run = after == program.lines.begin() ? LineRun{0, 0} : *std::prev(after);
  if (program.file == no_file || run.line == 0) return fmt::format("operation {}", index + 1);
  return fmt::format("{}:{}", files_[program.file], run.line + (index - run.index));
}

std::vector<std::string> CompactTrace::files() const {
  auto all = files_;
  if (!list_.empty()) all.insert(all.begin(), list_);
  return all;
}

const std::string& CompactTrace::file_of(Rank rank) const {
  static const std::string none;
  const auto file = programs_.at(static_cast<std::size_t>(rank)).file;
  return file == no_file ? none : files_[file];
}

std::uint64_t CompactTrace::operation_count() const {
  std::uint64_t sum = 0;
  for (const auto& program : programs_) sum += program.count;
  return sum;
}

std::size_t CompactTrace::memory_bytes() const {
  std::size_t sum = 0;
  for (const auto& p : programs_)
    sum += sizeof p + p.code.memory_bytes() + p.vocabulary.capacity() * sizeof(Word) +
           p.lines.capacity() * sizeof(LineRun);
  for (const auto& counts : counts_) sum += counts.capacity() * sizeof(std::uint64_t);
  return sum;
}

}  // namespace toroid::workloads
