// Trains a module of your own on generated data, on N processes that compute as if they were one.
//
//   train_module                                                   one process
//   torchrun --nproc_per_node=2 --no-python train_module           two processes of this machine
//   torchrun --nproc_per_node=2 --no-python train_module cuda      two GPUs of this machine
//
// Rank 0 prints the loss of each epoch.
#include <torch/torch.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "lockstep/distributed_data_parallel.h"

struct NetImpl : torch::nn::Module {
  torch::nn::Linear hidden{8, 64}, out{64, 1};
  NetImpl() {
    register_module("hidden", hidden);
    register_module("out", out);
  }
  torch::Tensor forward(const torch::Tensor& x) { return out(torch::tanh(hidden(x))); }
};
TORCH_MODULE(Net);

int main(int argc, char** argv) try {
  constexpr int64_t kExamples = 4096, kGlobalBatch = 64;
  lockstep::ProcessGroupOptions options;
  options.device = argc > 1 && std::strcmp(argv[1], "cuda") == 0 ? torch::kCUDA : torch::kCPU;
  lockstep::ProcessGroup group(options);

  torch::manual_seed(1);  // the same data on all ranks
  const torch::Tensor inputs = torch::randn({kExamples, 8});
  const torch::Tensor targets = inputs.sum(1, /*keepdim=*/true).sin();

  Net net;
  net->to(group.device());
  lockstep::DistributedDataParallel ddp(*net, group);
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));

  for (int epoch = 0; epoch < 10; ++epoch) {
    auto sampler = group.Sampler(kExamples, epoch);
    double loss_sum = 0;
    int steps = 0;
    while (const auto batch = sampler.next(kGlobalBatch / group.ranks())) {
      const torch::Tensor rows = torch::tensor(std::vector<int64_t>(batch->begin(), batch->end()));
      const torch::Tensor x = inputs.index_select(0, rows).to(group.device());
      const torch::Tensor y = targets.index_select(0, rows).to(group.device());
      const torch::Tensor loss = torch::mse_loss(net(x), y);
      ddp.Backward(loss);
      ddp.Step(optimizer);
      loss_sum += loss.item<double>();
      ++steps;
    }
    const double mean = group.Mean(loss_sum / steps);
    if (group.rank() == 0) {
      std::printf("epoch %d: loss %.4f (%d ranks, %s)\n", epoch, mean, group.ranks(), group.backend().c_str());
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "train_module: error: %s\n", error.what());
  return 1;
}
