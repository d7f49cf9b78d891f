/// One named defect: a change in an otherwise right program.
public struct Defect: Hashable, Sendable, CustomStringConvertible {
  /// What it changes.
  enum Change: Sendable {
    /// The way from bytes to values.
    case decoding(@Sendable (inout Decoding) -> Void)
    /// What is done on the bus.
    case conduct(@Sendable (inout Conduct) -> Void)
  }

  /// The id of its class.
  public let classID: String
  /// Its name within the class; defects of one class differ by it.
  public let name: String
  /// In which formula it can be; any where nothing.
  let formula: Formula.Kind?
  let change: Change

  /// The id and the name: `B06 low-byte-signed`.
  public var title: String { "\(classID) \(name)" }
  /// The title.
  public var description: String { title }
  /// The class.
  public var defectClass: DefectClass? { DefectClass.named(classID) }

  /// Whether two defects are the same.
  public static func == (one: Defect, other: Defect) -> Bool { one.title == other.title }
  /// Feeds the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(title) }

  /// Whether it changes the way from bytes to values, and not what is done on the bus.
  var isDecoding: Bool {
    if case .decoding = change { true } else { false }
  }

  static func decoding(
    _ id: String, _ name: String, in formula: Formula.Kind? = nil,
    _ change: @escaping @Sendable (inout Decoding) -> Void
  ) -> Defect {
    Defect(classID: id, name: name, formula: formula, change: .decoding(change))
  }

  static func conduct(
    _ id: String, _ name: String, _ change: @escaping @Sendable (inout Conduct) -> Void
  ) -> Defect {
    Defect(classID: id, name: name, formula: nil, change: .conduct(change))
  }

  /// All defects, in the order of their classes.
  public static let all = decodings + conducts

  /// Defects on the way from bytes to values.
  static let decodings: [Defect] = [
    .decoding("B01", "h5-nibbles-reversed") { $0.words.nibbles = .h5Reversed },
    .decoding("B01", "h5-not-shifted") { $0.words.nibbles = .h5Unshifted },
    .decoding("B02", "h4-h5-nibbles-exchanged") { $0.words.nibbles = .exchanged },
    .decoding("B03", "h4-h5-not-sign-extended") { $0.words.extendsNibbles = false },
    .decoding("B04", "humidity-block-late") { $0.words.readsUpperLater = true },
    .decoding("B05", "h1-from-0xa0") { $0.words.readsH1Before = true },
    .decoding("B06", "words-unsigned") { $0.words.signs = .none },
    .decoding("B06", "words-signed") { $0.words.signs = .all },
    .decoding("B06", "low-byte-signed") { $0.words.merge = .lowByteSigned },
    .decoding("B07", "words-big-endian") { $0.words.merge = .bigEndian },
    .decoding("B07", "raw-little-endian") { $0.raw.layout = .littleEndian },
    .decoding("B08", "low-byte-only") { $0.words.merge = .lowByteOnly },
    .decoding("B10", "pressure-block-from-0x8d") { $0.words.pressureOffset = -1 },
    .decoding("B10", "register-pointer-lost") { $0.words.ignoresPointer = true },
    .decoding("B11", "temperature-unsigned") { $0.formula.isTemperatureUnsigned = true },
    .decoding("B12", "humidity-not-limited") { $0.formula.clampsHumidity = false },
    .decoding("B13", "fine-temperature-stale") { $0.fine = .previous },
    .decoding("B13", "fine-temperature-zero") { $0.fine = .zero },
    .decoding("B14", "q24.8-not-scaled", in: .int64) { $0.scale = .unscaled },
    .decoding("B14", "pa-as-hpa") { $0.scale = .pascalsAsHectopascals },
    .decoding("B14", "pa-as-0.01-pa") { $0.scale = .hundredth },
    .decoding("B15", "constant-16384.8", in: .double) { $0.formula.hasWrongConstant = true },
    .decoding("B16", "compared-not-shifted", in: .int64) {
      $0.formula.comparesInsteadOfShifting = true
    },
    .decoding("B16b", "t3-square-missing", in: .double) { $0.formula.lacksSquare = true },
    .decoding("B16b", "h5-sign-inverted", in: .double) { $0.formula.invertsH5 = true },
    .decoding("B17", "logical-shift") { $0.formula.shift = .logical },
    .decoding("B18", "upper-32-bits-lost", in: .int64) { $0.formula.losesUpperBits = true },
    .decoding("B19", "humidity-byte-twice") { $0.raw.repeatsHumidityByte = true },
    .decoding("B19", "p9-byte-twice") { $0.words.repeatsLastByte = true },
    .decoding("B19", "pressure-as-humidity") { $0.showsPressureAsHumidity = true },
    .decoding("B20", "cut-to-range") { $0.formula.clampsToRange = true },
    .decoding("B28", "skip-code-as-nothing") { $0.raw.takesSkipCodeForNothing = true },
    .decoding("B34", "dummy-byte-kept") { $0.raw.layout = .oneLater },
  ]

  /// Defects in what is done on the bus.
  static let conducts: [Defect] = [
    .conduct("B09", "calibration-before-copy") { $0.waitsForCopy = false },
    .conduct("B21", "ctrl-hum-last") { $0.writesHumidityControlLast = true },
    .conduct("B22", "config-in-normal-mode") { $0.configuresInNormalMode = true },
    .conduct("B23", "rewritten-while-measuring") { $0.rewritesWhileMeasuring = true },
    .conduct("B24", "no-wait") { $0.wait = .none },
    .conduct("B25", "polled-at-once") { $0.wait = .polling },
    .conduct("B26", "wait-too-short") { $0.wait = .short },
    .conduct("B27", "triggered-once") { $0.triggersOnce = true },
    .conduct("B29", "pressure-skipped") { $0.skipsPressure = true },
    .conduct("B30", "split-reads") { $0.splitsReads = true },
    .conduct("B32", "bmp280-as-bme280") { $0.takesAnyChip = true },
    .conduct("B33", "block-write") { $0.writesBlocks = true },
    .conduct("B34", "bit-7-cleared") { $0.clearsBit7 = true },
    .conduct("B37", "power-loss-unnoticed") { $0.missesPowerLoss = true },
  ]
}
