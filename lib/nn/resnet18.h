// ResNet-18 for 32x32 images (He et al. 2016: the stem of section 4.2 with the stages of the ImageNet network), like
// kuangliu/pytorch-cifar, models/resnet.py: 3x3 stem of stride 1, no max-pool, 11,173,962 parameters.
#ifndef LOCKSTEP_LIB_NN_RESNET18_H_
#define LOCKSTEP_LIB_NN_RESNET18_H_

#include <memory>

#include "lib/nn/model.h"

namespace lockstep {

// Returns the network. Parameter names: conv1.weight, bn1.*, layer1.0.conv1.weight, layer2.0.shortcut.0.weight,
// layer2.0.shortcut.1.*, linear.*.
std::shared_ptr<Model> MakeResNet18();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_RESNET18_H_
