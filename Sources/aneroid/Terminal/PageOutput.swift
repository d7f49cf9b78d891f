import Reports
import Rigs
import Support

/// The optional HTML page and SVG plots of a run.
final class PageOutput {
  let recorder = PageRecorder()

  private let page: String?
  private let plots: String?
  /// The files that were read and must not be overwritten.
  private let inputs: [String]
  /// The other output files.
  private let others: [String?]
  /// The trace with the transfers around failures: the user's file or a temporary one.
  let trace: String?
  private let scratch: ScratchFile?

  /// Creates the output of a run; `nil` if neither a page nor plots are requested.
  ///
  /// - Throws: `Failure` if the folder of the plots is not usable.
  init?(
    of rig: Rig, page: String?, plots: String?, trace: String?, inputs: [String],
    others: [String?] = []
  ) throws(Failure) {
    guard page != nil || plots != nil else { return nil }
    if let plots { try Self.check(folder: plots, page: page) }
    self.page = page
    self.plots = plots
    self.inputs = inputs
    self.others = others
    let needsTrace =
      trace == nil && page != nil && rig.expectations.contains(where: \.canHaveMoment)
    scratch = needsTrace ? try ScratchFile() : nil
    self.trace = trace ?? scratch?.path
  }

  /// Checks that a folder can be created or written.
  private static func check(folder plots: String, page: String?) throws(Failure) {
    guard !plots.isEmpty else { throw Failure(.usage, "--plots requires a folder name") }
    var folder = plots[...]
    while !folder.isEmpty, !TextFile.exists(String(folder)) {
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    }
    let start = plots.hasPrefix("/") ? "/" : "."
    let existing = folder.isEmpty ? start : String(folder)
    guard TextFile.isFolder(existing) else {
      throw Failure(.inputOutput, "\(existing): is not a folder; --plots requires a folder")
    }
    let place = try OutputDestination("\(existing)/plot.svg")
    // The names of the plots are known only after the run.
    if let page, page.hasSuffix(".svg"), existing == plots,
      try OutputDestination(page).folder == place.folder
    {
      throw Failure(.usage, "\(page): may be overwritten by a plot of --plots; use an .html file")
    }
  }

  /// Writes the page and the plots after the run, when its trace is closed.
  func write() throws(Failure) {
    guard let made = try Page(recorder, trace: page == nil ? nil : trace) else { return }
    if let plots { try write(made.pictureFiles, into: plots) }
    if let page { try OutputFile.write(made.html, to: page) }
  }

  private func write(
    _ pictures: [(name: String, svg: String)], into folder: String
  ) throws(Failure) {
    try Folder.make(folder)
    let files = pictures.map { "\(folder)/\($0.name).svg" }
    try OutputDestination.check(files + [page] + others, reading: inputs)
    for (file, picture) in zip(files, pictures) { try OutputFile.write(picture.svg, to: file) }
  }
}
