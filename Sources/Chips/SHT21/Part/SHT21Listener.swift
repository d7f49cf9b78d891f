import I2C
package import I2CTrace
package import Parts

/// Listens for results of an SHT21 that a program reads too early and never gets, and for what it asks of one that restarts.
package struct SHT21Listener: PartListener {
  private var register = SHT21UserRegister.afterReset
  private var unanswered = UnansweredReads()

  /// Creates a listener.
  package init() {}

  package mutating func take(_ transfer: TracedTransfer) {
    if transfer.isRefused { unanswered.refused(at: transfer.time) }
    guard transfer.error == nil else { return }
    for message in transfer.messages where !message.bytes.isEmpty {
      switch message.segment.direction {
      case .read: unanswered.answered()
      case .write: written(message.bytes, at: transfer.time + transfer.duration)
      }
    }
  }

  package mutating func remark() -> PartRemark? { unanswered.remark() }

  private mutating func written(_ bytes: [UInt8], at time: UInt64) {
    let command = SHT21Command(rawValue: bytes[0])
    switch command {
    case .temperatureNoHold, .humidityNoHold:
      guard let quantity = command?.quantity else { return }
      let longest = register.resolution.longestTime(of: quantity)
      unanswered.begin("its measurement began", at: time, longest: longest)
    case .softReset:
      register = .afterReset
      unanswered.begin("its reset", at: time, longest: SHT21Figures.resetTime)
    case .writeUserRegister where bytes.count > 1:
      register = SHT21UserRegister(rawValue: bytes[1])
    default: break
    }
  }
}
