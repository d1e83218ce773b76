#include "netsim/repeats/state_walk.hpp"

#include <cmath>

#include "core/hash.hpp"

namespace toroid::netsim {

std::uint64_t StatePicture::hash() const {
  std::uint64_t hash = words.size();
  for (const auto word : words) hash = core::mix(hash, word);
  return hash;
}

bool are_near(const StatePicture& a, const StatePicture& b, double period) {
  const auto within = [](double most) { return [=](double x, double y) { return std::abs(x - y) <= most; }; };
  return std::equal(a.seconds.begin(), a.seconds.end(), b.seconds.begin(), b.seconds.end(),
                    within(repeat_tolerance * period)) &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), within(repeat_tolerance));
}

void StateWalk::begin() {
  histories_.clear();
  jobs_so_far_ = 0;
  first_ = last_;
  ++walks_;
}

void StateWalk::begin_look(const Time& now, Times times) {
  begin();
  moves_ = refused_ = false;
  now_ = now;
  times_ = times;
  picture_.words.clear();
  picture_.seconds.clear();
  picture_.parts.clear();
}

void StateWalk::begin_move(const Time& by) {
  begin();
  moves_ = true;
  by_ = by;
}

StateWalk::JobNumber StateWalk::begin_job(std::span<const std::uint64_t> operations) {
  const auto job = jobs_so_far_++;
  if (job == jobs_.size()) jobs_.emplace_back();
  enter(job);
  job_->operations = operations;
  return job;
}

void StateWalk::cut(const Sizes& sizes) {
  picture_.words.resize(sizes[0]);
  picture_.seconds.resize(sizes[1]);
  picture_.parts.resize(sizes[2]);
  histories_.resize(sizes[3]);
}

std::uint64_t& StateWalk::name_of(Kind kind, std::uint32_t id) {
  auto& names = this->names(kind);
  if (id >= names.size()) names.resize(std::max<std::size_t>(id + std::size_t{1}, 2 * names.size()), 0);
  return names[id];
}

bool StateWalk::meet(Kind kind, std::uint32_t id) {
  auto& name = name_of(kind, id);
  const bool is_first = name <= first_;
  if (is_first) name = ++last_;
  same(name - first_);
  return is_first;
}

void StateWalk::call(workloads::CommId communicator, std::uint32_t number) {
  auto& calls = job_->calls;
  if (communicator.index() >= calls.size()) calls.resize(communicator.index() + 1);
  auto& seen = calls[communicator.index()];
  if (seen.walk != walks_) seen = {walks_, number};
  same(communicator);
  same(number - seen.first);
}

}  // namespace toroid::netsim
