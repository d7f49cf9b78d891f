import BME280
import I2C
import I2CTrace

/// Something in a conversation that is wrong, whatever the program makes of the bytes.
public struct ConversationFinding: Hashable, Sendable {
  /// The class of the defect; nothing for what belongs to no class.
  public let classID: String?
  /// What happened, with its figures.
  public let sentence: String
  /// When it happened first, in nanoseconds since the start of the trace.
  public let time: UInt64
  /// How often.
  public internal(set) var count = 1
}

/// Listens to the conversation with one part and says what a program does wrong.
struct ConversationAudit {
  private(set) var findings: [ConversationFinding] = []

  private let longestRead: Int
  private var pointer: UInt8 = 0
  private var chip: Chip?
  private var hasReadRegister = [Bool](repeating: false, count: 256)

  // What has been written.
  private var controlHumidity: UInt8?
  private var isHumidityPending = false
  private var control: UInt8 = 0
  private var hasReadControl = false
  private var lastReset: UInt64?
  private var hasSeenCopyEnd = false

  // The measurement that was triggered last.
  private var trigger: UInt64?
  private var triggersSinceData = 0
  private var polledIdle = false
  /// Whether the status has shown that the measurement runs, and then that it is over.
  private var hasSeenMeasuring = false, hasSeenEnd = false
  private var isInRound = false
  private var hasGoodData = false
  /// How often running the humidity was the code of one that is skipped; nothing before it was another.
  private var previousHumidityOff: Int?
  private var round = [UInt8?](repeating: nil, count: 8)

  /// Makes an audit of a part on an adapter that reads so many bytes at most; 0 for any number.
  init(longestRead: Int) { self.longestRead = longestRead }

  /// Takes what happened to the part.
  mutating func take(_ transfer: TracedTransfer) {
    for message in transfer.messages {
      switch message.segment.direction {
      case .write:
        pointer = message.bytes.first ?? pointer
        if transfer.error == nil, message.bytes.count > 1 { written(message.bytes, transfer) }
      case .read:
        if longestRead > 0, message.segment.count > longestRead {
          note(
            nil,
            "\(message.segment.count) bytes are read at once over an adapter that reads "
              + "\(longestRead) at most", transfer.time)
        }
        guard transfer.error == nil else { continue }
        beginRead(message, transfer)
        for byte in message.bytes {
          read(byte, transfer)
          pointer &+= 1
        }
      }
    }
  }

  /// Ends: what was never done.
  mutating func finish() {
    endRound()
    let missing = (0x88...0x9F).filter { !hasReadRegister[$0] }
    let isBME = chip != .bmp280 && hasReadRegister[0xE1]
    if (1..<24).contains(missing.count) {
      let list = missing.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
      note("B10", "of the calibration \(list) is never read", 0)
    }
    if isBME, hasReadRegister[0x88], !hasReadRegister[0xA1] {
      note("B05", "H1 (0xA1) is never read", 0)
    }
    if !hasReadRegister[0x88], hasReadRegister[0x00] {
      note("B10", "a block is read from register 0x00, the calibration never", 0)
    }
  }

  private mutating func note(_ id: String?, _ sentence: String, _ time: UInt64) {
    if let index = findings.firstIndex(where: { $0.classID == id && $0.sentence == sentence }) {
      findings[index].count += 1
    } else {
      findings.append(ConversationFinding(classID: id, sentence: sentence, time: time))
    }
  }

  // MARK: Writes

  private mutating func written(_ bytes: [UInt8], _ transfer: TracedTransfer) {
    let isOdd = !bytes.count.isMultiple(of: 2)
    var pairs: [(register: UInt8, value: UInt8)] = []
    for index in stride(from: 0, to: bytes.count - 1, by: 2) {
      pairs.append((bytes[index], bytes[index + 1]))
    }
    let known: Set<UInt8> = [0xE0, 0xF2, 0xF4, 0xF5]
    let strange = pairs.dropFirst().contains { !known.contains($0.register) }
    if bytes.count > 2, isOdd || strange {
      note(
        "B33",
        "\(bytes.count - 1) bytes are written from register 0x"
          + "\(String(bytes[0], radix: 16)) on as a block", transfer.time)
    }
    for (register, value) in pairs {
      if [0x60, 0x72, 0x74, 0x75].contains(register) {
        note(
          "B34", "register 0x\(String(register, radix: 16)) is written: bit 7 is missing",
          transfer.time)
      }
      switch register {
      case 0xE0 where value == 0xB6: reset(transfer)
      case 0xF2:
        isHumidityPending = value & 7 != controlHumidity ?? 0
        if controlHumidity == nil || isHumidityPending { controlHumidity = value & 7 }
      case 0xF4: takeControl(value, transfer)
      case 0xF5 where control & 3 == 3:
        note("B22", "config (0xF5) is written in normal mode", transfer.time)
      default: break
      }
    }
  }

  private mutating func reset(_ transfer: TracedTransfer) {
    lastReset = transfer.time &+ transfer.duration
    hasSeenCopyEnd = false
    control = 0
    controlHumidity = nil
    isHumidityPending = false
    trigger = nil
    hasGoodData = false
    previousHumidityOff = nil
  }

  private mutating func takeControl(_ value: UInt8, _ transfer: TracedTransfer) {
    if let trigger, control & 3 != 3, control & 3 != 0, value & 3 != 0,
      transfer.time < trigger &+ measurementTime(typical: true) / 2
    {
      note("B23", "ctrl_meas is written again while a measurement runs", transfer.time)
    }
    endRound()
    control = value
    isHumidityPending = false
    (polledIdle, hasSeenMeasuring, hasSeenEnd) = (false, false, false)
    if value & 3 != 0 {
      trigger = transfer.time &+ transfer.duration
      triggersSinceData += 1
    }
  }

  private func measurementTime(typical: Bool) -> UInt64 {
    let settings = ControlMeasurement(byte: control)
    let humidity =
      chip == .bmp280 ? Oversampling.skipped : Oversampling(bits: (controlHumidity ?? 0) & 7)
    return typical
      ? MeasurementTime.typical(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
      : MeasurementTime.maximum(
        temperature: settings.temperature, pressure: settings.pressure, humidity: humidity)
  }

  // MARK: Reads

  private mutating func beginRead(_ message: TracedMessage, _ transfer: TracedTransfer) {
    let range = Int(pointer)..<(Int(pointer) + message.bytes.count)
    if range.overlaps(0x88..<0xA2) || range.overlaps(0xE1..<0xE8) { checkCopy(message, transfer) }
    if chip == .bmp280, range.contains(0xE1) || range.lowerBound == 0xFD {
      note("B32", "humidity registers of a BMP280 are read", transfer.time)
    }
    guard range.overlaps(0xF7..<0xFF) else { return }
    // The temperature may be read before the pressure: what is read a second time begins a new reading.
    let isNewRound =
      !isInRound || range.contains { (0xF7..<0xFF).contains($0) && round[$0 - 0xF7] != nil }
    if isNewRound {
      endRound()
      isInRound = true
      checkTiming(transfer)
    } else if control & 3 == 3 {
      note(
        "B30", "data registers are read in several transfers in normal mode", transfer.time)
    }
  }

  private mutating func checkCopy(_ message: TracedMessage, _ transfer: TracedTransfer) {
    if let lastReset, !hasSeenCopyEnd, transfer.time < lastReset &+ 2_000_000 {
      let wait = Double((transfer.time - min(lastReset, transfer.time)) / 1000) / 1000
      note("B09", "the calibration is read \(wait) ms after a reset", lastReset)
    }
    if message.bytes.count >= 6, pointer == 0x88,
      message.bytes.allSatisfy({ $0 == 0 }) || message.bytes.allSatisfy({ $0 == 0xFF })
    {
      note(
        "B09", "the calibration reads as 0x\(message.bytes[0] == 0 ? "00" : "ff") only",
        transfer.time)
    }
  }

  private mutating func checkTiming(_ transfer: TracedTransfer) {
    guard let trigger else { return }
    if control & 3 != 3, triggersSinceData == 0 {
      note(
        "B27", "data are read again without a new measurement in forced mode", transfer.time)
    }
    if isHumidityPending, chip != .bmp280 {
      note("B21", "ctrl_hum (0xF2) is written and no ctrl_meas (0xF4) after it", transfer.time)
    }
    let elapsed = transfer.time - min(trigger, transfer.time)
    let needed = measurementTime(typical: false)
    guard triggersSinceData > 0, elapsed < needed, control & 3 != 0, !hasSeenEnd else { return }
    let figures =
      "\(Double(elapsed / 1000) / 1000) ms after the trigger, \(Double(needed / 1000) / 1000) ms are needed"
    if polledIdle {
      note("B25", "measuring is polled before it rises; data are read early", transfer.time)
    } else if elapsed < measurementTime(typical: true) / 2 {
      note("B24", "data are read without waiting for the measurement", transfer.time)
    } else {
      note("B26", "data are read \(figures)", transfer.time)
    }
  }

  /// Takes the bit 'measuring' of the status.
  private mutating func takeMeasuring(_ isSet: Bool, _ transfer: TracedTransfer) {
    guard let trigger else { return }
    if isSet {
      hasSeenMeasuring = true
    } else if hasSeenMeasuring || transfer.time >= trigger &+ measurementTime(typical: true) {
      hasSeenEnd = true
    } else {
      polledIdle = true
    }
  }

  private mutating func read(_ byte: UInt8, _ transfer: TracedTransfer) {
    hasReadRegister[Int(pointer)] = true
    switch pointer {
    case 0xD0: chip = Chip(identifier: byte)
    case 0xF4 where trigger == nil:
      control = byte
      hasReadControl = true
    case 0xF3:
      if byte & 1 == 0 { hasSeenCopyEnd = true }
      takeMeasuring(byte & 8 != 0, transfer)
    case 0xF7...0xFE:
      round[Int(pointer) - 0xF7] = byte
    default: break
    }
  }

  /// Looks at the values of a whole reading.
  private mutating func endRound() {
    defer {
      round = [UInt8?](repeating: nil, count: 8)
      isInRound = false
    }
    guard isInRound else { return }
    triggersSinceData = 0
    guard round[0] != nil, round[3] != nil else { return }
    let isPowerOn = round[0] == 0x80 && round[1] == 0 && round[3] == 0x80 && round[4] == 0
    let isHumidityOff = round[6] == 0x80 && round[7] == 0
    let settings = ControlMeasurement(byte: control)
    if isPowerOn, !hasGoodData, settings.temperature != .skipped {
      note("B24", "the data are power-on values: nothing had been measured", 0)
    } else if isPowerOn, hasGoodData {
      note("B37", "the data are power-on values again: the part was reset or lost its power", 0)
    } else if isHumidityOff, hasGoodData, previousHumidityOff == 1, controlHumidity ?? 0 != 0 {
      // Once it may be a reading like any other.
      note("B37", "the humidity has switched itself off: the part was reset or lost its power", 0)
    }
    if !isPowerOn { hasGoodData = true }
    if trigger != nil || hasReadControl {
      if settings.pressure == .skipped || settings.temperature == .skipped {
        let name = settings.pressure == .skipped ? "pressure" : "temperature"
        note("B29", "\(name) is skipped (ctrl_meas 0x\(String(control, radix: 16)))", 0)
      }
    }
    previousHumidityOff = isHumidityOff ? previousHumidityOff.map { $0 + 1 } : 0
  }
}
