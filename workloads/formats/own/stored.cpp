#include "workloads/formats/own/stored.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace toroid::workloads {
namespace {

/// A file to be read, as long as this lives.
struct OpenFile {
  explicit OpenFile(const std::string& its_path) : path(its_path), number(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number < 0) core::fail_input("{}: {}; expected a readable file", path, std::strerror(errno));
  }
  ~OpenFile() { ::close(number); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Fills all bytes from that offset on; false if the file ends before.
  bool read(std::span<std::uint8_t> bytes, std::uint64_t offset) const {
    while (!bytes.empty()) {
      const auto got = ::pread(number, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) core::fail_input("{}: read error: {}", path, std::strerror(errno));
      if (got == 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return true;
  }

  const std::string& path;
  const int number;
};

}  // namespace

class StoredTrace::Stream final : public OperationStream {
 public:
  Stream(const StoredTrace& trace, Rank rank) : trace_(trace), rank_(rank), rest_(trace.rest_->open(rank)) {}

  bool next(Operation& operation) override {
    while (reader_.at_end()) {
      const auto& blocks = trace_.programs_[rank_].blocks;
      if (next_block_ == blocks.size()) return rest_->next(operation);
      trace_.read(blocks[next_block_++], code_);
      reader_ = ProgramCode::Reader(code_);
    }
    trace_.rest_->take(rank_, reader_, operation);
    return true;
  }

 private:
  const StoredTrace& trace_;
  Rank rank_;
  std::unique_ptr<OperationStream> rest_;
  std::size_t next_block_ = 0;
  ProgramCode code_;
  ProgramCode::Reader reader_{code_};
};

StoredTrace::StoredTrace(std::string path) : path_(std::move(path)), stamp_(stamp_of(OpenFile(path_).number)) {}

StoredTrace::Stamp StoredTrace::stamp_of(int file) {
  struct stat status {};
  ::fstat(file, &status);
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void StoredTrace::add(Rank rank, const Place& place) {
  if (!programs_.has(rank)) programs_.resize(rank.value() + 1);
  programs_[rank].blocks.push_back(place);
  programs_[rank].count += place.count;
}

void StoredTrace::finish(std::unique_ptr<CompactTrace> rest) {
  rest_ = std::move(rest);
  programs_.resize(rest_->ranks());
}

/// The file is opened for each block: processes that simulations run in keep no files of their parents, and among a
/// thousand ranks none could keep one of its own.
void StoredTrace::read(const Place& place, ProgramCode& code) const {
  const OpenFile file(path_);
  std::vector<std::uint8_t> bytes(place.size());
  if (stamp_of(file.number) != stamp_ || !file.read(bytes, place.offset)) fail_changed();
  const auto all = std::span<const std::uint8_t>(bytes);
  const ProgramCode::Block block{all.first(place.items), all.subspan(place.items, place.whole),
                                 all.subspan(place.items + place.whole)};
  if (const auto checked = ProgramCode::check(block, place.vocabulary); checked.items != place.count) fail_changed();
  code.clear();
  code.add(block);
}

void StoredTrace::fail_changed() const {
  core::fail_input("{}: found another file than before, expected that nobody writes into it while it is used", path_);
}

std::unique_ptr<OperationStream> StoredTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string StoredTrace::locate(Rank rank, std::uint64_t index) const {
  const auto stored = programs_.at(rank).count;
  const auto line = index < stored ? std::string() : rest_->locate(rank, index - stored);
  return line.empty() || line.starts_with("operation ") ? fmt::format("operation {}", index) : line;
}

std::uint64_t StoredTrace::operation_count() const {
  std::uint64_t sum = rest_->operation_count();
  for (const auto& program : programs_) sum += program.count;
  return sum;
}

std::size_t StoredTrace::memory_bytes() const {
  std::size_t sum = rest_->memory_bytes();
  for (const auto& program : programs_) sum += sizeof program + program.blocks.capacity() * sizeof(Place);
  return sum;
}

}  // namespace toroid::workloads
