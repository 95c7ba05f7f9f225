// A number as the shortest decimal text that reads back as the same number.
#ifndef LOCKSTEP_LIB_EXPORT_NUMBER_TEXT_H_
#define LOCKSTEP_LIB_EXPORT_NUMBER_TEXT_H_

#include <string>

namespace lockstep {

// Returns "0.1" for 0.1; "NaN", "+Inf" and "-Inf" for what is not finite.
std::string NumberText(double value);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_EXPORT_NUMBER_TEXT_H_
