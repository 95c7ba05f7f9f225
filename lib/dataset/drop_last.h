// DropLast: PyTorch's drop_last, of a sampler and of a loader. kYes leaves out the images that do not fill all shards
// or a last batch. kNo pads the shards, and keeps a shorter last batch.
#ifndef LOCKSTEP_LIB_DATASET_DROP_LAST_H_
#define LOCKSTEP_LIB_DATASET_DROP_LAST_H_

namespace lockstep {

enum class DropLast { kNo, kYes };

// Returns the value for a field or flag of that name.
inline DropLast ToDropLast(bool drop_last) { return drop_last ? DropLast::kYes : DropLast::kNo; }

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_DROP_LAST_H_
