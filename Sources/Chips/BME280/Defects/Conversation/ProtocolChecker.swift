import BME280
import I2C
package import I2CTrace

/// Something in a conversation that is wrong, whatever the program makes of the bytes.
package struct ConversationFinding: Hashable, Sendable {
  /// The class of the defect; `nil` for what belongs to no class.
  package let classID: String?
  /// What happened, with its figures.
  package let sentence: String
  /// When it happened first, in nanoseconds since the start of the trace.
  package let time: UInt64
  /// How often.
  package internal(set) var count = 1
  /// The kind of mistake within its class: the same where only the figures differ.
  var kind = ""
  /// The quantities it is about, where a program that does not show them does nothing wrong.
  package var concerns = QuantitySet()
}

/// Listens to the conversation with one part and says what a program does wrong.
package struct ProtocolChecker {
  package private(set) var findings: [ConversationFinding] = []
  /// How many different findings are kept: more say nothing new.
  private static let mostFindings = 100

  private let longestRead: Int
  /// Whether the times of the transfers are those at which they happened.
  let hasTimes: Bool
  var pointer: UInt8 = 0
  var chip: Chip?
  var hasReadRegister = [Bool](repeating: false, count: 256)
  /// Whether the program has gone on to measure.
  var hasMeasured = false

  // What has been written.
  var controlHumidity: UInt8?
  /// Whether ctrl_hum was ever written, and the first mode that was written with no channel before it.
  var hasWrittenHumidity = false
  var bareMode: (value: UInt8, time: UInt64)?
  var isHumidityPending = false
  /// The setting that the last ctrl_meas put into effect; `nil` where none was written before it.
  var effectiveHumidity: UInt8?
  /// Whether a word of the humidity's calibration is other than 0, as of no BMP280.
  var hasHumidityWords = false
  /// Whether a humidity was ever another code than the one of a channel that is skipped.
  var hasSeenHumidity = false
  /// A write whose last byte is a value to somebody who counts on the part to increment, unless it is read from.
  var openBlock: (sentence: String, time: UInt64)?
  var control: UInt8 = 0
  var hasReadControl = false
  var lastReset: UInt64?
  var hasSeenCopyEnd = false

  // The measurement that was triggered last.
  var trigger: UInt64?
  var triggersSinceData = 0
  var polledIdle = false
  /// Whether the status or the mode has shown that the measurement runs, and then that it is over.
  var hasSeenMeasuring = false, hasSeenEnd = false
  /// Which data registers have been read since the trigger in rounds before this one, and when the first.
  var readSinceTrigger: UInt8 = 0
  var firstReadSinceTrigger: UInt64 = 0

  // The reading that is being taken: which data registers, and since when.
  var isInRound = false
  var roundStart: UInt64 = 0
  /// Whether ctrl_hum was waiting for ctrl_meas when the humidity was read.
  var roundIsPending = false
  var round = [UInt8?](repeating: nil, count: 8)
  var hasGoodData = false
  /// How often running the humidity was the code of one that is skipped; `nil` before it was another.
  var previousHumidityOff: Int?

  // What failed, and has not been done again.
  /// The registers of the calibration whose read failed.
  private var failedCalibration: Set<UInt8> = []
  /// The register whose address was not taken, with no other one written since.
  private var refusedPointer: UInt8?

  /// Creates an audit.
  ///
  /// - Parameters:
  ///   - longestRead: how many bytes the adapter reads at most; 0 for any number.
  ///   - hasTimes: whether the times of the transfers mean something.
  package init(longestRead: Int, hasTimes: Bool = true) {
    self.longestRead = longestRead
    self.hasTimes = hasTimes
  }

  /// Whether registers are read that no driver needs, as by a program that shows them all.
  var isDump: Bool { hasReadRegister[0x00] && hasReadRegister[0x88] }

  /// Takes what happened to the part.
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
          refusedPointer = nil
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
        checkRefusal(transfer)
        beginRead(message, transfer)
        for byte in message.bytes {
          read(byte, transfer)
          pointer &+= 1
        }
      }
    }
  }

  /// Ends: what was never done.
  package mutating func finish() {
    endRound()
    closeBlock()
    // A setting for the humidity may come later; one that never comes has gone elsewhere.
    if let bareMode, !hasWrittenHumidity {
      note(
        "B45",
        "ctrl_meas (0xF4) is written as \(Self.hex(bareMode.value)), a mode without a channel, and ctrl_hum (0xF2) "
          + "never was", bareMode.time)
    }
    guard hasMeasured else { return }
    // Who never looks at the pressure needs none of its calibration.
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
      note("B10", "of the calibration \(list) is never read", 0)
    }
    if isBME, hasReadRegister[0x88], !hasReadRegister[0xA1], !lost.contains(0xA1) {
      note("B05", "H1 (0xA1) is never read", 0)
    }
    if !hasReadRegister[0x88], hasReadRegister[0x00], lost.isEmpty {
      note("B10", "a block is read from register 0x00, the calibration never", 0)
    }
  }

  /// Notes what is wrong.
  ///
  /// - Parameters:
  ///   - id: the class of the defect; `nil` for what belongs to none.
  ///   - sentence: what happened, with its figures.
  ///   - time: when, in nanoseconds.
  ///   - kind: a name for sentences that differ only in their figures; the sentence itself unless given.
  ///   - concerns: the quantities it is about.
  mutating func note(
    _ id: String?, _ sentence: String, _ time: UInt64, kind: String? = nil,
    concerns: QuantitySet = []
  ) {
    if let index = findings.firstIndex(where: { $0.classID == id && $0.sentence == sentence }) {
      findings[index].count += 1
    } else if findings.count < Self.mostFindings {
      findings.append(
        ConversationFinding(
          classID: id, sentence: sentence, time: time, kind: kind ?? sentence, concerns: concerns))
    }
  }

  static func hex(_ register: UInt8) -> String { "0x" + String(register, radix: 16) }

  // MARK: Failures

  private mutating func checkLength(_ message: TracedMessage, _ transfer: TracedTransfer) {
    guard longestRead > 0, message.segment.count > longestRead else { return }
    note(
      nil,
      "\(message.segment.count) bytes are read at once over an adapter that reads "
        + "\(longestRead) at most", transfer.time)
  }

  /// Takes a message that failed: what a program wanted of it, it does not have.
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
        refusedPointer = register
        lose(from: register, 1)
      }
    }
  }

  private mutating func lose(from register: UInt8, _ count: Int) {
    for place in Int(register)..<(Int(register) + count)
    where (0x88...0x9F).contains(place) || place == 0xA1 || (0xE1...0xE7).contains(place) {
      failedCalibration.insert(UInt8(place))
    }
  }

  /// A read behind a register address that nobody took gives the bytes of some other register.
  private mutating func checkRefusal(_ transfer: TracedTransfer) {
    guard let register = refusedPointer else { return }
    refusedPointer = nil
    note(
      "B35",
      "the address of register \(Self.hex(register)) was not acknowledged, and the read after it is made nevertheless",
      transfer.time)
  }
}
