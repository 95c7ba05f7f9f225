// Facts about the data set on which the records of a lab were measured, for the commands that a page suggests.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_DATASET_FACTS_H_
#define LOCKSTEP_LIB_LAB_RECORDS_DATASET_FACTS_H_

#include "lib/lab_records/lab_records.h"
#include "lib/wording/excluded_answers.h"

namespace lockstep {

// Returns the facts that the first dataset record states; without such a record, those of the first sweep, scaling run
// or comm_model record that states a number of training images, in this order. The number includes images that a run
// holds out. Facts that the record does not state are 0. `only_cpu` is true if there are sweeps or scaling runs,
// and all of them are on a CPU. `path` is the path of the first dataset record; empty for standard input. `folder` is
// that of the first scaling run, sweep or dataset record, in this order.
DatasetFacts FactsOfDataset(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_DATASET_FACTS_H_
