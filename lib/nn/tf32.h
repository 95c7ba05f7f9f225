// Products in TF32, with inputs of 10 bits of mantissa and sums in fp32: torch.backends.cuda.matmul.allow_tf32 and
// torch.backends.cudnn.allow_tf32 for a limited scope.
#ifndef LOCKSTEP_LIB_NN_TF32_H_
#define LOCKSTEP_LIB_NN_TF32_H_

namespace lockstep {

// Permits TF32 during its lifetime for all fp32 matrix products and convolutions on CUDA that the whole process queues,
// forward and backward; does nothing if `on` is false. Must not be nested.
class Tf32Products {
 public:
  explicit Tf32Products(bool on);
  ~Tf32Products();
  Tf32Products(const Tf32Products&) = delete;
  Tf32Products& operator=(const Tf32Products&) = delete;

 private:
  const bool on_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_TF32_H_
