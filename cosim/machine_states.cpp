#include "cosim/machine_states.hpp"

#include <fmt/format.h>

namespace toroid::cosim {

MachineStatesCsv::MachineStatesCsv(const Machine& machine, Write write)
    : nodes_(static_cast<std::int64_t>(machine.compute_nodes().size())), write_(std::move(write)) {
  write_("time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n");
  this->write(0);
}

void MachineStatesCsv::hold(JobId id, std::size_t nodes) {
  auto& held = held_[id];
  now_.computing += static_cast<std::int64_t>(nodes) - static_cast<std::int64_t>(held);
  held = nodes;
}

void MachineStatesCsv::started(const Record& record) {
  hold(record.id, record.nodes.size());
}

void MachineStatesCsv::resized(JobId id, std::span<const NodeId> nodes, const Time&) {
  hold(id, nodes.size());
}

void MachineStatesCsv::ended(const Record& record) {
  if (record.end == End::rejected) return;
  hold(record.id, 0);
  held_.erase(record.id);
}

void MachineStatesCsv::node_out(NodeId, const Time&) {
  ++now_.out;
}

void MachineStatesCsv::node_back(NodeId, const Time&) {
  --now_.out;
}

void MachineStatesCsv::settled(const Time& now) {
  if (now_ != written_) write(now.seconds());
}

void MachineStatesCsv::write(double time) {
  written_ = now_;
  write_(fmt::format("{},{},0,0,{},{}\n", time, now_.out, nodes_ - now_.computing - now_.out, now_.computing));
}

}  // namespace toroid::cosim
