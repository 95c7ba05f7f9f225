#include "lib/nn/tf32.h"

#include <ATen/Context.h>

namespace lockstep {
namespace {

void Allow(bool allow) {
  at::globalContext().setAllowTF32CuBLAS(allow);
  at::globalContext().setAllowTF32CuDNN(allow);
}

}  // namespace

Tf32Products::Tf32Products(bool on) : on_(on) {
  if (on_) {
    Allow(true);
  }
}

Tf32Products::~Tf32Products() {
  if (on_) {
    Allow(false);
  }
}

}  // namespace lockstep
