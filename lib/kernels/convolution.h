// Convolutions without bias through cuDNN's backend (its graph API): forward, data gradient, weight gradient. Each is
// planned once for a shape: the plan is the fastest of cuDNN's engines and, in fp32, of the configurations of our
// kernel (convolution_fp32.h), timed on the GPU. Run() then only launches, so that a CUDA graph can capture it. Shapes
// and layouts: convolution_shape.h. Engines that are allowed for each type: convolution_engines.h.
//
// A batch is computed in parts (SplitConvolution), one after another, if it has more elements than cuDNN's engines can
// count, or in fp32 more than the workspace allows. The weight gradients of the parts are each rounded to the type,
// added in fp32 and rounded once more: in bf16 each part adds an error of 2^-9 of its value to the 2^-9 of the sum that
// occurs without parts.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kernels/convolution_shape.h"

struct cudnnContext;  // cudnnHandle_t is a pointer to it

namespace lockstep {

struct ConvolutionOptions {
  bool autotune = true;  // false: our kernel, or the first engine that cuDNN can plan, neither of them run beforehand
  bool deterministic = false;  // true: excludes engines that cuDNN notes as nondeterministic
  int candidates = 14;         // engine configurations to time, at least 1; on an H200 the best are among the first 14
  // Most fp32 engines need space for a copy of both activations: 256.2 MiB for 64->64 at 32x32 of 512 images. With
  // less, cuDNN 9.19 has a single engine left for the data gradient of this convolution, and an epoch of 2,048 images
  // takes 10.4 s instead of 5.3 s. Therefore larger batches are computed in parts.
  size_t max_workspace_bytes = size_t{512} << 20;
  uint64_t max_elements = kMaxConvolutionElements;  // elements of a tensor of a part; smaller in tests
  bool own_kernels = true;                          // true: tries our kernel in fp32, too; false: only cuDNN's engines
  // Number of multiprocessors that concurrent launches leave to this convolution. The time of an engine with more
  // blocks is multiplied by the ratio of its multiprocessors to this number. 0: it runs alone.
  uint32_t multiprocessors = 0;
};

// cuDNN handle bound to one stream of the current device. Not thread-safe.
class ConvolutionContext {
 public:
  // `stream` is not owned and must outlive this object. Returns InvalidArgumentError for the default streams, which
  // cannot be captured.
  static absl::StatusOr<std::unique_ptr<ConvolutionContext>> Make(cudaStream_t stream);
  ~ConvolutionContext();
  ConvolutionContext(const ConvolutionContext&) = delete;
  ConvolutionContext& operator=(const ConvolutionContext&) = delete;

  cudnnContext* handle() const { return handle_; }
  cudaStream_t stream() const { return stream_; }
  int device() const { return device_; }

 private:
  ConvolutionContext(cudnnContext* handle, cudaStream_t stream, int device)
      : handle_(handle), stream_(stream), device_(device) {}

  cudnnContext* const handle_;
  const cudaStream_t stream_;
  const int device_;
};

// One pass of one convolution. It must outlive every CUDA graph that captured it: the code of some engines is unloaded
// together with the plan.
class Convolution {
 public:
  // Plans a pass. Tuning allocates TunedShape's three tensors and the largest candidate's workspace on the GPU and
  // frees them. Errors, which name the convolution:
  // - InvalidArgument: an impossible shape or option.
  // - Unimplemented: cuDNN has no engine, or no engine that runs.
  // - ResourceExhausted: out of memory.
  // - FailedPrecondition: the stream is being captured.
  static absl::StatusOr<std::unique_ptr<Convolution>> Plan(ConvolutionContext& context, const ConvolutionShape& shape,
                                                           ConvolutionPass pass, ConvolutionType type,
                                                           const ConvolutionOptions& options);
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  // Launches on the stream of `context`, which may differ from the plan's context but must be of the same device. All
  // pointers must be device pointers. a, b, out: see ConvolutionPass; aligned to 16 bytes. workspace: workspace_bytes()
  // bytes of any content, aligned to 256 bytes, not shared with anything that runs at the same time; may be null if 0
  // bytes are needed.
  absl::Status Run(ConvolutionContext& context, const void* a, const void* b, void* out, void* workspace) const;

  size_t workspace_bytes() const;
  double microseconds() const;  // time of the chosen engine on TunedShape (graph_timer.h); 0: not timed
  std::string engine() const;   // engine number, knobs and notes, or our kernel's configuration; for the record
  size_t part_count() const;

 private:
  struct State;
  explicit Convolution(std::unique_ptr<State> state);
  absl::Status CheckPointers(const void* a, const void* b, const void* out, const void* workspace) const;
  absl::Status SumPartials(void* out, const void* partials, cudaStream_t stream) const;

  const std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_H_
