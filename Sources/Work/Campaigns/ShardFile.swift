import Schema
package import Support

/// The first line of a file of results: what the rows belong to.
package struct ShardHeader: Sendable, Hashable {
  /// The path of the campaign file, as it was given.
  package let campaign: String
  /// The digest of the campaign.
  package let digest: String
  /// The name of the campaign.
  package let name: String
  /// The number of runs of the campaign.
  package let total: Int
  /// The numbers of the runs in the file.
  package var runs: Range<Int>
  /// The names of the columns.
  package let columns: [String]
  /// The number of columns that are keys, after `run` and `seed`.
  package let keys: Int
  /// For each key, its enumerated values; empty for a random one.
  package let enumerated: [[String]]
  /// For each measured number, whether its lowest values are the worst.
  package let prefersHigh: [Bool]
  /// The number of worst runs to list.
  package let worst: Int

  /// Creates the header of some runs of a campaign.
  package init(_ campaign: Campaign, runs: Range<Int>) {
    self.campaign = campaign.file
    (digest, name, total) = (campaign.digest, campaign.name, campaign.runs)
    (self.runs, columns) = (runs, campaign.columns)
    keys = campaign.dimensions.count
    enumerated = campaign.dimensions.map { dimension in
      dimension.enumerated?.map(dimension.cell) ?? []
    }
    if case .audit = campaign.subject {
      prefersHigh = AuditCount.names.map { ["right", "reported"].contains($0) }
    } else {
      prefersHigh = campaign.measures.map { $0.worst == .lowest }
    }
    worst = campaign.worst
  }

  /// The beginning of the first line.
  private static let mark = "# aneroid campaign 1 "

  /// The header as a line, without the line ending.
  var line: String {
    let fields: [(String, JSONValue)] = [
      ("name", .string(name)), ("campaign", .string(campaign)), ("digest", .string(digest)),
      ("total", .integer(total)), ("from", .integer(runs.lowerBound)),
      ("to", .integer(runs.upperBound)), ("columns", .array(columns.map(JSONValue.string))),
      ("keys", .integer(keys)),
      ("enumerated", .array(enumerated.map { .array($0.map(JSONValue.string)) })),
      ("lowest_is_worst", .array(prefersHigh.map(JSONValue.bool))), ("worst", .integer(worst)),
    ]
    return Self.mark + JSONValue.object(fields.map { (key: $0.0, value: $0.1) }).compact
  }

  /// Parses the first line of a file; `nil` if it is not a header.
  init?(line: String) {
    guard line.hasPrefix(Self.mark),
      let value = JSONValue(reading: Array(line.utf8.dropFirst(Self.mark.utf8.count))),
      let name = value["name"]?.text, let campaign = value["campaign"]?.text,
      let digest = value["digest"]?.text, let total = value["total"]?.whole(Int.self),
      let from = value["from"]?.whole(Int.self), let to = value["to"]?.whole(Int.self),
      let columns = value["columns"]?.array?.compactMap(\.text),
      let keys = value["keys"]?.whole(Int.self), let worst = value["worst"]?.whole(Int.self),
      let enumerated = value["enumerated"]?.array?.map({ $0.array?.compactMap(\.text) ?? [] }),
      let lowest = value["lowest_is_worst"]?.array?.map({ $0.boolean == true }),
      0 <= from, from < to, to <= total, 0 <= keys, columns.count == keys + lowest.count + 4,
      enumerated.count == keys, worst >= 0
    else { return nil }
    (self.campaign, self.digest, self.name, self.total) = (campaign, digest, name, total)
    (runs, self.columns, self.keys) = (from..<to, columns, keys)
    (self.enumerated, prefersHigh, self.worst) = (enumerated, lowest, worst)
  }

  /// The names of the measured numbers.
  package var measured: [String] { Array(columns.dropFirst(keys + 3).dropLast()) }
}

/// A file with the rows of some runs: one header line, the names of the columns, the rows, and one line with their checksum.
///
/// It appears under its name only when it is complete.
package struct ShardFile: Sendable {
  /// The path of the file.
  package let path: String
  package let header: ShardHeader

  /// The folder of the shards in the folder of a campaign's results.
  package static func folder(in results: String) -> String { FilePath.joined(results, "shards") }

  /// The path of a shard.
  ///
  /// - Parameters:
  ///   - index: the number of the shard, from 1.
  ///   - count: the number of shards.
  ///   - results: the folder of the results.
  /// - Returns: the path.
  package static func path(_ index: Int, of count: Int, in results: String) -> String {
    let width = "\(count)".count
    let number = String(repeating: "0", count: max(width - "\(index)".count, 0)) + "\(index)"
    return FilePath.joined(folder(in: results), "\(number)-of-\(count).csv")
  }

  /// The beginning of the last line.
  private static let end = "# end "

  /// Writes the rows of some runs.
  ///
  /// - Parameters:
  ///   - campaign: the campaign.
  ///   - runs: the numbers of the runs.
  ///   - path: the path of the file.
  ///   - row: returns the row of a run; `nil` ends the shard without a file.
  /// - Throws: `Failure` if the file cannot be written, or a run cannot be executed.
  /// - Returns: `false` if the shard was ended without a file.
  package static func write(
    _ campaign: Campaign, runs: Range<Int>, to path: String,
    row: (Int) throws(Failure) -> CampaignRow?
  ) throws(Failure) -> Bool {
    let header = ShardHeader(campaign, runs: runs)
    let file = try OutputFile(OutputDestination(path))
    file.write(Array((header.line + "\n" + CampaignRow.line(header.columns) + "\n").utf8))
    var sum = RowChecksum()
    for run in runs {
      guard let row = try row(run) else { return false }
      let line = Array((row.line + "\n").utf8)
      sum.take(line[...])
      file.write(line)
    }
    file.write(Array("\(end){\"rows\":\(runs.count),\"sum\":\"\(sum.text)\"}\n".utf8))
    try file.finish()
    return true
  }

  /// Reads the header of a file; `nil` if the file is not a shard.
  package init?(header path: String) {
    guard let input = try? LineInput(path), let line = try? input.next(),
      let header = ShardHeader(line: String(decoding: line, as: UTF8.self))
    else { return nil }
    (self.path, self.header) = (path, header)
  }

  /// Returns the shard with the texts of another header, if the headers differ only in their runs.
  func sharing(headerOf other: ShardFile) -> ShardFile {
    var common = other.header
    common.runs = header.runs
    return common == header ? ShardFile(path: path, header: common) : self
  }

  private init(path: String, header: ShardHeader) { (self.path, self.header) = (path, header) }

  /// Reads the rows, and checks them.
  ///
  /// - Parameter take: receives each row with its line ending, in order.
  /// - Throws: `Failure` of kind badContent for a damaged file, and errors of `take`.
  package func rows(_ take: (ArraySlice<UInt8>) throws(Failure) -> Void) throws(Failure) {
    let input = try LineInput(path)
    _ = try input.next()
    _ = try input.next()
    var sum = RowChecksum()
    var count = 0
    while let line = try input.next() {
      if line.first == 0x23 {
        let text = String(decoding: line, as: UTF8.self)
        guard text == "\(Self.end){\"rows\":\(count),\"sum\":\"\(sum.text)\"}\n",
          count == header.runs.count, try input.next() == nil
        else { break }
        return
      }
      sum.take(line)
      count += 1
      try take(line)
    }
    throw Failure(
      .badContent,
      "\(path): the rows are damaged or incomplete; remove the file and run its shard again")
  }
}

/// A checksum of rows: 64-bit FNV-1a, which detects damage to a file but no intent.
struct RowChecksum {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func take(_ bytes: ArraySlice<UInt8>) {
    var state = state
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    self.state = state
  }

  var text: String { Hexadecimal.digits(state, 16) }
}

/// Reads a file line by line with constant memory.
final class LineInput {
  private let path: String
  private let input: InputFile
  private var buffer: [UInt8] = []
  private var position = 0
  /// The longest line, in bytes.
  private static let longestLine = 4 << 20

  /// Opens a file.
  ///
  /// - Throws: `Failure` if it cannot be read.
  init(_ path: String) throws(Failure) {
    self.path = path
    input = try InputFile(path)
  }

  /// Returns the next line with its line ending; `nil` at the end.
  ///
  /// - Throws: `Failure` if reading fails, or a line is too long.
  func next() throws(Failure) -> ArraySlice<UInt8>? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { position = end + 1 }
        return buffer[position...end]
      }
      searched = buffer.count - position
      buffer.removeFirst(position)
      position = 0
      guard buffer.count < Self.longestLine else {
        throw Failure(.badContent, "\(path): a line is longer than \(Self.longestLine) bytes")
      }
      guard let chunk = try input.chunk() else {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer[...]
      }
      buffer += chunk
    }
  }
}
