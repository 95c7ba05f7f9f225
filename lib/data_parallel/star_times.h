// Times and traffic of DataParallel's steps as fields of the record.
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_STAR_TIMES_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_STAR_TIMES_H_

#include <vector>

#include "lib/data_parallel/data_parallel_times.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Appends a timed epoch's sums to those of the earlier epochs.
void AddStarTimes(const DataParallelTimes& epoch, proto::StarTimes& star);

// Number of bytes over all epochs, by kind.
class StarTraffic {
 public:
  void Add(const DataParallelTimes& epoch);
  void Add(const proto::Traffic& traffic);  // record of ToRecords; all kinds must cover the same steps

  // Returns a record for each kind that moved bytes; with one device there are none.
  std::vector<proto::Traffic> ToRecords() const;

 private:
  DataParallelTimes sum_;  // its seconds are not used
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_STAR_TIMES_H_
