// Data-parallel training of your own torch::nn::Module, like torch.nn.parallel.DistributedDataParallel in Python:
//
//   lockstep::ProcessGroup group;                           // this process's rank, from torchrun's variables
//   lockstep::DistributedDataParallel ddp(*module, group);  // all ranks start with the parameters of rank 0
//   for (...) {
//     ddp.Backward(loss);    // averages the gradients over the ranks while the backward pass runs
//     ddp.Step(optimizer);
//   }
//
// Every rank must run the same program and make the same calls in the same order. All functions throw lockstep::Error;
// exceptions of LibTorch pass through unchanged. After an exception the objects can only be destroyed.
//
// This header is the whole API, and includes headers of LibTorch only. README.md states what is promised.
#ifndef LOCKSTEP_DISTRIBUTED_DATA_PARALLEL_H_
#define LOCKSTEP_DISTRIBUTED_DATA_PARALLEL_H_

#include <torch/data/samplers/distributed.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace lockstep {

// Error of this library. what() is one line: what was expected, what was found, where, and the remedy.
class Error : public std::runtime_error {
 public:
  enum class Kind {
    kUsage,        // the program or its environment is wrong, and would be wrong again
    kUnavailable,  // a rank is lost or silent, or this machine lacks a port, a thread or NCCL
    kOutOfMemory,
    kInternal,
  };

  Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// Transport between the ranks.
enum class Backend {
  kAuto,  // NCCL on a GPU. On a CPU: shared memory on one host; on several hosts with equally many ranks, at least two,
          // shared memory within and Gloo between them; else, or if the ranks of a host cannot share memory, Gloo
  kSharedMemory,
  kGloo,
  kNccl,
};

struct ProcessGroupOptions {
  // Device of the module on this rank. A CUDA device without an index becomes the GPU with the index LOCAL_RANK.
  torch::Device device = torch::kCPU;
  Backend backend = Backend::kAuto;
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  // limit of each wait for other ranks, above 0
};

struct ProcessGroupState;

// This process as one of N ranks. Not thread-safe.
class ProcessGroup {
 public:
  // Joins the other ranks, and waits until all have come. The environment defines the rank: torchrun's variables RANK,
  // WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT, or those of mpirun or of srun. Without them the process is the
  // only rank. A process may make one group. Outside torchrun, several ranks also need LOCKSTEP_TOKEN (README.md).
  //
  // kUsage: a variable is missing or contradicts another; the ranks have different options; the backend does not fit
  // the device; or the process has already made a group. kUnavailable: a rank did not join within the timeout.
  explicit ProcessGroup(const ProcessGroupOptions& options = {});

  // Waits at most 5 s until the other ranks have ended their calls, so that no rank ends a connection that another
  // still uses. After an exception only rank 0 waits, and no rank if another one is lost.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int rank() const;              // 0 to ranks() - 1
  int ranks() const;             // number of ranks
  int local_rank() const;        // index among the ranks of this host
  torch::Device device() const;  // device of the options, with its index
  std::string backend() const;   // "shared_memory", "hierarchical", "gloo" or "nccl"

  // Returns a sampler of this rank's share of `examples` examples, in a random order that depends on `epoch` only. All
  // ranks get equally many examples: if `examples` is not a multiple of the ranks, the first ones are used twice.
  torch::data::samplers::DistributedRandomSampler Sampler(size_t examples, size_t epoch) const;

  // Return the sum and the mean of `value`, such as a loss, over the ranks, added in rank order in fp64: all ranks get
  // the same bits. Each call takes a message to rank 0 and back. kUnavailable: a rank is lost.
  double Sum(double value);
  double Mean(double value);

  // Waits until all ranks have called this function. kUnavailable: a rank is lost.
  void Barrier();

 private:
  friend class DistributedDataParallel;
  const std::unique_ptr<ProcessGroupState> state_;
};

struct DistributedDataParallelOptions {
  // Bytes at which the first bucket and the other buckets of gradients are sent; the defaults are PyTorch's. 0: each
  // gradient is a bucket.
  uint64_t first_bucket_bytes = uint64_t{1} << 20;
  uint64_t bucket_bytes = uint64_t{25} << 20;
  // True: Backward() replaces the buffers, such as the running mean of a batch norm, by those of rank 0.
  bool broadcast_buffers = true;
};

struct DistributedDataParallelState;

// The gradients of a module, averaged over the ranks. Not thread-safe.
class DistributedDataParallel {
 public:
  // Replaces the parameters and buffers of all ranks by those of rank 0. `group` must outlive this object. The module
  // may be destroyed earlier, but must keep its parameter tensors. All tensors must be on the group's device.
  // Parameters that require a gradient must be dense and fp32, and have no post-accumulate-gradient hook. Other
  // parameters (requires_grad == false) are frozen, and may have any dtype, like buffers.
  //
  // kUsage, on all ranks: a parameter is of another kind, or the ranks differ in name, order, shape, strides,
  // dtype or requires_grad of a parameter or buffer, or in `options`; the message names the rank and the parameter.
  DistributedDataParallel(const torch::nn::Module& module, ProcessGroup& group,
                          const DistributedDataParallelOptions& options = {});

  // Removes the hooks. Gradients stay as they are.
  ~DistributedDataParallel();
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;

  // Runs loss.backward(), and replaces each parameter's grad() by its mean over the ranks. `loss` must be a scalar: the
  // mean over this rank's examples, of which all ranks must have equally many. On a GPU the current stream waits for
  // the result, and the host does not.
  //
  // For several micro-batches per step, call loss.backward() for all but the last, and Backward() for the last.
  //
  // kUsage: a parameter got no gradient; or the gradients of the last call were not used by Step(). kUnavailable: a
  // rank is lost. The error of a parameter is thrown by the ranks that lack the gradient; the others wait for them
  // until the timeout.
  void Backward(const torch::Tensor& loss);

  // Calls optimizer.step(), and then removes all gradients, like zero_grad(). Gradients may be clipped in place before,
  // but optimizer.zero_grad() must not be called between Backward() and Step(): LibTorch throws.
  // kUsage: Backward() was not called since the last step.
  void Step(torch::optim::Optimizer& optimizer);

 private:
  const std::unique_ptr<DistributedDataParallelState> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_DISTRIBUTED_DATA_PARALLEL_H_
