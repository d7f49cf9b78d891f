import BluetoothLE
import Environment
import Foundation
import HubRadio
import SensorTags
import Synchronization
import VirtualI2C
package import WarehouseRuns

/// Virtual tags on the virtual air of a Bluetooth stack, in a thread of their own and on the wall clock; a hub reaches the air
/// through a socket, as it would reach a dongle.
package final class TagsOnAir: Sendable {
  /// What is asked of the thread.
  private struct Wishes {
    var isStarted = false
    var actions: [StackPlan.What] = []
    /// Why the air is gone.
    var failure: String?
    /// What each tag told, once the tags are off the air.
    var told: [String: [[UInt8]: Int]]?
  }

  private let wishes = Mutex(Wishes())
  private let stop = StopSign()
  private let isReady = DispatchSemaphore(value: 0)
  private let isOver = DispatchSemaphore(value: 0)

  /// Puts tags on the air, and waits until they advertise.
  ///
  /// - Parameters:
  ///   - tags: those.
  ///   - places: where the air is reached, as Bumble names transports: `unix-server:/tmp/air`.
  ///   - transport: the controller of each tag; a virtual one unless given.
  /// - Throws: why there is no air.
  package init(
    _ tags: [StackPlan.Tag], at places: [String], radio transport: String = "virtual"
  ) throws(StackRunError) {
    let thread = Thread { [self] in
      serve(tags, places, transport)
      isReady.signal()
      isOver.signal()
    }
    thread.start()
    isReady.wait()
    if let failure { throw StackRunError(failure) }
  }

  /// Why the air is gone; `nil` while it is there.
  package var failure: String? { wishes.withLock { $0.failure } }

  /// The time of the air begins to pass.
  package func begin() { wishes.withLock { $0.isStarted = true } }

  /// Something happens to a tag.
  func take(_ what: StackPlan.What) { wishes.withLock { $0.actions.append(what) } }

  /// Ends the air.
  ///
  /// - Returns: what each tag told, by its address.
  func end() -> [String: [[UInt8]: Int]] {
    stop.raise()
    isOver.wait()
    isOver.signal()
    return wishes.withLock { $0.told ?? [:] }
  }

  /// Waits until somebody asks the program to end, or the air is gone.
  ///
  /// - Throws: why the air is gone.
  package func wait() throws(StackRunError) {
    while EndSign.number == nil {
      if let failure { throw StackRunError(failure) }
      usleep(50_000)
    }
    _ = end()
  }

  // MARK: The thread

  private func serve(_ plans: [StackPlan.Tag], _ places: [String], _ transport: String) {
    do throws(BLEBridge.BridgeError) {
      let bridge = try BLEBridge()
      var radios: [NotedRadio] = []
      var airs: [TagAir] = []
      var tags: [SensorTag] = []
      for plan in plans {
        let radio = NotedRadio(
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
      for place in places {
        let command = bridge.expose(on: place, telling: first.radio)
        if let why = opened(command, first.radio) { return fail("\(place): \(why)") }
      }
      isReady.signal()
      run(tags, airs, radios)
      let told = Dictionary(
        zip(plans, radios).map { ($0.address, $1.told) }, uniquingKeysWith: { one, _ in one })
      wishes.withLock { $0.told = told }
    } catch {
      fail(error.description)
    }
  }

  private func fail(_ why: String) { wishes.withLock { $0.failure = $0.failure ?? why } }

  /// Waits until the air can be reached.
  ///
  /// - Returns: why it cannot; `nil` where it can.
  private func opened(_ command: Int, _ radio: BridgeRadio) -> String? {
    let handler = radio.handler
    var answer: String??
    radio.handler = { event in
      switch event.kind {
      case .done(command, _): answer = .some(nil)
      case .failed(command, let error): answer = "no socket for the air: \(error)"
      case .gone(let why): answer = why
      default: handler?(event)
      }
    }
    defer { radio.handler = handler }
    let latest = radio.nanoseconds + 60_000_000_000
    while answer == nil, radio.nanoseconds < latest {
      _ = radio.next(by: radio.nanoseconds + 10_000_000)
    }
    return answer ?? "the air does not answer within 60 s"
  }

  /// Lets the tags act until they are told to end.
  private func run(_ tags: [SensorTag], _ airs: [TagAir], _ radios: [NotedRadio]) {
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
      // Nobody wakes it for a wish.
      _ = radio.next(by: min(next, radio.nanoseconds + 20_000_000))
      let now = radio.nanoseconds
      for tag in tags where (tag.nextChange ?? .max) <= now { tag.advance(to: now) }
    }
  }

  private func act(
    _ action: StackPlan.What, _ tags: [SensorTag], _ radios: [NotedRadio], at time: UInt64
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

/// The air at the place of a tag, whose time begins when the run does.
private final class TagAir: AirSource {
  private let air: StackAir
  /// The radio's time at which it begins; `nil` before.
  var start: UInt64?

  init(_ air: StackAir) { self.air = air }

  func air(at time: UInt64) -> Air {
    let now = start.map { Int64(time) - Int64($0) } ?? 0
    let (celsius, percent) = air.at(now)
    return Air(pressure: 101_325, temperature: celsius, humidity: percent)
  }
}
