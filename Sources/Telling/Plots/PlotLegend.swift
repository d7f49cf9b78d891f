/// What the lines and the colours of a picture mean.
enum PlotLegend {
  /// A word of the legend.
  struct Entry {
    /// What stands before it.
    enum Sample {
      case line(String)
      case colour(String)
    }
    let sample: Sample
    let text: String
  }

  /// The legend of a picture; none where one line says what the title says.
  static func entries(of plot: Plot) -> [Entry] {
    var entries: [Entry] = []
    if plot.series.count > 1 {
      entries = plot.series.enumerated().map { Entry(sample: .line($1.look($0)), text: $1.name) }
    }
    // Many lines that are alike need no names.
    if plot.series.count > Plot.mostNames {
      entries = [Entry(sample: .line("s0"), text: "\(plot.series.count) lines")]
    }
    if plot.allowed != nil { entries.append(Entry(sample: .colour("allowed"), text: "allowed")) }
    var looks: [String] = []
    for band in plot.bands where !looks.contains(band.look) {
      looks.append(band.look)
      entries.append(Entry(sample: .colour(band.look), text: band.label))
    }
    return entries
  }
}
