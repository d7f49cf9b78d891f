package import I2C
package import I2CTrace
package import Support
import VirtualI2C

/// A bus of a trace, replayed from the recorded responses or from a model of its parts.
package struct ReplayedBus {
  /// The number of the bus in the trace, which is the N in /dev/i2c-N.
  package let number: Int
  package let adapter: any I2CAdapter
  package let clock: any I2CClock
  /// The replay of recorded responses; `nil` if a model responds.
  package let replay: Replay?
  package let sensors: [TraceModel.Sensor]

  /// Opens the bus that has a given number in a trace or, without a number, the trace's only bus.
  ///
  /// - Parameters:
  ///   - file: the trace.
  ///   - number: the number of the bus, which is the N in /dev/i2c-N; `nil` for the only bus.
  ///   - options: the replay options.
  ///   - clock: an external clock to advance. Default: an internal clock.
  /// - Throws: `Failure` if the trace or the bus does not exist, or the trace is insufficient for a model.
  package init(
    _ file: String, number: Int?, _ options: ReplayOptions, clock: (any I2CClock)? = nil
  ) throws(Failure) {
    let input = try TraceInput(file)
    let buses = input.header.buses
    let list = buses.map { "\($0.number)" }.joined(separator: ", ")
    guard let bus = buses.first(where: { $0.number == number ?? buses[0].number }),
      number != nil || buses.count == 1
    else {
      throw Failure(
        .unavailable,
        "\(file): the trace has several buses, or not this one (buses: \(list)); "
          + "use trace:\(file)#\(buses[0].number)")
    }
    self.number = bus.number
    guard let strictness = options.mode.strictness else {
      let own = clock ?? VirtualClock()
      let model = try TraceModel(input, bus: bus, pace: options.pace, clock: own)
      (adapter, self.clock, replay, sensors) = (model.adapter, own, nil, model.sensors)
      return
    }
    let replay = Replay(
      input.reader, bus: bus, strictness: strictness, pace: options.pace, clock: clock)
    (adapter, self.clock, self.replay, sensors) = (replay, replay, replay, [])
  }
}

/// The source of the responses in a replay.
package enum ReplayMode: String, Hashable, Sendable, CaseIterable {
  /// Recorded responses; the program must make the same transfers in the same order.
  case strict
  /// Recorded responses; the program's loops may have more or fewer iterations.
  case lenient
  /// A virtual sensor with the calibration and the raw values found in the trace, which responds to
  /// any program.
  case model

  /// The strictness of a replay of recorded responses; `nil` for a model.
  package var strictness: Replay.Strictness? {
    switch self {
    case .strict: .strict
    case .lenient: .lenient
    case .model: nil
    }
  }
}

package struct ReplayOptions: Hashable, Sendable {
  /// The source of the responses.
  package var mode: ReplayMode
  /// The effect of the recorded times on the time of the replay.
  package var pace: Replay.Pace

  package init(_ mode: ReplayMode, pace: Replay.Pace = .kept) {
    self.mode = mode
    self.pace = pace
  }
}

extension Replay.Pace {
  /// Parses `kept`, `ignored` or a factor such as `0.5`.
  package init?(_ text: String) {
    switch text {
    case "kept": self = .kept
    case "ignored": self = .ignored
    default:
      guard let factor = Double(text), factor > 0, factor <= 1e6 else { return nil }
      self.init(factor: factor)
    }
  }
}

extension Replay {
  /// Returns the lines that report a difference and the tolerated deviations at the end of a
  /// replay; empty if there were none.
  package func report(_ name: String) -> [String] {
    finish()
    if let failure { return [TraceInput.failure(failure, name).description] }
    var lines: [String] = []
    if let difference {
      lines.append("\(name):\(difference.line): the replay differs from the trace here")
      lines.append("  recorded:  \(difference.recorded.map { "\($0)" } ?? "the end")")
      lines.append("  requested: \(difference.requested.map { "\($0)" } ?? "the end")")
    }
    if !repairs.isNone {
      lines.append(
        "\(name): tolerated: \(repairs.skipped) recorded transfers skipped, "
          + "\(repairs.repeated) responses repeated")
    }
    return lines
  }
}
