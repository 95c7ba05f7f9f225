// SvgWriter: the elements of one drawing as text. Colours and fonts are classes (lib/page/plot_style.h).
//
// x grows to the right and y downwards, in units of the viewBox, with one decimal. All text is escaped, so that any
// label gives well-formed XML.
#ifndef LOCKSTEP_LIB_PLOT_SVG_WRITER_H_
#define LOCKSTEP_LIB_PLOT_SVG_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

class SvgWriter {
 public:
  using Points = std::vector<std::pair<double, double>>;

  enum class Anchor { kStart, kMiddle, kEnd };

  void Line(double x1, double y1, double x2, double y2, absl::string_view classes);
  void Rect(double left, double top, double width, double height, absl::string_view classes);
  void Circle(double x, double y, double radius, absl::string_view classes);

  // Joins the points by lines. kClosed also joins the last one with the first.
  enum class Ends { kOpen, kClosed };
  void Path(const Points& points, absl::string_view classes, Ends ends = Ends::kOpen);

  // Writes text whose baseline is at y. Line ends and tabs become spaces.
  void Text(double x, double y, absl::string_view text, absl::string_view classes, Anchor anchor = Anchor::kStart);

  // Writes text upwards along a vertical baseline, which ends at (x, y).
  void TurnedText(double x, double y, absl::string_view text, absl::string_view classes);

  // Opens a group whose title a browser shows on hover and a screen reader reads. The title may have several lines.
  void Open(absl::string_view title);
  void Close();

  // Returns the drawing as an <svg> element with the role of an image.
  std::string Element(double width, double height, absl::string_view title, absl::string_view description) const;

 private:
  std::string body_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PLOT_SVG_WRITER_H_
