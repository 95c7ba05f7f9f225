// Convolutions without bias through cuDNN's backend (its graph API): forward, gradient of the input, gradient of the
// weights. Each is planned once for a shape - the fastest of cuDNN's engines and, in fp32, of our kernel's ways
// (convolution_fp32.h), timed on the GPU - and then run by a call that only launches, so that a CUDA graph can capture
// it. Shapes and layouts: convolution_shape.h; which engines are trusted with which type: convolution_engines.h.
//
// A batch of more elements than cuDNN's engines count, or in fp32 than there is workspace for, is done in parts
// (SplitConvolution), one after another. The weights' gradients of the parts are each rounded to the type, added up in
// fp32 and rounded once more: in bf16 that is an error of 2^-9 of each part's besides the 2^-9 of the sum that there is
// without parts.
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
  bool autotune = true;  // false: the likeliest, not run before it is returned: ours, or cuDNN's first that it can plan
  bool deterministic = false;  // only engines that cuDNN does not note as nondeterministic
  int candidates = 14;         // engine configurations to time, at least 1; on an H200 the best are among the first 14
  // Most engines of fp32 want room for a copy of both activations: 256.2 MiB for 64->64 at 32x32 of 512 images. With
  // less, cuDNN 9.19 has a single engine left for its data gradient, and an epoch of 2,048 images takes 10.4 s instead
  // of 5.3; so larger batches are done in parts.
  size_t max_workspace_bytes = size_t{512} << 20;
  uint64_t most_elements = kMaxConvolutionElements;  // of a tensor of a part; less in tests
  bool own_kernels = true;                           // in fp32: our kernel too; false: cuDNN's engines alone
  // That other launches beside it leave to this one. An engine of more blocks is judged as so much slower as it takes
  // more of the GPU. 0: it runs alone.
  uint32_t multiprocessors = 0;
};

// cuDNN's handle on one stream of the current device. Not thread-safe.
class ConvolutionContext {
 public:
  // `stream` is not owned and outlives this. InvalidArgument for the default streams, which cannot be captured.
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

// One pass of one convolution. It outlives every CUDA graph that captured it: some engines' code is unloaded with the
// plan.
class Convolution {
 public:
  // Tuning allocates TunedShape's three tensors and the largest candidate's workspace on the GPU and frees them.
  // Errors, which name the convolution: InvalidArgument for a shape or options that cannot be; Unimplemented when cuDNN
  // has no engine, or none that runs; ResourceExhausted when memory runs out; FailedPrecondition while the stream is
  // captured.
  static absl::StatusOr<std::unique_ptr<Convolution>> Plan(ConvolutionContext& context, const ConvolutionShape& shape,
                                                           ConvolutionPass pass, ConvolutionType type,
                                                           const ConvolutionOptions& options);
  ~Convolution();
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  // Launches on the context's stream, which may be another context than the plan's, of the same device. a, b and out as
  // in ConvolutionPass, on the device, multiples of 16 bytes; workspace: workspace_bytes() of device memory at a
  // multiple of 256 bytes, of any content, shared with nothing that runs at the same time; null when there are none.
  absl::Status Run(ConvolutionContext& context, const void* a, const void* b, void* out, void* workspace) const;

  size_t workspace_bytes() const;
  double microseconds() const;  // of the chosen engine on TunedShape (graph_timer.h); 0: not timed
  std::string engine() const;   // its number, knobs and notes, or our kernel's way; for the record
  size_t part_count() const;

 private:
  struct State;
  explicit Convolution(std::unique_ptr<State> state);
  absl::Status CheckPointers(const void* a, const void* b, const void* out, const void* workspace) const;
  absl::Status AddPartials(void* out, const void* partials, cudaStream_t stream) const;

  const std::unique_ptr<State> state_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_H_
