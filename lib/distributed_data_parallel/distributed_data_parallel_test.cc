#include "lib/distributed_data_parallel/distributed_data_parallel.h"

#include <ATen/Functions.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/sgd.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace F = torch::nn::functional;

// y = a(x) + b(x). All parameters begin as small integers.
class Sum : public torch::nn::Module {
 public:
  explicit Sum(int64_t outputs = 1) {
    a_ = register_module("a", torch::nn::Linear(3, outputs));
    b_ = register_module("b", torch::nn::Linear(3, 1));
    const at::NoGradGuard no_grad;
    int value = 0;
    for (const torch::Tensor& parameter : parameters()) {
      parameter.fill_(static_cast<double>(++value % 3));
    }
  }
  torch::nn::Linear& a() { return a_; }
  torch::nn::Linear& b() { return b_; }
  torch::Tensor forward(const torch::Tensor& x) { return a_(x) + b_(x); }

 private:
  torch::nn::Linear a_{nullptr}, b_{nullptr};
};

// Batch of integers between -2 and 2.
struct Batch {
  torch::Tensor x = at::arange(8 * 3, at::kFloat).remainder(5).sub(2).view({8, 3});
  torch::Tensor y = at::arange(8, at::kFloat).remainder(3).view({8, 1});
};

torch::Tensor Loss(Sum& module, const Batch& batch, int64_t first, int64_t count) {
  return F::mse_loss(module.forward(batch.x.narrow(0, first, count)), batch.y.narrow(0, first, count));
}

torch::optim::SGD Optimizer(torch::nn::Module& module) {
  return torch::optim::SGD(module.parameters(), torch::optim::SGDOptions(0.25).momentum(0.5));
}

std::string Weights(const torch::nn::Module& module) {
  std::vector<std::string> values;
  for (const torch::Tensor& parameter : module.parameters()) {
    const torch::Tensor flat = parameter.detach().reshape({-1});
    for (int64_t i = 0; i < flat.numel(); ++i) {
      values.push_back(absl::StrFormat("%a", flat[i].item<double>()));  // all bits
    }
  }
  return absl::StrJoin(values, " ");
}

constexpr int kSteps = 3;

// --- Tasks of the ranks ---

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

// Sets the variables that a person sets who starts the ranks manually. RANK and WORLD_SIZE are set already, like
// torchrun does.
absl::Status SetEnvironment(RankContext& context) {
  if (context.rank == 0) {
    RETURN_IF_ERROR(context.store->Set("port", absl::StrCat(FreePort())));
  }
  ASSIGN_OR_RETURN(const std::string port, context.store->Get("port"));
  setenv("MASTER_PORT", port.c_str(), 1);
  setenv("LOCKSTEP_TOKEN", "a token of this test alone", 1);
  return absl::OkStatus();
}

ProcessGroupOptions Options(const RankContext& context) {
  ProcessGroupOptions options;
  options.timeout = std::chrono::seconds(absl::StrContains(context.payload, "short") ? 2 : 20);
  if (absl::StrContains(context.payload, "other options") && context.rank == 1) {
    options.timeout = std::chrono::seconds(21);
  }
  options.backend = absl::StrContains(context.payload, "gloo") ? Backend::kGloo : Backend::kAuto;
  return options;
}

// Runs `body` with a group. An Error becomes the value "KIND: MESSAGE", so that a test sees the errors of all ranks.
absl::StatusOr<std::string> WithGroup(RankContext& context, const std::function<std::string(ProcessGroup&)>& body) {
  RETURN_IF_ERROR(SetEnvironment(context));
  try {
    ProcessGroup group(Options(context));
    return body(group);
  } catch (const Error& error) {
    return absl::StrCat(static_cast<int>(error.kind()), ": ", error.what());
  }
}

// Trains on this rank's half of the batch; each gradient is a bucket of its own.
absl::StatusOr<std::string> Train(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    Sum module;
    if (group.rank() != 0) {
      const at::NoGradGuard no_grad;
      module.a()->weight.fill_(100);  // replaced by those of rank 0
    }
    DistributedDataParallelOptions options;
    options.first_bucket_bytes = options.bucket_bytes = absl::StrContains(context.payload, "one bucket") ? 1 << 20 : 0;
    DistributedDataParallel ddp(module, group, options);
    torch::optim::SGD optimizer = Optimizer(module);
    const Batch batch;
    const int64_t share = 8 / group.ranks();
    for (int step = 0; step < kSteps; ++step) {
      if (absl::StrContains(context.payload, "micro")) {
        (Loss(module, batch, group.rank() * share, share / 2) / 2).backward();
        ddp.Backward(Loss(module, batch, group.rank() * share + share / 2, share / 2) / 2);
      } else {
        ddp.Backward(Loss(module, batch, group.rank() * share, share));
      }
      ddp.Step(optimizer);
    }
    return absl::StrCat(group.backend(), ": ", Weights(module));
  });
}

absl::StatusOr<std::string> OtherModule(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    Sum module(context.rank == 1 || context.payload == "strides" ? 2 : 1);
    if (context.payload == "strides" && context.rank == 1) {
      const torch::Tensor& weight = module.a()->weight;
      weight.set_data(weight.t().contiguous().t());
    }
    if (absl::StrContains(context.payload, "double") && context.rank == 1) {
      module.to(torch::kFloat64);
    }
    DistributedDataParallel ddp(module, group);
    return std::string("accepted");
  });
}

// The loss does not use b.
absl::StatusOr<std::string> Unused(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    Sum module;
    DistributedDataParallel ddp(module, group);
    const Batch batch;
    ddp.Backward(F::mse_loss(module.a()(batch.x), batch.y));
    return std::string("accepted");
  });
}

// Rank 1 begins its backward pass later than the timeout of 2 s.
absl::StatusOr<std::string> Late(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    Sum module;
    DistributedDataParallel ddp(module, group);
    if (group.rank() == 1) {
      absl::SleepFor(absl::Seconds(4));
    }
    ddp.Backward(Loss(module, Batch(), 0, 4));
    return std::string("accepted");
  });
}

// y = a(norm(x)) + frozen + tied x, where `tied` is another name of the weight of a.
class TiedAndFrozen : public torch::nn::Module {
 public:
  TiedAndFrozen() {
    register_module("a", a_);
    register_module("norm", norm_);
    tied_ = register_parameter("tied", a_->weight);
    frozen_ = register_parameter("frozen", at::ones({1}), /*requires_grad=*/false);
  }
  torch::Tensor forward(const torch::Tensor& x) { return a_(norm_(x)) + frozen_ + at::linear(x, tied_); }
  std::string Buffers() const {
    return absl::StrCat(norm_->running_mean.sum().item<float>(), " ", norm_->num_batches_tracked.item<int64_t>());
  }
  torch::Tensor& frozen() { return frozen_; }

 private:
  torch::nn::Linear a_{3, 1};
  torch::nn::BatchNorm1d norm_{3};
  torch::Tensor tied_, frozen_;
};

absl::StatusOr<std::string> TrainTied(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    TiedAndFrozen module;
    module.frozen().fill_(1 + group.rank());
    DistributedDataParallel ddp(module, group);
    const Batch batch;
    ddp.Backward(F::mse_loss(module.forward(batch.x + group.rank()), batch.y));
    torch::optim::SGD optimizer = Optimizer(module);
    ddp.Step(optimizer);
    return absl::StrCat(module.Buffers(), " frozen ", module.frozen().item<float>(), ": ", Weights(module));
  });
}

absl::StatusOr<std::string> Metrics(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    auto sampler = group.Sampler(10, /*epoch=*/1);
    std::vector<size_t> share;
    while (const auto next = sampler.next(2)) {
      share.insert(share.end(), next->begin(), next->end());
    }
    group.Barrier();
    return absl::StrCat(group.rank(), "/", group.ranks(), " ", group.Sum(0.1 + group.rank()), " ",
                        group.Mean(group.rank()), " ", absl::StrJoin(share, ","));
  });
}

// Calls in a wrong order.
absl::StatusOr<std::string> WrongOrder(RankContext& context) {
  return WithGroup(context, [&](ProcessGroup& group) {
    Sum module;
    DistributedDataParallel ddp(module, group);
    torch::optim::SGD optimizer = Optimizer(module);
    Loss(module, Batch(), 0, 8).backward();
    if (context.payload == "twice") {
      ddp.Backward(Loss(module, Batch(), 0, 8));
      ddp.Backward(Loss(module, Batch(), 0, 8));
    } else if (context.payload == "second group") {
      ProcessGroup again;
    }
    ddp.Step(optimizer);
    return std::string("accepted");
  });
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{
      {"train", Train},          {"other_module", OtherModule}, {"unused", Unused},         {"late", Late},
      {"train_tied", TrainTied}, {"metrics", Metrics},          {"wrong_order", WrongOrder}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTask(int ranks, const std::string& task, const std::string& payload = "") {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.payload = payload;
  options.timeout = absl::Seconds(30);
  return LaunchRanks(options);
}

// --- Tests ---

// Returns the weights that plain LibTorch reaches on the whole batch.
std::string WeightsOfOneProcess() {
  Sum module;
  torch::optim::SGD optimizer = Optimizer(module);
  const Batch batch;
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    Loss(module, batch, 0, 8).backward();
    optimizer.step();
  }
  return Weights(module);
}

// The tolerance is 0: in these three steps all numbers are multiples of 2^-12 below 2^6, also the sums over a part of
// the batch. They fit into the 24 bits of fp32, so no sum is rounded, in any order.
TEST(DistributedDataParallelTest, TwoRanksEndWithTheWeightsOfOneOnTheWholeBatch) {
  const std::string expected = WeightsOfOneProcess();
  for (const std::string payload : {"", "one bucket", "micro", "gloo", "gloo, one bucket"}) {
    const auto results = RunTask(2, "train", payload);
    ASSERT_THAT(results, IsOk()) << payload;
    const std::string backend = absl::StrContains(payload, "gloo") ? "gloo: " : "shared_memory: ";
    EXPECT_THAT(*results, Each(backend + expected)) << payload;
  }
}

TEST(DistributedDataParallelTest, OneAndFourRanksEndWithTheSameWeights) {
  for (const int ranks : {1, 4}) {
    const auto results = RunTask(ranks, "train");
    ASSERT_THAT(results, IsOk());
    EXPECT_THAT(*results, Each("shared_memory: " + WeightsOfOneProcess()));
  }
}

TEST(DistributedDataParallelTest, TwoHostsOfTwoRanksEndWithTheSameWeights) {
  setenv("LOCKSTEP_HOST_OF_RANK", "0,0,1,1", 1);
  const auto results = RunTask(4, "train");
  unsetenv("LOCKSTEP_HOST_OF_RANK");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("hierarchical: " + WeightsOfOneProcess()));
}

TEST(DistributedDataParallelTest, ARankWithAnotherModuleIsNamedOnAllRanks) {
  const auto results = RunTask(2, "other_module");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("0: lockstep::DistributedDataParallel: expected the same module and options on all ranks, "
                             "found parameter a.weight (Float [2, 3]) on rank 1 and parameter a.weight (Float [1, 3]) "
                             "on rank 0: construct the same module on all ranks"));
}

TEST(DistributedDataParallelTest, ARankWithOtherStridesIsNamedOnAllRanks) {
  const auto results = RunTask(2, "other_module", "strides");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results,
              Each(HasSubstr("found parameter a.weight (Float [2, 3], strides [1, 2]) on rank 1 and parameter "
                             "a.weight (Float [2, 3]) on rank 0")));
}

TEST(DistributedDataParallelTest, ARankWithAnotherDtypeIsNamedOnAllRanks) {
  const auto results = RunTask(2, "other_module", "double");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("0: lockstep::DistributedDataParallel: expected a dense leaf of fp32, found parameter "
                             "a.weight (Double [2, 3]): call module->to(torch::kFloat32), or set its requires_grad to "
                             "false (rank 1)"));
}

TEST(DistributedDataParallelTest, AParameterWithoutGradientIsNamed) {
  const auto results = RunTask(2, "unused");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("0: parameter b.weight got no gradient: every parameter must take part in the loss"));
}

TEST(DistributedDataParallelTest, ARankThatDoesNotArriveIsNamed) {
  const auto results = RunTask(2, "late", "short");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT((*results)[0], StartsWith("1: rank 0 of 2: shared-memory all-reduce number "));
  EXPECT_THAT((*results)[0],
              HasSubstr(": rank 1 did not arrive within 2s; see the errors of the other ranks, and start "
                        "the run again from its last checkpoint"));
}

// The column means of rank 0's batch add up to -1/4, and the momentum of the running mean is 0.1.
TEST(DistributedDataParallelTest, BuffersAndFrozenParametersAreThoseOfRankZero) {
  const auto results = RunTask(2, "train_tied");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(StartsWith("-0.025 1 frozen 1: ")));
  EXPECT_EQ((*results)[0], (*results)[1]);
}

TEST(ProcessGroupTest, RanksWithOtherOptionsAreNamedOnAllRanks) {
  const auto results = RunTask(2, "metrics", "other options");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results,
              Each("0: lockstep::ProcessGroup: rank 1 has the options (cpu, kAuto, 21s, one host), rank 0 has "
                   "(cpu, kAuto, 20s, one host): pass the same device, backend and timeout on all ranks"));
}

TEST(ProcessGroupTest, SharesMetricsAndExamples) {
  const auto results = RunTask(3, "metrics");
  ASSERT_THAT(results, IsOk());
  std::set<std::string> seen;
  for (int rank = 0; rank < 3; ++rank) {
    const std::vector<std::string> words = absl::StrSplit((*results)[rank], ' ');
    EXPECT_EQ(words[0], absl::StrCat(rank, "/3"));
    EXPECT_EQ(words[1], "3.3");
    EXPECT_EQ(words[2], "1");
    const std::vector<std::string> share = absl::StrSplit(words[3], ',');
    EXPECT_EQ(share.size(), 4u);  // 10 examples for 3 ranks: two are used twice
    seen.insert(share.begin(), share.end());
  }
  EXPECT_EQ(seen.size(), 10u);
}

TEST(DistributedDataParallelTest, CallsInAWrongOrderAreErrors) {
  EXPECT_THAT(RunTask(1, "wrong_order", "twice").value(), ElementsAre(HasSubstr("twice without Step()")));
  EXPECT_THAT(RunTask(1, "wrong_order", "no Backward").value(), ElementsAre(HasSubstr("without Backward()")));
  EXPECT_THAT(RunTask(1, "wrong_order", "second group").value(), ElementsAre(HasSubstr("already made a group")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
