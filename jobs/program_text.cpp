#include "jobs/program_text.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "core/file.hpp"

namespace toroid::jobs {
namespace {

std::int32_t largest_square(std::int32_t size) {
  auto root = static_cast<std::int32_t>(std::sqrt(size));
  while (root * root > size) --root;
  return root * root;
}

/// Goes through all ways to write a number as a product of as many factors as there are sides.
class Factors {
 public:
  explicit Factors(std::span<const std::int32_t> sides) : sides_(sides), now_(sides.size(), 1) {}

  std::vector<std::int32_t> nearest(std::int32_t size) {
    double volume = 1;
    for (const auto side : sides_) volume *= side;
    scale_ = std::pow(size / volume, 1.0 / static_cast<double>(sides_.size()));
    choose(0, size, 0);
    return best_;
  }

 private:
  /// `apart` is how far the axes before this one are from their sides, as a sum of squares of logarithms.
  void choose(std::size_t axis, std::int32_t left, double apart) {
    if (apart > least_ - rounding) return;
    if (axis + 1 == sides_.size()) {
      now_[axis] = left;
      if (const double all = apart + off(axis, left); all < least_ - rounding) {
        least_ = all;
        best_ = now_;
      }
      return;
    }
    for (std::int32_t factor = left; factor > 0; --factor) {
      if (left % factor != 0) continue;
      now_[axis] = factor;
      choose(axis + 1, left / factor, apart + off(axis, factor));
    }
  }

  double off(std::size_t axis, std::int32_t extent) const {
    const double ratio = std::log(extent / (scale_ * sides_[axis]));
    return ratio * ratio;
  }

  static constexpr double rounding = 1e-9;
  std::span<const std::int32_t> sides_;
  double scale_ = 1, least_ = std::numeric_limits<double>::infinity();
  std::vector<std::int32_t> now_, best_;
};

std::string extents_text(const std::vector<std::int32_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

/// The trace that the text names, perhaps a file; nothing where the text makes no sense, which who runs it is told.
std::string trace_of(const Job& job) try {
  constexpr std::array<std::int32_t, 1> any{1};
  return filled_in(core::cut_off(job.program, "rounds", "a number").first, job, any);
} catch (const core::InputError&) {
  return {};
}

}  // namespace

std::vector<std::int32_t> grid_like(std::int32_t size, std::span<const std::int32_t> sides) {
  TOROID_ASSERT(size > 0 && !sides.empty());
  return Factors(sides).nearest(size);
}

std::string filled_in(const std::string& program, const Job& job, std::span<const std::int32_t> sides) {
  const auto power2 = std::bit_floor(static_cast<std::uint32_t>(job.size));
  constexpr std::array<std::int32_t, 3> cube{1, 1, 1};
  using Value = std::function<std::string()>;
  const std::map<std::string, Value, std::less<>> values{
      {"size", [&] { return std::to_string(job.size); }},
      {"power2", [&] { return std::to_string(power2); }},
      {"square", [&] { return std::to_string(largest_square(job.size)); }},
      {"box", [&] { return extents_text(grid_like(job.size, cube)); }},
      {"grid", [&] { return extents_text(grid_like(job.size, sides)); }},
      {"number", [&] { return std::to_string(job.number); }}};
  std::string text;
  for (std::size_t at = 0; at < program.size();) {
    const auto open = program.find('{', at), close = program.find('}', open);
    text += program.substr(at, open - at);
    if (open == std::string::npos) break;
    const auto name = close == std::string::npos ? program.substr(open) : program.substr(open + 1, close - open - 1);
    const auto value = values.find(name);
    if (value == values.end())
      core::fail_input("found {{{}}}, expected {{size}}, {{power2}}, {{square}}, {{box}}, {{grid}} or {{number}}",
                       core::excerpt(name));
    text += value->second();
    at = close + 1;
  }
  return text;
}

void keep_programs_of(const std::vector<Job>& jobs) {
  std::set<std::string> kept;
  for (const auto& job : jobs)
    if (!job.program.empty())
      if (const auto [file, is_new] = kept.insert(trace_of(job)); is_new) core::keep_with_listed(*file);
}

}  // namespace toroid::jobs
