// What goes into a ResNet-18 training step and comes out of it, on the host.
#ifndef LOCKSTEP_LIB_FUSED_RESNET18_VALUES_H_
#define LOCKSTEP_LIB_FUSED_RESNET18_VALUES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

// The data set, as it is uploaded: uint8 (images, 3, 32, 32) and uint8 (images).
struct ResidentImages {
  const uint8_t* pixels = nullptr;
  const uint8_t* labels = nullptr;
  uint32_t count = 0;
  std::array<float, 3> mean = {};  // the normalisation's
  std::array<float, 3> std = {};
};

// A network's numbers, laid out as resnet18_units.h says.
struct ResNet18Values {
  std::vector<float> weights;
  std::vector<float> norms;
  std::vector<float> running;
};

// What a step runs for a convolution, each pass in words (UnitForward::name).
struct UnitKernels {
  std::string convolution;  // its name
  std::string forward;
  std::string data_gradient;  // empty: its input wants none
  std::string weight_gradient;
};

// What an epoch's steps added up.
struct ResNet18Counts {
  double loss_sum = 0;   // over the images
  uint32_t correct = 0;  // images whose largest logit was the label's
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET18_VALUES_H_
