#include "lib/data_parallel/star_times.h"

#include <cstdint>

namespace lockstep {
namespace {

struct Kind {
  const char* name;
  uint64_t DataParallelTimes::*bytes;
};
constexpr Kind kKinds[] = {{"images", &DataParallelTimes::scatter_bytes},
                           {"parameters and buffers", &DataParallelTimes::replicate_bytes},
                           {"outputs", &DataParallelTimes::gather_bytes},
                           {"gradients of the outputs", &DataParallelTimes::output_gradient_bytes},
                           {"gradients", &DataParallelTimes::reduce_bytes}};

}  // namespace

void AddStarTimes(const DataParallelTimes& epoch, proto::StarTimes& star) {
  star.mutable_scatter_seconds()->add_value(epoch.scatter_seconds);
  star.mutable_replicate_seconds()->add_value(epoch.replicate_seconds);
  star.mutable_forward_seconds()->add_value(epoch.forward_seconds);
  star.mutable_gather_seconds()->add_value(epoch.gather_seconds);
  star.mutable_loss_seconds()->add_value(epoch.loss_seconds);
  star.mutable_output_gradient_seconds()->add_value(epoch.output_gradient_seconds);
  star.mutable_backward_seconds()->add_value(epoch.backward_seconds);
  star.mutable_reduce_seconds()->add_value(epoch.reduce_seconds);
  star.mutable_update_seconds()->add_value(epoch.update_seconds);
}

void StarTraffic::Add(const DataParallelTimes& epoch) {
  sum_.steps += epoch.steps;
  sum_.scatter_bytes += epoch.scatter_bytes;
  sum_.replicate_bytes += epoch.replicate_bytes;
  sum_.gather_bytes += epoch.gather_bytes;
  sum_.output_gradient_bytes += epoch.output_gradient_bytes;
  sum_.reduce_bytes += epoch.reduce_bytes;
}

void StarTraffic::Add(const proto::Traffic& traffic) {
  for (const Kind& kind : kKinds) {
    if (traffic.kind() == kind.name) {
      sum_.*kind.bytes += traffic.size_bytes();
      sum_.steps = traffic.steps();
    }
  }
}

std::vector<proto::Traffic> StarTraffic::ToRecords() const {
  std::vector<proto::Traffic> records;
  for (const Kind& kind : kKinds) {
    if (sum_.*kind.bytes == 0) {
      continue;
    }
    proto::Traffic& traffic = records.emplace_back();
    traffic.set_kind(kind.name);
    traffic.set_calls(sum_.steps);
    traffic.set_size_bytes(sum_.*kind.bytes);
    traffic.set_steps(sum_.steps);
  }
  return records;
}

}  // namespace lockstep
