import BME280
import I2C
package import I2CTrace

/// A protocol error in the transfers of a program, whatever the program does with the bytes.
package struct ProtocolFinding: Hashable, Sendable {
  /// The class of the defect; `nil` if the error belongs to no class.
  package let classID: String?
  /// A sentence that describes the error, with figures.
  package let sentence: String
  /// The time of the first occurrence, in nanoseconds since the start of the trace.
  package let time: UInt64
  /// The number of occurrences.
  package internal(set) var count = 1
  /// The kind of error within its class; sentences of one kind differ only in their figures.
  var kind = ""
  /// The quantities that the error concerns; in a program that does not display them, it is not an error.
  package var concerns = QuantitySet()
}

/// Detects protocol errors in the transfers between a program and one part.
package struct ProtocolChecker {
  package private(set) var findings: [ProtocolFinding] = []
  /// The maximum number of different findings.
  private static let mostFindings = 100

  private let longestRead: Int
  /// `true` if the trace contains the real times of the transfers.
  let hasTimes: Bool
  var pointer: UInt8 = 0
  var chip: Chip?
  var hasReadRegister = [Bool](repeating: false, count: 256)
  /// `true` if the program has started to measure.
  var hasMeasured = false

  // The registers written.
  var controlHumidity: UInt8?
  /// `true` if ctrl_hum was written.
  ///
  /// `bareMode` is the first value written to ctrl_meas before ctrl_hum that sets a mode but enables no channel.
  var hasWrittenHumidity = false
  var bareMode: (value: UInt8, time: UInt64)?
  var isHumidityPending = false
  /// The humidity setting that the last write to ctrl_meas made effective; `nil` if ctrl_hum was not written before
  /// that write.
  var effectiveHumidity: UInt8?
  /// `true` if a byte of the humidity calibration is not 0; on a BMP280 all are 0.
  var hasHumidityWords = false
  /// `true` if a humidity code other than that of a skipped channel was read.
  var hasSeenHumidity = false
  /// The last write whose final byte may be a register address or a value, because its number of bytes is odd.
  ///
  /// If no read follows it, the final byte was meant as a value, and the program relies on auto-increment.
  var openBlock: (sentence: String, time: UInt64)?
  var control: UInt8 = 0
  var hasReadControl = false
  var lastReset: UInt64?
  var hasSeenCopyEnd = false

  // The last triggered measurement.
  var trigger: UInt64?
  var triggersSinceData = 0
  var polledIdle = false
  /// Two flags for the last triggered measurement.
  ///
  /// `hasSeenMeasuring` is `true` if the program has read a status or mode that says that the measurement is running,
  /// `hasSeenEnd` if it has read one that says that the measurement has finished.
  var hasSeenMeasuring = false, hasSeenEnd = false
  /// The data registers that were read since the trigger but before the current round, one bit each.
  ///
  /// `firstReadSinceTrigger` is the time of the first of these reads.
  var readSinceTrigger: UInt8 = 0
  var firstReadSinceTrigger: UInt64 = 0

  // The current round of reads, with its data registers and start time.
  var isInRound = false
  var roundStart: UInt64 = 0
  /// `true` if the humidity was read before a write to ctrl_meas had made a new value of ctrl_hum effective.
  var roundIsPending = false
  var round = [UInt8?](repeating: nil, count: 8)
  var hasGoodData = false
  /// The number of latest consecutive humidity readings that have the code of a skipped channel; `nil` until a
  /// different code was read.
  var previousHumidityOff: Int?

  // Failed transfers that were not repeated.
  /// The calibration registers whose read failed.
  private var failedCalibration: Set<UInt8> = []
  /// The register whose address byte was not acknowledged, unless another register address was written since.
  private var unacknowledgedPointer: UInt8?

  /// Creates a checker.
  ///
  /// - Parameters:
  ///   - longestRead: the maximum read length of the adapter in bytes; 0 for no limit.
  ///   - hasTimes: `true` if the trace contains the real times of the transfers.
  package init(longestRead: Int, hasTimes: Bool = true) {
    self.longestRead = longestRead
    self.hasTimes = hasTimes
  }

  /// `true` if the program reads registers that no driver needs, as in a dump of all registers.
  var isDump: Bool { hasReadRegister[0x00] && hasReadRegister[0x88] }

  /// Processes a transfer.
  package mutating func take(_ transfer: TracedTransfer) {
    let effective = transfer.effectiveMessages.count
    for (index, message) in transfer.messages.enumerated() {
      if message.segment.direction == .read { checkLength(message, transfer) }
      guard index < effective else {
        failed(at: index, transfer)
        break
      }
      switch message.segment.direction {
      case .write:
        let write = RegisterWrite(message.bytes)
        if !message.bytes.isEmpty {
          unacknowledgedPointer = nil
          closeBlock()
        }
        pointer = write.pointer ?? pointer
        guard !write.pairs.isEmpty else { continue }
        let next = index + 1
        let readsOn =
          next < transfer.messages.count && transfer.messages[next].segment.direction == .read
        written(write, message.bytes, readsOn: readsOn, transfer)
      case .read:
        openBlock = nil
        checkUnacknowledgedPointer(transfer)
        beginRead(message, transfer)
        for byte in message.bytes {
          read(byte, transfer)
          pointer &+= 1
        }
      }
    }
  }

  /// Finishes the check and reports accesses that the program has omitted.
  package mutating func finish() {
    endRound()
    closeBlock()
    // ctrl_hum may be written later. If it never is, its value was written to ctrl_meas instead.
    if let bareMode, !hasWrittenHumidity {
      note(
        "B45",
        "ctrl_meas (0xF4) is written as \(Self.hex(bareMode.value)), a mode without a channel, and ctrl_hum (0xF2) "
          + "was never written", bareMode.time)
    }
    guard hasMeasured else { return }
    // A program that never reads the pressure does not need the pressure calibration.
    let isPressureRead = (0xF7...0xF9).contains { hasReadRegister[$0] }
    let isPressureKnown = (0x8E...0x9F).contains { hasReadRegister[$0] }
    let words = isPressureRead || isPressureKnown ? 0x88...0x9F : 0x88...0x8D
    let missing = words.filter { !hasReadRegister[$0] }
    let isBME = chip != .bmp280 && hasReadRegister[0xE1]
    let lost = failedCalibration.filter { !hasReadRegister[Int($0)] }
    if let register = lost.min() {
      note(
        "B35", "the read of the calibration at \(Self.hex(register)) failed and was not repeated", 0
      )
    } else if (1..<words.count).contains(missing.count) {
      let list = missing.map { Self.hex(UInt8($0)) }.joined(separator: ", ")
      note("B10", "the calibration bytes \(list) are never read", 0)
    }
    if isBME, hasReadRegister[0x88], !hasReadRegister[0xA1], !lost.contains(0xA1) {
      note("B05", "H1 (0xA1) is never read", 0)
    }
    if !hasReadRegister[0x88], hasReadRegister[0x00], lost.isEmpty {
      note("B10", "a block is read from register 0x00, but never the calibration", 0)
    }
  }

  /// Records a finding.
  ///
  /// - Parameters:
  ///   - id: the class of the defect; `nil` if the error belongs to no class.
  ///   - sentence: a sentence that describes the error, with figures.
  ///   - time: the time in nanoseconds.
  ///   - kind: a name for sentences that differ only in their figures. Default: the sentence itself.
  ///   - concerns: the quantities concerned.
  mutating func note(
    _ id: String?, _ sentence: String, _ time: UInt64, kind: String? = nil,
    concerns: QuantitySet = []
  ) {
    if let index = findings.firstIndex(where: { $0.classID == id && $0.sentence == sentence }) {
      findings[index].count += 1
    } else if findings.count < Self.mostFindings {
      findings.append(
        ProtocolFinding(
          classID: id, sentence: sentence, time: time, kind: kind ?? sentence, concerns: concerns))
    }
  }

  static func hex(_ register: UInt8) -> String { "0x" + String(register, radix: 16) }

  // MARK: Failures

  private mutating func checkLength(_ message: TracedMessage, _ transfer: TracedTransfer) {
    guard longestRead > 0, message.segment.count > longestRead else { return }
    note(
      nil,
      "\(message.segment.count) bytes are read at once over an adapter with a limit of "
        + "\(longestRead)", transfer.time)
  }

  /// Processes a failed message, whose data the program did not receive.
  private mutating func failed(at index: Int, _ transfer: TracedTransfer) {
    let message = transfer.messages[index]
    switch message.segment.direction {
    case .read:
      openBlock = nil
      lose(from: pointer, message.segment.count)
    case .write:
      guard message.bytes.count == 1, let register = message.bytes.first else { return }
      let next = transfer.messages.dropFirst(index + 1).first
      if let next, next.segment.direction == .read {
        lose(from: register, next.segment.count)
      } else {
        unacknowledgedPointer = register
        lose(from: register, 1)
      }
    }
  }

  private mutating func lose(from register: UInt8, _ count: Int) {
    for address in Int(register)..<(Int(register) + count)
    where (0x88...0x9F).contains(address) || address == 0xA1 || (0xE1...0xE7).contains(address) {
      failedCalibration.insert(UInt8(address))
    }
  }

  /// Checks for a read after a register address that was not acknowledged; such a read returns other registers.
  private mutating func checkUnacknowledgedPointer(_ transfer: TracedTransfer) {
    guard let register = unacknowledgedPointer else { return }
    unacknowledgedPointer = nil
    note(
      "B35",
      "the address of register \(Self.hex(register)) was not acknowledged, but the following read was sent nevertheless",
      transfer.time)
  }
}

extension ProtocolChecker {
  /// Processes a message that writes registers.
  mutating func written(
    _ write: RegisterWrite, _ bytes: [UInt8], readsOn: Bool, _ transfer: TracedTransfer
  ) {
    if write.hasReadOnlyRegister {
      note("B33", Self.block(bytes), transfer.time, kind: "block")
    } else if write.hasTrailingAddress, !readsOn {
      openBlock = (Self.block(bytes), transfer.time)
    }
    for (register, value) in write.pairs {
      if [0x60, 0x72, 0x74, 0x75].contains(register) {
        note(
          "B34", "register \(Self.hex(register)) is written: bit 7 is cleared", transfer.time,
          kind: "bit 7")
      }
      switch register {
      case Register.reset where value == 0xB6: reset(transfer)
      case Register.controlHumidity:
        hasWrittenHumidity = true
        isHumidityPending = value & 7 != controlHumidity ?? 0
        if controlHumidity == nil || isHumidityPending { controlHumidity = value & 7 }
      case Register.controlMeasurement: takeControl(value, transfer)
      case Register.configuration: takeConfiguration(value, transfer)
      default: break
      }
    }
  }

  /// Returns the sentence for a message with several values after one register address.
  private static func block(_ bytes: [UInt8]) -> String {
    "\(bytes.count - 1) bytes are written as a block starting at register \(hex(bytes[0]))"
  }

  /// Reports a write whose last byte was not followed by a read and was therefore meant as a value.
  mutating func closeBlock() {
    if let openBlock { note("B33", openBlock.sentence, openBlock.time, kind: "block") }
    openBlock = nil
  }

  private mutating func reset(_ transfer: TracedTransfer) {
    // The data read so far belong to the settings before the reset.
    endRound()
    lastReset = transfer.time &+ transfer.duration
    hasSeenCopyEnd = false
    control = 0
    hasReadControl = false
    controlHumidity = nil
    effectiveHumidity = nil
    hasSeenHumidity = false
    isHumidityPending = false
    trigger = nil
    hasGoodData = false
    previousHumidityOff = nil
  }

  private mutating func takeConfiguration(_ value: UInt8, _ transfer: TracedTransfer) {
    if control & 3 == 3 {
      note("B22", "config (0xF5) is written in normal mode", transfer.time)
    }
    if value & 0b11 != 0 {
      let bit = value & 1 != 0 ? "bit 0, 3-wire SPI," : "bit 1, which is reserved,"
      note("B44", "config (0xF5) is written as \(Self.hex(value)): \(bit) is set", transfer.time)
    }
  }

  private mutating func takeControl(_ value: UInt8, _ transfer: TracedTransfer) {
    if hasTimes, let trigger, control & 3 != 3, control & 3 != 0, value & 3 != 0,
      transfer.time < trigger &+ measurementTime(typical: true) / 2
    {
      note("B23", "ctrl_meas is written again while a measurement is running", transfer.time)
    }
    if value & 0xFC == 0, value & 3 != 0, controlHumidity == nil, chip != .bmp280 {
      bareMode = bareMode ?? (value, transfer.time)
    }
    endRound()
    control = value
    effectiveHumidity = controlHumidity
    isHumidityPending = false
    (polledIdle, hasSeenMeasuring, hasSeenEnd) = (false, false, false)
    readSinceTrigger = 0
    if value & 3 != 0 {
      trigger = transfer.time &+ transfer.duration
      triggersSinceData += 1
    }
  }

  /// Returns the duration of the last triggered measurement, in nanoseconds.
  func measurementTime(typical: Bool) -> UInt64 {
    let settings = ControlMeasurement(byte: control)
    let humidity =
      chip == .bmp280 ? Oversampling.skipped : Oversampling(bits: (controlHumidity ?? 0) & 7)
    return typical
      ? MeasurementTime.typical(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
      : MeasurementTime.maximum(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
  }
}

/// A write message as the part interprets it: pairs of register and value, and the register pointer after it.
package struct RegisterWrite {
  /// The registers written, in order, with their values.
  package let pairs: [(register: UInt8, value: UInt8)]
  /// The register address of the next read; `nil` for an empty message.
  let pointer: UInt8?
  /// `true` if the last byte is a register address without a value.
  let hasTrailingAddress: Bool

  package init(_ bytes: [UInt8]) {
    pairs = stride(from: 0, to: bytes.count - 1, by: 2).map { (bytes[$0], bytes[$0 + 1]) }
    pointer = bytes.isEmpty ? nil : bytes[(bytes.count - 1) / 2 * 2]
    hasTrailingAddress = !bytes.count.isMultiple(of: 2)
  }

  /// `true` if a pair after the first one addresses a register that is not writable, so the program relies on
  /// auto-increment.
  var hasReadOnlyRegister: Bool {
    pairs.dropFirst().contains { pair in
      switch pair.register {
      case Register.reset, Register.controlHumidity, Register.controlMeasurement,
        Register.configuration:
        false
      default: true
      }
    }
  }
}

extension TracedTransfer {
  /// The messages that took effect: all messages, or only those before the failed one.
  package var effectiveMessages: ArraySlice<TracedMessage> {
    error.map { messages.prefix($0.message) } ?? messages[...]
  }
}

/// Checks the transfers between a program and one part as they happen, in constant memory.
package struct LiveProtocolChecker {
  /// The classes that a real part does not tolerate, because they cause wrong or old data or lost settings; the worst
  /// first.
  private static let consequential = [
    "B24", "B25", "B26", "B09", "B21", "B29", "B22", "B23", "B30", "B37", "B33", "B34", "B27",
    "B32",
  ]

  private var checker: ProtocolChecker

  /// Creates a checker.
  ///
  /// - Parameter longestRead: the maximum read length of the adapter in bytes; 0 for no limit.
  package init(longestRead: Int) {
    checker = ProtocolChecker(longestRead: longestRead, hasTimes: true)
  }

  /// Processes a transfer.
  package mutating func take(_ transfer: TracedTransfer) { checker.take(transfer) }

  /// Returns the worst error with its count, and the number of other kinds of errors.
  ///
  /// - Returns: the worst error, or `nil` if there was no error or if the program dumps all registers.
  package mutating func worst() -> (sentence: String, others: Int)? {
    guard !checker.isDump else { return nil }
    checker.finish()
    let detected = checker.findings.filter { $0.classID.map(Self.consequential.contains) ?? false }
    let worst = Self.consequential.lazy.compactMap { id in detected.first { $0.classID == id } }
      .first
    guard let worst else { return nil }
    let count = detected.filter { $0.kind == worst.kind && $0.classID == worst.classID }
      .reduce(0) { $0 + $1.count }
    let kinds = Set(detected.map { [$0.classID, $0.kind] })
    let times = count == 1 ? "once" : "\(count) times"
    return ("\(worst.sentence) (\(times))", kinds.count - 1)
  }
}
