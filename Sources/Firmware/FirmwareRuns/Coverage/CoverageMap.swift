package import Files
import Images
import Machines

/// Which instructions of an image have run.
package final class CoverageMap {
  private let bench: FirmwareBench

  init(_ bench: FirmwareBench) {
    self.bench = bench
    bench.machine.core.noteRun()
  }

  /// Lines of source with whether they have run, as lcov's tracefile ("geninfo(1)", FILES), which genhtml reads.
  ///
  /// - Throws: `Failure` where the image has no lines, or nobody can tell them.
  package func text() throws(Failure) -> String {
    let image = bench.image
    guard image.form == .elf, image.hasLines else {
      throw image.failure("it tells no lines of source: build it with -g, and name the ELF")
    }
    let addresses = instructions
    let lines = try AddressLines.lines(of: addresses, in: image.path)
    var files: [String: [Int: Bool]] = [:]
    for (address, line) in zip(addresses, lines) {
      guard let line else { continue }
      let before = files[line.file]?[line.line] ?? false
      files[line.file, default: [:]][line.line] = before || bench.machine.core.hasRun(address)
    }
    return "TN:\n" + files.sorted { $0.key < $1.key }.map(section).joined()
  }

  /// The places of functions at which instructions may begin: each halfword.
  private var instructions: [UInt32] {
    bench.image.symbols.functions.filter { $0.kind == .function && $0.size > 0 }.flatMap {
      stride(from: $0.address, to: $0.address &+ min($0.size, 1 << 20), by: 2)
    }
  }

  private func section(_ file: String, _ lines: [Int: Bool]) -> String {
    let sorted = lines.sorted { $0.key < $1.key }
    return "SF:\(file)\n" + sorted.map { "DA:\($0.key),\($0.value ? 1 : 0)\n" }.joined()
      + "LF:\(sorted.count)\nLH:\(sorted.count { $0.value })\nend_of_record\n"
  }
}
