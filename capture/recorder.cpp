#include "capture/recorder.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <mpi.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>

namespace toroid::capture {

namespace raw = workloads::raw;

Recorder recorder;

int Clock::set(std::string_view name) {
  if (name == "cpu") id_ = CLOCK_PROCESS_CPUTIME_ID;
  if (name != "instructions") return 0;
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.inherit = 1;  // threads that this one will start
  constexpr long this_process = 0, any_processor = -1, no_group = -1;
  counter_ = static_cast<int>(
      ::syscall(SYS_perf_event_open, &event, this_process, any_processor, no_group, PERF_FLAG_FD_CLOEXEC));
  return counter_ < 0 ? errno : 0;
}

void Recorder::begin(raw::Header header, bool crowded, bool several_threads) {
  const char* folder = std::getenv(raw::folder_variable);
  if (folder == nullptr) return;
  const auto path = std::string(folder) + "/" + raw::file_name(header.rank);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0) {
    // The file belongs to a program that runs or has run besides this one: two programs are no trace.
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ >= 0) tell(static_cast<raw::State>(static_cast<int>(raw::State::ended) + 1 + EEXIST));
    return;
  }
  const auto told = [](const char* variable) {
    return std::string(std::getenv(variable) ? std::getenv(variable) : "");
  };
  auto clock = told(raw::clock_variable);
  if (clock.empty()) clock = crowded ? "cpu" : "wall";
  clock.copy(header.clock, sizeof header.clock - 1);
  if (::write(file_, &header, sizeof header) != sizeof header) return;
  several_threads_ = several_threads;
  leaves_files_out_ = told(raw::left_out_variable) == "files";
  is_on_ = true;
  if (const int error = clock_.set(clock); error != 0)
    refuse(std::string("instructions cannot be counted here (perf_event_open: ") +
           (error == EACCES || error == EPERM ? "not permitted, see /proc/sys/kernel/perf_event_paranoid"
                                              : "not available") +
           ")");
  left_ = clock_.now();
}

void Recorder::flush() {
  for (std::size_t written = 0; written < used_ && is_on_;) {
    const auto n = ::write(file_, buffer_.data() + written, used_ - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) stop(n < 0 ? errno : ENOSPC);
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  used_ = 0;
}

/// The header is there already, so there is room for it whatever happens to the disk.
void Recorder::tell(raw::State state) {
  if (::pwrite(file_, &state, sizeof state, offsetof(raw::Header, state)) != sizeof state) is_on_ = false;
}

void Recorder::stop(int error) {
  tell(static_cast<raw::State>(static_cast<int>(raw::State::ended) + 1 + error));
  is_on_ = false;
}

void Recorder::finish() {
  if (!is_on_) return;
  { const Entry entry(Record::end); }
  flush();
  raw::State state{};  // what another program has told stays
  if (is_on_ && ::pread(file_, &state, sizeof state, offsetof(raw::Header, state)) == sizeof state &&
      state == raw::State::recording)
    tell(raw::State::ended);
  is_on_ = false;
  ::close(file_);
}

void refuse(std::string_view text) {
  const auto shown = text.substr(0, sizeof raw::Header::refusal - 1);
  if (::pwrite(recorder.file_, shown.data(), shown.size(), offsetof(raw::Header, refusal)) >= 0)
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace toroid::capture
