#include <unordered_map>

#include "core/file.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/formats/graph/order.hpp"

namespace toroid::workloads {
namespace {

constexpr std::int32_t most_ranks = 1 << 24;
constexpr std::int64_t most_amount = std::int64_t{1} << 53U;
/// Tags have 32 bits, ours 31: those above are tags of a second communicator of all ranks.
constexpr std::int64_t comm_tags = std::int64_t{1} << 31U, most_tag = (std::int64_t{1} << 32U) - 2;

/// The words of a file, line by line, without comments.
class Words {
 public:
  explicit Words(const std::string& path) : lines_(path) {}

  /// Goes to the next line that has words; false after the last.
  bool next_line() {
    do {
      const auto line = lines_.next();
      if (!line) return false;
      text_ = without_comments(*line);
      cut();
    } while (words_.empty());
    return true;
  }

  bool at_end() const { return at_ == words_.size(); }
  /// The word that comes next; empty at the end of the line.
  std::string_view peek() const { return at_end() ? std::string_view() : words_[at_]; }
  std::string_view take() { return at_end() ? std::string_view() : words_[at_++]; }
  bool take(std::string_view word) {
    if (peek() != word) return false;
    ++at_;
    return true;
  }

  const core::LineReader& lines() const { return lines_; }

 private:
  std::string without_comments(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto two = line.substr(i, 2);
      if (in_comment_) {
        if (two == "*/") in_comment_ = false, ++i;
      } else if (two == "/*") {
        in_comment_ = true;
        ++i;
        text += ' ';
      } else if (two == "//") {
        break;
      } else {
        text += line[i];
      }
    }
    return text;
  }

  /// Signs are words of their own, and so is the b of bytes.
  void cut() {
    words_.clear();
    at_ = 0;
    const std::string_view text = text_;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == ' ' || text[i] == '\t') {
        ++i;
        continue;
      }
      auto end = i + 1;
      if (!is_sign(text[i])) {
        const bool number = is_digit(text[i]);
        while (end < text.size() && text[end] != ' ' && text[end] != '\t' && !is_sign(text[end]) &&
               !(number && text[end] == 'b'))
          ++end;
      }
      words_.push_back(text.substr(i, end - i));
      i = end;
    }
  }
  static bool is_sign(char c) { return c == ':' || c == '{' || c == '}'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  core::LineReader lines_;
  bool in_comment_ = false;
  std::string text_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

class GoalReader {
 public:
  explicit GoalReader(const std::string& path) : words_(path) {}

  std::unique_ptr<CompactTrace> read() {
    if (!words_.next_line() || !words_.take("num_ranks")) fail("num_ranks NUMBER");
    ranks_ = static_cast<std::int32_t>(number(1, most_ranks, "a number of ranks"));
    trace_ = std::make_unique<CompactTrace>();
    while (!words_.at_end() || words_.next_line()) read_rank();
    if (next_rank_ != ranks_)
      core::fail_input("{}: found the end after {} ranks, expected {}", words_.lines().path(), next_rank_, ranks_);
    trace_->finish();
    return std::move(trace_);
  }

 private:
  void read_rank() {
    if (!words_.take("rank")) fail("rank NUMBER {");
    const Rank rank(static_cast<std::int32_t>(number(0, ranks_ - 1, "a rank")));
    if (!words_.take("{")) fail("{");
    if (rank.value() != next_rank_++)
      words_.lines().fail("found rank {}, expected {}: ranks stand in order", rank, next_rank_ - 1);
    schedule_ = {};
    labels_.clear();
    while (true) {
      while (words_.at_end())
        if (!words_.next_line())
          core::fail_input("{}: found the end, expected }} after rank {}: the file is truncated", words_.lines().path(),
                           rank);
      if (words_.take("}")) break;
      read_statement();
    }
    trace_->set_file(rank, words_.lines().path());
    add_graph_rank(*trace_, rank, schedule_, words_.lines().path());
  }

  /// `[LABEL:] send|recv|calc ...` or `LABEL requires|irequires LABEL`.
  void read_statement() {
    std::string label;
    if (!is_operation(words_.peek())) {
      label = words_.take();
      if (!is_label(label))
        words_.lines().fail("found '{}', expected send, recv, calc, a label or }}", core::excerpt(label));
      const bool begun = words_.peek() == "irequires";
      if (begun || words_.peek() == "requires") return read_requirement(label, begun);
      if (!words_.take(":")) fail("':', requires or irequires");
    }
    const auto kind = words_.take();
    if (!is_operation(kind)) words_.lines().fail("found '{}', expected send, recv or calc", core::excerpt(kind));
    const auto line = words_.lines().line();
    schedule_.operations.push_back({kind == "calc" ? calculation() : message(kind == "send"), line});
    const auto number = static_cast<std::uint32_t>(schedule_.operations.size() - 1);
    if (!label.empty() && !labels_.emplace(label, number).second)
      words_.lines().fail("found the label '{}' again, expected another one", core::excerpt(label));
    if (!words_.at_end() && words_.peek() != "}") fail("the end of the line");
  }

  static bool is_operation(std::string_view word) { return word == "send" || word == "recv" || word == "calc"; }
  static bool is_label(std::string_view word) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (word.empty() || !is_letter(word[0])) return false;
    return std::all_of(word.begin(), word.end(),
                       [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
  }

  Operation calculation() {
    Operation op{.kind = OpKind::compute_after};
    op.amount = static_cast<double>(number(0, most_amount, "a number of nanoseconds"));
    read_cpu(op);
    return op;
  }

  Operation message(bool sends) {
    Operation op{.kind = sends ? OpKind::send_after : OpKind::recv_after};
    op.bytes = number(0, most_amount, "a number of bytes");
    if (!words_.take("b")) fail("b behind the number of bytes");
    if (!words_.take(sends ? "to" : "from")) fail(sends ? "to" : "from");
    const bool from_any = !sends && words_.take("-1");
    (sends ? op.to : op.from) = from_any ? any_source : static_cast<CommRank>(number(0, ranks_ - 1, "a rank"));
    if (words_.take("tag")) read_tag(op, sends);
    read_cpu(op);
    if (words_.take("nic")) number(0, std::numeric_limits<std::uint8_t>::max(), "a number of a nic");
    return op;
  }

  void read_tag(Operation& op, bool sends) {
    if (!sends && words_.take("-1")) {
      op.tag = any_tag;
      any_tags_ = true;
    } else {
      const auto tag = static_cast<std::int64_t>(number(0, most_tag, "a tag"));
      if (tag >= comm_tags) op.comm = comm_of_large_tags();
      op.tag = static_cast<std::int32_t>(tag % comm_tags);
    }
    if (any_tags_ && large_tags_)
      words_.lines().fail("found tag -1 and tags from {} on in one file, expected one of them", comm_tags);
  }

  CommId comm_of_large_tags() {
    if (!large_tags_) large_tags_ = trace_->add_communicator(Communicator::all(ranks_));
    return *large_tags_;
  }

  void read_cpu(Operation& op) {
    if (words_.take("cpu"))
      op.root = static_cast<std::int32_t>(number(0, std::numeric_limits<std::uint8_t>::max(), "a number of a cpu"));
  }

  void read_requirement(const std::string& label, bool begun) {
    words_.take();
    const auto operation = labelled(label);
    schedule_.requirements.push_back({operation, labelled(std::string(words_.take())), begun});
    if (!words_.at_end() && words_.peek() != "}") fail("the end of the line");
  }

  std::uint32_t labelled(const std::string& label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end())
      words_.lines().fail("found '{}', expected a label that stands before", core::excerpt(label));
    return found->second;
  }

  std::uint64_t number(std::int64_t low, std::int64_t high, std::string_view what) {
    return static_cast<std::uint64_t>(words_.lines().number(words_.take(), low, high, what));
  }

  [[noreturn]] void fail(std::string_view expected) const {
    const auto found =
        words_.at_end() ? std::string("the end of the line") : fmt::format("'{}'", core::excerpt(words_.peek()));
    words_.lines().fail("found {}, expected {}", found, expected);
  }

  Words words_;
  std::unique_ptr<CompactTrace> trace_;
  std::int32_t ranks_ = 0, next_rank_ = 0;
  bool any_tags_ = false;
  std::optional<CommId> large_tags_;
  // What is known of the rank that is read:
  RankGraph schedule_;
  std::unordered_map<std::string, std::uint32_t> labels_;
};

bool is_goal(const std::string& path) {
  Words words(path);
  return words.next_line() && words.take("num_ranks");
}

}  // namespace

std::unique_ptr<CompactTrace> read_goal(const std::string& path) {
  return GoalReader(path).read();
}

core::Entry<TraceFormat> goal_format() {
  return {"goal", "GOAL schedules, as text", TraceFormat{is_goal, as_trace<read_goal>, write_goal}};
}

}  // namespace toroid::workloads
