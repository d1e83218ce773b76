#include "netsim/packet/team.hpp"

#include <utility>

namespace toroid::netsim::packet {
namespace {

/// Tells the processor that this is a loop that waits.
void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Team::Team(std::size_t parts, std::size_t threads, std::function<void(std::size_t)> work)
    : work_(std::move(work)), parts_(parts) {
  for (std::size_t i = 1; i < threads; ++i) helpers_.emplace_back([=, this] { assist(i * parts / threads); });
}

Team::~Team() {
  ends_ = true;
  ++step_;
  step_.notify_all();
  for (auto& helper : helpers_) helper.join();
}

void Team::run() {
  const auto step = ++step_;
  if (helpers_asleep_ > 0) step_.notify_all();
  do_parts(step, 0);
  for (auto& part : parts_)
    if (const std::uint32_t done = part.done; done != step) await(part.done, done, first_asleep_);
}

/// What each thread but the first does: in each step the parts from `first` on.
void Team::assist(std::size_t first) {
  for (std::uint32_t seen = 0;;) {
    await(step_, seen, helpers_asleep_);
    seen = step_;
    if (ends_) return;
    do_parts(seen, first);
  }
}

/// Does the parts of a step that nobody has begun. Where the step is over by now, all of them have been begun.
void Team::do_parts(std::uint32_t step, std::size_t first) {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto number = (first + i) % parts_.size();
    auto& part = parts_[number];
    if (auto before = step - 1; !part.begun.compare_exchange_strong(before, step)) continue;
    work_(number);
    part.done = step;
    if (first_asleep_ > 0) part.done.notify_all();
  }
}

/// Waits until a value is not the old one; says in `sleepers` that whoever changes it must wake this thread.
void Team::await(const std::atomic<std::uint32_t>& value, std::uint32_t old, std::atomic<int>& sleepers) {
  constexpr int patience = 4000;  // pauses: about as long as it takes to wake a thread, several times
  for (int i = 0; i < patience; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause();
  }
  ++sleepers;
  value.wait(old);
  --sleepers;
}

}  // namespace toroid::netsim::packet
