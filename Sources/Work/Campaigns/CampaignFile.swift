import Quantities
import Rigs
import Schema
package import Support

extension Campaign {
  /// Reads a campaign file, and checks it and its first runs.
  ///
  /// - Parameter path: the path of the file.
  /// - Throws: `Failure` with all errors, or with the failure to read a referenced file.
  package init(path: String) throws(Failure) {
    try self.init(text: TextFile.read(path, longest: Document.longest), file: path)
  }

  /// Reads the text of a campaign file; paths are relative to `file`.
  ///
  /// - Throws: `Failure` with all errors, or with the failure to read a referenced file.
  package init(text: String, file: String) throws(Failure) {
    let value: CheckedValue
    var checker: Checker
    do throws(DocumentError) {
      (value, checker) = try Document.read(
        text, file: file, as: CampaignKeys.campaign.section, named: "the campaign", kind: .campaign)
    } catch {
      throw Failure(.badRig, [error])
    }
    var keys = CampaignKeys()
    CampaignKeys.campaign.read(value, into: &keys, &checker)
    guard checker.errors.isEmpty else {
      if let family = DocumentFamily(of: text), family != .campaign {
        throw Failure(.badRig, [family.wrongKindError(expected: "a campaign", file: file)])
      }
      throw Failure(.badRig, checker.findings)
    }
    var reader = CampaignReader(file: file, checker: checker)
    let dimensions = keys.vary.compactMap { reader.dimension($0) }
    let measures = keys.measure.compactMap { reader.measure($0, of: keys) }
    reader.checkColumns(keys)
    let subject = try reader.subject(keys, at: value.position)
    reader.checkLineBreaks(dimensions, measures, at: value.position)
    guard let subject, reader.checker.errors.isEmpty else {
      throw Failure(.badRig, reader.checker.findings)
    }
    self.init(file: file, subject: subject)
    (name, seed, seeds, worst) = (keys.name.visible, UInt64(keys.seed), keys.seeds, keys.worst)
    (shardLength, timeout) = (keys.shard, keys.timeout)
    (self.dimensions, self.measures) = (dimensions, measures)
    let combinations = dimensions.reduce(1.0) { $0 * Double($1.enumerated?.count ?? 1) }
    guard combinations <= Double(Self.mostRuns) else {
      throw Failure(.badRig, "\(file): vary: more than \(Self.mostRuns) combinations of values")
    }
    runs = keys.runs ?? self.combinations
    guard runs >= self.combinations else {
      throw Failure(
        .badRig,
        [
          DocumentError(
            file: file, position: value["runs"]?.position ?? value.position,
            message: "'runs' is \(runs), but 'values' have \(self.combinations) combinations")
        ])
    }
    try checkSize()
    try identify(text, files: keys.files)
    try check()
  }

  /// Checks the number of shards and the names of the columns.
  private func checkSize() throws(Failure) {
    guard shards <= Self.mostShards else {
      throw Failure(
        .badRig,
        "\(file): the campaign has \(shards) shards, more than \(Self.mostShards); increase 'shard'"
      )
    }
    let names = columns.map { $0.lowercased() }
    if let twice = names.indices.first(where: { names[..<$0].contains(names[$0]) }) {
      throw Failure(.badRig, "\(file): two columns have the name '\(columns[twice])'")
    }
  }

  /// Sets the digest of everything that determines the rows, and the names of the files that do.
  private mutating func identify(_ text: String, files: [String]) throws(Failure) {
    var parts = ["aneroid \(Version.text)", text]
    switch subject {
    case .rig(let source), .program(_, let source):
      parts.append(source.text)
      if !source.isBuiltIn { namedFiles = try Rig(source).files }
    case .audit(let audit): namedFiles = audit.firmware.map { [$0] } ?? []
    }
    namedFiles += files.map { TextFile.resolve($0, relativeTo: file) }
    for file in valuedFiles where !namedFiles.contains(file) { namedFiles.append(file) }
    for file in namedFiles {
      parts.append(SHA256.digest(try TextFile.bytes(file)).map(Hexadecimal.digits).joined())
    }
    digest = SHA256.digits(parts.joined(separator: "\0"))
  }

  /// The files that only values of keys name, such as images or weather tables.
  private var valuedFiles: [String] {
    dimensions.flatMap { dimension -> [String] in
      let values =
        switch dimension.source {
        case .values(let values), .choice(let values): values
        case .uniform, .logarithmic, .integer, .normal: [DocumentValue]()
        }
      return values.flatMap { value -> [String] in
        switch subject {
        case .rig(let source), .program(_, let source):
          guard !source.isBuiltIn, let rig = try? Rig(source, changes: dimension.changes(to: value))
          else { return [] }
          return rig.files
        case .audit:
          guard dimension.address.text == "firmware", let image = value.text else { return [] }
          return [TextFile.resolve(image, relativeTo: file)].filter(TextFile.exists)
        }
      }
    }
  }

  /// Reads the rig, and then the rig with each enumerated value and with the first random ones, so that an error in a value
  /// is reported before the first run.
  private func check() throws(Failure) {
    guard case .rig(let source) = subject else {
      if case .program(_, let source) = subject { try check(source) }
      return
    }
    let rig = try Rig(source)
    guard rig.pipeline != nil || rig.firmware != nil else {
      throw Failure(
        .badRig, "\(source.file): the rig has neither 'pipeline' nor 'firmware' to run",
        "\(file): add 'program: [python3, reader.py]' to run a program on its buses")
    }
    guard rig.clock == .virtual, rig.duration != nil || rig.firmware != nil else {
      throw Failure(
        .badRig, "\(source.file): a campaign needs a rig in virtual time that has a duration")
    }
    try check(source)
  }

  private func check(_ source: RigSource) throws(Failure) {
    _ = try Rig(source)
    var findings: [Finding] = []
    let first = values(of: 0)
    for (index, dimension) in dimensions.enumerated() {
      for value in dimension.enumerated ?? [first[index]] {
        // Values of other keys may be needed for this one to be valid.
        var values = first
        values[index] = value
        do throws(Failure) {
          _ = try Rig(source, changes: zip(dimensions, values).flatMap { $0.changes(to: $1) })
        } catch {
          let place = dimension.enumerated == nil ? dimension.position : value.position
          // Errors that follow from the first one have other positions.
          let own = error.findings.first {
            $0.location?.line == value.position.line && $0.location?.column == value.position.column
          }
          let message = (own ?? error.findings.first).map(\.message) ?? error.description
          findings.append(
            DocumentError(
              file: file, position: place,
              message: "\(dimension.address.text)=\(value.yaml.clipped): \(message)"))
        }
      }
      // The other keys would only repeat the error.
      if !findings.isEmpty { break }
    }
    guard findings.isEmpty else { throw Failure(.badRig, findings) }
  }
}

/// The keys of a campaign file, as written.
struct CampaignKeys: Sendable {
  var name = ""
  var rig: String?
  var program: [String]?
  var audit: AuditKeys?
  var files: [String] = []
  var runs: Int?
  var seed = 0
  var seeds = Campaign.Seeds.each
  var vary: [DimensionKeys] = []
  var measure: [MeasureKeys] = []
  var worst = 5
  var shard: Int?
  var timeout: UInt64 = 60_000_000_000

  /// The keys of the audit.
  struct AuditKeys: Sendable {
    var program: [String]?
    var firmware: String?
    var options: DocumentValue?

    static let keys = KeyGroup(
      "An audit of a program or of firmware, as by 'aneroid audit'.", AuditKeys(),
      needing: ["program", "firmware"],
      example: "{program: [python3, station.py], options: {random: 20}}"
    ) {
      [
        Key("program", \.program, .texts, "the program and its arguments", absent: "none")
          .example("[python3, station.py]"),
        Key("firmware", \.firmware, .path, "instead of a program: an image", absent: "none")
          .example("sensor.elf"),
        Key(
          "options", \.options, .anything,
          "options of 'aneroid audit', without dashes; 'true' for one without a value",
          absent: "none"
        ).example("{random: 20, part: sht4x}"),
      ]
    }
  }

  /// The keys of an entry of `vary`.
  struct DimensionKeys: Sendable {
    var key: [String] = []
    var values: [DocumentValue]?, choice: [DocumentValue]?
    var uniform: PairKeys?, logarithmic: PairKeys?, integer: PairKeys?
    var normal: NormalKeys?
    var position = Position(line: 1, column: 1)

    static let keys = KeyGroup(
      "A key and the values that it has in different runs.", DimensionKeys(),
      needing: ["values", "choice", "uniform", "logarithmic", "integer", "normal"],
      example: "{key: environment.constant.temperature, uniform: {from: -20C, to: 40C}}"
    ) {
      [
        .required(
          "key", \.key,
          KeyFormat(.either([.text, .list(.text)]), text: { _ in nil }) {
            $0.text.map { [$0] } ?? $0.list.compactMap(\.text)
          },
          "the address of a key in the rig, with indices from 0, or of several keys with the same value; for an audit "
            + "'program', 'firmware' or an option"
        ).example("buses[0].devices[0].offset.pressure"),
        Key(
          "values", \.values, .list(.anything),
          "values that are all used, in all combinations with those of other keys", absent: nil
        ).example("[0C, 20C, 40C]"),
        Key("choice", \.choice, .list(.anything), "values of which each run draws one", absent: nil)
          .example("[typical, maximum]"),
        Key(
          "uniform", \.uniform, .group(PairKeys.keys), "each run draws a number between two limits",
          absent: nil),
        Key(
          "logarithmic", \.logarithmic, .group(PairKeys.keys),
          "each run draws a number between two positive limits, each power of ten equally often",
          absent: nil),
        Key(
          "integer", \.integer, .group(PairKeys.keys),
          "each run draws a whole number between two limits, both included", absent: nil),
        Key(
          "normal", \.normal, .group(NormalKeys.keys),
          "each run draws a normally distributed number", absent: nil),
      ]
    }
  }

  /// Two limits.
  struct PairKeys: Sendable {
    var from = "", to = ""

    static let keys = KeyGroup(
      "Two limits, with the same unit.", PairKeys(), example: "{from: -20C, to: 40C}"
    ) {
      [
        .required("from", \.from, .text, "the lower limit").example("-20C"),
        .required("to", \.to, .text, "the upper limit").example("40C"),
      ]
    }
  }

  /// A mean and a standard deviation.
  struct NormalKeys: Sendable {
    var mean = "", deviation = ""

    static let keys = KeyGroup(
      "The parameters of a normal distribution, with the same unit.", NormalKeys(),
      example: "{mean: 0hPa, deviation: 0.5hPa}"
    ) {
      [
        .required("mean", \.mean, .text, "the mean").example("0hPa"),
        .required("deviation", \.deviation, .text, "the standard deviation").example("0.5hPa"),
      ]
    }
  }

  /// The keys of an entry of `measure`.
  struct MeasureKeys: Sendable {
    var measure = Measure()
    var conditions: DocumentValue?
    var hasStatistic = false
    var position = Position(line: 1, column: 1)

    static let keys = KeyGroup(
      "A number that is measured in each run.", MeasureKeys(),
      needing: ["event", "error", "output"],
      example: "{name: readings, event: reading, take: count}"
    ) {
      [
        .required("name", \.measure.name, .text, "the name of the column").example("readings"),
        Key(
          "event", \.measure.event, .text,
          "the kind of an event, as in the output of 'aneroid run --format jsonl'", absent: "none"
        ).example("reading"),
        Key(
          "field", \.measure.field, .text,
          "with 'event': the field that has the number; not needed with 'take: count'",
          absent: "none"
        ).example("pressure_pa"),
        Key(
          "where", \.conditions, .anything, "with 'event': values that fields must have",
          absent: "none"
        ).example("{bus: 1}"),
        Key(
          "error", \.measure.error,
          KeyFormat(.word(Quantity.allCases.map(\.rawValue)), text: { $0 }) { $0.text },
          "the largest difference of a reading from the ambient air, in C, Pa or %", absent: "none"
        ).example("pressure"),
        Key(
          "output", \.measure.output, .text,
          "a regular expression; its first group is a number that the program or firmware prints",
          absent: "none"
        ).example("'T=([-0-9.]+)'"),
        Key(
          "take", KeyFormat<Measure.Statistic>.choice, "which of the numbers of a run counts",
          absent: "last; with 'error': maximum"
        ) {
          $0.measure.statistic = $1
          $0.hasStatistic = true
        },
        Key("worst", \.measure.worst, .choice, "which values the list of worst runs has"),
      ]
    }
  }

  /// The keys of the file.
  static let campaign = KeyGroup(
    "Many runs of a rig, of a program on it, or of an audit, each with other values of some keys.",
    CampaignKeys(), needing: ["rig", "audit"]
  ) {
    [
      .required("name", \.name, .text, "a short name for reports").example("drawn parts"),
      Key(
        "rig", \.rig, .path,
        "the rig that each run executes: a file, or a built-in name", absent: "none"
      ).example("weather-station"),
      Key(
        "program", \.program, .texts,
        "with 'rig': a program that runs on its buses in virtual time instead of its pipeline",
        absent: "none"
      ).example("[python3, station.py]"),
      Key("audit", \.audit, .group(AuditKeys.keys), "instead of a rig: an audit", absent: "none"),
      Key(
        "files", \.files,
        KeyFormat(.list(.path), text: { _ in nil }) { $0.list.compactMap(\.text) },
        "the files of the program, which results depend on and other machines get",
        default: .text("none")
      ).example("[station.py]"),
      Key(
        "runs", \.runs, .integer(1...Campaign.mostRuns), "the number of runs",
        absent: "the number of combinations of 'values'"
      ).example("1000"),
      Key("seed", \.seed, .integer(0...Int.max), "the seed from which all others are derived"),
      Key("seeds", \.seeds, .choice, "whether each run has its own seed, or all the same"),
      Key(
        "vary", \.vary,
        .list(.group(DimensionKeys.keys).positioned { $0.position = $1 }),
        "the keys that differ between runs", default: .text("none, only the seed")),
      Key(
        "measure", \.measure, .list(.group(MeasureKeys.keys).positioned { $0.position = $1 }),
        "the numbers to measure", default: .text("none; for an audit, the number of each verdict")),
      Key("worst", \.worst, .integer(0...1000), "the number of worst runs to list for a measure"),
      Key(
        "shard", \.shard, .integer(1...1_000_000), "the number of runs in a shard",
        absent: "1/32 of the runs, at most 1000"
      ).example("100"),
      Key(
        "timeout", \.timeout, .duration, "the limit for the real time of one program or audit"),
    ]
  }
}

extension Campaign {
  /// The reference of the keys of a campaign file, in Markdown.
  package static var reference: String {
    let head = [
      "# Campaign files: every key", "",
      "All keys of a campaign file, generated from the schema that checks it.", "", "## Overview",
      "",
      "<doc:PastOneMachine> explains them. `aneroid campaign reference` prints this page, `aneroid campaign schema` the same as",
      "JSON Schema.", "",
    ]
    let reference = KeyReference(
      root: "A campaign", example: { _, _ in nil }, file: { _, _ in nil })
    return (head + reference.lines(CampaignKeys.campaign.section)).joined(separator: "\n") + "\n"
  }

  /// The JSON Schema of a campaign file.
  package static var schema: String {
    JSONSchema.document(
      of: CampaignKeys.campaign.section, heading: "A campaign",
      identifier: "urn:aneroid:campaign-schema",
      title: "Aneroid campaign", example: { _, _ in nil })
  }
}

/// Makes the checks of a campaign file that its keys cannot express.
struct CampaignReader {
  let file: String
  var checker: Checker

  /// Returns what each run executes; `nil`, with the errors noted, if it is invalid.
  mutating func subject(
    _ keys: CampaignKeys, at position: Position
  ) throws(Failure) -> Campaign.Subject? {
    guard let path = keys.rig else {
      guard let audit = keys.audit else { return nil }
      if keys.program != nil { checker.note("'program' needs 'rig'", at: position) }
      return self.audit(audit, at: position).map(Campaign.Subject.audit)
    }
    guard keys.audit == nil else {
      checker.note("'rig' and 'audit' cannot be combined", at: position)
      return nil
    }
    let own = TextFile.resolve(path, relativeTo: file)
    // A path that does not exist is not searched in the working directory.
    let isName = !TextFile.exists(own) && !path.contains("/") && !path.contains(".")
    var source = try RigSource(path: isName ? path : own)
    try source.parse()
    return keys.program.map { .program($0, source) } ?? .rig(source)
  }

  private mutating func audit(
    _ keys: CampaignKeys.AuditKeys, at position: Position
  ) -> AuditSubject? {
    guard (keys.program == nil) != (keys.firmware == nil) else {
      checker.note("audit: one of 'program' and 'firmware' is needed", at: position)
      return nil
    }
    var subject = AuditSubject()
    subject.program = keys.program ?? []
    subject.firmware = keys.firmware.map { TextFile.resolve($0, relativeTo: file) }
    guard let options = keys.options else { return subject }
    guard let entries = options.entries else {
      checker.note("options must be a group of keys", at: options.position)
      return nil
    }
    for (name, value) in entries {
      do throws(KeyAddress.FormatError) {
        guard !Self.ownOptions.contains(name) else {
          throw KeyAddress.FormatError(message: "the campaign sets --\(name) itself")
        }
        try subject.set(name, to: value)
      } catch {
        checker.note("options: \(error.message)", at: value.position)
      }
    }
    return subject
  }

  /// The options of an audit that a campaign sets itself or that would change what it prints.
  private static let ownOptions = [
    "seed", "format", "jobs", "list", "show", "page", "junit", "markdown", "traces", "baseline",
    "start-baseline",
  ]

  /// Returns a dimension; `nil`, with the errors noted, if it is invalid.
  mutating func dimension(_ keys: CampaignKeys.DimensionKeys) -> Dimension? {
    do throws(KeyAddress.FormatError) {
      var addresses: [KeyAddress] = []
      for key in keys.key { addresses.append(try KeyAddress(key)) }
      var sources: [Dimension.Source] = []
      if let values = keys.values { sources.append(.values(values)) }
      if let values = keys.choice { sources.append(.choice(values)) }
      if let pair = keys.uniform { sources.append(.uniform(try limits(pair))) }
      if let pair = keys.integer { sources.append(.integer(try whole(limits(pair)))) }
      if let pair = keys.logarithmic { sources.append(.logarithmic(try positive(limits(pair)))) }
      if let normal = keys.normal {
        let pair = try Self.pair(normal.mean, normal.deviation)
        guard pair.to >= 0 else {
          throw KeyAddress.FormatError(message: "a standard deviation is not negative")
        }
        sources.append(.normal(pair))
      }
      guard sources.count == 1 else {
        throw KeyAddress.FormatError(
          message: "only one of values, choice, uniform, logarithmic, integer and normal is allowed"
        )
      }
      return Dimension(addresses: addresses, source: sources[0], position: keys.position)
    } catch {
      checker.note("vary: \(error.message)", at: keys.position)
      return nil
    }
  }

  private func limits(
    _ keys: CampaignKeys.PairKeys
  ) throws(KeyAddress.FormatError) -> Dimension.Limits {
    let pair = try Self.pair(keys.from, keys.to)
    guard pair.from <= pair.to else {
      throw KeyAddress.FormatError(
        message: "'from' is \(keys.from), which is above 'to', \(keys.to)")
    }
    return pair
  }

  private func positive(
    _ pair: Dimension.Limits
  ) throws(KeyAddress.FormatError) -> Dimension.Limits {
    guard pair.from > 0 else {
      throw KeyAddress.FormatError(message: "logarithmic limits must be above 0")
    }
    return pair
  }

  private func whole(
    _ pair: Dimension.Limits
  ) throws(KeyAddress.FormatError) -> Dimension.Limits {
    guard Int(exactly: pair.from) != nil, Int(exactly: pair.to) != nil,
      max(abs(pair.from), abs(pair.to)) <= 0x1p53
    else { throw KeyAddress.FormatError(message: "the limits of 'integer' are whole numbers") }
    return pair
  }

  /// Parses two numbers with the same unit.
  private static func pair(
    _ from: String, _ to: String
  ) throws(KeyAddress.FormatError) -> Dimension.Limits {
    func parts(_ text: String) throws(KeyAddress.FormatError) -> NumberWithUnit {
      if let number = NumberWithUnit(text) { return number }
      throw KeyAddress.FormatError(
        message: "'\(text.clipped)' is not a number with a unit, such as -20C")
    }
    let (first, second) = (try parts(from), try parts(to))
    guard first.unit == second.unit else {
      throw KeyAddress.FormatError(message: "'\(from)' and '\(to)' have different units")
    }
    return Dimension.Limits(from: first.number, to: second.number, unit: first.unit)
  }

  /// Checks that no value and no name has a line break, because the rows are lines.
  mutating func checkLineBreaks(
    _ dimensions: [Dimension], _ measures: [Measure], at position: Position
  ) {
    for dimension in dimensions where dimension.hasLineBreak {
      checker.note(
        "vary: a value of '\(dimension.address.text)' has a line break, which the rows cannot have",
        at: dimension.position)
    }
    for measure in measures where measure.name.contains(where: \.isNewline) {
      checker.note("measure: a name must not have a line break", at: position)
    }
  }

  /// Checks that each column has a name of its own; SQLite does not distinguish capital letters.
  mutating func checkColumns(_ keys: CampaignKeys) {
    var names: Set = ["run", "outcome", "message"]
    func note(_ name: String, _ position: Position) {
      checker.note("'\(name.clipped)' is already the name of a column", at: position)
    }
    for entry in keys.vary {
      for (index, name) in entry.key.enumerated() {
        let isNew = names.insert(name.lowercased()).inserted
        if !isNew, index == 0 || entry.key.prefix(index).contains(name) {
          note(name, entry.position)
        }
      }
    }
    names.insert("seed")
    for entry in keys.measure where !names.insert(entry.measure.name.lowercased()).inserted {
      note(entry.measure.name, entry.position)
    }
  }

  /// Returns a measure; `nil`, with the errors noted, if it is invalid.
  mutating func measure(_ keys: CampaignKeys.MeasureKeys, of file: CampaignKeys) -> Measure? {
    var measure = keys.measure
    func note(_ message: String) -> Measure? {
      checker.note("measure: \(message)", at: keys.position)
      return nil
    }
    let sources = [measure.event, measure.error, measure.output].compactMap(\.self)
    guard sources.count == 1 else {
      return note("only one of event, error and output is allowed")
    }
    if let event = measure.event {
      let kinds = Self.kinds
      guard kinds.contains(event) else {
        return note("unknown event '\(event.clipped)'" + NearestWord.hint(event, among: kinds))
      }
      if file.audit == nil, let message = Self.fieldError(measure) { return note(message) }
    }
    if measure.error != nil {
      guard file.rig != nil, file.program == nil else {
        return note("'error' needs a rig with a pipeline; the values of a program are its 'output'")
      }
      if !keys.hasStatistic { measure.statistic = .maximum }
    }
    if let output = measure.output {
      guard let pattern = try? Regex(output) else {
        return note("'\(output.clipped)' is not a regular expression")
      }
      // The empty text tells the number of groups, because every alternative has them.
      let groups = "".firstMatch(of: (try? Regex("(?:\(output))?")) ?? pattern)?.output.count ?? 0
      guard groups > 1 else {
        return note("'\(output.clipped)' has no group around the number, such as 'T=([-0-9.]+)'")
      }
    }
    if let event = measure.event, file.program != nil, Self.pipelineKinds.contains(event) {
      return note("'\(event)' is an event of a pipeline; the values of a program are its 'output'")
    }
    guard file.audit == nil else { return note("an audit always measures its verdicts") }
    guard let conditions = keys.conditions else { return measure }
    guard measure.event != nil, let entries = conditions.entries,
      entries.allSatisfy({ $0.value.text != nil })
    else { return note("'where' needs 'event', and is a group of fields with their values") }
    measure.conditions = entries.map { ($0.name, $0.value.text ?? "") }
    return measure
  }
}
