#include "cli/summary_lines.hpp"

#include <fmt/format.h>

#include "core/units.hpp"

namespace toroid::cli {

std::string_view order_in_words(platforms::Order order) {
  switch (order) {
    case platforms::Order::pair:
      return "messages between the same two nodes one after another";
    case platforms::Order::node:
      return "all messages of a node one after another";
    default:
      return "all messages at once";
  }
}

std::string remark_lines(const std::vector<std::string>& remarks) {
  std::string text;
  for (const auto& remark : remarks) text += fmt::format("note           {}\n", remark);
  return text;
}

std::string percent(double share) {
  const auto text = fmt::format("{:.1f} %", 100 * share);
  return text == "-0.0 %" ? text.substr(1) : text;
}

std::string mapper_lines(const std::vector<std::string>& notes) {
  std::string text;
  for (const auto& note : notes) text += fmt::format("mapper         {}\n", note);
  return text;
}

std::string traffic_lines(const netsim::SentMessages& sent, const netsim::LinkLoads& loads) {
  auto text = fmt::format("messages       {} ({}), {} between nodes\n", sent.messages,
                          core::format_bytes(static_cast<double>(sent.bytes)), sent.network_messages);
  text += fmt::format("hops           {:.3f} per message, {:.3f} per byte, at most {}; hop-bytes {}\n",
                      sent.dilation_mean(), sent.hops_per_byte(), sent.dilation_max,
                      core::format_bytes(static_cast<double>(sent.hop_bytes)));
  const auto of_ports = static_cast<double>(loads.max_port_bytes);
  return text + fmt::format("link load      at most {}, mean {} over {} links{}; the busiest needs {} at full speed\n",
                            core::format_bytes(static_cast<double>(loads.max_bytes)),
                            core::format_bytes(loads.mean_bytes()), loads.links,
                            of_ports > 0 ? fmt::format(", of ports at most {}", core::format_bytes(of_ports)) : "",
                            core::format_duration(loads.max_seconds));
}

}  // namespace toroid::cli
