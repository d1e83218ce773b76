#include "views/charts/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/units.hpp"
#include "views/charts/labels.hpp"
#include "views/charts/svg.hpp"

namespace toroid::views {
namespace {

constexpr std::size_t most_cells = 100;  // along a side
constexpr double side = 600, left = 60, top = 60, bottom = 50, right_margin = 30;

/// Bytes or messages between blocks of ranks.
class Blocks {
 public:
  Blocks(const workloads::CommunicationMatrix& matrix, bool messages)
      : ranks_(matrix.rows.size()),
        width_(std::max<std::size_t>(1, (ranks_ + most_cells - 1) / most_cells)),
        messages_(messages) {
    for (const auto from : matrix.rows.ids())
      for (const auto& cell : matrix.rows[from])
        if (const auto amount = messages ? cell.messages : cell.bytes; amount > 0)
          amounts_[{from.index() / width_, cell.to.index() / width_}] += amount;
  }

  std::size_t count() const { return (ranks_ + width_ - 1) / width_; }
  const std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>& amounts() const { return amounts_; }

  /// The ranks of a block: `5`, or `8-11`.
  std::string name(std::size_t block) const {
    const auto first = block * width_, last = std::min(first + width_, ranks_) - 1;
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
  }
  std::string text(std::uint64_t amount) const {
    return messages_ ? fmt::format("{} message{}", amount, amount == 1 ? "" : "s")
                     : core::format_bytes(static_cast<double>(amount));
  }

 private:
  std::size_t ranks_, width_;  ///< width: ranks of a block
  bool messages_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> amounts_;  ///< (from, to)
};

/// How dark amounts are: from the least (a sixth) to the largest (1).
class Shade {
 public:
  explicit Shade(const Blocks& blocks) {
    for (const auto& [place, amount] : blocks.amounts()) {
      least_ = std::min(least_, amount);
      most_ = std::max(most_, amount);
    }
  }
  double of(std::uint64_t amount) const {
    if (least_ >= most_) return 1;
    const auto log = [](std::uint64_t value) { return std::log(static_cast<double>(value)); };
    return at((log(amount) - log(least_)) / (log(most_) - log(least_)));
  }
  /// How dark that part of the scale is, from 0 to 1.
  static double at(double part) { return 1.0 / 6 + 5.0 / 6 * part; }
  std::uint64_t least() const { return least_; }
  std::uint64_t most() const { return most_; }

 private:
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max(), most_ = 0;
};

void draw_borders(Svg& svg, const Blocks& blocks, double cell) {
  svg.shape("rect", {{"class", "axis"}, {"x", left}, {"y", top}, {"width", side}, {"height", side}});
  const auto step = std::max<std::size_t>(1, (blocks.count() + 9) / 10);
  for (std::size_t block = 0; block < blocks.count(); block += step) {
    const double middle = (static_cast<double>(block) + 0.5) * cell;
    const auto name = blocks.name(block);
    const auto first = name.substr(0, name.find('-'));
    svg.text(left + middle, top - 6, first, {{"class", "muted"}, {"text-anchor", "middle"}});
    svg.text(left - 6, top + middle + 4, first, {{"class", "muted"}, {"text-anchor", "end"}});
  }
  svg.text(left + side / 2, top - 22, "to rank", {{"class", "muted"}, {"text-anchor", "middle"}});
  const double middle = top + side / 2;
  svg.text(
      16, middle, "from rank",
      {{"class", "muted"}, {"text-anchor", "middle"}, {"transform", fmt::format("rotate(-90 16 {})", number(middle))}});
}

/// The shades from the least amount to the largest, with both in words.
void draw_shades(Svg& svg, const Blocks& blocks, const Shade& shade, bool has_blocks) {
  constexpr double cells = 30, length = 150, y = top + side + 20;
  svg.open_group({{"class", "legend"}});
  double x = left;
  const auto say = [&](const std::string& text) {
    svg.text(x, y + 10, text, {{"class", "muted"}});
    x += text_width(text, 12) + 8;
  };
  if (shade.least() < shade.most()) say(blocks.text(shade.least()));
  for (double cell = 0; cell < cells; ++cell)
    svg.shape("rect", {{"class", series_class(0)},
                       {"fill-opacity", shade.least() < shade.most() ? Shade::at(cell / (cells - 1)) : 1},
                       {"x", x + cell * length / cells},
                       {"y", y},
                       {"width", length / cells},
                       {"height", 12.0}});
  x += length + 8;
  say(blocks.text(shade.most()) + (shade.least() < shade.most() ? ", logarithmic" : "") +
      (has_blocks ? "; between blocks of ranks" : ""));
  svg.close_group();
}

}  // namespace

std::string heat_map_svg(const workloads::CommunicationMatrix& matrix, bool messages, std::string_view title) {
  const Blocks blocks(matrix, messages);
  const Shade shade(blocks);
  const double cell = side / static_cast<double>(std::max<std::size_t>(1, blocks.count()));
  Svg svg(left + side + right_margin, top + side + bottom, title);
  svg.text(left, 20, title, {{"class", "title"}});
  for (const auto& [place, amount] : blocks.amounts())
    svg.shape("rect",
              {{"class", series_class(0)},
               {"fill-opacity", shade.of(amount)},
               {"x", left + static_cast<double>(place.second) * cell},
               {"y", top + static_cast<double>(place.first) * cell},
               {"width", cell},
               {"height", cell}},
              fmt::format("{} to {}: {}", blocks.name(place.first), blocks.name(place.second), blocks.text(amount)));
  draw_borders(svg, blocks, cell);
  if (shade.most() > 0) draw_shades(svg, blocks, shade, blocks.count() < matrix.rows.size());
  return svg.finish();
}

}  // namespace toroid::views
