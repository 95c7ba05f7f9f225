// Number of training images of the data set on which the records of a lab were measured.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_TRAINING_IMAGES_H_
#define LOCKSTEP_LIB_LAB_RECORDS_TRAINING_IMAGES_H_

#include <cstdint>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Returns the number that the first dataset record states; without such a record, that of the first sweep, scaling run
// or comm_model record that states one, in this order. Includes images that a run holds out. Returns 0 if no record
// states a number.
uint64_t TrainingImages(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_TRAINING_IMAGES_H_
