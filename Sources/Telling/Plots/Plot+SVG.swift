import Text

extension Plot {
  /// The most marks that have numbers; of more of them none has one.
  package static let mostNumbers = 9
  /// The most lines of words below a picture.
  private static let mostNotes = 6

  /// The picture as SVG.
  ///
  /// - Parameters:
  ///   - isAlone: whether it stands in a file of its own, and needs its colours and its title with it.
  ///   - subject: what it is a picture of, for its title.
  /// - Returns: the element `svg`.
  package func svg(isAlone: Bool = false, of subject: String? = nil) -> String {
    let notes = isAlone ? Array(notes.prefix(Self.mostNotes)) : []
    let frame = PlotFrame(
      legend: PlotLegend.entries(of: self), hasTitle: isAlone, notes: notes.count)
    let style = isAlone ? "<style>\(PlotStyle.alone)</style>" : ""
    let space = isAlone ? "xmlns=\"http://www.w3.org/2000/svg\" " : ""
    let heading = subject.map { "\($0): \(title)" } ?? title
    let shapes = PlotShapes(plot: self, frame: frame)
    let words = isAlone ? shapes.heading(heading) + shapes.notes(notes) : ""
    return """
      <svg \(space)class="plot" viewBox="0 0 \(Int(PlotFrame.width)) \(Int(frame.height))" role="img" \
      aria-labelledby="\(name)-t \(name)-d">\
      <title id="\(name)-t">\(XML.escaped(heading))</title>\
      <desc id="\(name)-d">\(XML.escaped(description))</desc>\(style)
      \(words)\(shapes.bands)\(shapes.grid)\(shapes.lines)\(shapes.marks)\(shapes.legend)</svg>

      """
  }

  /// What the numbers in the picture stand for: when, and what.
  package var notes: [String] {
    guard marks.count <= Self.mostNumbers else { return [] }
    return marks.enumerated().map { "\($0 + 1)  \(clock($1.time))  \($1.label)" }
  }

  /// The unit of width in which a time of a run falls.
  package static func column(of time: Double, in duration: Double) -> Int {
    Int(PlotFrame.x(time, in: duration))
  }
}
