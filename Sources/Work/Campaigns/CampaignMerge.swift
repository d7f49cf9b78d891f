import Schema
package import Support

/// Joins the shards of a campaign to its results.
package struct CampaignMerge {
  /// The shards in the order of their runs.
  private let shards: [ShardFile]
  package let header: ShardHeader
  /// Remarks about shards that were not used.
  package private(set) var notes: [String] = []

  /// Collects the shards in some folders, and checks that they contain each run once.
  ///
  /// - Parameters:
  ///   - folders: folders of results, or of shards.
  ///   - digest: the digest of the campaign; `nil` for that of most runs.
  ///   - isPartial: whether missing shards are accepted. Default: `false`.
  /// - Throws: `Failure` with all missing and foreign shards.
  package init(
    _ folders: [String], digest: String? = nil, isPartial: Bool = false
  ) throws(Failure) {
    var found: [ShardFile] = []
    for folder in folders { found += try Self.shards(in: folder) }
    guard !found.isEmpty else {
      throw Failure(
        .missingInput, "\(folders.joined(separator: ", ")): no shard of a campaign found")
    }
    var runs: [String: Int] = [:]
    for shard in found { runs[shard.header.digest, default: 0] += shard.header.runs.count }
    let main = digest ?? runs.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    let foreign = found.filter { $0.header.digest != main }
    guard foreign.isEmpty else {
      let names = foreign.map(\.path).inOrder().shortened
      throw Failure(
        .badContent,
        "\("shard".counted(foreign.count)) of another campaign, or of another version of it: \(names)",
        "remove them, or merge them into another folder")
    }
    let sorted = found.inOrder {
      ($0.header.runs.lowerBound, $1.header.runs.upperBound, $0.path)
        < ($1.header.runs.lowerBound, $0.header.runs.upperBound, $1.path)
    }
    header = sorted[0].header
    var used: [ShardFile] = []
    var (next, missing): (Int, [Range<Int>]) = (0, [])
    for shard in sorted {
      let range = shard.header.runs
      if range.upperBound <= next {
        notes.append("\(shard.path): its runs are also in another shard; it is not used")
        continue
      }
      guard range.lowerBound >= next else {
        throw Failure(
          .badContent,
          "\(shard.path): runs \(range.lowerBound) to \(next - 1) are also in \(used.last?.path ?? "another shard"), "
            + "which has other limits; remove one of them")
      }
      if range.lowerBound > next { missing.append(next..<range.lowerBound) }
      used.append(shard)
      next = range.upperBound
    }
    if next < header.total { missing.append(next..<header.total) }
    if !missing.isEmpty {
      let text = missing.map { "\($0.lowerBound) to \($0.upperBound - 1)" }.shortened
      let message = "runs are missing: \(text) (of 0 to \(header.total - 1))"
      guard isPartial else {
        throw Failure(
          .badContent, message, "run their shards, or merge what there is with --partial")
      }
      notes.append(message)
    }
    shards = used
  }

  /// Returns the shards in a folder, or in the folder `shards` in it.
  private static func shards(in folder: String) throws(Failure) -> [ShardFile] {
    guard TextFile.isFolder(folder) else {
      throw Failure(.missingInput, "\(folder): there is no such folder")
    }
    let inner = ShardFile.folder(in: folder)
    var found: [ShardFile] = []
    for place in TextFile.isFolder(inner) ? [inner, folder] : [folder] {
      for name in Folder.names(in: place) ?? [] where name.hasSuffix(".csv") {
        guard let shard = ShardFile(header: FilePath.joined(place, name)) else { continue }
        // The texts of equal headers are kept once.
        found.append(found.first.map(shard.sharing(headerOf:)) ?? shard)
      }
    }
    return found
  }

  /// Reads all rows in the order of the runs, and writes the results.
  ///
  /// - Parameters:
  ///   - folder: the folder of the results; `nil` to write no file.
  ///   - hasDatabase: whether to write an SQLite database as well.
  /// - Throws: `Failure` if a shard is damaged, or a file cannot be written.
  /// - Returns: the summary.
  package func write(to folder: String?, database hasDatabase: Bool) throws(Failure)
    -> CampaignSummary
  {
    var builder = try SummaryBuilder(header)
    var table: OutputFile?
    var database: DatabaseFile?
    if let folder {
      try Folder.make(folder)
      table = try OutputFile(OutputDestination(FilePath.joined(folder, "runs.csv")))
      table?.write(Array((CampaignRow.line(header.columns) + "\n").utf8))
      if hasDatabase {
        database = try DatabaseFile(FilePath.joined(folder, "runs.sqlite"), header)
      }
    }
    for shard in shards {
      var next = shard.header.runs.lowerBound
      try shard.rows { line throws(Failure) in
        let fields = Self.fields(line)
        guard fields.first == "\(next)", builder.take(fields) else {
          throw Failure(.badContent, "\(shard.path): run \(next) is not a row of this campaign")
        }
        next += 1
        table?.write(Array(line))
        try database?.append(fields)
      }
    }
    let summary = try builder.finish()
    try table?.finish()
    try database?.finish()
    guard let folder else { return summary }
    let campaign = try? Campaign(path: header.campaign)
    let command = { (run: Int) -> String in
      campaign.flatMap { $0.digest == header.digest ? $0.command(of: run) : nil }
        ?? ShellCommand.text(["aneroid", "campaign", "show", header.campaign, "--run", "\(run)"])
    }
    try OutputFile.write(
      summary.json(command).indented + "\n", to: FilePath.joined(folder, "summary.json"))
    try OutputFile.write(
      CampaignPage(summary, command).html, to: FilePath.joined(folder, "index.html"))
    return summary
  }

  /// Returns the fields of a row.
  private static func fields(_ line: ArraySlice<UInt8>) -> [String] {
    let bare = line.last == 0x0A ? line.dropLast() : line
    if bare.contains(0x22) { return CSV.fields(of: bare, CSV.Form()) ?? [] }
    return bare.split(separator: 0x2C, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

extension CampaignSummary {
  /// The summary as JSON.
  ///
  /// - Parameter command: returns the command that repeats a run; `nil` to omit it.
  /// - Returns: an object.
  func json(_ command: ((Int) -> String)?) -> JSONValue {
    func repeating(_ run: Int) -> [(String, JSONValue)] {
      command.map { [("command", .string($0(run)))] } ?? []
    }
    let messages = messages.map { message in
      Self.object(
        [
          ("message", .string(message.text)), ("runs", .integer(message.count)),
          ("first", .integer(message.first)),
        ] + repeating(message.first))
    }
    let groups = groups.map { group in
      Self.object([
        ("key", .string(group.key)), ("values", .array(group.values.map(json(of:)))),
      ])
    }
    return Self.object(
      [
        ("campaign", .string(header.name)), ("file", .string(header.campaign)),
        ("digest", .string(header.digest)), ("total", .integer(header.total)),
      ] + Self.counts(outcomes) + [
        (
          "measures",
          .array(
            distributions.map { distribution in
              Self.object(
                Self.fields(of: distribution) + [
                  (
                    "worst",
                    .array(
                      distribution.worst.map { extreme in
                        Self.object(
                          [("run", .integer(extreme.run)), ("value", .decimal(extreme.number))]
                            + repeating(extreme.run))
                      })
                  )
                ])
            })
        ), ("groups", .array(groups)), ("messages", .array(messages)),
        ("other_messages", .integer(otherMessages)),
      ])
  }

  private static func object(_ fields: [(String, JSONValue)]) -> JSONValue {
    .object(fields.map { (key: $0.0, value: $0.1) })
  }

  private static func counts(_ outcomes: Outcomes) -> [(String, JSONValue)] {
    [
      ("runs", .integer(outcomes.count)), ("passed", .integer(outcomes.passed)),
      ("failed", .integer(outcomes.failed)), ("errors", .integer(outcomes.errors)),
    ]
  }

  private func json(of group: Group) -> JSONValue {
    let means = zip(header.measured, group.means).compactMap { name, mean in
      mean.map { (name, JSONValue.decimal($0)) }
    }
    return Self.object(
      [("value", .string(group.value))] + Self.counts(group.outcomes)
        + [("means", Self.object(means))])
  }

  private static func fields(of distribution: Distribution) -> [(String, JSONValue)] {
    var fields: [(String, JSONValue)] = [
      ("name", .string(distribution.name)), ("count", .integer(distribution.count)),
    ]
    if distribution.count > 0 {
      let quantiles = zip(shares, distribution.quantiles).map {
        (Decimal.shortest($0), JSONValue.decimal($1))
      }
      fields += [
        ("mean", .decimal(distribution.mean)), ("minimum", .decimal(distribution.minimum)),
        ("maximum", .decimal(distribution.maximum)), ("quantiles", object(quantiles)),
      ]
    }
    if let histogram = distribution.histogram {
      fields.append(
        (
          "histogram",
          object([
            ("start", .decimal(histogram.start)), ("width", .decimal(histogram.width)),
            ("counts", .array(histogram.counts.map { .integer($0) })),
          ])
        ))
    }
    return fields
  }
}
