#include "workloads/compact_trace.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace toroid::workloads {
namespace {

constexpr std::uint32_t compute_code = 0;  // not in the vocabulary, whose numbers count from 1

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

/// An operation's number, seven bits a byte, the lowest first; a computation's amount follows it.
void append_code(std::vector<std::uint8_t>& code, std::uint32_t number, double amount) {
  std::uint32_t rest = number;
  for (; rest >= 0x80; rest >>= 7U) code.push_back(static_cast<std::uint8_t>(rest | 0x80U));
  code.push_back(static_cast<std::uint8_t>(rest));
  if (number != compute_code) return;
  const auto at = code.size();
  code.resize(at + sizeof amount);
  std::memcpy(code.data() + at, &amount, sizeof amount);
}

/// What append_code() wrote.
class Reader {
 public:
  explicit Reader(const std::vector<std::uint8_t>& code) : at_(code.data()), end_(at_ + code.size()) {}
  bool at_end() const { return at_ == end_; }
  std::uint32_t number() {
    std::uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      number |= static_cast<std::uint32_t>(byte & 0x7fU) << shift;
      if (byte < 0x80) return number;
    }
  }
  double amount() {
    double amount = 0;
    std::memcpy(&amount, at_, sizeof amount);
    at_ += sizeof amount;
    return amount;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace

struct CompactTrace::Numbering {
  std::vector<std::unordered_map<Operation, std::uint32_t, HashOperation, SameOperation>> of_rank;
};

class CompactTrace::Stream final : public OperationStream {
 public:
  explicit Stream(const Program& program) : program_(program), reader_(program.code) {}

  bool next(Operation& operation) override {
    if (reader_.at_end()) return false;
    const auto number = reader_.number();
    if (number != compute_code) {
      operation = program_.vocabulary[number - 1].operation;
    } else {
      operation = Operation{};
      operation.amount = reader_.amount();
    }
    return true;
  }

 private:
  const Program& program_;
  Reader reader_;
};

CompactTrace::CompactTrace(Rank ranks)
    : programs_(static_cast<std::size_t>(ranks)), numbering_(std::make_unique<Numbering>()) {}
CompactTrace::~CompactTrace() = default;

std::span<const std::uint64_t> CompactTrace::keep(std::vector<std::uint64_t> counts) {
  return counts_.emplace_back(std::move(counts));
}

/// The operation's number in the rank's vocabulary, from 1. Operations with counts are not looked up: they hardly
/// repeat.
std::uint32_t CompactTrace::number_of(Rank rank, const Operation& operation, std::uint64_t line) {
  auto& vocabulary = programs_[static_cast<std::size_t>(rank)].vocabulary;
  auto& numbers = numbering_->of_rank[static_cast<std::size_t>(rank)];
  const bool has_counts = !operation.send_counts.empty() || !operation.recv_counts.empty();
  const auto next = static_cast<std::uint32_t>(vocabulary.size() + 1);
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
  const bool is_compute = operation.kind == OpKind::compute;
  const auto number = is_compute ? compute_code : number_of(rank, operation, line);
  append(programs_[r], number, operation.amount, line);
  return number;
}

void CompactTrace::append(Program& program, std::uint32_t number, double amount, std::uint64_t line) {
  // A new run of lines begins where this one does not follow the last; line 0 stands for none.
  const LineRun last = program.lines.empty() ? LineRun{0, 0} : program.lines.back();
  const bool follows = last.line == 0 ? line == 0 : last.line + (program.count - last.index) == line;
  if (!follows) program.lines.push_back({program.count, line});
  ++program.count;
  append_code(program.code, number, amount);
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
  struct Item {
    std::uint32_t number;
    double amount;  ///< of a computation
  };
  std::vector<Item> items;
  items.reserve(program.count);
  for (Reader reader(program.code); !reader.at_end();) {
    const auto number = reader.number();
    items.push_back({number, number == compute_code ? reader.amount() : 0});
  }
  // From the end: a wait looks for the last request of its name before it.
  std::map<RequestName, std::uint64_t> open_waits;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    if (item->number == compute_code) continue;
    auto operation = program.vocabulary[item->number - 1].operation;
    if (operation.kind == OpKind::wait) ++open_waits[request_name(operation, rank)];
    if (operation.kind != OpKind::isend && operation.kind != OpKind::irecv) continue;
    const auto wait = open_waits.find(request_name(operation, rank));
    if (wait == open_waits.end() || wait->second == 0) continue;
    --wait->second;
    operation.waited_by_name = true;
    item->number = number_of(rank, operation, program.vocabulary[item->number - 1].first_line);
  }
  program.code.clear();
  for (const auto& item : items) append_code(program.code, item.number, item.amount);
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
    sum += sizeof p + p.code.capacity() + p.vocabulary.capacity() * sizeof(Word) + p.lines.capacity() * sizeof(LineRun);
  for (const auto& counts : counts_) sum += counts.capacity() * sizeof(std::uint64_t);
  return sum;
}

}  // namespace toroid::workloads
