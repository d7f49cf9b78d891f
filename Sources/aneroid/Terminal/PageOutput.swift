import Files
import Pages
import Rigs

/// The page and the plots that a run leaves behind, if they are wanted.
final class PageOutput {
  let recorder = PageRecorder()

  private let page: String?
  private let plots: String?
  /// What was read and must not be written over.
  private let inputs: [String]
  /// What else is written.
  private let others: [String?]
  /// The trace for the transfers around what failed: the user's, or one that goes afterwards.
  let trace: String?
  private let scratch: ScratchFile?

  /// Creates the output of a rig's run; `nil` where neither is wanted.
  ///
  /// - Throws: `Failure` when the folder of the plots can be none.
  init?(
    of rig: Rig, page: String?, plots: String?, trace: String?, inputs: [String],
    others: [String?] = []
  ) throws(Failure) {
    guard page != nil || plots != nil else { return nil }
    if let plots { try Self.check(folder: plots, beside: page) }
    self.page = page
    self.plots = plots
    self.inputs = inputs
    self.others = others
    let needsTrace =
      trace == nil && page != nil && rig.expectations.contains(where: \.canHaveMoment)
    scratch = needsTrace ? try ScratchFile() : nil
    self.trace = trace ?? scratch?.path
  }

  /// Checks that a folder can be made, or written into.
  private static func check(folder plots: String, beside page: String?) throws(Failure) {
    guard !plots.isEmpty else { throw Failure(.usage, "--plots needs the name of a folder") }
    var folder = plots[...]
    while !folder.isEmpty, !TextFile.exists(String(folder)) {
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    }
    let start = plots.hasPrefix("/") ? "/" : "."
    let existing = folder.isEmpty ? start : String(folder)
    guard TextFile.isFolder(existing) else {
      throw Failure(.inputOutput, "\(existing): is no folder; the plots need one of their own")
    }
    let place = try OutputPlace("\(existing)/plot.svg")
    // Which plots there will be is known only after the run.
    if let page, page.hasSuffix(".svg"), existing == plots,
      try OutputPlace(page).folder == place.folder
    {
      throw Failure(.usage, "\(page): may be a plot of --plots; a page is an .html file")
    }
  }

  /// Writes everything once the run is over and its trace is closed.
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
    try OutputPlace.check(files + [page] + others, reading: inputs)
    for (file, picture) in zip(files, pictures) { try OutputFile.write(picture.svg, to: file) }
  }
}
