import Foundation

/// What a recording holds, and its form as a table.
public struct RecordedRows {
  /// The sensor.
  public let name: String
  /// The fields of each row, as they stand in the file.
  public let lines: [String]
  /// How many bytes of the file are whole lines.
  let length: Int

  /// The header of an exported table.
  static let header = "time_utc,pressure_pa,temperature_c,humidity_rh,mark"
  /// How the last line of an exported table begins.
  static let seal = "# rows="

  /// Reads a recording up to the first line that is torn or damaged.
  ///
  /// - Throws: `BenchFailure` when there is none, or the file is something else.
  public init(_ path: String) throws(BenchFailure) {
    let text = try TextFile.read(path)
    var rest = text[...]
    guard let end = rest.firstIndex(of: "\n"), let name = Recording.name(in: rest[..<end]) else {
      throw BenchFailure(.badContent, "\(path): this is no recording")
    }
    self.name = name
    rest = rest[rest.index(after: end)...]
    var lines: [String] = []
    while let end = rest.firstIndex(of: "\n") {
      let line = rest[..<end]
      guard let comma = line.lastIndex(of: ",") else { break }
      let fields = String(line[..<comma])
      guard Recording.digest(fields) == line[line.index(after: comma)...] else { break }
      lines.append(fields)
      rest = rest[rest.index(after: end)...]
    }
    self.lines = lines
    length = text.utf8.count - rest.utf8.count
  }

  /// The table: a header, the rows, and a last line with their number and the SHA-256 of all before it.
  public var table: String {
    let body = ([Self.header] + lines).map { "\($0)\n" }.joined()
    return body + "\(Self.seal)\(lines.count) sha256=\(Self.digest(body))\n"
  }

  private static func digest(_ text: String) -> String {
    SHA256.digits(text)
  }

  /// Says whether an exported table is as it was exported.
  ///
  /// - Parameter path: the table.
  /// - Throws: `BenchFailure` when it is missing or no such table.
  /// - Returns: a sentence, and whether it is.
  public static func verify(_ path: String) throws(BenchFailure) -> (
    sentence: String, isWhole: Bool
  ) {
    let text = try TextFile.read(path)
    guard text.hasPrefix(header) else {
      throw BenchFailure(.badContent, "\(path): this is no exported recording")
    }
    guard let range = text.range(of: "\n\(seal)", options: .backwards), text.hasSuffix("\n") else {
      return ("\(path): cut off: the last line with the number of rows is missing", false)
    }
    let body = String(text[...range.lowerBound])
    let words = text[range.upperBound...].dropLast().split(separator: " ")
    let rows = body.split(separator: "\n").count - 1
    guard words.count == 2, let count = Int(words[0]), words[1].hasPrefix("sha256=") else {
      return ("\(path): changed: its last line is damaged", false)
    }
    guard count == rows else {
      return ("\(path): cut or added to: \(rows) rows, \(count) were exported", false)
    }
    guard words[1].dropFirst(7) == digest(body) else {
      return ("\(path): changed: the SHA-256 is another", false)
    }
    return ("\(path): ok, \(rows) rows", true)
  }
}
