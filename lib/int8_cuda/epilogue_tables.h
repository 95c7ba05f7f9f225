// EpilogueTables: the tables of a layer's Epilogue, made on the host and copied to the device.
#ifndef LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_TABLES_H_
#define LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_TABLES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/cuda/device_buffer.h"
#include "lib/int8_cuda/cuda_convolution.h"
#include "lib/int8_cuda/epilogue.h"

namespace lockstep {

// Tables of Epilogue; empty where Epilogue has null.
struct EpilogueTables {
  std::vector<int32_t> start;     // (classes, channels)
  std::vector<uint16_t> classes;  // (pixels of an image)
  std::vector<float> multiplier;  // (channels)
  std::vector<float> float_bias;  // (channels)
};

EpilogueTables MakeEpilogueTables(const IntegerLayer& layer, int32_t input_zero_point);

// Position of the launch's own result among the operands of an addition.
enum class OwnOperand { kFirst, kSecond };

AdditionFactors MakeAdditionFactors(const IntegerLayer& addition, OwnOperand own);

// Returns the layer's epilogue without its tables; the pointers are null.
Epilogue MakeEpilogue(const ConvolutionTask& task);

// Epilogue whose tables are on the current device.
class DeviceEpilogue {
 public:
  // Returns ResourceExhaustedError if there is no memory for the tables.
  static absl::StatusOr<DeviceEpilogue> Make(const ConvolutionTask& task);

  // Returns the epilogue with an addend, as in CudaConvolution::Launch.
  Epilogue With(const int8_t* addend) const;

 private:
  DeviceEpilogue() = default;

  Epilogue epilogue_;
  DeviceBuffer start_, classes_, multiplier_, float_bias_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_EPILOGUE_TABLES_H_
