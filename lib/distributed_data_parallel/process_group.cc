#include <algorithm>
#include <cstring>

#include "lib/distributed_data_parallel/process_group_state.h"
#include "lib/distributed_data_parallel/status_error.h"

namespace lockstep {

ProcessGroup::ProcessGroup(const ProcessGroupOptions& options) : state_(std::make_unique<ProcessGroupState>()) {
  const absl::Status joined = state_->Note(state_->Join(options));
  if (!joined.ok()) {
    state_->Leave();  // all ranks may have the same error, and must read the store to see it
  }
  ThrowIfError(joined);
}

ProcessGroup::~ProcessGroup() { state_->Leave(); }

int ProcessGroup::rank() const { return state_->place.rank; }
int ProcessGroup::ranks() const { return state_->place.size; }
int ProcessGroup::local_rank() const { return state_->place.local_rank; }
torch::Device ProcessGroup::device() const { return state_->device; }
std::string ProcessGroup::backend() const { return std::string(state_->communicator->name()); }

torch::data::samplers::DistributedRandomSampler ProcessGroup::Sampler(size_t examples, size_t epoch) const {
  torch::data::samplers::DistributedRandomSampler sampler(examples, ranks(), rank(), /*allow_duplicates=*/true);
  sampler.set_epoch(epoch);
  sampler.reset();
  return sampler;
}

double ProcessGroup::Sum(double value) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  double sum = 0;
  for (const std::string& other : ValueOrThrow(state_->Gather(absl::string_view(bytes, sizeof(bytes))))) {
    double term = 0;
    std::memcpy(&term, other.data(), std::min(other.size(), sizeof(term)));
    sum += term;
  }
  return sum;
}

double ProcessGroup::Mean(double value) { return Sum(value) / ranks(); }

void ProcessGroup::Barrier() { ThrowIfError(state_->Gather("").status()); }

}  // namespace lockstep
