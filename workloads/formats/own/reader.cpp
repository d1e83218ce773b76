#include <set>
#include <unordered_map>

#include "core/file.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/own/operation.hpp"

namespace toroid::workloads {
namespace {

constexpr std::int32_t most_own_ranks = 1 << 24;
constexpr std::int32_t version_of_puts = 2, version_of_blocks = 3, version_of_worlds = 4;

class OwnReader {
 public:
  explicit OwnReader(const std::string& path) : lines_(path) {}

  std::unique_ptr<CompactTrace> read() {
    const auto header = core::words(line());
    if (header.size() != 3 || header[0] != "toroid" || header[1] != "trace")
      lines_.fail("found '{}', expected toroid trace VERSION", core::excerpt(line_));
    version_ = lines_.number(header[2], 1, own_version, "a version");
    const auto sizes = core::words(line());
    if (sizes.size() != 2 || sizes[0] != "ranks")
      lines_.fail("found '{}', expected ranks NUMBER", core::excerpt(line_));
    ranks_ = lines_.number(sizes[1], 1, most_own_ranks, "a number of ranks");
    trace_ = std::make_unique<CompactTrace>();  // it grows with the lines: a small file must not cost all memory
    while (line() != "end") read_line();
    if (next_rank_ != ranks_) lines_.fail("found the end after {} ranks, expected {}", next_rank_, ranks_);
    if (lines_.next()) lines_.fail("found another line after the end, expected none");
    trace_->finish();
    return std::move(trace_);
  }

 private:
  void read_line() {
    const auto first = line_.empty() ? ' ' : line_[0];
    if (first == 'c' && line_.starts_with("comm ")) return read_communicator(core::words(line_));
    if (first == 'r') return begin_rank(core::words(line_));
    if (version_ >= version_of_worlds && !in_rank_) {
      if (line_.starts_with("collectives ")) return read_collectives();
      if (line_.starts_with("computation ")) return read_computation();
    }
    if (!in_rank_) lines_.fail("found '{}', expected rank NUMBER or comm ...", core::excerpt(line_));
    if (first == '+' || (version_ >= version_of_blocks && first == '=')) return read_operation();
    if (version_ >= version_of_blocks && line_.starts_with("code ")) return read_block(core::words(line_));
    read_items(line_);
  }

  void begin_rank(const std::vector<std::string_view>& fields) {
    if (fields.size() != 2 || fields[0] != "rank")
      lines_.fail("found '{}', expected rank NUMBER", core::excerpt(line_));
    rank_ = Rank(lines_.number(fields[1], 0, ranks_ - 1, "a rank"));
    if (rank_.value() != next_rank_++)
      lines_.fail("found rank {}, expected {}: ranks stand in order", rank_, next_rank_ - 1);
    trace_->set_file(rank_, lines_.path());
    in_rank_ = true;
    numbers_.clear();
    is_told_twice_ = false;
  }

  /// `collectives mpi` or `collectives torus`: whose algorithms they have unless the user chooses some.
  void read_collectives() {
    const auto fields = core::words(line_);
    if (fields.size() != 2 || (fields[1] != "mpi" && fields[1] != "torus"))
      lines_.fail("found '{}', expected collectives mpi or collectives torus", core::excerpt(line_));
    trace_->set_collectives(fields[1] == "torus" ? CollectiveWorld::torus : CollectiveWorld::mpi);
  }

  /// `computation timed` or `computation counted`: what a run has measured of it; behind that perhaps how.
  void read_computation() {
    const auto fields = core::words(line_);
    const bool says_how = fields.size() == 5 && fields[2].starts_with("clock=") && fields[3].starts_with("ranks=") &&
                          fields[4].starts_with("cores=");
    if ((fields.size() != 2 && !says_how) || (fields[1] != "timed" && fields[1] != "counted"))
      lines_.fail(
          "found '{}', expected computation timed or computation counted, and perhaps clock=wall ranks=4 cores=2",
          core::excerpt(line_));
    Recording recording;
    if (says_how)
      recording = {std::string(fields[2].substr(6)),
                   lines_.number(fields[3].substr(6), 1, most_own_ranks, "a number of ranks"),
                   lines_.number(fields[4].substr(6), 1, most_own_ranks, "a number of cores")};
    trace_->set_computation(fields[1] == "timed" ? Computation::timed : Computation::counted, recording);
  }

  /// `comm ID from FIRST step STRIDE size SIZE` or `comm ID of R/R/...`.
  void read_communicator(const std::vector<std::string_view>& fields) {
    const bool is_row = fields.size() == 8 && fields[2] == "from" && fields[4] == "step" && fields[6] == "size";
    const bool is_list = fields.size() == 4 && fields[2] == "of";
    if (!is_row && !is_list)
      lines_.fail("found '{}', expected comm ID from FIRST step STRIDE size SIZE, or comm ID of R/R/...",
                  core::excerpt(line_));
    const auto id = lines_.number(fields[1], 1, most_own_ranks, "a communicator");
    const auto comm = trace_->add_communicator(is_row ? row(fields) : Communicator(list(fields[3])));
    if (!comms_.emplace(id, comm).second) lines_.fail("found communicator {} again, expected each once", id);
  }

  Communicator row(const std::vector<std::string_view>& fields) const {
    const std::int64_t first = lines_.number(fields[3], 0, ranks_ - 1, "a rank");
    const auto step = lines_.number(fields[5], -ranks_, ranks_, "a step"),
               size = lines_.number(fields[7], 1, ranks_, "a size");
    const auto last = first + (std::int64_t{size} - 1) * step;
    if (step == 0 || last < 0 || last >= ranks_)
      lines_.fail("found '{}', expected different ranks below {}", core::excerpt(line_), ranks_);
    return Communicator::strided(Rank(first), step, size);
  }

  std::vector<Rank> list(std::string_view text) const {
    std::vector<Rank> members;
    for (const auto part : core::split(text, '/'))
      members.push_back(Rank(lines_.number(part, 0, ranks_ - 1, "a rank")));
    if (std::set<Rank>(members.begin(), members.end()).size() != members.size())
      lines_.fail("found '{}', expected different ranks", core::excerpt(line_));
    return members;
  }

  /// `+ KIND ...`, which the rank does here, or `= KIND ...`, which it does later.
  void read_operation() {
    const auto parsed = parse_own(core::words(std::string_view(line_).substr(1)));
    if (!parsed.error.empty()) lines_.fail("{}", parsed.error);
    auto op = parsed.value.shown();
    if (op.kind == OpKind::compute) lines_.fail("found compute, expected computations as cAMOUNT");
    check(op);
    const auto number = trace_->number_of(rank_, op, lines_.line());
    is_told_twice_ = is_told_twice_ || number != numbers_.size();
    numbers_.push_back(number);
    if (line_[0] == '+') trace_->repeat(rank_, number, lines_.line());
  }

  /// `code ITEMS WHOLE REAL`, and so many bytes as a trace in memory has them.
  void read_block(const std::vector<std::string_view>& fields) {
    if (fields.size() != 4) lines_.fail("found '{}', expected code ITEMS WHOLE REAL", core::excerpt(line_));
    const auto size = [&](std::size_t field) {
      return static_cast<std::size_t>(lines_.number(fields[field], 0, own_block_size, "a number of bytes"));
    };
    const auto items = size(1), whole = size(2), real = size(3), all = items + whole + real;
    if (is_told_twice_) lines_.fail("found code behind an operation that stands there twice, expected each once");
    block_.resize(all + 1);  // and a line end
    if (!lines_.read(block_.data(), block_.size()))
      lines_.fail("found the end, expected {} bytes of code: the file is truncated", all);
    if (block_.back() != '\n') lines_.fail("found more than {} bytes of code, expected a line end", all);
    const std::span<const std::uint8_t> bytes(block_);
    const ProgramCode::Block block{bytes.first(items), bytes.subspan(items, whole), bytes.subspan(items + whole, real)};
    const auto checked = ProgramCode::check(block, numbers_.size());
    if (!checked.fault.empty()) lines_.fail("{}", checked.fault);
    trace_->add(rank_, block, checked.items);
  }

  /// Checks that an operation only names what there is.
  void check(Operation& op) {
    if (version_ < version_of_puts && (op.kind == OpKind::put || op.kind == OpKind::fence))
      lines_.fail("found {}, expected none in version {} of the form", to_string(op.kind), version_);
    CommRank size = ranks_;
    if (op.comm != world) {
      const auto found = comms_.find(op.comm.value());
      if (found == comms_.end()) lines_.fail("found communicator {}, expected one that a line before says", op.comm);
      op.comm = found->second;
      const auto& comm = trace_->communicator(op.comm);
      size = comm.size();
      if (comm.rank_of(rank_) == no_process) lines_.fail("found a communicator of which rank {} is no member", rank_);
    }
    if (std::max({op.to, op.from, op.root}) >= size)
      lines_.fail("found a partner or root that the communicator of {} ranks does not have", size);
    for (const auto& counts : {op.send_counts, op.recv_counts})
      if (!counts.empty() && counts.size() != static_cast<std::size_t>(size))
        lines_.fail("found {} counts, expected {}, one for each rank", counts.size(), size);
    const bool root = is_root(op);
    if ((needs_recv_counts(op.kind, root) && op.recv_counts.empty()) ||
        (needs_send_counts(op.kind, root) && op.send_counts.empty()))
      lines_.fail("found {} without the counts of all ranks, expected sends= or receives=", to_string(op.kind));
  }

  bool is_root(const Operation& op) const {
    return op.comm == world ? op.root == rank_.value() : trace_->communicator(op.comm).rank_of(rank_) == op.root;
  }

  /// Numbers of operations that were spelled out, and computations, cAMOUNT.
  void read_items(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
      if (*at == ' ') {
        ++at;
        continue;
      }
      const bool is_computation = *at == 'c';
      if (const auto [whole, after] = whole_number(at + (is_computation ? 1 : 0), end); after != nullptr) {
        if (!is_computation && whole >= numbers_.size()) fail_item(at, end);
        if (is_computation)
          trace_->compute(rank_, static_cast<double>(whole), 0);
        else
          trace_->repeat(rank_, numbers_[whole], 0);
        at = after;
        continue;
      }
      if (!is_computation) fail_item(at, end);
      double amount = 0;
      const auto result = std::from_chars(at + 1, end, amount);
      if (result.ec != std::errc() || !(amount >= 0) || !std::isfinite(amount)) fail_item(at, end);
      if (!is_item_end(result.ptr, end)) fail_item(at, end);
      trace_->compute(rank_, amount, 0);
      at = result.ptr;
    }
  }
  /// Most items: digits alone, so few that a double has them all. Else `after` is null.
  struct WholeNumber {
    std::uint64_t value;
    const char* after;
  };
  static WholeNumber whole_number(const char* at, const char* end) {
    constexpr std::ptrdiff_t most_digits = 15;
    const char* const begin = at;
    std::uint64_t value = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) value = 10 * value + static_cast<std::uint64_t>(*at - '0');
    const bool is_whole = at != begin && at - begin <= most_digits && is_item_end(at, end);
    return {value, is_whole ? at : nullptr};
  }
  static bool is_item_end(const char* at, const char* end) { return at == end || *at == ' '; }

  [[noreturn]] void fail_item(const char* at, const char* end) const {
    const auto found = std::string_view(at, static_cast<std::size_t>(std::find(at, end, ' ') - at));
    lines_.fail("found '{}', expected an operation below {} or a computation cAMOUNT", core::excerpt(found),
                numbers_.size());
  }

  /// The next line that is no comment and not blank.
  const std::string& line() {
    do {
      const auto next = lines_.next();
      if (!next) core::fail_input("{}: found the end, expected a line 'end': the file is truncated", lines_.path());
      line_ = *next;
    } while (line_.empty() || line_[0] == '#');
    return line_;
  }

  core::LineReader lines_;
  std::string line_;
  std::unique_ptr<CompactTrace> trace_;
  std::int32_t version_ = 0, ranks_ = 0, next_rank_ = 0;
  Rank rank_ = 0;
  bool in_rank_ = false;
  std::vector<std::uint32_t> numbers_;  ///< the numbers, in the trace, of the operations that the rank has spelled out
  bool is_told_twice_ = false;          ///< one of them: the numbers are not the trace's own
  std::vector<std::uint8_t> block_;
  std::unordered_map<std::int32_t, CommId> comms_;
};

bool is_own(const std::string& path) {
  core::LineReader lines(path);
  const auto line = lines.next();
  return line && line->starts_with("toroid trace ");
}

}  // namespace

std::unique_ptr<CompactTrace> read_own(const std::string& path) {
  return OwnReader(path).read();
}

core::Entry<TraceFormat> own_format() {
  constexpr void (*write)(const Trace&, core::OutputSet&, const std::string&) = write_own;
  return {"own", "toroid's own form: all that operations can say",
          TraceFormat{is_own, as_trace<read_own>, write_as_they_are<write>}};
}

core::Entry<TraceFormat> text_format() {
  return {"text", "the same, as text that can be read and mended",
          TraceFormat{is_own, as_trace<read_own>, write_as_they_are<write_own_text>}};
}

}  // namespace toroid::workloads
