// Feeds broken platform files to the reader for a while: nothing may crash, hang or take memory without bound.
//
//   fuzz_platform [--seconds 60] [--seed 1] [--last FILE] FILE.xml...
//
// Files are the given ones and the presets, changed in a few places: bytes, copied or lost pieces, values from other
// files, large numbers. What reads well must make a machine, write back the same, and route. Build it with the preset
// asan and -DTOROID_BENCH=ON.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/error.hpp"
#include "core/random.hpp"
#include "platforms/machine.hpp"
#include "platforms/presets.hpp"
#include "platforms/xml.hpp"

namespace {

using namespace toroid;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, std::uint64_t seed) : corpus_(std::move(corpus)), random_(seed, "fuzz") {}

  std::string next() {
    auto text = any();
    for (std::uint64_t changes = 1 + random_.below(6); changes > 0; --changes) change(text);
    return text;
  }

 private:
  const std::string& any() { return corpus_[random_.below(corpus_.size())]; }
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void change(std::string& text) {
    using namespace std::string_literals;
    static const std::vector<std::string> pieces{"-1",   "0",   "999999999", "2147483648", "1e308", "x",   "/",
                                                 "=",    ";",   "(",         ")",          "\"",    "<",   ">",
                                                 "&lt;", "\0"s, "none",      "folded",     "0-7",   "1>2", "torus"};
    const auto at = place(text);
    switch (random_.below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
        break;
      case 1:
        text.erase(at, random_.below(20));
        break;
      case 2:
        text.insert(at, pieces[random_.below(pieces.size())]);
        break;
      case 3:
        text.insert(at, text.substr(place(text), random_.below(60)));
        break;
      case 4:
        swap_value(text);
        break;
      case 5:
        change_digit(text);
        break;
      default: {
        const auto& other = any();
        text.insert(at, other.substr(place(other), random_.below(200)));
      }
    }
  }

  /// The value of one property becomes one of another file.
  void swap_value(std::string& text) {
    const auto value = [&](const std::string& in) {
      const auto begin = in.find("value=\"", place(in));
      if (begin == std::string::npos) return std::pair(std::string::npos, std::size_t{0});
      const auto end = in.find('"', begin + 7);
      return std::pair(begin + 7, end == std::string::npos ? 0 : end - begin - 7);
    };
    const auto& other = any();
    const auto [to, old_length] = value(text);
    const auto [from, length] = value(other);
    if (to != std::string::npos && from != std::string::npos) text.replace(to, old_length, other.substr(from, length));
  }

  void change_digit(std::string& text) {
    const auto at = text.find_first_of("0123456789", place(text));
    if (at != std::string::npos) text[at] = static_cast<char>('0' + random_.below(10));
  }

  std::vector<std::string> corpus_;
  core::Random random_;
};

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
  double seconds = 60;
  std::uint64_t seed = 1;
  std::string last;
  std::vector<std::string> files;
  app.add_option("--seconds", seconds)->capture_default_str();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_option("--last", last, "keep the file that is being tried here, to look at after a crash");
  app.add_option("FILE", files);
  CLI11_PARSE(app, argc, argv);
  std::vector<std::string> corpus;
  for (const auto& preset : platforms::presets()) corpus.emplace_back(preset.xml);
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  Mutator mutator(std::move(corpus), seed);
  std::uint64_t tried = 0, machines = 0;
  double slowest = 0;
  for (const auto start = Clock::now(); seconds_since(start) < seconds; ++tried) {
    const auto text = mutator.next();
    if (!last.empty()) std::ofstream(last, std::ios::binary) << text;
    const auto begin = Clock::now();
    machines += try_out(text) ? 1 : 0;
    slowest = std::max(slowest, seconds_since(begin));
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} files, {} of them machines; slowest {:.3f} s, memory at most {:.0f} MB\n", tried, machines, slowest,
             static_cast<double>(usage.ru_maxrss) / 1024);
}
