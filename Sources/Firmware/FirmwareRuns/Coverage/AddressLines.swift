package import Files
import Glibc

/// The lines of source from which instructions were made, told by `addr2line` of the binutils.
package enum AddressLines {
  /// A function at a line: an instruction that was made of an inlined function has several, the innermost first.
  package struct Frame: Hashable, Sendable {
    /// The function; `nil` where nobody knows it.
    package let function: String?
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
  /// - Returns: the functions and lines of each; none where nobody knows them.
  /// - Throws: `Failure` of kind unavailable where there is no addr2line.
  package static func frames(of addresses: [UInt32], in image: String) throws(Failure) -> [[Frame]]
  {
    let program = try tool()
    var frames: [[Frame]] = []
    // A command line is no longer than some 100 KiB everywhere.
    for start in stride(from: 0, to: addresses.count, by: 4000) {
      let part = addresses[start..<min(start + 4000, addresses.count)]
      let arguments =
        [program, "-a", "-i", "-f", "-C", "-e", image] + part.map { "0x" + String($0, radix: 16) }
      let found = read(try ChildOutput.text(of: arguments))
      guard found.count == part.count else {
        throw Failure(
          .unavailable, "addr2line told lines of \(found.count) addresses, not \(part.count)")
      }
      frames += found
    }
    return frames
  }

  /// The path of addr2line.
  ///
  /// - Throws: `Failure` of kind unavailable where there is none.
  @discardableResult
  package static func tool() throws(Failure) -> String {
    guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
      throw Failure(
        .unavailable, "addr2line is missing, which knows the lines of a program: install binutils")
    }
    return program
  }

  /// For each address a line with its number, then pairs of lines: a function, and `/a/b.c:12 (discriminator 3)` or
  /// question marks.
  static func read(_ text: String) -> [[Frame]] {
    var found: [[Frame]] = []
    var function: Substring?
    for line in text.split(separator: "\n") {
      if function == nil, line.hasPrefix("0x") {
        found.append([])
      } else if let name = function {
        function = nil
        if let frame = frame(name, line), !found.isEmpty { found[found.count - 1].append(frame) }
      } else {
        function = line
      }
    }
    return found
  }

  private static func frame(_ name: Substring, _ text: Substring) -> Frame? {
    let place = text.hasSuffix(")") ? text.prefix { $0 != "(" }.dropLast() : text
    guard let colon = place.lastIndex(of: ":"),
      let number = Int(place[place.index(after: colon)...]), number > 0, !place.hasPrefix("?")
    else { return nil }
    return Frame(
      function: name.hasPrefix("?") ? nil : String(name), file: String(place[..<colon]),
      line: number)
  }
}
