#include "workloads/formats/own_stored.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace toroid::workloads {

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
    if (reader_.at_computation()) {
      operation = Operation{};
      operation.amount = reader_.amount();
    } else {
      operation = trace_.rest_->operation(rank_, reader_.number());
    }
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

StoredTrace::StoredTrace(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) core::fail_input("{}: {}; expected a readable file", path_, std::strerror(errno));
}

StoredTrace::~StoredTrace() {
  ::close(file_);
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

/// Somebody may have written into the file since it was checked.
void StoredTrace::read(const Place& place, ProgramCode& code) const {
  std::vector<std::uint8_t> bytes(place.size());
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto got = ::pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(place.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) core::fail_input("{}: read error: {}", path_, std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  const auto all = std::span<const std::uint8_t>(bytes).first(done);
  if (done == place.size()) {
    const ProgramCode::Block block{all.first(place.items), all.subspan(place.items, place.whole),
                                   all.subspan(place.items + place.whole)};
    const auto checked = ProgramCode::check(block, place.vocabulary);
    code.clear();
    code.add(block);
    if (checked.fault.empty() && checked.items == place.count) return;
  }
  core::fail_input("{}: found another file than before, expected that nobody writes into it while it is used", path_);
}

std::unique_ptr<OperationStream> StoredTrace::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

std::string StoredTrace::locate(Rank rank, std::uint64_t index) const {
  const auto stored = programs_.at(rank).count;
  if (index < stored) return fmt::format("operation {}", index + 1);
  return rest_->locate(rank, index - stored);
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
