#include "workloads/program_code.hpp"

namespace toroid::workloads {
namespace {

constexpr std::uint8_t more_bytes = 0x80;  // of a number follow

/// How often the width of each amount stands in items, if these are of one byte each, and the highest byte.
struct Counts {
  std::uint32_t shorts = 0, longs = 0, doubles = 0;
  std::uint8_t highest = 0;
};

/// Counts among at most 255 items: a counter as narrow as they are lets a processor have many in a register.
std::uint8_t count_few(std::span<const std::uint8_t> items, std::uint8_t wanted) {
  std::uint8_t count = 0;
  for (const auto item : items) count = static_cast<std::uint8_t>(count + (item == wanted ? 1 : 0));
  return count;
}

Counts count(std::span<const std::uint8_t> items) {
  constexpr std::size_t few = 240;
  Counts counts;
  for (; !items.empty(); items = items.subspan(std::min(few, items.size()))) {
    const auto some = items.first(std::min(few, items.size()));
    counts.shorts += count_few(some, 0);
    counts.longs += count_few(some, 1);
    counts.doubles += count_few(some, 2);
    for (const auto item : some) counts.highest = std::max(counts.highest, item);
  }
  return counts;
}

/// The first of the amounts that is negative or not finite; 0 if there is none.
double bad_amount(std::span<const std::uint8_t> real) {
  for (std::size_t at = 0; at + sizeof(double) <= real.size(); at += sizeof(double)) {
    double amount = 0;
    std::memcpy(&amount, real.data() + at, sizeof amount);
    if (!(amount >= 0 && amount <= std::numeric_limits<double>::max())) return amount;
  }
  return 0;
}

}  // namespace

/// Counts a block's items one by one.
class ProgramCode::Walk {
 public:
  Walk(std::span<const std::uint8_t> items, std::uint64_t operations)
      : at_(items.begin()), end_(items.end()), first_unknown_(operations + first_number) {}

  struct Total {
    std::uint64_t items = 0;
    std::size_t whole = 0, real = 0;  ///< bytes of amounts
    std::string fault;
  };
  Total count() {
    for (; at_ != end_ && total_.fault.empty(); ++total_.items)
      *at_ < first_number ? take_computation() : take_operation();
    return total_;
  }

 private:
  void take_computation() {
    const auto width = *at_++;
    (width == double_amount ? total_.real : total_.whole) += std::size_t{2} << width;
  }

  void take_operation() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; at_ != end_ && shift < 7 * most_number_bytes; shift += 7) {
      const auto byte = *at_++;
      number |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte >= more_bytes) continue;
      if (number < first_number || number >= first_unknown_)
        total_.fault =
            fmt::format("found operation {}, expected one of 0 to {}", static_cast<std::int64_t>(number) - first_number,
                        static_cast<std::int64_t>(first_unknown_) - first_number - 1);
      return;
    }
    total_.fault = "found a number that does not end, expected at most five bytes of one";
  }

  std::span<const std::uint8_t>::iterator at_, end_;
  std::uint64_t first_unknown_;
  Total total_;
};

/// Most programs have few operations: there each item is a byte, and to count them is enough.
ProgramCode::Checked ProgramCode::check(const Block& block, std::size_t operations) {
  if (const double bad = bad_amount(block.real); bad != 0)
    return {0, fmt::format("found a computation of {}, expected an amount of 0 or more", bad)};
  const auto [shorts, longs, doubles, highest] = count(block.items);
  if (highest < more_bytes && highest < first_number + operations && block.whole.size() == 2 * shorts + 4 * longs &&
      block.real.size() == 8 * doubles)
    return {block.items.size()};
  const auto total = Walk(block.items, operations).count();
  if (!total.fault.empty()) return {0, total.fault};
  if (total.whole != block.whole.size() || total.real != block.real.size())
    return {0, fmt::format("found {} and {} bytes of amounts, expected {} and {}", block.whole.size(),
                           block.real.size(), total.whole, total.real)};
  return {total.items};
}

}  // namespace toroid::workloads
