// Small charts of the summary's cards.
#ifndef LOCKSTEP_LIB_PAGE_HTML_SPARK_H_
#define LOCKSTEP_LIB_PAGE_HTML_SPARK_H_

#include <string>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns an <svg> element of 120 x 40 units and class "spark", for a page with the style sheet html_style.h. Each
// value shows on hover. Returns an empty string without a kind or without values, or if a value is not finite.
std::string SparkSvg(const proto::Spark& spark);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_SPARK_H_
