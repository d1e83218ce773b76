#include "workloads/formats/own/operation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "toroid/core/text.hpp"

namespace toroid::workloads {
namespace {

constexpr std::array<std::pair<std::string_view, CommRank>, 2> special_ranks{
    {{"any", any_source}, {"none", no_process}}};
constexpr std::array<std::pair<std::string_view, std::int32_t>, 1> special_tags{{{"any", any_tag}}};
constexpr std::array<std::pair<std::string_view, RequestHandle>, 1> special_handles{{{"strand", by_itself}}};
constexpr CommRank most_core = 255;
constexpr std::array<std::pair<std::string_view, SendMode>, 3> modes{
    {{"standard", SendMode::standard}, {"synchronous", SendMode::synchronous}, {"buffered", SendMode::buffered}}};

/// A number, or one of a few words.
template <class Number, class Words>
std::string word_for(Number value, const Words& words) {
  for (const auto& [word, special] : words)
    if (special == value) return std::string(word);
  return std::to_string(value);
}

template <class Number, class Words>
bool read_word(std::string_view text, const Words& words, Number& value) {
  for (const auto& [word, special] : words)
    if (word == text) return value = special, true;
  const auto number = core::parse_number<Number>(text);
  if (!number || *number < Number{0}) return false;
  value = *number;
  return true;
}

template <class Number>
bool read_list(std::string_view text, std::vector<Number>& list) {
  for (const auto part : core::split(text, '/')) {
    const auto number = core::parse_number<Number>(part);
    if (!number) return false;
    list.push_back(*number);
  }
  return true;
}

/// How far back operations are.
bool read_distances(std::string_view text, std::vector<std::uint64_t>& list) {
  return read_list(text, list) && std::find(list.begin(), list.end(), 0U) == list.end();
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto number = core::parse_number<Number>(text);
  if (number) value = *number;
  return number.has_value();
}

std::optional<OpKind> kind_named(std::string_view name) {
  for (std::size_t k = 0; k < op_kind_count; ++k)
    if (to_string(static_cast<OpKind>(k)) == name) return static_cast<OpKind>(k);
  return std::nullopt;
}

template <class... Kinds>
constexpr bool is_one_of(OpKind kind, Kinds... kinds) {
  return ((kind == kinds) || ...);
}

/// Whether operations of that kind have what the key says.
bool has_key(OpKind kind, std::string_view key) {
  using enum OpKind;
  const bool message = is_point_to_point(kind), collective = is_collective(kind);
  if (key == "to") return is_send(kind) || is_one_of(kind, send_init, put);
  if (key == "from") return is_receive(kind) || kind == sendrecv;
  if (key == "mode") return is_send(kind) || kind == send_init;
  if (key == "tag") return message;
  if (key == "comm") return message || collective || kind == put;
  if (key == "bytes")
    return message || is_one_of(kind, put, compute_after) || (collective && !is_one_of(kind, barrier, fence));
  if (key == "root") return has_root(kind);
  if (key == "amount")
    return is_one_of(kind, compute, sleep, compute_after, reduce, allreduce, reduce_scatter, scan, exscan);
  if (key == "request")
    return is_one_of(kind, isend, irecv, send_init, recv_init, start, wait, test) || (collective && kind != fence);
  if (key == "core") return is_strand(kind);
  if (key == "after" || key == "after-begin") return is_strand(kind) || (collective && kind != fence);
  if (key == "requests") return is_one_of(kind, startall, waitall, waitany, waitsome);
  if (key == "sends") return needs_send_counts(kind, true);
  return key == "receives" && (needs_recv_counts(kind, true) || kind == reduce_scatter);
}

/// Whether the key takes that value.
bool read_field(std::string_view key, std::string_view value, HeldOperation& own) {
  auto& op = own.operation;
  if (key == "to") return read_word(value, special_ranks, op.to) && op.to != any_source;
  if (key == "from") return read_word(value, special_ranks, op.from);
  if (key == "root") return read_number(value, op.root) && op.root >= 0;
  if (key == "core") return read_number(value, op.root) && op.root >= 0 && op.root <= most_core;
  if (key == "tag") return read_word(value, special_tags, op.tag);
  if (key == "request")
    return is_collective(op.kind) ? read_word(value, special_handles, op.request) : read_number(value, op.request);
  if (key == "bytes") return read_number(value, op.bytes);
  if (key == "amount") return read_number(value, op.amount) && std::isfinite(op.amount) && op.amount >= 0;
  if (key == "requests") return read_list(value, own.requests);
  if (key == "after") return read_distances(value, own.after);
  if (key == "after-begin") return read_distances(value, own.after_begin);
  if (key == "sends") return read_list(value, own.send_counts);
  if (key == "receives") return read_list(value, own.recv_counts);
  if (key == "comm") {
    std::int32_t number = 0;
    if (!read_number(value, number) || number < 0) return false;
    op.comm = CommId(number);
    return true;
  }
  for (const auto& [word, mode] : modes)
    if (key == "mode" && word == value) return op.mode = mode, true;
  return false;
}

}  // namespace

std::string own_text(const Operation& op) {
  std::string text(to_string(op.kind));
  if (op.mode != SendMode::standard) text += fmt::format(" mode={}", modes[static_cast<std::size_t>(op.mode)].first);
  if (op.comm != world) text += fmt::format(" comm={}", op.comm);
  if (op.to != 0) text += " to=" + word_for(op.to, special_ranks);
  if (op.from != 0) text += " from=" + word_for(op.from, special_ranks);
  if (op.root != 0) text += fmt::format(" {}={}", is_strand(op.kind) ? "core" : "root", op.root);
  if (op.tag != 0) text += " tag=" + word_for(op.tag, special_tags);
  if (op.request != no_handle)
    text += " request=" + (is_strand(op) ? word_for(op.request, special_handles) : std::to_string(op.request));
  if (op.bytes != 0) text += fmt::format(" bytes={}", op.bytes);
  if (op.amount != 0) text += fmt::format(" amount={}", op.amount);
  if (!op.requests.empty()) text += fmt::format(" requests={}", fmt::join(op.requests, "/"));
  if (!op.after.empty()) text += fmt::format(" after={}", fmt::join(op.after, "/"));
  if (!op.after_begin.empty()) text += fmt::format(" after-begin={}", fmt::join(op.after_begin, "/"));
  if (!op.send_counts.empty()) text += fmt::format(" sends={}", fmt::join(op.send_counts, "/"));
  if (!op.recv_counts.empty()) text += fmt::format(" receives={}", fmt::join(op.recv_counts, "/"));
  return text;
}

ParsedOperation parse_own(const std::vector<std::string_view>& words) {
  ParsedOperation parsed;
  const auto kind = words.empty() ? std::nullopt : kind_named(words[0]);
  if (!kind) {
    parsed.error = fmt::format("found '{}', expected an operation", words.empty() ? "" : core::excerpt(words[0]));
    return parsed;
  }
  parsed.value.operation.kind = *kind;
  std::set<std::string_view> keys;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const auto key = words[i].substr(0, equals);
    if (equals == std::string_view::npos || !keys.insert(key).second || !has_key(*kind, key) ||
        !read_field(key, words[i].substr(equals + 1), parsed.value)) {
      parsed.error = fmt::format("found '{}', expected KEY=VALUE with a key and a value of {}, each key once",
                                 core::excerpt(words[i]), to_string(*kind));
      return parsed;
    }
  }
  const auto& own = parsed.value;
  if (!(own.after.empty() && own.after_begin.empty()) && !is_strand(own.operation))
    parsed.error = fmt::format("found a {} that waits for others, expected request=strand with it", to_string(*kind));
  return parsed;
}

}  // namespace toroid::workloads
