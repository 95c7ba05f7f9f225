// Formats comm_model's results as text for a terminal: one line per row of a scaling run, one per audited number.
#ifndef LOCKSTEP_LIB_COMM_MODEL_SUMMARY_H_
#define LOCKSTEP_LIB_COMM_MODEL_SUMMARY_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Lines end in a newline. An absent number is a dash; the reasons are below the table, one line per cause. Times are in
// milliseconds if all epochs are shorter than 10 s.
std::string SummaryText(const std::vector<proto::CommModelRecord>& records);

// Returns an empty string if there are no models. Lines end in a newline.
std::string ModelsText(const std::vector<proto::CommModelRecord>& records);

// Returns the answers of --what_if, a table per variant; an empty string if there are none. Lines end in a newline.
std::string WhatIfText(const std::vector<proto::CommModelRecord>& records);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_SUMMARY_H_
