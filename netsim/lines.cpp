#include "netsim/lines.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"

namespace toroid::netsim {
namespace {

constexpr std::array<std::pair<std::string_view, Order>, 3> words{
    {{"pair", Order::pair}, {"node", Order::node}, {"shared", Order::shared}}};

}  // namespace

std::string_view to_string(Order order) {
  return std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.second == order; })->first;
}

Order parse_order(std::string_view text) {
  for (const auto& [word, order] : words)
    if (word == text) return order;
  core::fail_input("found '{}', expected pair, node or shared", core::excerpt(text));
}

}  // namespace toroid::netsim
