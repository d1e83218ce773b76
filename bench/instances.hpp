#pragma once
// Jobs and places for them, on which mappers are compared.

#include <functional>

#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::bench {

/// What a job does: a program, or if there is none a matrix, whose messages are all sent at once.
struct Work {
  std::function<std::unique_ptr<workloads::Trace>()> program;
  std::function<workloads::CommunicationMatrix()> traffic;
};

/// A job, and where it may run. Instances follow from their names alone.
struct Instance {
  std::string name, machine;
  Work work;
  std::function<std::vector<platforms::NodeId>(const platforms::Machine&)> slots;
  bool large = false;  ///< takes longer
};

/// The instances that are made here.
std::vector<Instance> instances();

/// Instances on which no mapper was tuned: other programs, sizes and kinds of machines.
std::vector<Instance> held_out_instances();

/// The instances whose names contain one of `names`; without names all, or, unless `large`, those that are not large.
std::vector<Instance> chosen(const std::vector<Instance>& instances, const std::vector<std::string>& names, bool large);

/// A program in which each rank sends all messages of its row at once, and waits for all that it sends and receives.
std::unique_ptr<workloads::Trace> all_at_once(const workloads::CommunicationMatrix& matrix);

}  // namespace toroid::bench
