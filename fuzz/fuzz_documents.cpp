// Feeds broken documents of ours to the command for a while: nothing may crash, hang or be an internal error.
//
//   fuzz_documents [--seconds 60] [--files N] [--seed 1] [--last FILE] [COMMAND...]
//
// Results are given to --config, comparisons to plot, columns to diff, parts to merge, and lines to batch; COMMANDs are
// those that are tried, such as merge. The command makes the documents. Then values of their JSON are left out, added
// or become others, or bytes are changed; lines of journals get the right checksums. Each document is read in a process
// of its own. Build it with the preset asan and -DTOROID_BENCH=ON.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "core/inputs.hpp"
#include "fuzz/fuzzing.hpp"
#include "toroid/core/json.hpp"
#include "toroid/core/text.hpp"

namespace {

using namespace toroid;
using core::Json;

/// Documents, in the current folder, by the commands that make them.
const std::vector<std::string> makers{
    "simulate mesh:2x2 stencil:grid=2x2 --engine fluid --set x.bandwidth=x0.5 --json run --columns columns",
    "map mesh:2x2 stencil:grid=2x2 --seed 3 --json mapping",
    "compare mesh:2x2 torus:3 --trace stencil:grid=2 --map random snake --repeat 2 --no-verify --json json",
    "schedule mesh:4x4 derose:jobs=9,side=4 --json schedule",
    "schedule mesh:4x4 derose:jobs=9,side=4 --alloc curve --alloc mc1x1 --csv sweep",
    "compare mesh:2 --trace stencil:grid=2 --map random snake --repeat 2 --no-verify --part 1/2 -o part",
    "compare mesh:2 --trace stencil:grid=2 --map random snake --repeat 2 --no-verify --part 2/2 -o other"};
/// What reads `changed`, or the journal of `rows`, by the document that this is made of.
const std::vector<std::pair<std::string, std::string>> readers{
    {"run", "simulate --config changed"},
    {"mapping", "map --config changed"},
    {"json", "compare --config changed"},
    {"schedule", "schedule --config changed"},
    {"json", "plot changed --svg svg"},
    {"json", "plot changed --svg svg --against hops_per_byte"},
    {"columns", "diff columns changed --html o"},
    {"columns", "diff changed columns --html o"},
    {"part", "merge changed other"},
    {"sweep.journal", "schedule mesh:4x4 derose:jobs=9,side=4 --alloc curve --alloc mc1x1 --csv rows"},
    {"batch", "batch changed"}};
const std::string batch =
    R"({"platform":"mesh:2x2","trace":"stencil:grid=2x2","engine":"fluid","id":1}
{"id":["a"],"platform":"mesh:2x2","trace":"stencil:grid=2x2","map":"random","seed":3,"set":["x.latency=1us"],"verify":true}
)";

struct Ended {
  int status;
  std::string said;
};

/// What becomes of the command, which takes 20 s of processor time at most.
Ended run(const std::string& line) {
  const int said = ::memfd_create("said", 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    const rlimit seconds{20, 20};
    ::setrlimit(RLIMIT_CPU, &seconds);
    std::vector<std::string> words{"toroid"};
    for (const auto word : core::words(line)) words.emplace_back(word);
    ::_exit(cli::run_command(words));
  }
  Ended ended{0, std::string(10'000, '\0')};
  ::waitpid(child, &ended.status, 0);
  ended.said.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(said, ended.said.data(), 10'000, 0))));
  ::close(said);
  return ended;
}

/// Changes documents whose lines are JSON, up to the first that is not.
class Changes {
 public:
  explicit Changes(std::uint64_t seed) : random_(seed, "fuzz documents") {}

  bool is_one_in(std::uint64_t count) { return random_.below(count) == 0; }

  std::string changed(const std::string& document) {
    std::vector<Json> lines;
    std::size_t begin = 0;
    const bool is_part = document.starts_with("{\"settings\"");
    for (std::size_t end; begin < document.size(); begin = end + 1) {
      end = is_part || document.starts_with("{\"") ? document.find('\n', begin) : document.size();
      if (document[begin] != '{') break;
      lines.push_back(core::parse_json(document.substr(begin, end - begin - (is_part ? 17 : 0))));
    }
    for (auto count = 1 + random_.below(3); count > 0; --count) change(lines[random_.below(lines.size())]);
    std::string text;
    for (const auto& line : lines) {
      const auto json = core::json_text(line), head = &line == &lines[0] ? std::string() : core::json_text(lines[0]);
      text += json + (is_part ? " " + core::sha256_of_text(head + json).substr(0, 16) : "") + "\n";
    }
    return begin < document.size() ? text + document.substr(begin) : text;
  }

 private:
  static void collect(Json& json, std::vector<Json*>& all) {
    all.push_back(&json);
    if (json.is_structured())
      for (auto& one : json) collect(one, all);
  }

  void change(Json& whole) {
    std::vector<Json*> all;
    const bool has_manifest = whole.is_object() && whole.contains("manifest");  // which is small
    collect(has_manifest && is_one_in(2) ? whole["manifest"] : whole, all);
    auto& one = *all[random_.below(all.size())];
    auto other = is_one_in(2) ? *all[random_.below(all.size())] : values_[random_.below(values_.size())];
    const auto inside = static_cast<std::ptrdiff_t>(random_.below(std::max<std::size_t>(1, one.size())));
    if (!one.is_structured() || one.empty() || is_one_in(3))
      one = std::move(other);
    else if (is_one_in(2))
      one.erase(std::next(one.begin(), inside));
    else
      *std::next(one.begin(), inside) = std::move(other);
  }

  core::Random random_;
  const Json values_ = core::parse_json(
      R"([null, true, 0, -1, 3, 0.5, 1e308, 18446744073709551615, "", "text", "2x2", "\u001b[2J", "-1", "nan", [], {},
          [1, "a", null], {"a": {}}])");
};

bool try_out(const std::string& line) {
  const auto [status, said] = run(line);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const bool is_long = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
  bool is_in_order = is_long || code == 0 || ((code == 1 || code == 2) && said.starts_with("toroid: "));
  for (const auto* fault : {"internal error", "json.exception", "Sanitizer", "runtime error", "assert"})
    is_in_order = is_in_order && said.find(fault) == std::string::npos;
  if (is_in_order) return code == 0;
  fmt::print(stderr, "{}: status {:#x}\n{}\n", line, status, said);
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"broken documents"};
  fuzzing::FuzzOptions options;
  options.add_to(app);
  CLI11_PARSE(app, argc, argv);
  if (!options.last.empty()) options.last = std::filesystem::absolute(options.last);
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("fuzz_documents.{}", ::getpid());
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  for (const auto& line : makers)
    if (!try_out(line)) std::abort();
  std::ofstream("batch") << batch;
  struct Kind {
    std::string command, document;
    fuzzing::Mutator bytes;
  };
  std::vector<Kind> kinds;
  for (const auto& [file, command] : readers) {
    const auto is_named = [&](const auto& name) { return command.starts_with(name); };
    if (!options.files.empty() && std::ranges::none_of(options.files, is_named)) continue;
    const auto text = fuzzing::bytes_of(file);
    const fuzzing::Syntax syntax{{"{", "}", "[", "]", ",", "\"", "null", "\n", "-1", "\xff"}, ":", ",}]"};
    kinds.push_back({command, text, fuzzing::Mutator({text}, syntax, options.seed)});
  }
  Changes changes(options.seed);
  std::size_t turn = 0;
  fuzzing::fuzz(
      options,
      [&] {
        auto& kind = kinds.at(++turn % kinds.size());
        const bool by_bytes = !kind.document.starts_with('{') || changes.is_one_in(4);
        return by_bytes ? kind.bytes.next() : changes.changed(kind.document);
      },
      [&](const std::string& text) {
        for (const auto* file : {"changed", "rows.journal"}) std::ofstream(file, std::ios::binary) << text;
        return try_out(kinds[turn % kinds.size()].command);
      });
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
}
