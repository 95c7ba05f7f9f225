#include "lib/lab/lab_costs.h"

#include "lib/wording/small_experiments.h"

namespace lockstep {
namespace {

constexpr double kMeasuredPixels = 32 * 32;  // pixels of an image in the measurements below

// ResNet-18, fast preset, H100: 0.399, 0.474 and 0.788 s per 50,000 images at batch 512, 128 and 32
// (benchmarks/results/2026-11-27-h100x2-headline/sweep_1.rec).
constexpr StepCost kFastResNet = {7.46e-6, 2.66e-4};

// ResNet-18 in fp32 by autograd, H200: 0.537, 0.614 and 0.848 s per 5,000 images at batch 512, 128 and 32
// (benchmarks/results/2026-11-21-h200x2-fp32/sweep.rec).
constexpr StepCost kResNet = {1.03e-4, 2.12e-3};

// LeNet-5 on a GPU: not measured. Its step launches fewer kernels than half of ResNet-18's, which bounds per_step.
constexpr StepCost kLeNet = {2e-6, 1.06e-3};

// Start and end of a point on GPUs: (end - start of the run - epochs) / points is 4.0 s (sweep_1.rec of 2026-11-27),
// 5.2 s (scale_2.rec of 2026-11-27) and 6.2 s with evaluation (2026-11-24-h100x2-exchange/sampler_epoch.rec).
constexpr double kGpuPointSeconds = 6;
// quantize, lenet5 and lenet5_bias on a CPU: 1.5 s for 400 calibration and 512 test images, most of it the start
// (2026-11-28); a core runs LeNet-5's integers and its fp32 reference at more than 20,000 images per second.
constexpr double kQuantizeStartSeconds = 2;
constexpr double kQuantizeSecondsPerImage = 5e-4;

}  // namespace

double EpochSeconds(const LabFacts& facts, const std::string& model, const std::string& preset, double images,
                    uint32_t batch) {
  const bool is_resnet = model == "resnet18";
  const bool on_gpu = facts.gpus > 0;
  const StepCost& cost = on_gpu && preset == "fast" ? kFastResNet
                         : on_gpu                   ? (is_resnet ? kResNet : kLeNet)
                                                    : (is_resnet ? kCpuResNet : kCpuLeNet);
  // A convolution of ResNet-18 uses all threads; LeNet-5's are too small.
  const double speed = on_gpu ? 1 : facts.cpu_speed * (is_resnet ? facts.cpu_threads : 1);
  const double pixels = static_cast<double>(facts.height) * facts.width / kMeasuredPixels;
  return images * (pixels * cost.per_image + cost.per_step / batch) / speed;
}

double PointSeconds(const LabFacts& facts) {
  return facts.gpus > 0 ? kGpuPointSeconds : kCpuPointSeconds / facts.cpu_speed;
}

double QuantizeSeconds(const LabFacts& facts) {
  return kQuantizeStartSeconds + kQuantizeSecondsPerImage * facts.test_images / facts.cpu_speed;
}

}  // namespace lockstep
