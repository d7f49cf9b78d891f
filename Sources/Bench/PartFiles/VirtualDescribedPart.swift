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
    /// It does not answer, after power-on, a reset or a command.
    case busy(until: UInt64)
    /// It waits for an access.
    case idle
    /// It makes the measurement with this index, once.
    case measuring(Int, until: UInt64)
  }

  var phase: Phase
  /// The contents of the registers, without the values that they show.
  var registers: [UInt32]
  /// The latest code of each value.
  var codes: [UInt32]
  /// The measurement that repeats, and the time of its next result; `nil` if none repeats.
  private var repeating: (measurement: Int, next: UInt64)?
  /// The number of results so far, which selects the noise of the next.
  private var results: UInt64 = 0
  /// `true` if there is a result that has not been read.
  var hasNewResult = false
  private let serial: UInt64
  private var impairments = Impairments()

  // The state of the bus interface.
  var written = 0
  var code: UInt16 = 0
  /// The command whose bytes are being written.
  var command: Int?
  /// The command whose response the next read returns.
  var answered: Int?
  var pointer: Int?
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
    codes = part.values.map(\.firstCode)
    var generator = SeededGenerator(seed: seed, stream: .max - 1)
    serial = options.serialNumber ?? generator.next()
    phase = .busy(until: time + part.startTime)
    response.reserveCapacity(64)
    restart(at: time + part.startTime)
  }

  /// Switches the supply; without it the part loses its settings and results.
  package func setSupply(_ isOn: Bool, at time: UInt64) {
    advance(to: time)
    if !isOn {
      phase = .off
      repeating = nil
    } else if case .off = phase {
      reset(at: time, busyFor: part.startTime)
    }
  }

  /// Loads the defaults, as at power-on.
  func reset(at time: UInt64, busyFor pause: UInt64) {
    for index in registers.indices { registers[index] = part.registers.list[index].reset }
    for index in codes.indices { codes[index] = part.values[index].firstCode }
    hasNewResult = false
    response.removeAll(keepingCapacity: true)
    (command, answered, pointer) = (nil, nil, nil)
    phase = .busy(until: time + pause)
    repeating = nil
    restart(at: time + pause)
  }

  // MARK: Fields

  func value(of field: Int) -> UInt32 { part.registers.value(of: field, in: registers) }

  func set(_ setting: PartDescription.Setting) { part.registers.set(setting, in: &registers) }

  func holds(_ settings: [PartDescription.Setting]) -> Bool {
    settings.allSatisfy { value(of: $0.field) == $0.value }
  }

  func chosen<Element>(_ choice: PartDescription.Choice<Element>) -> Element {
    choice[choice.field.map(value) ?? 0]
  }

  // MARK: Time

  /// Makes every result that is due.
  func advance(to time: UInt64) {
    switch phase {
    case .off: return
    case .busy(let until): if until <= time { phase = .idle }
    case .measuring(let index, let until): if until <= time { finish(index, at: until) }
    case .idle: break
    }
    guard let due = repeating, due.next <= time else { return }
    let measurement = part.measurements[due.measurement]
    let period = max(measurement.every.map(chosen) ?? 1, 1)
    // Only the last result can be read, so the others are only counted.
    let missed = (time - due.next) / period
    results += missed
    let last = due.next + missed * period
    repeating = (due.measurement, last + period)
    convert(due.measurement, at: last)
  }

  /// Starts or stops the repeated measurement, according to the fields.
  func restart(at time: UInt64) {
    let index = part.measurements.firstIndex { $0.every != nil && holds($0.conditions) }
    guard let index else { return repeating = nil }
    if let repeating, repeating.measurement == index { return }
    repeating = (index, time + duration(of: index))
    part.measurements[index].busy.forEach(set)
  }

  /// Starts one measurement.
  func begin(_ index: Int, at time: UInt64) {
    part.measurements[index].busy.forEach(set)
    hasNewResult = false
    phase = .measuring(index, until: time + duration(of: index))
  }

  private func duration(of index: Int) -> UInt64 {
    let measurement = part.measurements[index]
    let longest = chosen(measurement.maximum)
    let time = options.timing.conversionTime(
      typical: chosen(measurement.typical), longest: longest, seed: seed)
    return impairments.conversionTime(time, longest: longest)
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
      for index in measurement.values {
        let value = part.values[index]
        var sensed =
          switch chosen(value.source) {
          case .air(let quantity): air[quantity]
          case .input(let input): options.inputs[input]
          }
        if options.noise.factor > 0, value.noise > 0 {
          sensed += generator.gaussian() * value.noise * options.noise.factor
        }
        codes[index] = value.code(nearestTo: sensed, scale: chosen(value.scale))
      }
    }
    results += 1
    hasNewResult = true
    if let field = measurement.newField { set(PartDescription.Setting(field: field, value: 1)) }
    for setting in measurement.busy {
      // A busy field has one bit.
      set(PartDescription.Setting(field: setting.field, value: setting.value ^ 1))
    }
  }

  /// Records that a result is read.
  func takeResult() {
    hasNewResult = false
    for measurement in part.measurements {
      if let field = measurement.newField { set(PartDescription.Setting(field: field, value: 0)) }
    }
  }

  /// The air with the part's errors.
  private func sensedAir(at time: UInt64) -> Air {
    var air = air.air(at: time)
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
    return (register.value.map { codes[$0] } ?? 0) | registers[index]
  }

  func content(of item: PartDescription.Item) -> UInt32 {
    switch item.content {
    case .value(let index): codes[index]
    case .register(let index): content(of: index)
    case .constant(let word): word
    case .serial(let index):
      UInt32(truncatingIfNeeded: serial >> UInt64(max(0, 48 - 16 * index)) & (1 << 16 - 1))
    }
  }
}

extension VirtualDescribedPart: VirtualPart {}
