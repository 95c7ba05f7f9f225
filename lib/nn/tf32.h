// Products in TF32: inputs of 10 bits of mantissa, sums in fp32; torch.backends.cuda.matmul.allow_tf32 and
// torch.backends.cudnn.allow_tf32 for a while.
#ifndef LOCKSTEP_LIB_NN_TF32_H_
#define LOCKSTEP_LIB_NN_TF32_H_

namespace lockstep {

// While it lives, the whole process's matrix products and convolutions in fp32 on CUDA may be done in TF32; not with `on` false.
// It goes by what is queued meanwhile, forward and backward alike. Not to be nested.
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
