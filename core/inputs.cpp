#include "core/inputs.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/output.hpp"
#include "toroid/core/assert.hpp"
#include "toroid/core/error.hpp"

namespace toroid::core {

struct Sha256::Context {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> of_openssl{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  EVP_DigestInit_ex(context_->of_openssl.get(), EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
  EVP_DigestUpdate(context_->of_openssl.get(), bytes.data(), bytes.size());
}

std::string Sha256::hexadecimal() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_->of_openssl.get(), digest.data(), &size);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of_text(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.hexadecimal();
}

namespace {

/// A file that is the same, and was not written to.
struct Stamp {
  std::uint64_t device = 0, number = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const Stamp&) const = default;
};

struct Known {
  Stamp stamp;
  std::string sha256;  ///< empty: nobody has read all of it
};

/// What all lists have in common.
struct Ledger {
  std::vector<Inputs*> lists;
  std::map<std::string, Known> files;                         // by path
  std::set<std::pair<std::uint64_t, std::uint64_t>> numbers;  // of these files, and of those that were kept
  pid_t owner = 0;
};

Ledger& ledger() {
  static thread_local Ledger one;
  return one;
}

Stamp stamp_of(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

[[noreturn]] void fail_changed(const std::string& path) {
  fail_input("{}: found another file than before, expected that nobody writes into it while it is used", path);
}

std::FILE* open_regular(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_input("{}: {}; expected a readable file", path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail_input("{}: is a directory; expected a file", path);
  // What is read twice cannot be a pipe.
  if (!S_ISREG(status.st_mode)) fail_input("{}: is no regular file; expected one", path);
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) fail_input("{}: {}; expected a readable file", path, std::strerror(errno));
  return file;
}

std::size_t read_some(std::FILE* file, const std::string& path, char* into, std::size_t size) {
  const auto got = std::fread(into, 1, size, file);
  if (got == 0 && std::ferror(file) != 0) fail_input("{}: read error: {}", path, std::strerror(errno));
  return got;
}

/// The hash of a file that must be the one with this stamp, before and after.
std::string sha256_of(const std::string& path, const std::optional<Stamp>& stamp) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(open_regular(path), std::fclose);
  const auto check = [&] {
    if (stamp && stamp_of(::fileno(file.get())) != *stamp) fail_changed(path);
  };
  check();
  Sha256 sum;
  std::vector<char> chunk(std::size_t{1} << 17U);
  while (const auto got = read_some(file.get(), path, chunk.data(), chunk.size())) sum.add({chunk.data(), got});
  check();
  return sum.hexadecimal();
}

}  // namespace

Inputs::Inputs() {
  if (ledger().lists.empty()) ledger().owner = ::getpid();
  ledger().lists.push_back(this);
}

Inputs::~Inputs() {
  std::erase(ledger().lists, this);
  if (ledger().lists.empty()) ledger() = {};
}

std::vector<Inputs::File> Inputs::files() const {
  std::vector<File> files;
  for (const auto& path : paths_) {
    auto& known = ledger().files.at(path);
    if (known.sha256.empty()) known.sha256 = sha256_of(path, known.stamp);
    files.push_back({path, known.sha256});
  }
  return files;
}

const Inputs* Inputs::of_command() {
  return ledger().lists.empty() ? nullptr : ledger().lists.front();
}

bool Inputs::have(std::uint64_t device, std::uint64_t number) {
  return ledger().numbers.contains({device, number});
}

bool Inputs::enter(const std::string& path, int descriptor) {
  if (ledger().lists.empty()) return false;
  const auto stamp = stamp_of(descriptor);
  OutputSet::refuse_input(path, stamp.device, stamp.number);
  const auto [known, is_new] = ledger().files.try_emplace(path, Known{stamp, {}});
  // A journal that was begun without this file would not know whether it changed.
  TOROID_ASSERT(!is_new || ledger().owner == ::getpid());
  if (known->second.stamp != stamp) fail_changed(path);
  ledger().numbers.emplace(stamp.device, stamp.number);
  for (auto* list : ledger().lists)
    if (list->seen_.insert(path).second) list->paths_.push_back(path);
  return known->second.sha256.empty();
}

void Inputs::enter(const std::string& path) {
  if (!ledger().lists.empty()) const InputFile entered(path);
}

void Inputs::keep(const std::string& path) {
  struct stat status {};
  if (ledger().lists.empty() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  OutputSet::refuse_input(path, status.st_dev, status.st_ino);
  ledger().numbers.emplace(status.st_dev, status.st_ino);
}

InputFile::InputFile(const std::string& path) : path_(path), file_(open_regular(path)) {
  if (Inputs::enter(path_, ::fileno(file_.get()))) sum_.emplace();
}

std::size_t InputFile::read(char* into, std::size_t size) {
  const auto got = read_some(file_.get(), path_, into, size);
  if (sum_) note({into, got});
  return got;
}

/// The end may never be asked for: some readers know it from what is written there.
void InputFile::note(std::string_view bytes) {
  sum_->add(bytes);
  read_ += bytes.size();
  const auto stamp = stamp_of(::fileno(file_.get()));
  const auto known = ledger().files.find(path_);
  if (known == ledger().files.end()) return sum_.reset();  // the lists are over
  if (stamp != known->second.stamp) fail_changed(path_);
  if (read_ < static_cast<std::uint64_t>(stamp.size)) return;
  known->second.sha256 = sum_->hexadecimal();
  sum_.reset();
}

std::uint64_t InputFile::size() const {
  return static_cast<std::uint64_t>(stamp_of(::fileno(file_.get())).size);
}

std::string sha256_of_file(const std::string& path) {
  return sha256_of(path, {});
}

}  // namespace toroid::core
