#include "tests/support/support.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

#include "toroid/core/assert.hpp"
#include "toroid/netsim/result_json.hpp"
#include "toroid/netsim/run.hpp"
#include "workloads/formats/formats.hpp"

namespace toroid::test {

namespace fs = std::filesystem;

std::string toroid_command() {
  return TOROID_COMMAND;
}
std::string platform_library() {
  return TOROID_PLATFORM_LIBRARY;
}
std::string source_folder() {
  return TOROID_SOURCE_DIR;
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "toroid-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  folder_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::string zstd_compressed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

std::string gzip_compressed(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_header = 15 + 16, memory = 8;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_header, memory, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  auto in = text;
  stream.next_in = reinterpret_cast<unsigned char*>(in.data());
  stream.avail_in = static_cast<unsigned>(in.size());
  stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

namespace {

/// How a command begins that must not hang.
const std::string limited = core::heavy_assertions ? "timeout 300 " : "timeout 60 ";

CommandResult run_command(const std::string& command) {
  const Scratch scratch;
  const int status = std::system((command + " >" + scratch.path("out") + " 2>" + scratch.path("err")).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(scratch.path("out")), content(scratch.path("err"))};
}

}  // namespace

CommandResult run_toroid(const std::string& arguments) {
  return run_command(limited + toroid_command() + " " + arguments);
}

namespace {

/// Whether the child process has ended, or has computed for a second.
bool has_worked(pid_t process) {
  siginfo_t end{};
  if (::waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid != 0)
    return true;
  clockid_t clock = 0;
  timespec used{};
  return ::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0 || used.tv_sec >= 1;
}

}  // namespace

int run_interrupted(const std::string& arguments) {
  const auto command = "exec " + toroid_command() + " " + arguments + " >/dev/null 2>&1";
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    std::signal(SIGINT, SIG_DFL);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  while (!has_worked(child)) ::usleep(10000);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

core::Json json_of(const std::string& arguments) {
  const auto r = run_toroid(arguments + " --json -");
  INFO("toroid " << arguments);
  CHECK(r.err.empty());
  REQUIRE(r.exit_code == 0);
  return core::Json::parse(r.out);
}

CommandResult run_script(const std::string& text) {
  const Scratch scratch;
  return run_command("toroid=" + toroid_command() + " " + limited + "bash " + scratch.write("script", text));
}

void check_fails(const std::string& arguments, int exit_code, const std::string& text) {
  INFO("toroid " << arguments);
  const auto r = run_toroid(arguments);
  CHECK(r.exit_code == exit_code);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, Catch::Contains(text));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

std::string shared_data(const std::string& relative_path) {
  const auto path = fs::path(source_folder()) / ".." / "shared" / "data" / relative_path;
  if (fs::exists(path)) return path.string();
  WARN("skipped: " << relative_path << " is not there (shared/data beside the project)");
  return {};
}

std::unique_ptr<workloads::CompactTrace> trace_of(const std::string& text) {
  const Scratch scratch;
  return workloads::read_ti(scratch.write("trace.ti", text));
}

netsim::Mapping in_order(const platforms::Machine& machine, std::int32_t ranks) {
  netsim::Mapping mapping;
  for (const auto node : machine.compute_nodes())
    if (mapping.size() < static_cast<std::size_t>(ranks)) mapping.add(node);
  return mapping;
}

core::Json simulate(const std::string& platform, const workloads::Trace& trace, netsim::ReplayOptions options,
                    netsim::Mapping mapping, const std::string& engine) {
  const auto machine = platforms::make_machine(platform);
  if (mapping.empty()) {
    for (const auto node : core::ids<platforms::NodeId>(trace.ranks())) mapping.add(node);
  }
  return netsim::result_json(machine, netsim::run({machine, trace, mapping, options, engine, 64}));
}

core::Json simulate(const std::string& platform, const std::string& trace_text, netsim::ReplayOptions options,
                    netsim::Mapping mapping, const std::string& engine) {
  return simulate(platform, *trace_of(trace_text), std::move(options), std::move(mapping), engine);
}

}  // namespace toroid::test
