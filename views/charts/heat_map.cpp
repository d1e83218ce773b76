#include "views/charts/charts.hpp"

#include "core/units.hpp"
#include "views/charts/frame.hpp"
#include "views/charts/labels.hpp"

namespace toroid::views {
namespace {

constexpr std::size_t most_cells = 100;  // along a side
constexpr double matrix_side = 600;      // pixels

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

/// The numbers of ranks above and beside the cells, and what rows and columns are.
void draw_borders(Frame& frame, const Blocks& blocks, const Panel& panel, double cell) {
  auto& svg = frame.svg();
  svg.shape("rect",
            {{"class", "axis"}, {"x", panel.left}, {"y", panel.top}, {"width", matrix_side}, {"height", matrix_side}});
  const auto step = std::max<std::size_t>(1, (blocks.count() + 9) / 10);
  for (std::size_t block = 0; block < blocks.count(); block += step) {
    const double middle = (static_cast<double>(block) + 0.5) * cell;
    const auto name = blocks.name(block);
    const auto first = name.substr(0, name.find('-'));
    svg.text(panel.left + middle, panel.top - 6, first, {{"class", "muted"}, {"text-anchor", "middle"}});
    svg.text(panel.left - 6, panel.top + middle + 4, first, {{"class", "muted"}, {"text-anchor", "end"}});
  }
  frame.x_name("to rank", panel.left, panel.right, panel.top - 22 - 2 * frame.style().line_height);
  frame.y_name("from rank", panel);
}

/// The shades from the least amount to the largest, with both in words.
void draw_shades(Frame& frame, const Blocks& blocks, const Shade& shade, bool has_blocks, double x) {
  constexpr double length = 150;
  auto& svg = frame.svg();
  const double y = frame.y();
  const bool is_range = shade.least() < shade.most();
  svg.open_group({{"class", "legend"}});
  const auto say = [&](const std::string& text) {
    svg.text(x, y + 10, text, {{"class", "muted"}});
    x += text_width(text, frame.style().font) + 8;
  };
  if (is_range) say(blocks.text(shade.least()));
  draw_ramp(svg, x, y, length, 12, 30, [&](double share) {
    return Attributes{{"class", series_class(0)}, {"fill-opacity", is_range ? Shade::at(share) : 1}};
  });
  x += length + 8;
  say(blocks.text(shade.most()) + (is_range ? ", logarithmic" : "") + (has_blocks ? "; between blocks of ranks" : ""));
  svg.close_group();
  frame.go_down(12);
}

}  // namespace

std::string heat_map_svg(const workloads::CommunicationMatrix& matrix, bool messages, std::string_view title) {
  constexpr double left = 60;
  const Blocks blocks(matrix, messages);
  const Shade shade(blocks);
  const double cell = matrix_side / static_cast<double>(std::max<std::size_t>(1, blocks.count()));
  return framed(left + matrix_side + 30, title, page_style, [&](Frame& frame) {
    frame.title(std::string(title), {});
    const double top = frame.y() + 40;
    const Panel panel{left, left + matrix_side, top, top + matrix_side};
    for (const auto& [place, amount] : blocks.amounts())
      frame.svg().shape(
          "rect",
          {{"class", series_class(0)},
           {"fill-opacity", shade.of(amount)},
           {"x", panel.left + static_cast<double>(place.second) * cell},
           {"y", panel.top + static_cast<double>(place.first) * cell},
           {"width", cell},
           {"height", cell}},
          fmt::format("{} to {}: {}", blocks.name(place.first), blocks.name(place.second), blocks.text(amount)));
    draw_borders(frame, blocks, panel, cell);
    frame.go_down(panel.base + 20 - frame.y());
    if (shade.most() > 0) draw_shades(frame, blocks, shade, blocks.count() < matrix.rows.size(), left);
  });
}

}  // namespace toroid::views
