// What DataParallel's steps took and moved, in the words of the record.
#ifndef LOCKSTEP_LIB_DIST_STAR_TIMES_H_
#define LOCKSTEP_LIB_DIST_STAR_TIMES_H_

#include <vector>

#include "lib/dist/data_parallel_times.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Puts a timed epoch's sums behind those of the epochs before it.
void AddStarTimes(const DataParallelTimes& epoch, proto::StarTimes& star);

// Bytes over all epochs.
class StarTraffic {
 public:
  void Add(const DataParallelTimes& epoch);
  void Add(const proto::Traffic& traffic);  // a record of ToRecords; all kinds are of the same steps

  // A kind that moved nothing, as with one device, has no record.
  std::vector<proto::Traffic> ToRecords() const;

 private:
  DataParallelTimes sum_;  // its seconds are not used
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_STAR_TIMES_H_
