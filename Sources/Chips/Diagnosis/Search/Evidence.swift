package import BME280
package import BME280Model
package import I2C
package import I2CTrace

/// A part reconstructed from a trace, and the behavior of the program that accessed it.
package struct Evidence {
  /// The address of the part.
  package let address: I2CAddress
  /// The number of the bus that the part is on.
  package let bus: Int
  /// The protocol errors of the program.
  package private(set) var findings: [ProtocolFinding]
  /// The number of all transfers, and the number of failed transfers.
  package let transfers: Int, failures: Int
  /// `true` if a measurement was read with the filter enabled, or the last write to config enables it.
  package let enablesFilter: Bool
  /// The longest time that the filter needs for three quarters of a step, in seconds; 0 without a filter, and in normal mode,
  /// where it is below half a minute.
  package let filterLag: Double
  /// `true` if the program determined the filter setting, by writing config or by resetting the part.
  package let setsFilter: Bool
  /// `true` if config was written while the power mode was unknown: before any write to ctrl_meas and any reset.
  package let configuresBeforeMode: Bool
  /// `true` if every measurement was triggered and unfiltered, and the part was never in normal mode.
  package let measuresOnDemand: Bool
  /// The longest time between the start of a measurement and the read of its data, in seconds.
  ///
  /// In normal mode, the longest possible age of the data.
  package let dataAge: Double
  /// The start time of the first transfer, in seconds.
  package let start: Double

  package let part: RecordedPart
  /// The bytes 0xF7 to 0xFE of each measurement.
  package let data: [[UInt8]]
  /// The time at which each measurement was read, in seconds.
  let times: [Double]

  /// The measurements that the program has read, with their times in seconds.
  package var measurements: [(time: Double, raw: RawMeasurement)] {
    part.readings.map { (Double($0.time) / 1e9, $0.raw) }
  }

  /// The register at which the program starts to read data, or `nil` if it read none.
  package var dataStart: UInt8? { part.dataStart }

  /// The times at which measurements were read.
  package var reads: ReadTimes { ReadTimes(times) }

  /// Reads a trace to its end and collects the evidence about one part.
  ///
  /// - Parameters:
  ///   - header: the header of the trace.
  ///   - address: the address of the part. If it is `nil`, the part with the most measurements is selected.
  ///   - next: returns the next transfer, or `nil` at the end of the trace.
  /// - Throws: the errors of `next`.
  /// - Returns: the evidence, or `nil` if no transfer goes to `address` (if that is `nil`, to 0x76 or 0x77).
  package static func gathered<Failure>(
    _ header: TraceHeader, address: I2CAddress?,
    _ next: () throws(Failure) -> TracedTransfer?
  ) throws(Failure) -> Evidence? {
    var gathering: [PartAddress: Gathering] = [:]
    while let transfer = try next() {
      guard let target = transfer.messages.first?.segment.address,
        address.map({ $0 == target }) ?? (target.rawValue & 0x3FE == 0x76)
      else { continue }
      let key = PartAddress(bus: transfer.bus, address: target)
      let limit = header.buses.first { $0.number == transfer.bus }?.quirks.maxReadLength ?? 0
      gathering[key, default: Gathering(longestRead: limit, hasTimes: header.hasTimes)]
        .take(transfer)
    }
    // A device that never responds is ignored if another device does.
    let found = gathering.max { one, other in
      (one.value.part.readings.count, one.value.transfers - one.value.failures)
        < (other.value.part.readings.count, other.value.transfers - other.value.failures)
    }
    return found.map { Evidence($0.key, $0.value) }
  }

  /// A copy without findings that concern only humidity, for a program that does not display humidity.
  package var withoutHumidity: Evidence { showing([.temperature, .pressure]) }

  /// `true` if a filter is enabled and follows the air within ``longestFilterLag``.
  package var filtersPromptly: Bool { enablesFilter && filterLag <= Self.longestFilterLag }

  /// The longest time for three quarters of a step that counts as a choice of the program, in seconds: 2 min.
  package static let longestFilterLag = 120.0

  /// Returns a copy without findings that concern only quantities that a program does not display.
  func showing(_ quantities: QuantitySet) -> Evidence {
    var evidence = self
    evidence.findings.removeAll {
      !$0.concerns.isEmpty && $0.concerns.isDisjoint(with: quantities)
    }
    return evidence
  }

  /// Creates evidence from given transfers.
  package init(_ transfers: [TracedTransfer], longestRead: Int = 0, hasTimes: Bool = true) {
    var gathering = Gathering(longestRead: longestRead, hasTimes: hasTimes)
    for transfer in transfers { gathering.take(transfer) }
    let address = transfers.first?.messages.first?.segment.address ?? 0x76
    self.init(PartAddress(bus: transfers.first?.bus ?? 0, address: address), gathering)
  }

  private init(_ key: PartAddress, _ gathering: Gathering) {
    var gathering = gathering
    gathering.audit.finish()
    address = key.address
    bus = key.bus
    findings = gathering.audit.findings
    transfers = gathering.transfers
    failures = gathering.failures
    enablesFilter = gathering.hasFilteredReading || gathering.filters
    filterLag =
      gathering.wasContinuous || gathering.shortestRest == .max
      ? 0 : Double(gathering.filterSteps) * Double(gathering.shortestRest) / 1e9
    setsFilter = gathering.configuration != nil
    configuresBeforeMode = gathering.configuredBlindly
    measuresOnDemand = !gathering.wasContinuous && !enablesFilter
    dataAge = Double(gathering.longestAge) / 1e9
    start = Double(gathering.start ?? 0) / 1e9
    part = gathering.part
    data = part.readings.map(\.bytes)
    times = part.readings.map { Double($0.time) / 1e9 }
  }

  private struct PartAddress: Hashable {
    let bus: Int
    let address: I2CAddress
  }

  private struct Gathering {
    var part = RecordedPart()
    var audit: ProtocolChecker
    var transfers = 0, failures = 0
    var start: UInt64?
    var configuration: UInt8?
    /// `true` if the last write to config enables the filter.
    var filters: Bool { (configuration ?? 0) & 0x1C != 0 }
    /// `true` if a measurement was read with the filter enabled; the trace may end behind a later reset.
    var hasFilteredReading = false
    /// `true` if config was written before the power mode was known.
    var configuredBlindly = false
    private var knowsMode = false
    /// `true` if normal mode was ever set.
    var wasContinuous = false
    /// The longest time between a trigger and the read of its data, in nanoseconds.
    var longestAge: UInt64 = 0
    /// The most measurements that the filter needed for three quarters of a step.
    var filterSteps = 0
    /// The shortest time between two triggers, in nanoseconds; `UInt64.max` until there were two.
    var shortestRest = UInt64.max
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
        // One transfer may write several registers, with config not the first.
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
          if value & 3 != 0, let trigger {
            shortestRest = min(shortestRest, transfer.time &- trigger)
          }
          (control, trigger) = (value, transfer.time)
        }
      }
      let count = part.readings.count
      part.take(transfer)
      audit.take(transfer)
      guard part.readings.count > count else { return }
      noteAge(of: transfer.time &+ transfer.duration)
      if filters { hasFilteredReading = true }
      filterSteps = max(filterSteps, Self.steps(of: configuration ?? 0))
    }

    /// Returns how many measurements the filter needs for three quarters of a step (DS table 6).
    private static func steps(of configuration: UInt8) -> Int {
      [0, 2, 5, 11, 22, 22, 22, 22][Int(configuration >> 2 & 7)]
    }

    /// Records the possible age of data read at `time`.
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

/// The times at which a program read measurements from a part.
package struct ReadTimes: Sendable {
  /// The times in seconds, in order.
  package let times: [Double]

  package init(_ times: [Double]) { self.times = times }

  /// Keeps the last read of each group of reads: a program may poll the part, and read its quantities one after the other.
  ///
  /// - Parameter all: the times of all reads in seconds, in order. A group ends at a gap of at least a twentieth of the
  ///   longest one.
  package init(lastOfGroupsIn all: [Double]) {
    let gaps = zip(all, all.dropFirst()).map { $1 - $0 } + [.infinity]
    let longest = gaps.dropLast().max() ?? 0
    times = zip(all, gaps).filter { $1 >= longest / 20 }.map(\.0)
  }

  /// Returns the pauses between readings, each as its middle and its length, in seconds.
  ///
  /// A program may access the part several times for one reading, so a gap only counts as a pause if it is at least
  /// half as long as the longest gap.
  ///
  /// - Parameters:
  ///   - count: the number of displayed readings to consider, starting with the first; the program may pause longer
  ///     later.
  ///   - all: the number of all readings that the program displayed.
  /// - Returns: the pauses.
  package func rests(among count: Int, of all: Int) -> [(middle: Double, length: Double)] {
    let share = Double(count) / Double(max(all, 1)) * Double(times.count)
    let times = self.times.prefix(Int(share.rounded(.up)))
    let gaps = zip(times, times.dropFirst()).map { (middle: ($0 + $1) / 2, length: $1 - $0) }
    let longest = gaps.map(\.length).max() ?? 0
    return gaps.filter { $0.length >= longest / 2 }
  }

  /// Returns how often values were displayed more than 0.25 s after the previous display, without a new measurement in
  /// between.
  ///
  /// - Parameter moments: the times at which values were displayed, in seconds, in order.
  /// - Returns: the number of repeated displays.
  package func repetitions(at moments: [Double]) -> Int {
    zip(moments, moments.dropFirst()).count { before, moment in
      moment - before > 0.25 && !times.contains { before < $0 && $0 <= moment }
    }
  }

  /// Returns the age of the oldest displayed values, which is the longest time between reading a measurement and
  /// displaying it.
  ///
  /// - Parameter moments: the times at which values were displayed, in seconds, in order.
  /// - Returns: the longest time, in seconds.
  package func oldest(at moments: [Double]) -> Double {
    var index = 0
    var longest = 0.0
    for moment in moments {
      while index < times.count, times[index] <= moment { index += 1 }
      if index > 0 { longest = max(longest, moment - times[index - 1]) }
    }
    return longest
  }
}
