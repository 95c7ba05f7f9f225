// Inputs and outputs of a ResNet training step on the host.
#ifndef LOCKSTEP_LIB_FUSED_RESNET_VALUES_H_
#define LOCKSTEP_LIB_FUSED_RESNET_VALUES_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

// Data set to be uploaded. The size of the images is ResNetStepOptions::image_size.
struct ResidentImages {
  const uint8_t* pixels = nullptr;   // uint8 (images, 3, image_size, image_size)
  const uint16_t* labels = nullptr;  // uint16 (images); an image whose label is not a class has a loss of NaN
  uint32_t count = 0;
  std::array<float, 3> mean = {};  // mean of the normalisation
  std::array<float, 3> std = {};
};

// Values of a network, in the layout of resnet_units.h.
struct ResNetValues {
  std::vector<float> weights;
  std::vector<float> batch_norms;
  std::vector<float> running;
};

// Kernels that one step runs for one convolution, each pass as described by UnitForward::name.
struct UnitKernels {
  std::string convolution;  // name of the convolution
  std::string forward;
  std::string data_gradient;  // empty: its input needs no gradient
  std::string weight_gradient;
};

// Sums over the images of an epoch's steps or of an evaluation.
struct ResNetCounts {
  double loss_sum = 0;   // sum over the images
  uint32_t correct = 0;  // images whose largest logit was the label's
};

// Results of an evaluation.
struct EvaluationCounts {
  ResNetCounts plain;
  ResNetCounts mirrored;  // counts by the mean of the logits of image and mirror image; zeros: not evaluated
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_VALUES_H_
