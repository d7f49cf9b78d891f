import BluetoothLE
import Environment
import Foundation
import HubRadio
import SensorTags
import Synchronization
import VirtualI2C
package import WarehouseRuns

/// Virtual tags on the simulated radio medium of a Bluetooth stack; they run in real time on a
/// separate thread.
///
/// A hub connects to the medium through a socket, as it would to a dongle.
package final class VirtualTags: Sendable {
  /// The requests to the thread that runs the tags, and the state that the thread reports.
  private struct Wishes {
    var isStarted = false
    var actions: [StackPlan.What] = []
    /// The reason why the simulated radio medium failed; `nil` while it works.
    var failure: String?
    /// The values that each tag notified, by the address of the tag, with the number of
    /// notifications of each value; `nil` until the tags are removed.
    var notified: [String: [[UInt8]: Int]]?
  }

  private let wishes = Mutex(Wishes())
  private let stop = StopFlag()
  private let isReady = DispatchSemaphore(value: 0)
  private let isOver = DispatchSemaphore(value: 0)

  /// Creates the tags and waits until they advertise.
  ///
  /// - Parameters:
  ///   - tags: The tags.
  ///   - transports: The Bumble transports through which other programs reach the simulated radio
  ///     medium, such as `unix-server:/tmp/air`.
  ///   - transport: The controller of each tag. Default: a virtual controller.
  /// - Throws: An error if the radio medium is not available.
  package init(
    _ tags: [StackPlan.Tag], at transports: [String], radio transport: String = "virtual"
  ) throws(StackRunError) {
    let thread = Thread { [self] in
      serve(tags, transports, transport)
      isReady.signal()
      isOver.signal()
    }
    thread.start()
    isReady.wait()
    if let failure { throw StackRunError(failure) }
  }

  /// The reason why the simulated radio medium failed; `nil` while it works.
  package var failure: String? { wishes.withLock { $0.failure } }

  /// Starts the run; from then on, the temperature and humidity around each tag change with time.
  package func begin() { wishes.withLock { $0.isStarted = true } }

  /// Performs an action on a tag.
  func take(_ what: StackPlan.What) { wishes.withLock { $0.actions.append(what) } }

  /// Stops the tags and removes them from the radio medium.
  ///
  /// - Returns: The values that each tag notified, by the address of the tag, with the number of
  ///   notifications of each value.
  func end() -> [String: [[UInt8]: Int]] {
    stop.raise()
    isOver.wait()
    isOver.signal()
    return wishes.withLock { $0.notified ?? [:] }
  }

  /// Waits until a signal asks the program to end, or the radio medium fails.
  ///
  /// - Throws: The reason why the radio medium failed.
  package func wait() throws(StackRunError) {
    while EndSign.number == nil {
      if let failure { throw StackRunError(failure) }
      usleep(50_000)
    }
    _ = end()
  }

  // MARK: The thread

  private func serve(_ plans: [StackPlan.Tag], _ transports: [String], _ transport: String) {
    do throws(BLEBridge.BridgeError) {
      let bridge = try BLEBridge()
      var radios: [RecordingRadio] = []
      var airs: [TagAir] = []
      var tags: [SensorTag] = []
      for plan in plans {
        let radio = RecordingRadio(
          try bridge.radio(
            BLEAddress(plan.address) ?? BLEAddress(0xC000_0000_0001), transport: transport))
        let air = TagAir(plan.air)
        let tag = SensorTag(
          TagModel(rawValue: plan.kind) ?? .cc2650, on: radio, in: air, seed: plan.seed)
        tag.battery = plan.battery
        tag.powerOn()
        radios.append(radio)
        airs.append(air)
        tags.append(tag)
      }
      guard let first = radios.first else { return fail("the warehouse has no tags") }
      for transport in transports {
        let command = bridge.expose(on: transport, telling: first.radio)
        if let why = opened(command, first.radio) { return fail("\(transport): \(why)") }
      }
      isReady.signal()
      run(tags, airs, radios)
      let notified = Dictionary(
        zip(plans, radios).map { ($0.address, $1.notified) }, uniquingKeysWith: { one, _ in one })
      wishes.withLock { $0.notified = notified }
    } catch {
      fail(error.description)
    }
  }

  private func fail(_ why: String) { wishes.withLock { $0.failure = $0.failure ?? why } }

  /// Waits until other programs can reach the radio medium.
  ///
  /// - Returns: The error; `nil` on success.
  private func opened(_ command: Int, _ radio: BridgeRadio) -> String? {
    let handler = radio.handler
    var answer: String??
    radio.handler = { event in
      switch event.kind {
      case .done(command, _): answer = .some(nil)
      case .failed(command, let error): answer = "cannot open the socket of the air: \(error)"
      case .gone(let why): answer = why
      default: handler?(event)
      }
    }
    defer { radio.handler = handler }
    let latest = radio.nanoseconds + 60_000_000_000
    while answer == nil, radio.nanoseconds < latest {
      _ = radio.next(by: radio.nanoseconds + 10_000_000)
    }
    return answer ?? "the air is not available within 60 s"
  }

  /// Runs the tags until they are stopped.
  private func run(_ tags: [SensorTag], _ airs: [TagAir], _ radios: [RecordingRadio]) {
    let radio = radios[0].radio
    var hasBegun = false
    let handler = radio.handler
    radio.handler = { [self] event in
      if case .gone(let why) = event.kind { fail(why) }
      handler?(event)
    }
    while !stop.isRaised, failure == nil {
      let (isStarted, actions) = wishes.withLock { wishes in
        defer { wishes.actions = [] }
        return (wishes.isStarted, wishes.actions)
      }
      if isStarted, !hasBegun {
        hasBegun = true
        for air in airs { air.start = radio.nanoseconds }
      }
      for action in actions { act(action, tags, radios, at: radio.nanoseconds) }
      let next = tags.compactMap(\.nextChange).min() ?? .max
      // The wait is short, because new requests do not wake the thread.
      _ = radio.next(by: min(next, radio.nanoseconds + 20_000_000))
      let now = radio.nanoseconds
      for tag in tags where (tag.nextChange ?? .max) <= now { tag.advance(to: now) }
    }
  }

  private func act(
    _ action: StackPlan.What, _ tags: [SensorTag], _ radios: [RecordingRadio], at time: UInt64
  ) {
    switch action {
    case .battery(let tag, let percent): tags[tag].battery = percent
    case .power(let tag, let isOn):
      if isOn {
        tags[tag].powerOn()
      } else {
        tags[tag].powerOff()
        radios[tag].radio.unplug()
      }
    case .sensors(let tag, let state):
      switch state {
      case .working: tags[tag].set(.none, at: time)
      case .off: tags[tag].set(.off, at: time)
      case .silent: tags[tag].set(.silent, at: time)
      }
    case .command, .kill, .away: break
    }
  }
}

/// The temperature and humidity around a tag as functions of the time since the start of the run.
private final class TagAir: AirSource {
  private let air: StackAir
  /// The time on the radio's clock at which the run started; `nil` before the start.
  var start: UInt64?

  init(_ air: StackAir) { self.air = air }

  func air(at time: UInt64) -> Air {
    let now = start.map { Int64(time) - Int64($0) } ?? 0
    let (celsius, percent) = air.at(now)
    return Air(pressure: 101_325, temperature: celsius, humidity: percent)
  }
}

/// The radio of a tag, which records the notified values.
final class RecordingRadio: BLERadio {
  let radio: BridgeRadio
  /// The number of notifications with each value.
  private(set) var notified: [[UInt8]: Int] = [:]

  init(_ radio: BridgeRadio) { self.radio = radio }

  var address: BLEAddress { radio.address }
  var nanoseconds: UInt64 { radio.nanoseconds }
  var handler: ((BLEEvent) -> Void)? {
    get { radio.handler }
    set { radio.handler = newValue }
  }

  @discardableResult
  func send(_ command: BLECommand) -> Int {
    if case .notify(let value, _, _) = command { notified[value, default: 0] += 1 }
    return radio.send(command)
  }

  func next(by time: UInt64) -> BLEEvent? { radio.next(by: time) }
}
