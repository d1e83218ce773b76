#pragma once
// Broken input for a reader, for a while: texts that are changed in a few places.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace toroid::fuzzing {

/// What texts of a kind are made of.
struct Syntax {
  std::vector<std::string> pieces;  ///< that may break something
  std::string before_value;         ///< a value stands behind this
  std::string after_value;          ///< and ends before any of these
};

/// Texts of one kind, changed in up to six places: bytes, copied or lost pieces, values from other texts, numbers.
class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, Syntax syntax, std::uint64_t seed)
      : corpus_(std::move(corpus)), syntax_(std::move(syntax)), random_(seed, "fuzz") {}

  std::string next() {
    auto text = any();
    for (std::uint64_t changes = 1 + random_.below(6); changes > 0; --changes) change(text);
    return text;
  }

 private:
  const std::string& any() { return corpus_[random_.below(corpus_.size())]; }
  std::size_t place(const std::string& text) { return random_.below(text.size() + 1); }

  void change(std::string& text) {
    const auto at = place(text);
    switch (random_.below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_.below(256));
        break;
      case 1:
        text.erase(at, random_.below(20));
        break;
      case 2:
        text.insert(at, syntax_.pieces[random_.below(syntax_.pieces.size())]);
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

  /// A value becomes one of another text, or one of the pieces.
  void swap_value(std::string& text) {
    const auto value = [&](const std::string& in) {
      auto begin = in.find(syntax_.before_value, place(in));
      if (begin == std::string::npos) return std::pair(begin, std::size_t{0});
      begin += syntax_.before_value.size();
      const auto end = in.find_first_of(syntax_.after_value, begin);
      return std::pair(begin, end == std::string::npos ? 0 : end - begin);
    };
    const auto& other = any();
    const auto [to, old_length] = value(text);
    const auto [from, length] = value(other);
    if (to == std::string::npos || from == std::string::npos) return;
    text.replace(
        to, old_length,
        random_.below(2) == 0 ? other.substr(from, length) : syntax_.pieces[random_.below(syntax_.pieces.size())]);
  }

  void change_digit(std::string& text) {
    const auto at = text.find_first_of("0123456789", place(text));
    if (at != std::string::npos) text[at] = static_cast<char>('0' + random_.below(10));
  }

  std::vector<std::string> corpus_;
  Syntax syntax_;
  core::Random random_;
};

/// What a fuzzer is told on its command line.
struct FuzzOptions {
  double seconds = 60;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seed = 1;
  std::string last;
  std::vector<std::string> files;

  void add_to(CLI::App& app) {
    app.add_option("--seconds", seconds)->capture_default_str();
    app.add_option("--files", most, "stop after so many files, however fast they are");
    app.add_option("--seed", seed)->capture_default_str();
    app.add_option("--last", last, "keep the file that is being tried here, to look at after a crash");
    app.add_option("FILE", files);
  }
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Calls try_out(next()), which says whether the text was a good one, until the time is over or so many were tried;
/// tells what became of it.
template <class Next, class TryOut>
void fuzz(const FuzzOptions& options, Next next, TryOut try_out) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::uint64_t tried = 0, good = 0;
  double slowest = 0;
  for (const auto start = Clock::now(); tried < options.most && since(start) < options.seconds; ++tried) {
    const std::string text = next();
    if (!options.last.empty()) std::ofstream(options.last, std::ios::binary) << text;
    const auto begin = Clock::now();
    good += try_out(text) ? 1 : 0;
    slowest = std::max(slowest, since(begin));
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} files, {} of them good; slowest {:.3f} s, memory at most {:.0f} MB\n", tried, good, slowest,
             static_cast<double>(usage.ru_maxrss) / 1024);
}

/// Files of one kind, by the end of their names.
struct Kind {
  std::string ending;
  Syntax syntax;
  std::vector<std::string> corpus;
  std::function<bool(const std::string& path)> try_out = {};  ///< whether the file was a good one; may write beside it
};

/// Fuzzes files of all kinds in turn, as the command line says, which may add files to their corpora.
inline int fuzz_files(int argc, char** argv, const char* what, std::vector<Kind> kinds) {
  CLI::App app{what};
  FuzzOptions options;
  options.add_to(app);
  CLI11_PARSE(app, argc, argv);
  std::vector<Mutator> mutators;
  for (auto& kind : kinds) {
    for (const auto& path : options.files)
      if (path.ends_with(kind.ending)) kind.corpus.push_back(bytes_of(path));
    mutators.emplace_back(kind.corpus, kind.syntax, options.seed);
  }
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("fuzzing.{}", ::getpid());
  std::filesystem::create_directory(folder);
  std::size_t turn = 0;
  fuzz(
      options, [&] { return mutators[++turn % mutators.size()].next(); },
      [&](const std::string& text) {
        const auto& kind = kinds[turn % mutators.size()];
        const auto path = (folder / ("file" + kind.ending)).string();
        std::ofstream(path, std::ios::binary) << text;
        return kind.try_out(path);
      });
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace toroid::fuzzing
