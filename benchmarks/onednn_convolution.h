// A layer by oneDNN: a baseline and a check of the layers of lib/int8_cpu.
#ifndef LOCKSTEP_BENCHMARKS_ONEDNN_CONVOLUTION_H_
#define LOCKSTEP_BENCHMARKS_ONEDNN_CONVOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lib/int8/integer_reference.h"

namespace lockstep {

class OneDnnConvolution {
 public:
  virtual ~OneDnnConvolution() = default;

  // input: bytes (count, In()), signed or not; output: int8 (count, Out()).
  virtual void Run(const void* input, int8_t* output) = 0;

  // Returns oneDNN's name of the implementation that it chose, and its version.
  virtual std::string Implementation() const = 0;
};

enum class InputSign { kSigned, kUnsigned };  // int8 or uint8

// Makes a weighted layer without zero points, float bias and max-pooling, on one thread. Returns null if the program
// was built without oneDNN.
std::unique_ptr<OneDnnConvolution> MakeOneDnnConvolution(const IntegerLayer& layer, size_t count, InputSign sign);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_ONEDNN_CONVOLUTION_H_
