// Feeds broken platform files to the reader for a while: nothing may crash, hang or take memory without bound.
//
//   fuzz_platform [--seconds 60] [--files N] [--seed 1] [--last FILE] FILE.xml...
//
// Files are the given ones and the presets, changed in a few places: bytes, copied or lost pieces, values from other
// files, large numbers. What reads well must make a machine, write back the same, and route. Build it with the preset
// asan and -DTOROID_BENCH=ON.

#include <cstdlib>

#include "core/error.hpp"
#include "fuzz/fuzzing.hpp"
#include "platforms/machine.hpp"
#include "platforms/presets.hpp"
#include "platforms/xml.hpp"

namespace {

using namespace toroid;
using namespace std::string_literals;

const fuzzing::Syntax xml{{"-1", "0", "999999999", "2147483648", "1e308", "x",    "/",      "=",   ";",   "(",    ")",
                           "\"", "<", ">",         "&lt;",       "\0"s,   "none", "folded", "0-7", "1>2", "torus"},
                          "value=\"",
                          "\""};

/// Reads a text as the program would; true if it is a machine. Machines of up to a million nodes are tried out.
bool try_out(const std::string& text) {
  const auto checked = platforms::check_xml(text);
  if (checked.has_errors()) {
    for (const auto& finding : checked.findings)
      if (finding.line == 0 || finding.column == 0 || finding.message.empty()) std::abort();
    return false;
  }
  const auto& description = checked.description;
  if (platforms::parse_xml(platforms::xml_text(description), "again") != description) std::abort();
  std::int64_t nodes = description.nodes_per_router;
  for (const auto& dimension : description.dimensions) nodes *= dimension.extent;
  if (nodes > 1000000) return true;
  const platforms::Machine machine(description);
  const auto from = machine.compute_nodes().front(), to = machine.compute_nodes().back();
  double narrowest = machine.route_bandwidth(from, to);
  if (!(narrowest > 0) || !(machine.latency(from, to) >= 0)) std::abort();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"broken platform files"};
  fuzzing::FuzzOptions options;
  options.add_to(app);
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> corpus;
  for (const auto& preset : platforms::presets()) corpus.emplace_back(preset.xml);
  for (const auto& path : options.files) corpus.push_back(fuzzing::bytes_of(path));
  fuzzing::Mutator mutator(std::move(corpus), xml, options.seed);
  fuzzing::fuzz(
      options, [&] { return mutator.next(); }, try_out);
}
