// Tests DataParallel on CPUs: each thread has its own replica.
#include "lib/data_parallel/data_parallel_model.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>

#include <cmath>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "lib/testing/matchers.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

std::vector<c10::Device> Cpus(size_t count) { return std::vector<c10::Device>(count, c10::kCPU); }

at::Tensor Images(int64_t count) {
  const at::Tensor i = at::arange(count * 3072, at::kDouble);
  return i.mul(0.7).sin().add(i.mul(0.0011).cos()).to(at::kFloat).reshape({count, 3, 32, 32});
}
at::Tensor Labels(int64_t count) { return at::arange(count, at::kLong).remainder(kClasses); }

// Replicas start from different seeds, so only replication makes them equal.
std::shared_ptr<DataParallelModel> Spread(const std::shared_ptr<Model>& module, const std::string& name, size_t count) {
  auto model = std::make_shared<DataParallelModel>(module, Cpus(count), AutocastMode::kOff);
  std::vector<std::shared_ptr<Model>> others;
  for (size_t i = 1; i < count; ++i) {
    others.push_back(*MakeModel(name, 100 + i));
  }
  model->MakeReplicas(std::move(others));
  return model;
}

std::vector<at::Tensor> TakeGradients(Model& model) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : model.parameters()) {
    gradients.push_back(parameter.grad().clone());
  }
  model.zero_grad();
  return gradients;
}

std::vector<at::Tensor> Gradients(Model& model, const at::Tensor& images, const at::Tensor& labels) {
  at::cross_entropy_loss(model.forward(images), labels).backward();
  return TakeGradients(model);
}

absl::Status Step(DataParallelModel& model, const at::Tensor& images, const at::Tensor& labels) {
  const at::Tensor loss = at::cross_entropy_loss(model.forward(images), labels);
  const absl::Status status = model.BeforeBackward();
  loss.backward();
  return status.ok() ? model.AfterBackward() : status;
}

// One pass adds the same terms in a different order. The tolerance is that of lib/reducer/split_batch_test.cc:
// 10 sqrt(n) u times the mean over the images of |gradient of that image alone|; n is the longest chain of roundings
// there.
TEST(DataParallelModelTest, GradientsAreThoseOfOneDevice) {
  at::set_num_threads(1);
  constexpr int64_t kImages = 32;
  constexpr double kRoundings = (75 + 150 + 400 + 120 + 84) + (10 + 84 + 120 + 16 * 25) + 32.0 * 28 * 28;
  const at::Tensor images = Images(kImages), labels = Labels(kImages);
  const std::shared_ptr<Model> module = *MakeModel("lenet5", 1);
  const std::vector<at::Tensor> whole = Gradients(*module, images, labels);
  std::vector<double> magnitude(whole.size());
  std::vector<at::Tensor> sums(whole.size());
  for (int64_t i = 0; i < kImages; ++i) {
    const std::vector<at::Tensor> alone = Gradients(*module, images.narrow(0, i, 1), labels.narrow(0, i, 1));
    for (size_t p = 0; p < alone.size(); ++p) {
      sums[p] = i == 0 ? alone[p].abs() : sums[p] + alone[p].abs();
      magnitude[p] = sums[p].max().item<double>() / kImages;
    }
  }
  for (const size_t devices : {1, 2, 3, 4}) {
    const auto model = Spread(module, "lenet5", devices);
    for (int step = 0; step < 2; ++step) {
      ASSERT_THAT(Step(*model, images, labels), IsOk());
      const std::vector<at::Tensor> found = TakeGradients(*module);
      for (size_t p = 0; p < found.size(); ++p) {
        SCOPED_TRACE(absl::StrCat(devices, " devices, step ", step, ", parameter ", p));
        const double error = (found[p] - whole[p]).abs().max().item<double>();
        EXPECT_LE(error, 10 * std::sqrt(kRoundings) * std::ldexp(1.0, -24) * magnitude[p]);
        EXPECT_GT(magnitude[p], 0);
        EXPECT_EQ(found[p].strides(), whole[p].strides());
      }
    }
  }
}

// The reference has one network per half of the batch, and one graph over both networks. Both sides run the same
// kernels on the same sizes with one thread, so the bits are equal. The parameters of resnet18 fill whole cache lines,
// so views into one buffer are aligned like separate tensors.
TEST(DataParallelModelTest, BatchNormSeesAPartAlone) {
  at::set_num_threads(1);
  const at::Tensor images = Images(6), labels = Labels(6);
  const std::shared_ptr<Model> module = *MakeModel("resnet18", 1), first = *MakeModel("resnet18", 1),
                               second = *MakeModel("resnet18", 1);
  const at::Tensor logits = at::cat({first->forward(images.narrow(0, 0, 3)), second->forward(images.narrow(0, 3, 3))});
  at::cross_entropy_loss(logits, labels).backward();
  const std::vector<at::Tensor> a = TakeGradients(*first), b = TakeGradients(*second);
  const auto model = Spread(module, "resnet18", 2);
  ASSERT_THAT(Step(*model, images, labels), IsOk());
  const std::vector<at::Tensor> found = TakeGradients(*module);
  for (size_t p = 0; p < found.size(); ++p) {
    EXPECT_TRUE(found[p].equal(a[p] + b[p])) << "parameter " << p;
  }
  // The statistics of device 0's part are kept.
  const auto mine = module->named_buffers(), its = first->named_buffers(), others = second->named_buffers();
  for (const auto& buffer : mine) {
    EXPECT_TRUE(buffer.value().equal(its[buffer.key()])) << buffer.key();
  }
  EXPECT_FALSE(mine["bn1.running_mean"].equal(others["bn1.running_mean"]));
  const auto whole = *MakeModel("resnet18", 1);
  const std::vector<at::Tensor> at_once = Gradients(*whole, images, labels);
  EXPECT_FALSE(at_once[0].allclose(found[0], 1e-2)) << "one batch norm over all is another function";
}

// The smallest network, with an optional fault.
enum class Fault { kNone, kThrows, kWantsMemory, kThrowsBackward };
class Fragile : public Model {
 public:
  explicit Fragile(Fault fault = Fault::kNone)
      : fault_(fault), weight_(register_parameter("weight", at::ones({3072, kClasses}))) {}
  torch::Tensor forward(torch::Tensor images) override {
    if (fault_ == Fault::kThrows) {
      throw std::runtime_error("a fuse has blown");
    }
    if (fault_ == Fault::kWantsMemory) {
      at::empty({int64_t{1} << 60});
    }
    torch::Tensor logits = images.flatten(1).matmul(weight_);
    if (fault_ == Fault::kThrowsBackward) {
      logits.register_hook(
          [](const at::Tensor&) -> at::Tensor { throw std::runtime_error("the way back is blocked"); });
    }
    return logits;
  }

 private:
  const Fault fault_;
  at::Tensor weight_;
};

std::shared_ptr<DataParallelModel> WithFault(Fault fault) {
  auto model = std::make_shared<DataParallelModel>(std::make_shared<Fragile>(), Cpus(3), AutocastMode::kOff);
  model->MakeReplicas({std::make_shared<Fragile>(), std::make_shared<Fragile>(fault)});
  return model;
}

std::string WhatForwardThrows(DataParallelModel& model) {
  try {
    model.forward(Images(6));
  } catch (const c10::OutOfMemoryError& error) {
    return absl::StrCat("out of memory: ", error.what_without_backtrace());
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "nothing";
}

TEST(DataParallelModelTest, AFaultOfOneThreadNamesItsDevice) {
  EXPECT_EQ(WhatForwardThrows(*WithFault(Fault::kThrows)), "device 2 of 3 (cpu): a fuse has blown");
  EXPECT_THAT(WhatForwardThrows(*WithFault(Fault::kWantsMemory)), HasSubstr("out of memory: device 2 of 3 (cpu): "));
  EXPECT_EQ(WhatForwardThrows(*WithFault(Fault::kNone)), "nothing");
  EXPECT_THAT(Step(*WithFault(Fault::kThrowsBackward), Images(6), Labels(6)),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("device 2 of 3 (cpu): the way back is blocked")));
}

// Tests the faults through TrainStep, like in training.
TEST(DataParallelModelTest, AFaultIsTheStepsStatus) {
  Batch batch;
  batch.size = 6;
  batch.images.resize(batch.size * 3072);
  batch.labels.resize(batch.size);
  proto::TrainingSpec spec;
  spec.set_precision(proto::FP32);
  const std::string step = "a training step of 6 images: device 2 of 3 (cpu): ";
  const auto run = [&](Fault fault) {
    const std::shared_ptr<DataParallelModel> model = WithFault(fault);
    TrainStep train_step(model, spec, c10::kCPU);
    train_step.BeginEpoch();
    return train_step.Run(batch, model.get());
  };
  EXPECT_THAT(run(Fault::kThrows), StatusIs(absl::StatusCode::kInternal, step + "a fuse has blown"));
  EXPECT_THAT(run(Fault::kWantsMemory), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr(step)));
  EXPECT_THAT(run(Fault::kThrowsBackward),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("device 2 of 3 (cpu): the way back is blocked")));
  EXPECT_THAT(run(Fault::kNone), IsOk());
}

TEST(DataParallelModelTest, AFaultyDeviceWithoutAPartIsNotMissed) {
  const auto model = WithFault(Fault::kThrows);
  EXPECT_THAT(Step(*model, Images(2), Labels(2)), IsOk());
  EXPECT_THAT(Step(*model, Images(1), Labels(1)), IsOk());
}

}  // namespace
}  // namespace lockstep
