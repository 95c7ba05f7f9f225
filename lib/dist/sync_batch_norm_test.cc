// One layer against torch's own batch norm in double over all ranks' images; whole networks in sync_training_test.cc.
#include "lib/dist/sync_batch_norm.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/dist/launch.h"
#include "lib/dist/rank_test_main.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kChannels = 5;
constexpr int64_t kSide = 6;

// --- What the ranks of these tests do ---

struct Part {
  int64_t first = 0;
  int64_t count = 0;
};

// Rank r has r + 1 images: no two ranks have equally many.
Part PartOf(int rank) { return {rank * (rank + 1) / 2, rank + 1}; }

// (n, C, H, W) in double, exact in bf16 where asked. Means are several times the spread, and differ by channel.
at::Tensor Numbers(int64_t images, double step, double offset, bool bf16) {
  const at::Tensor i = at::arange(images * kChannels * kSide * kSide, at::kDouble);
  const at::Tensor numbers = i.mul(step).sin().add(i.mul(0.013).cos()).reshape({images, kChannels, kSide, kSide}) +
                             at::arange(kChannels, at::kDouble).mul(offset).view({1, kChannels, 1, 1});
  return numbers.to(bf16 ? at::kBFloat16 : at::kFloat).to(at::kDouble);
}

at::Tensor ByChannel(const at::Tensor& values) { return values.view({1, -1, 1, 1}); }
at::Tensor OverImages(const at::Tensor& values) { return values.sum({0, 2, 3}); }

// "" or what is off. A NaN is off.
std::string Check(absl::string_view what, const at::Tensor& got, const at::Tensor& expected,
                  const at::Tensor& tolerance) {
  const double ratio = (got.to(at::kDouble) - expected).abs().div(tolerance).max().item<double>();
  return ratio <= 1 ? "" : absl::StrCat(what, " is off by ", ratio, " tolerances; ");
}

// One pass in training mode over this rank's part of the images. The reference is in double, over `all` of them.
//
// Roundings. Mean, variance and their merge over N ranks: the stored value, the share, its product, N - 1 additions, and for
// the variance a difference and a square more; half of the variance's relative error reaches 1 / deviation. With those of the
// final expression they are fewer than 16, of u = 2^-24 each. The kernel computes x * alpha + (beta - mean * alpha), so
// what is rounded has the size of |x| + |mean|, measured in deviations. The sums of backward have n terms: 10 sqrt(n) u of
// the mean magnitude of their terms (Higham and Mary, SIAM J. Sci. Comput. 2019, theorem 2.4). bf16 results are rounded once
// more, by 2^-8.
std::string Compare(const at::Tensor& all_x, const at::Tensor& all_dy, const Part& mine, BatchNormImpl& norm,
                    const at::Tensor& x, const at::Tensor& y) {
  const double u = std::ldexp(1.0, -24);
  const double storage = y.scalar_type() == at::kBFloat16 ? std::ldexp(1.0, -8) : 0;
  const at::Tensor gamma = norm.weight.detach().to(at::kDouble);
  const at::Tensor beta = norm.bias.detach().to(at::kDouble);
  const double n = static_cast<double>(all_x.numel()) / kChannels;
  const at::Tensor mean = OverImages(all_x) / n;
  const at::Tensor variance = OverImages((all_x - ByChannel(mean)).square()) / n;
  const at::Tensor inverse = (variance + norm.options.eps()).rsqrt();
  const at::Tensor x_hat = (all_x - ByChannel(mean)) * ByChannel(inverse);
  const at::Tensor scale = ByChannel(gamma * inverse);
  const at::Tensor m1 = ByChannel(OverImages(all_dy) / n);
  const at::Tensor m2 = ByChannel(OverImages(all_dy * x_hat) / n);
  const auto part = [&](const at::Tensor& of_all) { return of_all.narrow(0, mine.first, mine.count); };

  const at::Tensor rounded = (all_x.abs() + ByChannel(mean.abs())) * ByChannel(inverse);  // in deviations
  const at::Tensor expected_y = x_hat * ByChannel(gamma) + ByChannel(beta);
  const at::Tensor y_tolerance =
      16 * u * (rounded * ByChannel(gamma.abs()) + ByChannel(beta.abs())) + storage * expected_y.abs();
  std::string found = Check("y", y.detach(), part(expected_y), part(y_tolerance));

  const at::Tensor expected_dx = scale * (all_dy - m1 - x_hat * m2);
  const double roundings = 16 + 10 * std::sqrt(n);
  const at::Tensor terms = all_dy.abs() + ByChannel(OverImages(all_dy.abs()) / n) +
                           (1 + rounded) * ByChannel(OverImages((all_dy * (1 + rounded)).abs()) / n);
  found +=
      Check("dx", x.grad(), part(expected_dx), part(roundings * u * scale.abs() * terms + storage * expected_dx.abs()));

  const at::Tensor my_dy = part(all_dy);
  const at::Tensor my_terms = my_dy * part(x_hat);
  found += Check("d gamma", norm.weight.grad(), OverImages(my_terms),
                 roundings * u * OverImages((my_dy * (1 + part(rounded))).abs()));
  found += Check("d beta", norm.bias.grad(), OverImages(my_dy), roundings * u * OverImages(my_dy.abs()));

  const double momentum = *norm.options.momentum();
  found += Check("running mean", norm.running_mean, momentum * mean, 16 * u * (1 + mean.abs()));
  found += Check("running variance", norm.running_var, (1 - momentum) + momentum * variance * n / (n - 1),
                 16 * u * (1 + variance));
  return found;
}

// The payload says: "bf16", "channels-last", "alone" (the all-reduce left out: this rank's own images are all there are).
absl::StatusOr<std::string> OneLayer(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  const bool bf16 = absl::StrContains(context.payload, "bf16");
  const bool alone = absl::StrContains(context.payload, "alone");
  const bool channels_last = absl::StrContains(context.payload, "channels-last");
  const Part mine = PartOf(context.rank);
  at::Tensor all_x = Numbers(PartOf(context.size).first, 0.7, 3, bf16);
  at::Tensor all_dy = Numbers(PartOf(context.size).first, 0.31, 0.1, bf16);

  BatchNormImpl norm(kChannels);
  norm.weight.detach().copy_(at::arange(kChannels).add(0.5).mul(at::arange(kChannels).remainder(2).mul(2).sub(1)));
  norm.bias.detach().copy_(at::arange(kChannels).mul(-0.3));
  const auto sums = c10::make_intrusive<CountedSums>(*communicator, !alone);
  const auto order = channels_last ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  const auto own = [&](const at::Tensor& all) {
    return all.narrow(0, mine.first, mine.count).to(bf16 ? at::kBFloat16 : at::kFloat).contiguous(order);
  };
  const at::Tensor x = own(all_x).requires_grad_();
  const at::Tensor y = SyncBatchNormForward(x, norm, sums);
  y.backward(own(all_dy));
  std::string found;
  if (y.scalar_type() != x.scalar_type() || y.strides() != x.strides()) {
    found = "y has another dtype or order than x; ";
  }
  const SumTraffic traffic = sums->TakeTraffic();
  const uint64_t bytes = 4 * (context.size * (2 * kChannels + 1) + 2 * kChannels);
  if (traffic.calls != (alone ? 0 : 2) || traffic.bytes != (alone ? 0 : bytes) || (traffic.busy_seconds > 0) == alone) {
    absl::StrAppend(&found, traffic.calls, " sums, ", traffic.bytes, " bytes, ", traffic.busy_seconds, " s; ");
  }
  if (alone) {
    all_x = all_x.narrow(0, mine.first, mine.count);
    all_dy = all_dy.narrow(0, mine.first, mine.count);
  }
  return found + Compare(all_x, all_dy, alone ? Part{0, mine.count} : mine, norm, x, y);
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"one_layer", OneLayer}};
  return *tasks;
}

class OneLayerTest : public ::testing::TestWithParam<std::pair<int, std::string>> {};

TEST_P(OneLayerTest, IsBatchNormOverTheImagesOfAllRanks) {
  LaunchOptions options;
  options.ranks = GetParam().first;
  options.task = "one_layer";
  options.payload = GetParam().second;
  const auto results = LaunchRanks(options);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

INSTANTIATE_TEST_SUITE_P(RanksAndFormats, OneLayerTest,
                         ::testing::Values(std::make_pair(2, ""), std::make_pair(4, ""),
                                           std::make_pair(4, "channels-last"), std::make_pair(2, "bf16"),
                                           std::make_pair(2, "bf16 channels-last"), std::make_pair(2, "alone")));

// --- One process ---

// Rank 0 of two, but nobody else is there: the sum is what this rank has. The launch of that number fails; 0: none does.
class FakeCommunicator : public Communicator {
 public:
  FakeCommunicator(Store& store, int failing) : Communicator(store, 0, 2), failing_(failing) {}
  int launched() const { return launched_; }

  absl::string_view name() const override { return "fake"; }
  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor&) override {
    if (++launched_ == failing_) {
      return absl::UnavailableError("the cable is cut");
    }
    return std::shared_ptr<Collective>(std::make_shared<Done>());
  }
  absl::Status Broadcast(const at::Tensor&, int) override { return absl::OkStatus(); }

 private:
  class Done : public Collective {
   public:
    absl::Status Wait() override { return absl::OkStatus(); }
    TimeMark begin() const override { return TimeMark::Now(); }
    TimeMark end() const override { return TimeMark::Now(); }
  };

  const int failing_;
  int launched_ = 0;
};

class SyncBatchNormTest : public ::testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.is_host = true;
    store_ = *Store::Open(options);
  }
  static at::Tensor Images() {
    return Numbers(4 * 3 * 32 * 32 / (kChannels * kSide * kSide) + 1, 0.7, 0, false)
        .flatten()
        .narrow(0, 0, 4 * 3072)
        .reshape({4, 3, 32, 32})
        .to(at::kFloat);
  }

  std::unique_ptr<Store> store_;
};

TEST_F(SyncBatchNormTest, EachBatchNormOfResNet18AndNoneOfLeNet5) {
  FakeCommunicator fake(*store_, 0);
  const std::shared_ptr<Model> resnet18 = *MakeModel("resnet18", 1);
  const std::shared_ptr<Model> lenet5 = *MakeModel("lenet5", 1);
  const at::Tensor before = lenet5->forward(Images());
  EXPECT_EQ(SyncBatchNorm(*resnet18, fake).layer_count(), 20u);
  SyncBatchNorm sync(*lenet5, fake);
  EXPECT_EQ(sync.layer_count(), 0u);
  EXPECT_TRUE(lenet5->forward(Images()).equal(before));
  EXPECT_EQ(fake.launched(), 0);
}

TEST_F(SyncBatchNormTest, IsPlainInEvalModeAndAfterwards) {
  FakeCommunicator fake(*store_, 0);
  const std::shared_ptr<Model> plain = *MakeModel("resnet18", 1);
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 1);
  {
    const SyncBatchNorm sync(*model, fake);
    plain->eval();
    model->eval();
    EXPECT_TRUE(model->forward(Images()).equal(plain->forward(Images())));
    EXPECT_EQ(fake.launched(), 0);
    model->train();
    model->forward(Images());
    EXPECT_EQ(fake.launched(), 20);
    EXPECT_EQ(model->named_buffers()["bn1.num_batches_tracked"].item<int64_t>(), 1);
  }
  const std::shared_ptr<Model> again = *MakeModel("resnet18", 1);
  plain->train();
  model->train();
  EXPECT_TRUE(model->forward(Images()).equal(plain->forward(Images())));
  EXPECT_EQ(fake.launched(), 20);
}

TEST_F(SyncBatchNormTest, KeepsTheFirstFailureAndSendsNothingMore) {
  FakeCommunicator fake(*store_, 3);
  const std::shared_ptr<Model> model = *MakeModel("resnet18", 1);
  const SyncBatchNorm sync(*model, fake);
  model->forward(Images()).sum().backward();
  EXPECT_THAT(sync.status(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cable")));
  EXPECT_EQ(fake.launched(), 3);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
