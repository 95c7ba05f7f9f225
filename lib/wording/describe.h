// Conditions of a run in words. Every page uses the same words.
#ifndef LOCKSTEP_LIB_WORDING_DESCRIBE_H_
#define LOCKSTEP_LIB_WORDING_DESCRIBE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns "2 x NVIDIA H200", or the host's CPU if there are no devices.
std::string DescribeDevices(const proto::Header& header);

// Returns "AMD EPYC 9654, 16 cores, 128.0 GiB, Linux 6.1.0 x86_64".
std::string DescribeHost(const proto::Host& host);

// Returns "LibTorch 2.11.0, CUDA 13.0, cuDNN 9.19, NCCL 2.28", or "none" if the tool loaded no library.
std::string DescribeLibraries(const proto::Libraries& libraries);

// Returns "0.1.0, commit 0123456789ab, opt", and whether the checkout was dirty.
std::string DescribeBuild(const proto::Build& build);

// Returns "fp32 (TF32 off)", "TF32", "bf16".
std::string DescribePrecision(proto::Precision precision);

// Returns "SGD, learning rate 0.1, momentum 0.9, weight decay 0.0005, random crop and flip, seed 0".
std::string DescribeRecipe(const proto::TrainingSpec& training);

// Returns "fp32 (TF32 off), NCHW, 2 loader workers, 1 warm-up and 5 timed epochs". "fused step" and "CUDA graph"
// follow the layout if they apply; "data set on the device" replaces the workers.
std::string DescribeTiming(const proto::TrainingSpec& training);

// Returns the differences from the lab's way to train: "bf16, fused step, CUDA graph", "TF32"; empty for fp32 by
// autograd.
std::string DescribeWay(const proto::TrainingSpec& training);

// Returns "synthetic", "CIFAR-10's binary version", ...
std::string DescribeInputFormat(proto::InputFormat format);

// Returns "completed", "out of memory", ...
std::string DescribeOutcome(proto::Outcome outcome);

// Returns "plain", "through the reducer", "reducer without all-reduces", "DataParallel".
std::string DescribeReduction(proto::Reduction reduction);

// Returns "DDP over NCCL, the batch per device fixed, all-reduces overlapped with backward". Names the transport of the
// gradients if it is not the backend, the reason for Gloo if there is one, and virtual hosts; for an experiment, its
// name, batches and seeds.
std::string DescribeScaleMode(const proto::ScaleSpec& spec);

// Returns the first 12 hex digits of a digest or commit; "unknown" if it is empty.
std::string ShortDigest(absl::string_view digest);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_DESCRIBE_H_
