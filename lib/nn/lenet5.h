// The lab's small network: two 5x5 convolutions, three fully connected layers, max-pooling and ReLU between them.
// 61,770 weights; with biases 62,006 parameters.
#ifndef LOCKSTEP_LIB_NN_LENET5_H_
#define LOCKSTEP_LIB_NN_LENET5_H_

#include <memory>

#include "lib/nn/model.h"

namespace lockstep {

// Returns the network: conv1 3->6, pool, conv2 6->16, pool, fc1 400->120, fc2 120->84, fc3 84->10. Parameter names:
// conv1.weight ... fc3.weight, and with `bias` also conv1.bias ... fc3.bias.
std::shared_ptr<Model> MakeLeNet5(bool bias);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_LENET5_H_
