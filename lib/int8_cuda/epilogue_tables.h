// The tables of a layer's Epilogue, made on the host and kept on the device.
#ifndef LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_TABLES_H_
#define LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/epilogue.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

// As Epilogue has them; empty where that has null.
struct EpilogueTables {
  std::vector<int32_t> start;     // (classes, channels)
  std::vector<uint16_t> classes;  // (pixels of an image)
  std::vector<float> multiplier;  // (channels)
  std::vector<float> float_bias;  // (channels)
};

EpilogueTables MakeEpilogueTables(const IntegerLayer& layer, int32_t input_zero_point);

AdditionFactors MakeAdditionFactors(const IntegerLayer& addition, bool own_is_first);

// All of the layer's epilogue that is no table; pointers are null.
Epilogue MakeEpilogue(const ConvolutionTask& task);

// An Epilogue whose tables are on the current device.
class DeviceEpilogue {
 public:
  // ResourceExhausted when there is no memory for them.
  static absl::StatusOr<DeviceEpilogue> Make(const ConvolutionTask& task);

  // `addend`: as CudaConvolution::Launch has it.
  Epilogue With(const int8_t* addend) const;

 private:
  DeviceEpilogue() = default;

  Epilogue epilogue_;
  DeviceBuffer start_, classes_, multiplier_, float_bias_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_TABLES_H_
