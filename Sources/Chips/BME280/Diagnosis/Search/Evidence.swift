package import BME280
package import DriverDefects
package import I2C
package import I2CTrace

/// What a trace tells of one part, and of the program that talked to it.
package struct Evidence {
  /// Where the part is.
  package let address: I2CAddress
  /// N of its bus.
  package let bus: Int
  /// What the program did wrong on the bus.
  package private(set) var findings: [ConversationFinding]
  /// How many transfers went to it, and how many of them failed.
  package let transfers: Int, failures: Int
  /// Whether the program asked for the filter, by its last write to config.
  package let wantsFilter: Bool
  /// Whether the program decided about the filter at all: it wrote config, or reset the part.
  package let decidesOnFilter: Bool
  /// Whether config was written while the program could not know the mode: before any write of ctrl_meas, any reset.
  package let configuresBlindly: Bool
  /// Whether every measurement was asked for: the part never measured on by itself, unfiltered.
  package let measuresOnDemand: Bool
  /// The longest time between the start of a measurement and the read of its data, in seconds; for normal mode the
  /// longest cycle.
  package let dataAge: Double
  /// When the first transfer began, in seconds.
  package let start: Double

  let part: RecordedPart
  /// The bytes 0xF7 to 0xFE of each measurement.
  let data: [[UInt8]]
  /// When each had been read, in seconds.
  let times: [Double]

  /// The measurements that the program has read: when, in seconds, and what.
  package var measurements: [(time: Double, raw: RawMeasurement)] {
    part.readings.map { (Double($0.time) / 1e9, $0.raw) }
  }

  /// At which register the program's reads of data begin; `nil` where it read none.
  package var dataStart: UInt8? { part.dataStart }

  /// The rests between two readings: the middle and the length of each, in seconds.
  ///
  /// A program may read several times for a reading; a rest is at least half as long as the longest.
  ///
  /// - Parameters:
  ///   - count: among how many readings that the program showed, from the first on: a program may rest for longer later.
  ///   - all: how many it showed in all.
  /// - Returns: the rests.
  package func rests(among count: Int, of all: Int) -> [(middle: Double, length: Double)] {
    let share = Double(count) / Double(max(all, 1)) * Double(times.count)
    let times = self.times.prefix(Int(share.rounded(.up)))
    let gaps = zip(times, times.dropFirst()).map { (middle: ($0 + $1) / 2, length: $1 - $0) }
    let longest = gaps.map(\.length).max() ?? 0
    return gaps.filter { $0.length >= longest / 2 }
  }

  /// How often values were shown again: without a measurement since the moment before, which was a while ago.
  ///
  /// - Parameter moments: when values were shown, in seconds, in order.
  /// - Returns: the number of moments.
  package func repetitions(at moments: [Double]) -> Int {
    zip(moments, moments.dropFirst()).count { before, moment in
      moment - before > 0.25 && !times.contains { before < $0 && $0 <= moment }
    }
  }

  /// The longest time between the last measurement that had been read and a moment at which values were shown.
  ///
  /// - Parameter moments: when values were shown, in seconds, in order.
  /// - Returns: that time, in seconds.
  package func oldest(at moments: [Double]) -> Double {
    var index = 0
    var longest = 0.0
    for moment in moments {
      while index < times.count, times[index] <= moment { index += 1 }
      if index > 0 { longest = max(longest, moment - times[index - 1]) }
    }
    return longest
  }

  /// Reads a trace to its end.
  ///
  /// - Parameters:
  ///   - header: what the trace says of itself.
  ///   - address: the part; the one with most measurements when `nil`.
  ///   - next: gives the transfers, in order.
  /// - Throws: what `next` throws.
  /// - Returns: nothing when nobody talked to 0x76 or 0x77.
  package static func gathered<Failure>(
    _ header: TraceHeader, address: I2CAddress?,
    _ next: () throws(Failure) -> TracedTransfer?
  ) throws(Failure) -> Evidence? {
    var gathering: [Place: Gathering] = [:]
    while let transfer = try next() {
      guard let target = transfer.messages.first?.segment.address,
        address.map({ $0 == target }) ?? (target.rawValue & 0x3FE == 0x76)
      else { continue }
      let place = Place(bus: transfer.bus, address: target)
      let limit = header.buses.first { $0.number == transfer.bus }?.quirks.maxReadLength ?? 0
      gathering[place, default: Gathering(longestRead: limit, hasTimes: header.hasTimes)]
        .take(transfer)
    }
    // Whoever is asked in vain is of no interest where another one answers.
    let found = gathering.max { one, other in
      (one.value.part.readings.count, one.value.transfers - one.value.failures)
        < (other.value.part.readings.count, other.value.transfers - other.value.failures)
    }
    return found.map { Evidence($0.key, $0.value) }
  }

  /// It without what concerns the humidity alone, for a program that does not show it.
  package var withoutHumidity: Evidence { showing([.temperature, .pressure]) }

  /// It without what concerns only quantities that a program does not show.
  func showing(_ quantities: QuantitySet) -> Evidence {
    var evidence = self
    evidence.findings.removeAll {
      !$0.concerns.isEmpty && $0.concerns.isDisjoint(with: quantities)
    }
    return evidence
  }

  /// Gathers from transfers that are at hand.
  init(_ transfers: [TracedTransfer], longestRead: Int = 0, hasTimes: Bool = true) {
    var gathering = Gathering(longestRead: longestRead, hasTimes: hasTimes)
    for transfer in transfers { gathering.take(transfer) }
    let address = transfers.first?.messages.first?.segment.address ?? 0x76
    self.init(Place(bus: transfers.first?.bus ?? 0, address: address), gathering)
  }

  private init(_ place: Place, _ gathering: Gathering) {
    var gathering = gathering
    gathering.audit.finish()
    address = place.address
    bus = place.bus
    findings = gathering.audit.findings
    transfers = gathering.transfers
    failures = gathering.failures
    wantsFilter = (gathering.configuration ?? 0) & 0x1C != 0
    decidesOnFilter = gathering.configuration != nil
    configuresBlindly = gathering.configuredBlindly
    measuresOnDemand = !gathering.wasContinuous && !wantsFilter
    dataAge = Double(gathering.longestAge) / 1e9
    start = Double(gathering.start ?? 0) / 1e9
    part = gathering.part
    data = part.readings.map(\.bytes)
    times = part.readings.map { Double($0.time) / 1e9 }
  }

  private struct Place: Hashable {
    let bus: Int
    let address: I2CAddress
  }

  private struct Gathering {
    var part = RecordedPart()
    var audit: ProtocolChecker
    var transfers = 0, failures = 0
    var start: UInt64?
    var configuration: UInt8?
    /// Whether config was written before the mode was.
    var configuredBlindly = false
    private var knowsMode = false
    /// Whether normal mode was ever asked for.
    var wasContinuous = false
    /// The longest time between a trigger and the read of its data, in nanoseconds.
    var longestAge: UInt64 = 0
    private var control: UInt8 = 0, humidityControl: UInt8 = 0
    private var trigger: UInt64?

    init(longestRead: Int, hasTimes: Bool) {
      audit = ProtocolChecker(longestRead: longestRead, hasTimes: hasTimes)
    }

    mutating func take(_ transfer: TracedTransfer) {
      transfers += 1
      start = start ?? transfer.time
      if transfer.error != nil { failures += 1 }
      for message in transfer.effectiveMessages where message.segment.direction == .write {
        // Registers may be written in pairs, config behind others.
        for (register, value) in RegisterWrite(message.bytes).pairs {
          if register == Register.configuration {
            configuration = value
            if !knowsMode { configuredBlindly = true }
          }
          if register == Register.controlMeasurement || register == Register.reset {
            knowsMode = true
          }
          if register == Register.reset { configuration = 0 }
          if register == Register.controlHumidity { humidityControl = value }
          guard register == Register.controlMeasurement else { continue }
          if value & 3 == 3 { wasContinuous = true }
          (control, trigger) = (value, transfer.time)
        }
      }
      let count = part.readings.count
      part.take(transfer)
      audit.take(transfer)
      if part.readings.count > count { noteAge(of: transfer.time &+ transfer.duration) }
    }

    /// Notes how old data may be that were read at a time.
    private mutating func noteAge(of time: UInt64) {
      guard control & 3 == 3 else {
        if let trigger { longestAge = max(longestAge, time &- trigger) }
        return
      }
      let chip = part.chip ?? .bme280
      let standby = Standby(rawValue: (configuration ?? 0) >> 5).nanoseconds(on: chip)
      let measurement = MeasurementTime.maximum(
        temperature: Oversampling(bits: control >> 5), pressure: Oversampling(bits: control >> 2),
        humidity: Oversampling(bits: humidityControl))
      // The standby time is up to a quarter longer than its nominal value (DS 1.1).
      longestAge = max(longestAge, 2 * measurement + standby + standby / 4)
    }
  }
}
