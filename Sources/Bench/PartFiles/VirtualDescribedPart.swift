package import Environment
package import I2C
import Parts
import Quantities
package import VirtualI2C

/// A virtual part that behaves as a part file describes.
package final class VirtualDescribedPart: VirtualI2CDevice {
  package let address: I2CAddress
  package let air: any AirSource
  package let options: DescribedOptions
  let part: PartDescription
  let seed: UInt64
  private let firstPowerOn: UInt64

  /// What the part is doing; times are in nanoseconds since the start of the run.
  enum Phase: Hashable {
    /// It has no supply.
    case off
    /// It starts after power-on or a reset.
    case starting(until: UInt64)
    /// It does not answer, after a command.
    case busy(until: UInt64)
    /// It waits for an access.
    case idle
    /// It makes the measurement with this index, once.
    case measuring(Int, until: UInt64)
  }

  var phase: Phase
  /// The contents of the registers, without the values that they show.
  var registers: [UInt32]
  /// The contents of the registers when the current conversion began; what is written later has an effect on the next one.
  private var settings: [UInt32]
  /// The latest code of each value.
  var codes: [UInt32]
  /// The measurement that the next STOP starts; `nil` for none.
  var requested: Int?
  /// The measurement that repeats, and the time of its next result; `nil` if none repeats.
  private var repeating: (measurement: Int, next: UInt64)?
  /// The number of results so far, which selects the noise of the next.
  private var results: UInt64 = 0
  /// `true` if there is a result that has not been read.
  var hasNewResult = false
  private let serial: UInt64
  /// The charge used until `chargedUntil`, in µC, without that of repeated measurements.
  private var charge = 0.0
  private var chargedUntil: UInt64
  private var impairments = Impairments()
  private var heater: PartHeater?

  // The state of the bus interface.
  var written = 0
  var code: UInt16 = 0
  /// The command whose bytes are being written.
  var command: Int?
  /// `true` while bytes that are no command are being written to a part that ignores them.
  var isIgnoring = false
  /// The command whose response the next read returns.
  var answered: Int?
  var pointer: Int?
  /// The number of bytes of the register before the one that was addressed.
  var skipped = 0
  var word: UInt32 = 0
  var response: [UInt8] = []
  var nextByte = 0

  /// Creates a part that is powered on at `time`.
  package init(
    _ part: PartDescription, at address: I2CAddress, in air: any AirSource,
    options: DescribedOptions, seed: UInt64, poweredOnAt time: UInt64 = 0
  ) {
    (self.part, self.address, self.air, self.options) = (part, address, air, options)
    self.seed = seed
    firstPowerOn = time
    registers = part.registers.list.map(\.reset)
    for setting in options.leftSettings { part.registers.set(setting, in: &registers) }
    settings = registers
    codes = part.values.map(\.firstCode)
    var generator = SeededGenerator(seed: seed, stream: .max - 1)
    serial = options.serialNumber ?? generator.next()
    let start = part.startTime
    // A part with the settings of an earlier program has been running before.
    let pause =
      options.leftSettings.isEmpty
      ? options.timing.conversionTime(
        typical: start.typical, longest: start.maximum, seed: seed) : 0
    phase = .starting(until: time + pause)
    chargedUntil = time
    heater = part.heater.map { PartHeater(rise: $0.rise[0], timeConstant: $0.timeConstant) }
    response.reserveCapacity(64)
    measureSupply(isStart: true)
    restart(at: time + pause)
  }

  /// The duration of a pause of this part.
  func duration(of span: PartDescription.Span) -> UInt64 {
    options.timing.conversionTime(typical: span.typical, longest: span.maximum, seed: seed)
  }

  /// Switches the supply; without it the part loses its settings and results.
  package func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      phase = .off
      requested = nil
      heater?.set(false, at: time)
      repeating = nil
    } else if case .off = phase {
      for index in registers.indices { registers[index] = part.registers.list[index].reset }
      reset(at: time, busyFor: duration(of: part.startTime))
    }
  }

  /// Loads the defaults, as at power-on, except for the bits that a reset keeps.
  func reset(at time: UInt64, busyFor pause: UInt64) {
    for index in registers.indices {
      let register = part.registers.list[index]
      registers[index] = register.reset & ~register.kept | registers[index] & register.kept
    }
    for index in codes.indices { codes[index] = part.values[index].firstCode }
    hasNewResult = false
    response.removeAll(keepingCapacity: true)
    (command, answered, pointer) = (nil, nil, nil)
    phase = .starting(until: time + pause)
    requested = nil
    repeating = nil
    measureSupply(isStart: true)
    restart(at: time + pause)
  }

  // MARK: Fields

  func value(of field: Int) -> UInt32 { part.registers.value(of: field, in: registers) }

  func set(_ setting: PartDescription.Setting) { part.registers.set(setting, in: &registers) }

  func holds(_ conditions: [PartDescription.Condition]) -> Bool {
    part.registers.fulfil(conditions, in: registers)
  }

  func chosen<Element>(_ choice: PartDescription.Choice<Element>) -> Element {
    part.registers.selected(choice, in: registers)
  }

  /// Returns the element that the settings of the current conversion select.
  private func selected<Element>(_ choice: PartDescription.Choice<Element>) -> Element {
    part.registers.selected(choice, in: settings)
  }

  /// Fixes the settings of a conversion that begins.
  private func fixSettings() {
    for index in registers.indices { settings[index] = registers[index] }
  }

  // MARK: Time

  /// Makes every result that is due.
  func advance(to time: UInt64) {
    spend(until: time)
    switch phase {
    case .off: return
    case .starting(let until), .busy(let until): if until <= time { phase = .idle }
    case .measuring(let index, let until): if until <= time { finish(index, at: until) }
    case .idle: break
    }
    guard let due = repeating, due.next <= time else { return }
    let measurement = part.measurements[due.measurement]
    let period = max(part.period(of: measurement, in: registers) ?? 1, 1)
    // Only the last result can be read, so the others are only counted.
    let missed = (time - due.next) / period
    results += missed
    charge += chargeOfMeasurement(due.measurement) * Double(missed + 1)
    let last = due.next + missed * period
    repeating = (due.measurement, last + period)
    if missed > 0 { fixSettings() }
    convert(due.measurement, at: last)
    fixSettings()
  }

  /// Adds the charge of the current phase until a time.
  private func spend(until time: UInt64) {
    guard let idle = part.idleCurrent, time > chargedUntil else { return }
    var start = chargedUntil
    chargedUntil = time
    guard phase != .off else { return }
    if case .measuring(let index, let until) = phase, let current = part.measurements[index].current
    {
      let end = min(until, time)
      if end > start { charge += current * Double(end - start) / 1e9 }
      start = max(start, end)
    }
    charge += idle * Double(time - start) / 1e9
  }

  /// The charge of one repeated measurement beyond that of the idle part, in µC.
  private func chargeOfMeasurement(_ index: Int) -> Double {
    guard let idle = part.idleCurrent, let current = part.measurements[index].current else {
      return 0
    }
    return (current - idle) * Double(duration(of: index)) / 1e9
  }

  package func chargeUsed(at time: UInt64) -> Double? {
    guard part.idleCurrent != nil else { return nil }
    advance(to: time)
    return charge
  }

  /// Starts or stops the heater and the repeated measurement, according to the fields.
  ///
  /// - Parameters:
  ///   - time: the time of the change.
  ///   - again: whether a running one starts again.
  func restart(at time: UInt64, again: Bool = false) {
    switchHeater(at: time)
    let index = part.measurements.firstIndex { $0.every != nil && holds($0.conditions) }
    if let repeating, repeating.measurement == index, !again { return }
    if let repeating { endBusy(of: repeating.measurement) }
    guard let index else { return repeating = nil }
    repeating = (index, time + duration(of: index))
    fixSettings()
    part.measurements[index].busy.forEach(set)
  }

  /// Updates the field that shows a low supply.
  private func measureSupply(isStart: Bool) {
    guard let low = part.lowSupply, !isStart || low.isKnownAtStart else { return }
    let isLow = options.supply.map { $0 < low.volts } ?? false
    set(PartDescription.Setting(field: low.field, value: isLow ? 1 : 0))
  }

  /// Switches the heater as the fields say.
  private func switchHeater(at time: UInt64) {
    guard let heating = part.heater else { return }
    heater?.set(rise: chosen(heating.rise), at: time)
    heater?.set(holds(heating.conditions), at: time)
  }

  /// Starts one measurement, at once or with the next STOP.
  func request(_ index: Int, at time: UInt64) {
    if options.unknown.trigger == .stop, part.measurements[index].meanwhile != .stretch {
      requested = index
    } else {
      begin(index, at: time)
    }
  }

  /// Starts one measurement.
  func begin(_ index: Int, at time: UInt64) {
    part.measurements[index].busy.forEach(set)
    hasNewResult = false
    fixSettings()
    phase = .measuring(index, until: time + duration(of: index))
  }

  private func duration(of index: Int) -> UInt64 {
    let span = part.duration(of: part.measurements[index], in: registers)
    return impairments.conversionTime(duration(of: span), longest: span.maximum)
  }

  private func finish(_ index: Int, at time: UInt64) {
    phase = .idle
    convert(index, at: time)
    if let repeating, repeating.next <= time { self.repeating?.next = time + 1 }
  }

  /// Stores the result of a measurement that ends at `time`.
  private func convert(_ index: Int, at time: UInt64) {
    let measurement = part.measurements[index]
    if !impairments.freezeResult() {
      var generator = SeededGenerator(seed: seed, stream: results)
      let air = sensedAir(at: time)
      for (place, index) in measurement.values.enumerated() {
        let value = part.values[index]
        let noise = measurement.noise.isEmpty ? value.noise : measurement.noise[place]
        let error =
          options.noise.factor > 0 && noise > 0
          ? generator.gaussian() * noise * options.noise.factor : 0
        codes[index] = code(of: value, in: air, at: time, error: error)
      }
    }
    results += 1
    hasNewResult = true
    measureSupply(isStart: false)
    for field in measurement.newFields { set(PartDescription.Setting(field: field, value: 1)) }
    measurement.ends.forEach(set)
    if !measurement.ends.isEmpty { switchHeater(at: time) }
    if measurement.every == nil { endBusy(of: index) }
  }

  /// Sets the busy fields of a measurement, which have one bit, to their other value.
  private func endBusy(of index: Int) {
    for setting in part.measurements[index].busy {
      set(PartDescription.Setting(field: setting.field, value: setting.value ^ 1))
    }
  }

  /// Returns the code of a value in some air, at a time.
  private func code(
    of value: PartDescription.Value, in air: Air, at time: UInt64, error: Double
  ) -> UInt32 {
    let (exact, scale) = exact(value, in: air, at: time, error: error)
    return value.code(
      nearestTo: exact, scale: scale, limits: value.limits.map { selected($0) },
      precision: value.precision.map { selected($0) })
  }

  /// Returns a value in some air, at a time, with the factor of its code.
  private func exact(
    _ value: PartDescription.Value, in air: Air, at time: UInt64, error: Double
  ) -> (value: Double, scale: Double) {
    let scale = part.scale(of: value, in: settings)
    switch selected(value.source) {
    case .input(let input): return (self.value(ofInput: input, at: time) + error, scale)
    case .product(let one, let other, let divisor):
      let product = number(of: one) * number(of: other) / divisor
      return (value.isSigned ? product : abs(product), 1)
    case .air(let quantity):
      guard value.isCalibrated, let calibration = options.calibration ?? part.calibration else {
        return (air[quantity] + error, scale)
      }
      let code =
        quantity == .pressure
        ? calibration.pressureCode(
          pascals: air.pressure + error, celsius: air.temperature, factor: scale)
        : calibration.temperatureCode(celsius: air.temperature + error, factor: scale)
      return (Double(code), 1)
    }
  }

  private func value(ofInput index: Int, at time: UInt64) -> Double {
    part.inputs.value(at: index) { options.inputs[$0].value(at: Int64(clamping: time)) }
  }

  private func number(of factor: PartDescription.Value.Factor) -> Double {
    switch factor {
    case .value(let index): Double(part.values[index].number(of: codes[index]))
    case .register(let index): Double(registers[index])
    }
  }

  /// Records that a result is read, by a command or from a register.
  func takeResult(from register: Int? = nil) {
    hasNewResult = false
    for measurement in part.measurements {
      for field in measurement.newFields {
        let clearing = part.registers.fields[field].clearingRegisters
        guard clearing.isEmpty || register.map(clearing.contains) ?? true else { continue }
        set(PartDescription.Setting(field: field, value: 0))
      }
    }
  }

  /// The air with the part's errors.
  private func sensedAir(at time: UInt64) -> Air {
    var air = air.air(at: time)
    if let rise = heater?.rise(at: time) {
      air.humidity = TemperatureRise.humidity(air.humidity, of: air.temperature, warmedBy: rise)
      air.temperature += rise
    }
    options.offset.shift(&air)
    let years = Double(time - min(time, firstPowerOn)) / (365 * 86_400e9)
    options.driftPerYear.shift(&air, times: years)
    impairments.shift(&air, at: time)
    return air
  }

  // MARK: Faults

  package func impair(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    advance(to: time)
    impairments.add(condition, of: fault, count: count, at: time)
  }

  package func effects(of fault: Int) -> Int { impairments.effects(of: fault) }

  // MARK: Words

  /// The content of a register as a client reads it.
  func content(of index: Int) -> UInt32 {
    let register = part.registers.list[index]
    let shown = register.value.map { codes[$0] } ?? 0
    guard let first = register.calibration else { return shown | registers[index] }
    return calibrationBytes(first, part.registers.width(of: index))
  }

  private func calibrationBytes(_ first: Int, _ count: Int) -> UInt32 {
    guard let calibration = options.calibration ?? part.calibration else { return 0 }
    return calibration.bytes[first..<first + count].reduce(0) { $0 << 8 | UInt32($1) }
  }

  func content(of item: PartDescription.Item) -> UInt32 {
    switch item.content {
    case .value(let index): codes[index]
    case .register(let index): content(of: index)
    case .constant(let word): word
    case .calibration(let index): calibrationBytes(2 * index, 2)
    case .serial(let index):
      UInt32(truncatingIfNeeded: serial >> UInt64(max(0, 48 - 16 * index)) & (1 << 16 - 1))
    }
  }
}

extension VirtualDescribedPart: VirtualPart {}
