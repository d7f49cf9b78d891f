import BME280
import I2CTrace

extension ProtocolChecker {
  /// Processes the start of a message that reads registers from the current register pointer on.
  mutating func beginRead(_ message: TracedMessage, _ transfer: TracedTransfer) {
    let range = Int(pointer)..<(Int(pointer) + message.bytes.count)
    if range.overlaps(0x88..<0xA2) || range.overlaps(0xE1..<0xE8) { checkCopy(message, transfer) }
    if chip == .bmp280, range.contains(0xE1) || range.lowerBound == 0xFD {
      note("B32", "humidity registers of a BMP280 are read", transfer.time)
    }
    guard range.overlaps(0xF7..<0xFF) else { return }
    hasMeasured = true
    // The temperature may be read before the pressure, so a round ends when a register is read for the second time.
    let isNewRound =
      !isInRound || range.contains { (0xF7..<0xFF).contains($0) && round[$0 - 0xF7] != nil }
    let readsHumidity = range.contains(0xFD)
    if isNewRound {
      endRound()
      isInRound = true
      roundStart = transfer.time
      checkTiming(transfer)
    } else if control & 3 == 3 {
      note(
        "B30", "data registers are read in several transfers in normal mode", transfer.time)
    }
    if readsHumidity { roundIsPending = isHumidityPending }
    guard isHumidityPending, trigger != nil, chip != .bmp280, isNewRound || readsHumidity else {
      return
    }
    note(
      "B21", "ctrl_hum (0xF2) is written but ctrl_meas (0xF4) is not written after it",
      transfer.time)
  }

  private mutating func checkCopy(_ message: TracedMessage, _ transfer: TracedTransfer) {
    if hasTimes, let lastReset, !hasSeenCopyEnd, transfer.time < lastReset &+ 2_000_000 {
      let wait = Double((transfer.time - min(lastReset, transfer.time)) / 1000) / 1000
      note("B09", "the calibration is read \(wait) ms after a reset", lastReset, kind: "early")
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
    let elapsed = transfer.time - min(trigger, transfer.time)
    let needed = measurementTime(typical: false)
    guard hasTimes, triggersSinceData > 0, elapsed < needed, control & 3 != 0, !hasSeenEnd
    else { return }
    let figures =
      "\(Double(elapsed / 1000) / 1000) ms after the trigger, the measurement takes \(Double(needed / 1000) / 1000) ms"
    if polledIdle {
      note("B25", "measuring is polled before it is set; data are read early", transfer.time)
    } else if elapsed < measurementTime(typical: true) / 2 {
      note("B24", "data are read without waiting for the measurement", transfer.time)
    } else {
      note("B26", "data are read \(figures)", transfer.time, kind: "early")
    }
  }

  /// Processes a `measuring` bit that was read, which tells whether the last triggered measurement is running.
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

  mutating func read(_ byte: UInt8, _ transfer: TracedTransfer) {
    hasReadRegister[Int(pointer)] = true
    switch pointer {
    case Register.id: chip = Chip(identifier: byte)
    case Register.controlMeasurement where trigger == nil:
      control = byte
      hasReadControl = true
    case Register.controlMeasurement where control & 3 == 1 || control & 3 == 2:
      // The mode returns to sleep when a forced measurement has finished, which some drivers poll.
      if byte & 3 == 0 { hasSeenEnd = true }
    case Register.status:
      if byte & 1 == 0 { hasSeenCopyEnd = true }
      takeMeasuring(byte & 8 != 0, transfer)
    case 0xE1...0xE7: if byte != 0 { hasHumidityWords = true }
    case 0xF7...0xFE:
      round[Int(pointer) - 0xF7] = byte
    default: break
    }
  }

  /// Checks the values of a complete round of reads.
  ///
  /// A round is a series of reads of data registers; it ends when a register is about to be read for the second time.
  mutating func endRound() {
    defer {
      round = [UInt8?](repeating: nil, count: 8)
      isInRound = false
    }
    guard isInRound else { return }
    triggersSinceData = 0
    checkRepetition()
    checkHumidity()
    if isUnset {
      note("B24", "data are read although no mode was ever set: nothing is measured", roundStart)
    }
    guard round[0] != nil, round[3] != nil else { return }
    let isPowerOn = round[0] == 0x80 && round[1] == 0 && round[3] == 0x80 && round[4] == 0
    let isHumidityOff = round[6] == 0x80 && round[7] == 0
    let settings = ControlMeasurement(byte: control)
    if isPowerOn, !hasGoodData, settings.temperature != .skipped {
      note("B24", "the data are power-on values: nothing was measured", 0)
    } else if isPowerOn, hasGoodData {
      note("B37", "the data are power-on values again: the part was reset or lost its power", 0)
    } else if isHumidityOff, hasGoodData, previousHumidityOff == 1, controlHumidity ?? 0 != 0 {
      // A single code of a skipped channel may be a valid reading.
      note("B37", "the humidity has switched itself off: the part was reset or lost its power", 0)
    }
    if !isPowerOn { hasGoodData = true }
    if trigger != nil || hasReadControl {
      if settings.pressure == .skipped || settings.temperature == .skipped {
        let name = settings.pressure == .skipped ? "pressure" : "temperature"
        note("B29", "\(name) is skipped (ctrl_meas \(Self.hex(control)))", 0)
      }
    }
    previousHumidityOff = isHumidityOff ? previousHumidityOff.map { $0 + 1 } : 0
  }

  /// `true` if the round contains only power-on values, and no measuring mode was written or read.
  private var isUnset: Bool {
    guard !hasGoodData, trigger == nil, control & 3 == 0 else { return false }
    let pressure = round[0].map { $0 == 0x80 && (round[1] ?? 0) == 0 }
    let temperature = round[3].map { $0 == 0x80 && (round[4] ?? 0) == 0 }
    return (pressure ?? temperature ?? false) && (temperature ?? true)
  }

  /// Checks whether the program reads and interprets a humidity that is not enabled.
  ///
  /// If the program did not access ctrl_hum, an earlier program may have enabled humidity; only the code that was read
  /// can tell.
  private mutating func checkHumidity() {
    guard let high = round[6], let low = round[7] else { return }
    guard high == 0x80, low == 0 else {
      hasSeenHumidity = true
      return
    }
    let isOff = effectiveHumidity.map { $0 == 0 } ?? !hasSeenHumidity
    guard isOff, !roundIsPending, hasHumidityWords, chip != .bmp280,
      trigger != nil || hasReadControl, round[0] != 0x80 || round[1] != 0
    else { return }
    let reason =
      effectiveHumidity == nil
      ? "humidity is skipped: ctrl_hum (0xF2) has not been written"
      : "humidity is skipped (ctrl_hum 0x0)"
    note("B29", "\(reason), and its registers are read", roundStart, concerns: .humidity)
  }

  /// The longest time, in nanoseconds, within which repeated reads of the same registers count as one reading.
  private static let sameReading: UInt64 = 20_000_000

  /// Checks whether all data registers of this round have already been read since the measurement was triggered.
  ///
  /// Many drivers read the temperature again for each of the other two quantities, which does not count as another
  /// reading.
  private mutating func checkRepetition() {
    guard trigger != nil, control & 3 != 3 else { return }
    var mask: UInt8 = 0
    for (index, byte) in round.enumerated() where byte != nil { mask |= 1 << index }
    let before = readSinceTrigger
    if before == 0 { firstReadSinceTrigger = roundStart }
    readSinceTrigger |= mask
    guard before != 0, mask & ~before == 0 else { return }
    let isLater =
      hasTimes ? roundStart > firstReadSinceTrigger &+ Self.sameReading : mask == before
    if isLater {
      note(
        "B27", "data are read again without a new measurement", roundStart)
    }
  }
}
