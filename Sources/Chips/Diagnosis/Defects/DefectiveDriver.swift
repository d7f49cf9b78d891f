import BME280
package import I2C

/// A program that reads a BME280, with or without defects.
///
/// The program uses an adapter and a clock as any driver does, so its transfers can be recorded. It computes the
/// displayed values from the bytes that it receives.
package struct DefectiveDriver {
  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private let address: I2CAddress
  private var behavior = BusBehavior()
  private var decoding = Decoding()

  private var registers = [UInt8?](repeating: nil, count: 256)
  private var measuresHumidity = true

  private static let controlHumidity: UInt8 = 1
  /// The oversampling bits of ctrl_meas: x1, or x16 if a defect concerns the lowest bits, which are 0 with x1.
  private var sampling: UInt8 = 0x24

  /// Creates a program.
  ///
  /// - Parameters:
  ///   - adapter: the bus.
  ///   - clock: the clock of the bus.
  ///   - address: the address of the part.
  ///   - formula: the formula.
  ///   - defects: the defects.
  package init(
    _ adapter: any I2CAdapter, _ clock: any I2CClock, address: I2CAddress = 0x76,
    formula: Formula.Kind, defects: [Defect]
  ) {
    self.adapter = adapter
    self.clock = clock
    self.address = address
    decoding.formula.kind = formula
    for defect in defects {
      switch defect.change {
      case .decoding(let change): change(&decoding)
      case .bus(let change): change(&behavior)
      }
    }
    if decoding.raw.lowest != .right || decoding.raw.keepsLowestZeros { sampling = 0xB4 }
  }

  /// Configures the part and measures.
  ///
  /// - Parameters:
  ///   - count: the number of measurements.
  ///   - interval: the interval between measurements, in nanoseconds.
  ///   - between: called with the index of each measurement before it starts.
  /// - Returns: the displayed values.
  /// - Throws: the error of a transfer.
  package mutating func run(
    count: Int, every interval: UInt64, between: (Int) -> Void = { _ in }
  ) throws(I2CError) -> [DisplayedReading] {
    try start()
    var data: [[UInt8]] = []
    for index in 0..<count {
      between(index)
      let begin = clock.nanoseconds
      data.append(try measure(isFirst: index == 0))
      let end = clock.nanoseconds
      if begin + interval > end { clock.wait(nanoseconds: begin + interval - end) }
    }
    return decoding.shown(registers, data)
  }

  private mutating func start() throws(I2CError) {
    let id = try read(Register.id, 1)[0]
    measuresHumidity = id == 0x60 || behavior.takesAnyChip
    try write(Register.reset, Register.resetCommand)
    if behavior.waitsForCopy {
      clock.wait(nanoseconds: 2_000_000)
      while try read(Register.status, 1)[0] & 1 == 1 { clock.wait(nanoseconds: 1_000_000) }
    }
    try calibrate()
    clock.wait(nanoseconds: 3_000_000)
    try setUp()
  }

  /// Reads the registers from which the program decodes the calibration words.
  private mutating func calibrate() throws(I2CError) {
    let words = decoding.words
    if words.ignoresPointer {
      try keep(0x00, 26)
    } else if words.pressureOffset != 0 {
      try keep(0x88, 6)
      try keep(0x8E + words.pressureOffset, 18)
      if measuresHumidity { try keep(0xA1, 1) }
    } else if words.readsH1Before {
      try keep(0x88, 25)
    } else {
      try keep(0x88, measuresHumidity ? 26 : 24)
    }
    if measuresHumidity { try keep(0xE1, words.readsUpperLater ? 8 : 7) }
  }

  private mutating func keep(_ register: Int, _ count: Int) throws(I2CError) {
    for (index, byte) in try read(UInt8(register), count).enumerated() {
      registers[register + index] = byte
    }
  }

  private func setUp() throws(I2CError) {
    if behavior.writesBlocks {
      // The part interprets the third byte as a register address and the fourth as its value.
      try write([Register.controlHumidity, Self.controlHumidity, 0x00, control(mode: 0)])
    } else if behavior.writesHumidityControlElsewhere {
      try write(Register.controlMeasurement, Self.controlHumidity)
    } else if !behavior.writesHumidityControlLast, measuresHumidity, !behavior.skipsHumidity {
      try write(Register.controlHumidity, Self.controlHumidity)
    }
    // The standby time is shifted by 1 instead of 5, so it changes other fields.
    if behavior.shiftsConfiguration { try write(Register.configuration, 1 << 1) }
    if behavior.usesNormalMode {
      if !behavior.configuresInNormalMode { try write(Register.configuration, 0x00) }
      try write(Register.controlMeasurement, control(mode: 3))
      if behavior.configuresInNormalMode { try write(Register.configuration, 0x08) }
      clock.wait(nanoseconds: 30_000_000)
    } else if behavior.writesBlocks {
      try write(Register.controlMeasurement, control(mode: 1))
    }
  }

  private func control(mode: UInt8) -> UInt8 {
    (behavior.skipsPressure ? 0x20 : sampling) | mode
  }

  private func measure(
    isFirst: Bool, isRepeated: Bool = false
  ) throws(I2CError) -> [UInt8] {
    if !behavior.usesNormalMode, isFirst || !behavior.triggersOnce {
      try write(Register.controlMeasurement, control(mode: 1))
      if behavior.rewritesWhileMeasuring {
        try write(Register.controlMeasurement, control(mode: 1))
        try write(Register.controlMeasurement, control(mode: 1))
      }
      if behavior.writesHumidityControlLast, measuresHumidity, !behavior.skipsHumidity {
        try write(Register.controlHumidity, Self.controlHumidity)
      }
      try wait()
      // If the trigger was written twice, a second measurement follows.
      if behavior.rewritesWhileMeasuring { clock.wait(nanoseconds: 10_000_000) }
    }
    if !isRepeated, try hasLostPower() {
      try setUp()
      return try measure(isFirst: true, isRepeated: true)
    }
    return try data()
  }

  /// Returns `true` if the part has lost its settings.
  private func hasLostPower() throws(I2CError) -> Bool {
    guard measuresHumidity, !behavior.usesNormalMode, !behavior.missesPowerLoss,
      !behavior.writesHumidityControlLast, !behavior.writesHumidityControlElsewhere,
      !behavior.skipsHumidity
    else { return false }
    return try read(Register.controlHumidity, 1)[0] & 7 != Self.controlHumidity
  }

  private func wait() throws(I2CError) {
    let settings = ControlMeasurement(byte: sampling)
    func longest(_ humidity: Oversampling) -> UInt64 {
      MeasurementTime.maximum(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
    }
    switch behavior.wait {
    case .right: clock.wait(nanoseconds: longest(measuresHumidity ? .x1 : .skipped))
    case .none: break
    case .short: clock.wait(nanoseconds: longest(.skipped))
    case .polling:
      while try read(Register.status, 1)[0] & 8 != 0 { clock.wait(nanoseconds: 1_000_000) }
    }
  }

  private func data() throws(I2CError) -> [UInt8] {
    guard measuresHumidity else { return try read(Register.data, 6) + [0x80, 0x00] }
    guard behavior.splitsReads else { return try read(Register.data, 8) }
    // Reads temperature, pressure and humidity with delays in between, as a slow program does.
    let temperature = try read(0xFA, 3)
    clock.wait(nanoseconds: 15_000_000)
    let pressure = try read(Register.data, 3)
    clock.wait(nanoseconds: 15_000_000)
    return pressure + temperature + (try read(0xFD, 2))
  }

  private func write(_ register: UInt8, _ value: UInt8) throws(I2CError) {
    try write([register, value])
  }

  private func write(_ bytes: [UInt8]) throws(I2CError) {
    var bytes = bytes
    if behavior.clearsBit7 { bytes[0] &= 0x7F }
    try adapter.write(bytes.span, to: address)
  }

  private func read(_ register: UInt8, _ count: Int) throws(I2CError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    try adapter.readRegisters(from: register, count: count, into: &span, at: address)
    return bytes
  }
}
