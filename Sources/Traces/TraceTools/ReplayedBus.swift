package import Files
package import I2C
package import I2CTrace
import VirtualI2C

/// A bus of a trace that answers again: with what was recorded, or with a model of its parts.
package struct ReplayedBus {
  /// N of the bus in the trace.
  package let number: Int
  package let adapter: any I2CAdapter
  package let clock: any I2CClock
  /// The replay; `nil` where a model answers.
  package let replay: Replay?
  /// The model's sensors.
  package let sensors: [TraceModel.Sensor]

  /// Opens one bus of a trace: the one with a number, else the only one.
  ///
  /// - Parameters:
  ///   - file: the trace.
  ///   - number: N of the bus.
  ///   - options: how it is replayed.
  ///   - clock: the time that the replay moves; one of its own when `nil`.
  /// - Throws: `Failure` when the trace or the bus is not there, or no model can be made.
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
        .unavailable, "\(file): which bus? there are \(list); say trace:\(file)#\(buses[0].number)")
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
