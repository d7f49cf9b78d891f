package import Files
import Glibc
import Images
import Machines

/// Which instructions of an image have run.
package final class CoverageMap {
  /// What is known of a file of source.
  fileprivate struct Source {
    /// The lines, and whether anything of them has run.
    var lines: [Int: Bool] = [:]
    /// The functions, each with its first line and whether it has run.
    var functions: [String: (line: Int, hasRun: Bool)] = [:]
  }

  private let bench: FirmwareBench
  /// The files of source that are named in the image and are not on this machine.
  private var missing: [String] = []
  /// Whether those are all.
  private var isForeign = false

  /// Notes from now on what runs.
  ///
  /// - Throws: `Failure` where the image has no lines, or nobody can tell them.
  init(_ bench: FirmwareBench) throws(Failure) {
    self.bench = bench
    let image = bench.image
    guard image.form == .elf else {
      throw image.failure("it names no lines of source, which --coverage needs: give the ELF")
    }
    try AddressLines.tool()
    guard image.hasLines, try Self.knowsLines(image) else {
      throw image.failure(
        image.hasStabs
          ? "its lines of source are stabs, and --coverage needs DWARF: build it with -gdwarf-2"
          : "it names no lines of source, which --coverage needs: build it with -g")
    }
    bench.machine.core.noteRun()
  }

  /// Whether the line of any function is known.
  ///
  /// That there are lines at all says little: libraries bring some.
  private static func knowsLines(_ image: FirmwareImage) throws(Failure) -> Bool {
    let functions = image.symbols.functions.filter { $0.kind == .function && $0.size > 0 }
    let starts = functions.map(\.address)
    return try AddressLines.frames(of: starts, in: image.path).contains { !$0.isEmpty }
  }

  /// Lines and functions of source with whether they have run, as lcov's tracefile ("geninfo(1)", FILES), which genhtml
  /// reads.
  ///
  /// A line of an inlined function has run where any of its copies has; so has the line of the call. Files that are not
  /// on this machine, as those of a compiler's own library, are left out unless all are.
  ///
  /// - Throws: `Failure` where nobody can tell the lines.
  package func text() throws(Failure) -> String {
    let addresses = instructions
    let frames = try AddressLines.frames(of: addresses, in: bench.image.path)
    var sources: [String: Source] = [:]
    for (address, frames) in zip(addresses, frames) {
      let hasRun = bench.machine.core.hasRun(address)
      for frame in frames { sources[frame.file, default: Source()].note(frame, hasRun) }
    }
    missing = sources.keys.filter { access($0, R_OK) != 0 }.sorted()
    isForeign = missing.count == sources.count
    if !isForeign { for file in missing { sources[file] = nil } }
    return "TN:\n" + sources.sorted { $0.key < $1.key }.map { $1.section($0) }.joined()
  }

  /// What a user must know of the tracefile, once `text()` was asked for; `nil` where it is whole.
  package func remark(_ place: String) -> String? {
    guard let first = missing.first else {
      return bench.image.hasStabs
        ? "\(place) is without the functions whose lines are stabs: build all of it with -gdwarf-2"
        : nil
    }
    let shown = "\(first)\(missing.count > 1 ? " and others" : "")"
    return isForeign
      ? "none of the \(missing.count) files of source in \(place) is on this machine (\(shown)); was it built with -g?"
      : "\(place) is without \(missing.count) files of source that are not on this machine: \(shown)"
  }

  /// The places of functions at which instructions may begin: each halfword.
  private var instructions: [UInt32] {
    bench.image.symbols.functions.filter { $0.kind == .function && $0.size > 0 }.flatMap {
      stride(from: $0.address, to: $0.address &+ min($0.size, 1 << 20), by: 2)
    }
  }
}

extension CoverageMap.Source {
  fileprivate mutating func note(_ frame: AddressLines.Frame, _ hasRun: Bool) {
    lines[frame.line] = (lines[frame.line] ?? false) || hasRun
    guard let name = frame.function else { return }
    let known = functions[name] ?? (frame.line, false)
    functions[name] = (min(known.line, frame.line), known.hasRun || hasRun)
  }

  fileprivate func section(_ file: String) -> String {
    let lines = lines.sorted { $0.key < $1.key }
    let functions = functions.sorted { ($0.value.line, $0.key) < ($1.value.line, $1.key) }
    var text = "SF:\(file)\n"
    for (name, function) in functions { text += "FN:\(function.line),\(name)\n" }
    for (name, function) in functions { text += "FNDA:\(function.hasRun ? 1 : 0),\(name)\n" }
    text += "FNF:\(functions.count)\nFNH:\(functions.count { $0.value.hasRun })\n"
    for (line, hasRun) in lines { text += "DA:\(line),\(hasRun ? 1 : 0)\n" }
    return text + "LF:\(lines.count)\nLH:\(lines.count { $0.value })\nend_of_record\n"
  }
}
