#pragma once
// The file of this rank, and what goes by between the calls. There is one, of the process.

#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

#include "workloads/formats/capture/raw_capture.hpp"

namespace toroid::capture {

using workloads::raw::Record;

/// What counts as computation: time on the wall, time of the processors, or instructions.
class Clock {
 public:
  /// Chooses the clock by its name: wall, cpu or instructions. Returns 0, or an errno if the system does not allow it.
  int set(std::string_view name);

  /// The nanoseconds or instructions since some fixed time.
  std::uint64_t now() const {
    if (counter_ >= 0) return count();
    timespec time{};
    ::clock_gettime(id_, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
  }

 private:
  std::uint64_t count() const {
    std::uint64_t value = 0;
    return ::read(counter_, &value, sizeof value) == sizeof value ? value : 0;
  }

  clockid_t id_ = CLOCK_MONOTONIC;
  int counter_ = -1;  ///< descriptor of the counter of instructions
};

class Recorder {
 public:
  /// Begins to record; called once MPI is initialized. Without the folder in the environment nothing is recorded.
  /// Errors are written into the file's header, where `toroid capture` finds them. `header` has the ranks, and
  /// `crowded` says whether on some machine more ranks run than cores are theirs: the clock is that of the processors
  /// then, unless the user has chosen one.
  void begin(workloads::raw::Header header, bool crowded, bool several_threads);
  void finish();

  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  /// Whether several threads may be in MPI at a time. Calls that block are then recorded in two parts, when they begin
  /// and when they end: otherwise calls of other threads in between would be recorded too early or too late.
  bool several_threads() const { return several_threads_; }
  bool leaves_files_out() const { return leaves_files_out_; }

  /// Says that a call begins. The time since the last call ended is computation, unless another thread is in a call.
  void enter() {
    const auto lock = locked();
    if (calls_++ == 0) computed_ += clock_.now() - left_;
  }
  /// Says that a call ends, after everything about it was written.
  void leave() {
    const auto lock = locked();
    if (--calls_ == 0) left_ = clock_.now();
  }

 private:
  friend class Entry;
  friend void refuse(std::string_view text);

  std::unique_lock<std::mutex> locked() {
    return several_threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  void put(std::uint64_t number) {
    if (used_ + workloads::raw::longest_number > buffer_.size()) flush();
    used_ = static_cast<std::size_t>(workloads::raw::encode(number, buffer_.data() + used_) - buffer_.data());
  }
  void flush();
  void tell(workloads::raw::State state);
  void stop(int error);

  std::atomic<bool> is_on_ = false;
  bool several_threads_ = false, leaves_files_out_ = false;
  Clock clock_;
  std::uint64_t left_ = 0, computed_ = 0;
  int calls_ = 0;  ///< number of calls that threads are in
  int file_ = -1;
  std::size_t used_ = 0;
  std::array<std::uint8_t, 1U << 16U> buffer_;
  std::mutex mutex_;
};

extern Recorder recorder;

/// One record. It keeps other threads from writing while it lives.
class Entry {
 public:
  explicit Entry(Record kind) : lock_(recorder.locked()) {
    put(kind);
    put(recorder.computed_);
    recorder.computed_ = 0;
  }

  template <class... Numbers>
  void put(Numbers... numbers) {
    (recorder.put(static_cast<std::uint64_t>(numbers)), ...);
  }
  void put_signed(std::int64_t number) { recorder.put(workloads::raw::fold(number)); }

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Records that there can be no trace, and the reason, and ends the program: what it would still do were in vain.
void refuse(std::string_view text);

}  // namespace toroid::capture
