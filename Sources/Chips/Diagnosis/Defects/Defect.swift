package import BME280Model

/// A named defect, which is a change to an otherwise correct program.
package struct Defect: Hashable, Sendable, CustomStringConvertible {
  package enum Change: Sendable {
    /// A change of the decoding of bytes.
    case decoding(@Sendable (inout Decoding) -> Void)
    /// A change of the bus protocol.
    case bus(@Sendable (inout BusBehavior) -> Void)
  }

  package let classID: String
  /// The name, which is unique within the class.
  package let name: String
  /// The formula in which the defect can occur; `nil` if it can occur in any.
  package let formula: Formula.Kind?
  package let change: Change

  /// The id of the class and the name, such as `B06 low-byte-signed`.
  package var title: String { "\(classID) \(name)" }
  package var description: String { title }
  package var defectClass: DefectClass? { DefectClass.named(classID) }

  /// `true` if two defects are the same.
  package static func == (one: Defect, other: Defect) -> Bool { one.title == other.title }
  /// Hashes the title.
  package func hash(into hasher: inout Hasher) { hasher.combine(title) }

  /// `true` for a built-in correction, which is a constant that the program adds to its values.
  ///
  /// The amount may have any value, so it is computed from the differences between displayed and correct values, not
  /// found by trial.
  package var isFitted: Bool { classID == "B49" }

  /// The quantities that the defect can change.
  package var reach: QuantitySet {
    guard case .decoding(let change) = change else { return [] }
    var decoding = Decoding()
    change(&decoding)
    return decoding.reach
  }

  /// `true` if the defect changes the decoding, `false` if it changes the bus protocol.
  package var isDecoding: Bool {
    if case .decoding = change { true } else { false }
  }

  package static func decoding(
    _ id: String, _ name: String, in formula: Formula.Kind? = nil,
    _ change: @escaping @Sendable (inout Decoding) -> Void
  ) -> Defect {
    Defect(classID: id, name: name, formula: formula, change: .decoding(change))
  }

  package static func bus(
    _ id: String, _ name: String, _ change: @escaping @Sendable (inout BusBehavior) -> Void
  ) -> Defect {
    Defect(classID: id, name: name, formula: nil, change: .bus(change))
  }

  /// The classes that concern the bus protocol, not only the decoding.
  package static let classesOnTheBus: Set<String> = Set(DefectClass.all.map(\.id)).subtracting(
    decodings.map(\.classID)
  ).union(busDefects.map(\.classID)).subtracting(["B34"])

  /// The classes that are always detected from the program's transfers, whatever the part does.
  ///
  /// If one is not detected, the program does not have it.
  package static let classesAlwaysDetected: Set<String> = ["B30", "B33", "B45"]

  /// All defects, in the order of their classes.
  package static let all = decodings + busDefects
}

extension Defect {
  /// The defects in the decoding of bytes.
  package static let decodings: [Defect] = [
    .decoding("B01", "h5-nibbles-reversed") { $0.words.nibbles = .h5Reversed },
    .decoding("B01", "h5-not-shifted") { $0.words.nibbles = .h5Unshifted },
    .decoding("B01", "h5-low-nibble-lost") { $0.words.nibbles = .h5LowLost },
    .decoding("B01", "h5-low-nibble-shifted-away") { $0.words.nibbles = .h5LowShiftedAway },
    .decoding("B01", "h5-high-byte-first") { $0.words.nibbles = .h5AsH4 },
    .decoding("B02", "h4-h5-nibbles-exchanged") { $0.words.nibbles = .exchanged },
    .decoding("B03", "h4-h5-not-sign-extended") { $0.words.extendsNibbles = false },
    .decoding("B04", "humidity-block-late") { $0.words.readsUpperLater = true },
    .decoding("B05", "h1-from-0xa0") { $0.words.readsH1Before = true },
    .decoding("B05", "h1-from-0x9f") { $0.words.readsH1FromP9 = true },
    .decoding("B06", "words-unsigned") { $0.words.signs = .none },
    .decoding("B06", "words-signed") { $0.words.signs = .all },
    .decoding("B06", "h3-signed") { $0.words.signs = .wrong(.h(3)) },
    .decoding("B06", "t3-unsigned") { $0.words.signs = .wrong(.t(3)) },
    .decoding("B06", "p2-unsigned") { $0.words.signs = .wrong(.p(2)) },
    .decoding("B06", "p5-unsigned") { $0.words.signs = .wrong(.p(5)) },
    .decoding("B06", "p8-unsigned") { $0.words.signs = .wrong(.p(8)) },
    .decoding("B06", "p2-to-p9-unsigned") { $0.words.signs = .noneOfP },
    .decoding("B06", "p9-unsigned") { $0.words.signs = .wrong(.p(9)) },
    .decoding("B06", "h6-unsigned") { $0.words.signs = .wrong(.h(6)) },
    .decoding("B06", "low-byte-signed") { $0.words.merge = .lowByteSigned },
    .decoding("B07", "words-big-endian") { $0.words.merge = .bigEndian },
    .decoding("B07", "raw-little-endian") { $0.raw.layout = .littleEndian },
    .decoding("B07", "pressure-bytes-exchanged") { $0.raw.swapsPressureBytes = true },
    .decoding("B08", "low-byte-only") { $0.words.merge = .lowByteOnly },
    .decoding("B10", "pressure-block-from-0x8d") { $0.words.pressureOffset = -1 },
    .decoding("B10", "register-pointer-lost") { $0.words.ignoresPointer = true },
    .decoding("B11", "temperature-unsigned") { $0.formula.isTemperatureUnsigned = true },
    .decoding("B12", "humidity-not-limited") { $0.formula.clampsHumidity = false },
    .decoding("B13", "fine-temperature-stale") { $0.fine = .previous },
    .decoding("B13", "fine-temperature-zero") { $0.fine = .zero },
    .decoding("B13", "fine-temperature-of-the-first") { $0.fine = .first },
    .decoding("B14", "q24.8-not-scaled", in: .int64) { $0.scale = .unscaled },
    .decoding("B14", "pa-as-hpa") { $0.scale = .pascalsAsHectopascals },
    .decoding("B14", "pa-as-0.01-pa") { $0.scale = .hundredth },
    .decoding("B14", "0.01-pa-divided-by-256") { $0.scale = .hundredthsDividedBy256 },
    .decoding("B14", "q24.8-divided-by-100") { $0.scale = .dividedBy100 },
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
    .decoding("B19", "pressure-from-raw-temperature") {
      $0.raw.takesTemperatureForPressure = true
    },
    .decoding("B19", "fine-temperature-from-raw-pressure") { $0.fine = .fromPressure },
    .decoding("B19", "p6-for-p5") { $0.words.takesP6ForP5 = true },
    .decoding("B20", "cut-to-range") { $0.formula.clampsToRange = true },
    .decoding("B28", "skip-code-as-nothing") { $0.raw.skipCode = .nothing },
    .decoding("B28", "skip-code-as-zero") { $0.raw.skipCode = .zero },
    .decoding("B34", "dummy-byte-kept") { $0.raw.layout = .oneLater },
    .decoding("B38", "humidity-by-1000") { $0.humidityFactor = 1.024 },
    .decoding("B38", "humidity-a-tenth") { $0.humidityFactor = 0.1 },
    .decoding("B39", "534288-for-524288", in: .double) { $0.formula.typo = .sensitivity },
    .decoding("B39", "4086-for-4096", in: .double) { $0.formula.typo = .divisor },
    .decoding("B39", "12800-for-128000", in: .int64) { $0.formula.typo = .reference },
    .decoding("B40", "t2-shifted-first") { $0.formula.shiftsBeforeMultiplying = true },
    .decoding("B40", "p2-shifted-down", in: .int64) { $0.formula.shiftsP2Down = true },
    .decoding("B41", "xlsb-low-half") { $0.raw.lowest = .lowHalf },
    .decoding("B41", "xlsb-exchanged") { $0.raw.lowest = .exchanged },
    .decoding("B41", "xlsb-not-shifted") { $0.raw.lowest = .unshifted },
    .decoding("B41", "xlsb-from-msb") { $0.raw.lowest = .fromFirst },
    .decoding("B41", "raw-not-shifted") { $0.raw.keepsLowestZeros = true },
    .decoding("B42", "or-for-and") { $0.words.nibbles = .orForAnd },
    .decoding("B42", "or-for-and-in-h4") { $0.words.nibbles = .orForAndInH4 },
    .decoding("B43", "h5-in-eight-bits") { $0.words.nibbles = .h5InEightBits },
    .decoding("B48", "limit-as-error") { $0.takesLimitForError = true },
    .decoding("B49", "built-in-correction") { $0.temperatureOffset = -1.3 },
    .decoding("B50", "one-measurement-late") { $0.isOneLate = true },
    .decoding("B51", "h3-applied-twice", in: .double) { $0.formula.appliesH3Twice = true },
    .decoding("B52", "temperature-overwritten") { $0.formula.overwritesTemperature = true },
    .decoding("B53", "fahrenheit-as-celsius") { $0.showsFahrenheit = true },
    .decoding("B54", "mean-of-5") { $0.averaged = 5 },
    .decoding("B54", "mean-of-10") { $0.averaged = 10 },
    .decoding("B57", "calibration-late") { $0.early = .all },
    .decoding("B57", "pressure-calibration-late") { $0.early = .pressure },
    .decoding("B58", "pressure-words-from-temperature-reply") {
      $0.words.reply = .temperatureForPressure
    },
    .decoding("B58", "temperature-words-from-pressure-reply") {
      $0.words.reply = .pressureForTemperature
    },
    .decoding("B59", "mean-of-fewer-divided-by-5") {
      $0.averaged = 5
      $0.dividesByWanted = true
    },
    .decoding("B70", "result-bytes-signed") { $0.raw.bytes = .signedJoined },
    .decoding("B70", "result-bytes-signed-and-added") { $0.raw.bytes = .signedAdded },
    // This defect nearly always produces a value at a limit, for which the first defect that produces it is reported;
    // so it comes last.
    .decoding("B01", "h5-nibble-up-by-12") { $0.words.nibbles = .h5UpByTwelve },
  ]

  /// The defects that are only tried alone, not combined with others: those in words whose sign matters on hardly any
  /// part, and those that matter only far from 25 C.
  package static let lone: [Defect] =
    [3, 4, 6, 7].map { number in
      .decoding("B06", "p\(number)-unsigned") { $0.words.signs = .wrong(.p(number)) }
    } + [
      .decoding("B06", "t1-signed") { $0.words.signs = .wrong(.t(1)) },
      .decoding("B06", "p1-signed") { $0.words.signs = .wrong(.p(1)) },
      .decoding("B06", "h2-unsigned") { $0.words.signs = .wrong(.h(2)) },
      .decoding("B18", "square-in-32-bits", in: .int64) { $0.formula.squaresIn32Bits = true },
    ]

  /// The defects in the bus protocol.
  package static let busDefects: [Defect] = [
    .bus("B09", "calibration-before-copy") { $0.waitsForCopy = false },
    .bus("B21", "ctrl-hum-last") { $0.writesHumidityControlLast = true },
    .bus("B22", "config-in-normal-mode") { $0.configuresInNormalMode = true },
    .bus("B23", "rewritten-while-measuring") { $0.rewritesWhileMeasuring = true },
    .bus("B24", "no-wait") { $0.wait = .none },
    .bus("B25", "polled-at-once") { $0.wait = .polling },
    .bus("B26", "wait-too-short") { $0.wait = .short },
    .bus("B27", "triggered-once") { $0.triggersOnce = true },
    .bus("B29", "pressure-skipped") { $0.skipsPressure = true },
    .bus("B29", "humidity-skipped") { $0.skipsHumidity = true },
    .bus("B30", "split-reads") { $0.splitsReads = true },
    .bus("B32", "bmp280-as-bme280") { $0.takesAnyChip = true },
    .bus("B33", "block-write") { $0.writesBlocks = true },
    .bus("B34", "bit-7-cleared") { $0.clearsBit7 = true },
    .bus("B37", "power-loss-unnoticed") { $0.missesPowerLoss = true },
    .bus("B44", "config-bits-shifted") { $0.shiftsConfiguration = true },
    .bus("B45", "ctrl-hum-into-ctrl-meas") { $0.writesHumidityControlElsewhere = true },
  ]
}

/// The bus protocol of a program, which is correct unless a defect is applied.
package struct BusBehavior: Hashable {
  /// The wait for a measurement.
  package enum Wait: Hashable {
    /// The program waits for the datasheet's maximum time.
    case right
    /// The program does not wait.
    case none
    /// The program polls until `measuring` is 0, which it still is immediately after the trigger.
    case polling
    /// The program waits for the maximum time of temperature and pressure, without the time of humidity.
    case short
  }

  package var waitsForCopy = true
  package var writesHumidityControlLast = false
  package var configuresInNormalMode = false
  package var rewritesWhileMeasuring = false
  package var wait = Wait.right
  package var triggersOnce = false
  package var skipsPressure = false
  package var skipsHumidity = false
  package var splitsReads = false
  package var takesAnyChip = false
  package var writesBlocks = false
  package var clearsBit7 = false
  package var missesPowerLoss = false
  package var shiftsConfiguration = false
  package var writesHumidityControlElsewhere = false

  /// `true` if the defect only has an effect in normal mode, so the program uses that mode.
  package var usesNormalMode: Bool { configuresInNormalMode || splitsReads }
}
