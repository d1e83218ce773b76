#include "cosim/epochs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/assert.hpp"
#include "core/error.hpp"

namespace toroid::cosim {
namespace {

using platforms::LinkId;

netsim::Traffic times(netsim::Traffic traffic, double rounds) {
  const auto scale = [&](std::uint64_t& value) {
    value = static_cast<std::uint64_t>(static_cast<double>(value) * rounds);
  };
  for (auto* value : {&traffic.messages, &traffic.bytes, &traffic.network_messages, &traffic.network_bytes,
                      &traffic.hops, &traffic.hop_bytes})
    scale(*value);
  return traffic;
}

}  // namespace

Unit Epochs::Running::unit() const {
  if (units > 1) return {&program};
  return {&program, static_cast<std::uint64_t>(std::llround(program.rounds)), true};
}

Epochs::Epochs(const EpochOptions& options, PlacedPrograms& programs, netsim::Clock& clock, std::uint64_t seed,
               netsim::LinkUsage* usage)
    : options_(options),
      programs_(programs),
      clock_(clock),
      situations_(options, programs, seed),
      usage_(usage),
      users_(programs.machine().link_count()) {}

Epochs::~Epochs() {
  if (rating_timer_) clock_.cancel(*rating_timer_);
  for (const auto& running : running_.slots())
    if (running.end) clock_.cancel(*running.end);
}

bool Epochs::start(const Start& start, Ended ended) {
  auto program = programs_.place(start);
  if (!program) return false;
  Running running;
  running.program = std::move(*program);
  running.id = start.id;
  running.since = clock_.now();
  running.limit = start.limit;
  if (running.program.rounds > options_.rounds) running.units = running.program.rounds;
  running.work.program = running.program.loaded->text;
  running.ended = std::move(ended);
  measure_alone(running);
  const auto slot = running_.add(std::move(running));
  enter(slot);
  return true;
}

void Epochs::kill(JobId job) {
  const auto& all = running_.slots();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& running) { return running.id == job; });
  TOROID_ASSERT(found != all.end());
  const auto slot = static_cast<Slot>(found - all.begin());
  running_[slot].limit = clock_.now();
  if (running_[slot].end) set_end(slot);  // otherwise it is still to be rated in this instant
}

std::vector<alloc::Figure> Epochs::figures() const {
  return {{"mixes", static_cast<double>(situations_.asked())},
          {"simulated", static_cast<double>(situations_.simulated())}};
}

/// What is known of the job beforehand, its failure included.
void Epochs::measure_alone(Running& running) {
  const auto unit = running.unit();
  const auto alone = programs_.alone(running.program, unit.rounds);
  running.work.complaint = alone.complaint.empty() ? running.program.complaint : alone.complaint;
  if (!running.work.complaint.empty()) return;
  running.work.traffic = times(alone.traffic, running.units);
  running.work.max_link_load = static_cast<std::uint64_t>(static_cast<double>(alone.max_link_load) * running.units);
  if (!(alone.seconds > 0)) return;
  const auto pace = situations_.paces({&unit, 1})[0];
  running.work.complaint = pace.complaint;
  if (pace.complaint.empty()) running.work.alone = pace.seconds * running.units;
}

/// The links that its messages cross, with the bytes that a unit of it sends over each.
std::vector<Epochs::LinkBytes> Epochs::links_of(const Running& running) const {
  const auto& machine = programs_.machine();
  const auto envelope = programs_.options().replay.envelope;
  core::IdVector<LinkId, std::uint64_t> bytes(machine.link_count());
  const auto& matrix = running.program.loaded->traffic.matrix();
  for (const auto from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from])
      machine.for_each_link(running.program.mapping[from], running.program.mapping[cell.to],
                            [&](LinkId link) { bytes[link] += cell.bytes + cell.messages * envelope; });
  std::vector<LinkBytes> links;
  for (const auto link : bytes.ids())
    if (bytes[link] > 0) links.push_back({link, bytes[link] * running.unit().rounds});
  return links;
}

void Epochs::enter(Slot slot) {
  auto& running = running_[slot];
  if (!(running.work.alone > 0)) {  // it ends as soon as it has begun
    running.done = running.units;
    return set_end(slot);
  }
  running.links = links_of(running);
  for (const auto& [link, bytes] : running.links) users_[link].push_back(slot);
  touch(slot);
}

void Epochs::leave(Slot slot) {
  for (const auto& [link, bytes] : running_[slot].links) {
    auto& users = users_[link];
    std::erase(users, slot);
    for (const auto other : users) touch(other);
  }
}

/// The job's rate may be another from now on. All are rated together, when all is known that changes in this instant.
void Epochs::touch(Slot slot) {
  if (std::exchange(running_[slot].is_dirty, true)) return;
  dirty_.push_back(slot);
  if (!rating_timer_) rating_timer_ = clock_.start_timer(Time(), *this, rating);
}

void Epochs::rate_all() {
  rating_timer_.reset();
  for (const auto slot : std::exchange(dirty_, {}))
    if (running_[slot].is_dirty) rate(component(slot));
}

/// All jobs that share links with it, or with those, itself included.
std::vector<Epochs::Slot> Epochs::component(Slot slot) {
  std::vector<Slot> found{slot};
  std::set<Slot> seen{slot};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [link, bytes] : running_[found[i]].links)
      for (const auto user : users_[link])
        if (seen.insert(user).second) found.push_back(user);
  return found;
}

void Epochs::rate(const std::vector<Slot>& component) {
  std::vector<Unit> units;
  for (const auto slot : component) units.push_back(running_[slot].unit());
  const auto paces = situations_.paces(units);
  for (std::size_t i = 0; i < component.size(); ++i) {
    auto& running = running_[component[i]];
    go_on(running);
    running.rate = 1 / paces[i].seconds;
    running.is_dirty = false;
    if (!paces[i].complaint.empty()) {  // it ends now
      running.work.complaint = paces[i].complaint;
      running.units = running.done;
    }
    set_end(component[i]);
  }
}

/// Until now it went on at its rate.
void Epochs::go_on(Running& running) {
  const double before = running.done;
  running.done = std::min(running.units, before + running.rate * (clock_.now() - running.since).seconds());
  const auto carried = [](std::uint64_t bytes, double units) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * units));
  };
  if (usage_ != nullptr)
    for (const auto& [link, bytes] : running.links)
      usage_->add(link, carried(bytes, running.done) - carried(bytes, before), running.since, clock_.now());
  running.since = clock_.now();
}

void Epochs::set_end(Slot slot) {
  auto& running = running_[slot];
  if (running.end) clock_.cancel(*running.end);
  const double left = std::max(0.0, running.units - running.done);
  const Time end = clock_.now() + (left > 0 ? Time(left / running.rate) : Time());
  running.is_cut = running.limit < end;
  running.end = clock_.start_timer_at(std::max(clock_.now(), std::min(end, running.limit)), *this, slot);
}

void Epochs::timer_ended(std::uint32_t payload) {
  if (payload == rating) return rate_all();
  running_[payload].end.reset();
  finish(payload);
}

void Epochs::finish(Slot slot) {
  leave(slot);
  auto running = std::move(running_[slot]);
  running_.remove(slot);
  go_on(running);
  std::erase(dirty_, slot);
  const bool has_failed = !running.work.complaint.empty();
  if (running.is_cut) {  // what it would have done is known, what it did follows
    running.work.traffic = times(running.work.traffic, running.done / running.units);
    running.work.alone = 0;
    running.work.max_link_load = 0;
  }
  running.ended(has_failed ? End::failed : running.is_cut ? End::killed : End::done, std::move(running.work));
}

}  // namespace toroid::cosim
