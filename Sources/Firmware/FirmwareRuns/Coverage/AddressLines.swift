package import Files
import Glibc

/// The lines of source from which instructions were made, told by `addr2line` of the binutils.
package enum AddressLines {
  /// A line of a source file.
  package struct Line: Hashable, Sendable {
    /// The path of the file, as the compiler saw it.
    package let file: String
    /// The line, from 1.
    package let line: Int
  }

  /// Where addr2line may be.
  private static let programs = ["/usr/bin/addr2line", "/usr/local/bin/addr2line"]

  /// Finds the lines of addresses.
  ///
  /// - Parameters:
  ///   - addresses: the addresses.
  ///   - image: the ELF.
  /// - Returns: the line of each, `nil` where nobody knows it.
  /// - Throws: `Failure` of kind unavailable where there is no addr2line.
  package static func lines(of addresses: [UInt32], in image: String) throws(Failure) -> [Line?] {
    guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
      throw Failure(
        .unavailable, "addr2line is missing, which knows the lines of a program: install binutils")
    }
    var lines: [Line?] = []
    // A command line is no longer than some 100 KiB everywhere.
    for start in stride(from: 0, to: addresses.count, by: 4000) {
      let part = addresses[start..<min(start + 4000, addresses.count)]
      let arguments = [program, "-e", image] + part.map { "0x" + String($0, radix: 16) }
      let found = try ChildOutput.text(of: arguments).split(separator: "\n").map(line)
      guard found.count == part.count else {
        throw Failure(.unavailable, "addr2line told \(found.count) lines of \(part.count)")
      }
      lines += found
    }
    return lines
  }

  /// `/a/b.c:12 (discriminator 3)`, or question marks.
  private static func line(_ text: Substring) -> Line? {
    let place = text.firstIndex(of: " ").map { text[..<$0] } ?? text
    guard let colon = place.lastIndex(of: ":"),
      let number = Int(place[place.index(after: colon)...]), number > 0, !place.hasPrefix("?")
    else { return nil }
    return Line(file: String(place[..<colon]), line: number)
  }
}
