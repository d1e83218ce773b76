#include "workloads/formats/ti/line.hpp"

#include <cmath>
#include <limits>

#include "workloads/formats/ti/ti.hpp"

namespace toroid::workloads::ti {
namespace {

constexpr std::int32_t undefined_rank = -333;  // MPI_ANY_SOURCE and MPI_PROC_NULL alike
constexpr std::int32_t undefined_tag = -444;

}  // namespace

void Line::cut(std::string_view text) {
  fields.clear();
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t end = 0; end < text.size();) {
    auto begin = end;
    while (begin < text.size() && is_space(text[begin])) ++begin;
    for (end = begin; end < text.size() && !is_space(text[end]);) ++end;
    if (end > begin) fields.push_back(text.substr(begin, end - begin));
  }
}

void Line::expect_arguments(std::size_t least, std::size_t most, std::string_view grammar) const {
  if (arguments() < least || arguments() > most)
    fail("found {} fields after the action, expected {}", arguments(), grammar);
}

double Line::amount(std::size_t i) const {
  const auto text = fields[i + 2];
  const auto value = core::parse_number<double>(text);
  if (!value || !std::isfinite(*value)) fail("found '{}', expected a number", core::excerpt(text));
  if (*value < 0) fail("found the negative amount '{}', expected 0 or more", core::excerpt(text));
  return *value;
}

std::uint64_t Line::count(std::size_t i) const {
  if (const auto whole = core::parse_number<std::uint64_t>(fields[i + 2])) return *whole;
  const double value = amount(i);
  if (value != std::floor(value) || value > 9e15)
    fail("found '{}', expected a whole number", core::excerpt(fields[i + 2]));
  return static_cast<std::uint64_t>(value);
}

std::int32_t Line::integer(std::size_t i) const {
  const auto value = core::parse_number<std::int32_t>(fields[i + 2]);
  if (!value) fail("found '{}', expected a whole number", core::excerpt(fields[i + 2]));
  return *value;
}

CommRank Line::rank(std::size_t i, CommRank undefined_means) const {
  const auto value = integer(i);
  if (value == undefined_rank) return undefined_means;
  if (value < 0 || value >= max_rank)
    fail("found rank {}, expected a rank from 0 (or {} for any)", value, undefined_rank);
  return value;
}

CommRank Line::root(std::size_t i) const {
  const auto value = integer(i);
  if (value < 0 || value >= max_rank) fail("found root {}, expected a rank from 0", value);
  return value;
}

std::int32_t Line::tag(std::size_t i) const {
  const auto value = integer(i);
  if (value == undefined_tag) return any_tag;
  if (value < 0) fail("found tag {}, expected 0 or more (or {} for any)", value, undefined_tag);
  return value;
}

std::int32_t Line::certain_tag(std::size_t i) const {
  const auto value = tag(i);
  if (value == any_tag) fail("found tag {}, expected 0 or more", undefined_tag);
  return value;
}

std::uint64_t Line::element_size(std::size_t i) const {
  if (i >= arguments()) return default_size;
  const auto id = integer(i);
  const auto size = ti_datatype_size(id);
  if (size == 0 && id == -1) fail("datatype -1 is a derived type: its size is not in the trace");
  if (size == 0) fail("unknown datatype {}", id);
  return size;
}

std::uint64_t Line::scaled(std::uint64_t elements, std::uint64_t size) const {
  if (elements > std::numeric_limits<std::int64_t>::max() / size)
    fail("{} elements of {} bytes are more than 2^63 bytes", elements, size);
  return elements * size;
}

std::uint64_t Line::bytes(std::size_t count_at, std::size_t type_at) const {
  return scaled(count(count_at), element_size(type_at));
}

std::vector<std::uint64_t> Line::byte_counts(std::size_t first, std::size_t n, std::size_t type_at) const {
  std::vector<std::uint64_t> all;
  for (std::size_t i = first; i < first + n; ++i) all.push_back(bytes(i, type_at));
  return all;
}

}  // namespace toroid::workloads::ti
