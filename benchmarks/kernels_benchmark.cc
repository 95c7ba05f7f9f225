// Measures the GPU kernels of lib/kernels on the shapes of ResNet-18's training: bytes moved per second, compared with
// a copy of device memory in the same run.
//
// Timed: 20 launches in a row between two events, on one stream; each set of 20 is one iteration. Not timed: filling
// the buffers. Inputs of the small shapes stay in the L2 cache from one launch to the next, as they partly do in a
// step. The tests check correctness (lib/kernels/*_test.cc).
#include <benchmark/benchmark.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lib/kernels/augment_batch.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/sgd.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;

constexpr int kLaunches = 20;

void Check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    std::exit(5);
  }
}

// Device memory of `count` values in [0, 1); the first 100,003 are repeated. Never all zeros, because some units
// compute zeros faster.
template <typename T>
struct Buffer {
  T* data = nullptr;
  explicit Buffer(size_t count) {
    std::vector<T> host(std::min<size_t>(count, 100'003));
    uint32_t state = 1;
    for (T& value : host) {
      state = state * 1664525u + 1013904223u;
      value = T(static_cast<float>(state >> 8) / (1 << 24));
    }
    Check(cudaMalloc(&data, count * sizeof(T)));
    for (size_t i = 0; i < count; i += host.size()) {
      Check(cudaMemcpy(data + i, host.data(), std::min(host.size(), count - i) * sizeof(T), cudaMemcpyHostToDevice));
    }
  }
  ~Buffer() { Check(cudaFree(data)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
};

// Times `launch` and reports the bytes that one launch must move.
template <typename F>
void Time(benchmark::State& state, double bytes, F launch) {
  cudaEvent_t start, stop;
  Check(cudaEventCreate(&start));
  Check(cudaEventCreate(&stop));
  Check(launch());
  for (auto _ : state) {
    Check(cudaEventRecord(start));
    for (int i = 0; i < kLaunches; ++i) {
      Check(launch());
    }
    Check(cudaEventRecord(stop));
    Check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    Check(cudaEventElapsedTime(&milliseconds, start, stop));
    state.SetIterationTime(milliseconds / 1e3 / kLaunches);
  }
  state.SetBytesProcessed(static_cast<int64_t>(bytes * static_cast<double>(state.iterations())));
  Check(cudaEventDestroy(start));
  Check(cudaEventDestroy(stop));
}

// Upper limit: a copy of 1 GiB, read and written.
void Copy(benchmark::State& state) {
  const size_t size = size_t{1} << 30;
  void *from, *to;
  Check(cudaMalloc(&from, size));
  Check(cudaMalloc(&to, size));
  Check(cudaMemset(from, 7, size));
  Time(state, 2.0 * size, [&] { return cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice); });
  Check(cudaFree(from));
  Check(cudaFree(to));
}

// Arguments: batch, side of the picture, channels.
BatchNormShape ShapeOf(const benchmark::State& state) {
  return {static_cast<uint32_t>(state.range(0) * state.range(1) * state.range(1)),
          static_cast<uint32_t>(state.range(2))};
}

uint32_t Multiprocessors() {
  int count = 0;
  Check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return static_cast<uint32_t>(count);
}

// Inputs of the four kernels for one shape.
struct Layer {
  BatchNormShape shape;
  BatchNormLaunch launch;
  size_t size;
  Buffer<Bf16> x, y, dy, dy2, dx, dresidual, residual;
  Buffer<float> vectors;
  uint8_t* mask = nullptr;
  void* workspace = nullptr;

  explicit Layer(const BatchNormShape& s)
      : shape(s), launch(PlanBatchNorm(s, Multiprocessors())), size(size_t{s.rows} * s.channels), x(size), y(size),
        dy(size), dy2(size), dx(size), dresidual(size), residual(size), vectors(16 * s.channels) {
    Check(cudaMalloc(&mask, size / 8));
    Check(cudaMemset(mask, 0x5A, size / 8));
    Check(cudaMalloc(&workspace, BatchNormWorkspaceBytes(launch)));
    Check(cudaMemset(workspace, 0, BatchNormWorkspaceBytes(launch)));
  }
  ~Layer() {
    Check(cudaFree(mask));
    Check(cudaFree(workspace));
  }
  float* Vector(int i) const { return vectors.data + i * shape.channels; }
  BatchNormState State() const { return {Vector(4), Vector(5), Vector(6), Vector(7)}; }
  BatchNormGradients Gradients() const { return {Vector(8), Vector(9), Vector(10), Vector(11), Vector(12)}; }
};

void Statistics(benchmark::State& state) {
  const Layer layer(ShapeOf(state));
  const BatchNormParameters parameters = {
      layer.Vector(0), layer.Vector(1), layer.Vector(2), layer.Vector(3), 0.1f, 1e-5f};
  Time(state, 2.0 * layer.size, [&] {
    return BatchNormStatistics(layer.shape, layer.launch, layer.x.data, parameters, layer.State(), layer.workspace,
                               nullptr);
  });
}

void Apply(benchmark::State& state) {
  const Layer layer(ShapeOf(state));
  Time(state, 4.125 * layer.size, [&] {
    return BatchNormApply<Bf16>(layer.shape, layer.x.data, layer.Vector(6), layer.Vector(7), {}, layer.y.data,
                                layer.mask, RowOrder::kLastToFirst, nullptr);
  });
}

void ApplyResidual(benchmark::State& state) {
  const Layer layer(ShapeOf(state));
  Time(state, 6.125 * layer.size, [&] {
    return BatchNormApply<Bf16>(layer.shape, layer.x.data, layer.Vector(6), layer.Vector(7), {layer.residual.data},
                                layer.y.data, layer.mask, RowOrder::kLastToFirst, nullptr);
  });
}

void BackwardReduce(benchmark::State& state) {
  const Layer layer(ShapeOf(state));
  Time(state, 4.125 * layer.size, [&] {
    return BatchNormBackwardReduce<Bf16>(layer.shape, layer.launch, layer.x.data, {layer.dy.data, nullptr, layer.mask},
                                         layer.State(), layer.Gradients(), layer.workspace, nullptr);
  });
}

void BackwardApply(benchmark::State& state) {
  const Layer layer(ShapeOf(state));
  Time(state, 6.125 * layer.size, [&] {
    return BatchNormBackwardApply<Bf16>(layer.shape, layer.x.data, {layer.dy.data, nullptr, layer.mask},
                                        layer.Gradients(), layer.dx.data, nullptr, RowOrder::kLastToFirst, nullptr);
  });
}

void ResNetShapes(benchmark::internal::Benchmark* benchmark) {
  for (const int batch : {32, 128, 512}) {
    for (const int stage : {0, 1, 2, 3}) {
      benchmark->Args({batch, 32 >> stage, 64 << stage});
    }
  }
  benchmark->ArgNames({"batch", "side", "channels"})->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}

// Augments one batch out of 10,000 images.
void Augment(benchmark::State& state) {
  const uint32_t batch = static_cast<uint32_t>(state.range(0));
  const uint32_t images = 10000;
  Buffer<float> table(768);
  Buffer<Bf16> out(size_t{batch} * ImageElements(ImageLayout::kPatches));
  Buffer<uint32_t> order(images), scalars(2);
  uint8_t* pixels;
  uint16_t* labels;
  int64_t* out_labels;
  Check(cudaMalloc(&pixels, size_t{images} * 3072));
  Check(cudaMemset(pixels, 77, size_t{images} * 3072));
  Check(cudaMalloc(&labels, images * sizeof(*labels)));
  Check(cudaMemset(labels, 0, images * sizeof(*labels)));
  Check(cudaMalloc(&out_labels, batch * sizeof(int64_t)));
  std::vector<uint32_t> shuffled(images);
  for (uint32_t i = 0; i < images; ++i) {
    shuffled[i] = i * 7919u % images;
  }
  Check(cudaMemcpy(order.data, shuffled.data(), images * 4, cudaMemcpyHostToDevice));
  Check(cudaMemset(scalars.data, 0, 8));
  AugmentBatchInput input;
  input.pixels = pixels;
  input.labels = labels;
  input.order = order.data;
  input.first = scalars.data;
  input.epoch = scalars.data + 1;
  input.table = table.data;
  input.seed = 1;
  input.batch = batch;
  Time(state, 68608.0 * batch,
       [&] { return AugmentBatch(input, ImageLayout::kPatches, out.data, out_labels, nullptr); });
  Check(cudaFree(pixels));
  Check(cudaFree(labels));
  Check(cudaFree(out_labels));
}

// ResNet-18's 11,173,962 parameters.
void Sgd(benchmark::State& state) {
  const size_t count = 11'173'962;
  Buffer<float> gradient(count), parameter(count), velocity(count), rate(1);
  Buffer<Bf16> copy(count);
  const SgdInput<float> input = {count, gradient.data,  rate.data,     0.9f,
                                 5e-4f, parameter.data, velocity.data, copy.data};
  Time(state, 22.0 * count, [&] { return SgdStep(input, nullptr); });
}

BENCHMARK(Copy)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(Statistics)->Apply(ResNetShapes);
BENCHMARK(Apply)->Apply(ResNetShapes);
BENCHMARK(ApplyResidual)->Apply(ResNetShapes);
BENCHMARK(BackwardReduce)->Apply(ResNetShapes);
BENCHMARK(BackwardApply)->Apply(ResNetShapes);
BENCHMARK(Augment)->ArgName("batch")->Arg(32)->Arg(128)->Arg(512)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(Sgd)->UseManualTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace lockstep

BENCHMARK_MAIN();
