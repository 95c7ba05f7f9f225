#include "lib/export/prometheus_text.h"

#include <limits>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

std::string LineOf(const GaugeLabels& labels, double value) {
  const std::string text = PrometheusText({{"x_seconds", "Help.", {{labels, value}}}});
  const std::string head = "# HELP x_seconds Help.\n# TYPE x_seconds gauge\n";
  EXPECT_EQ(text.substr(0, head.size()), head);
  return text.substr(head.size());
}

TEST(PrometheusTextTest, ALineHoldsNameLabelsAndValue) {
  EXPECT_EQ(LineOf({{"ranks", "2"}, {"device", "GPU"}}, 1.5), "x_seconds{ranks=\"2\",device=\"GPU\"} 1.5\n");
  EXPECT_EQ(LineOf({}, 0), "x_seconds 0\n");
  EXPECT_EQ(LineOf({{"row", ""}}, 0), "x_seconds 0\n");
}

TEST(PrometheusTextTest, LabelsAreEscaped) {
  EXPECT_EQ(LineOf({{"a", "back\\slash \"quoted\"\nline"}}, 1),
            "x_seconds{a=\"back\\\\slash \\\"quoted\\\"\\nline\"} 1\n");
  EXPECT_EQ(LineOf({{"a", "\xff"}}, 1), "x_seconds{a=\"\\\\xff\"} 1\n");  // not UTF-8
}

TEST(PrometheusTextTest, HelpIsEscaped) {
  EXPECT_EQ(PrometheusText({{"x", "a\\b\n\"c\"", {{{}, 1}}}}), "# HELP x a\\\\b\\n\"c\"\n# TYPE x gauge\nx 1\n");
}

TEST(PrometheusTextTest, NumbersHaveAllDigitsAndNoMore) {
  EXPECT_EQ(LineOf({}, 0.1), "x_seconds 0.1\n");
  EXPECT_EQ(LineOf({}, 1.0 / 3), "x_seconds 0.3333333333333333\n");
  EXPECT_EQ(LineOf({}, 44695848), "x_seconds 44695848\n");
  EXPECT_EQ(LineOf({}, 0.1 + 0.2), "x_seconds 0.30000000000000004\n");
  EXPECT_EQ(LineOf({}, -std::numeric_limits<double>::infinity()), "x_seconds -Inf\n");
}

TEST(PrometheusTextTest, OfAGaugeWithoutSamplesThereIsNothing) { EXPECT_EQ(PrometheusText({{"x", "Help.", {}}}), ""); }

}  // namespace
}  // namespace lockstep
