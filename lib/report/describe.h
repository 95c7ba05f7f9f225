// Conditions of a run in words, the same words wherever they are shown.
#ifndef LOCKSTEP_LIB_REPORT_DESCRIBE_H_
#define LOCKSTEP_LIB_REPORT_DESCRIBE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// "2 x NVIDIA H200"; without devices the host's CPU.
std::string DescribeDevices(const proto::Header& header);

// "AMD EPYC 9654, 16 cores, 128.0 GiB, Linux 6.1.0 x86_64".
std::string DescribeHost(const proto::Host& host);

// "LibTorch 2.11.0, CUDA 13.0, cuDNN 9.19, NCCL 2.28"; "none" when the tool loaded none.
std::string DescribeLibraries(const proto::Libraries& libraries);

// "0.1.0, commit 0123456789ab, opt"; says when the checkout was dirty.
std::string DescribeBuild(const proto::Build& build);

// "fp32 (TF32 off)", "TF32", "bf16".
std::string DescribePrecision(proto::Precision precision);

// "SGD, learning rate 0.1, momentum 0.9, weight decay 0.0005, random crop and flip, seed 0".
std::string DescribeRecipe(const proto::TrainingSpec& training);

// "fp32 (TF32 off), NCHW, 2 loader workers, 1 warm-up and 5 timed epochs"; after the layout, where it is so: "hand-written step",
// "CUDA graph"; "data set on the device" instead of the workers.
std::string DescribeTiming(const proto::TrainingSpec& training);

// What is not the lab's way: "bf16, hand-written step, CUDA graph", "TF32"; empty of fp32 by autograd.
std::string DescribeWay(const proto::TrainingSpec& training);

// "synthetic", "CIFAR-10, binary version", ...
std::string DescribeInputFormat(proto::InputFormat format);

// "completed", "out of memory", ...
std::string DescribeOutcome(proto::Outcome outcome);

// "plain", "through the reducer", "reducer without all-reduces", "DataParallel".
std::string DescribeReduction(proto::Reduction reduction);

// "DDP over NCCL, the batch per device fixed, all-reduces overlapped with backward"; how gradients travel where it is not
// the backend that sends them; of an experiment its name, batches and seeds.
std::string DescribeScaleMode(const proto::ScaleSpec& spec);

// The first 12 hex digits of a digest or commit; "unknown" when empty.
std::string ShortDigest(absl::string_view digest);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_DESCRIBE_H_
