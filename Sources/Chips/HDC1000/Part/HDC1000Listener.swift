import I2C
package import I2CTrace
package import Parts

/// Listens for results of an HDC1000 that a program reads too early and never gets.
package struct HDC1000Listener: PartListener {
  private var configuration = HDC1000Configuration.afterReset
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
    switch (bytes[0], bytes.count) {
    case (HDC1000Register.temperature, 1), (HDC1000Register.humidity, 1):
      unanswered.begin("its measurement began", at: time, typical: usualTime(of: bytes[0]))
    case (HDC1000Register.configuration, 3...):
      let word = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
      if word & HDC1000Configuration.resetBit != 0 {
        configuration = .afterReset
        unanswered.begin("its reset", at: time, longest: HDC1000Figures.startTime)
      } else {
        configuration = HDC1000Configuration(rawValue: word)
      }
    default: break
    }
  }

  /// The time of a measurement, of which the data sheet gives no longest.
  private func usualTime(of pointer: UInt8) -> UInt64 {
    let temperature = configuration.temperatureResolution.time(of: .temperature)
    let humidity = configuration.humidityResolution.time(of: .humidity)
    if configuration.measuresBoth { return temperature + humidity }
    return pointer == HDC1000Register.temperature ? temperature : humidity
  }
}
