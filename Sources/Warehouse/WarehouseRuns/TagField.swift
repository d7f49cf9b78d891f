import BluetoothLE
import Environment
import Quantities
import SensorTags
import VirtualI2C
import Warehouse

/// The simulated tags and the hub's radio dongle, connected by a simulated radio medium that also
/// keeps the virtual time.
final class TagField {
  private let rig: WarehouseRig
  private let air: BLEAir
  private let dongle: VirtualRadio
  private let tags: [SensorTag]
  private let radios: [VirtualRadio]
  private var listener: TagListener?
  /// The number of readings delivered to listeners.
  private(set) var heard = 0

  init(_ rig: WarehouseRig) {
    self.rig = rig
    let air = BLEAir(seed: rig.seed, options: rig.air)
    self.air = air
    dongle = air.radio(
      Self.address(of: "C0:A0:E5:01:D0:00"), at: rig.position,
      BLECapabilities(maximumConnections: rig.roundRobin.connections))
    radios = rig.tags.map { air.radio(Self.address(of: $0.expected.address), at: $0.position) }
    tags = zip(rig.tags, radios).enumerated().map { tagIndex, pair in
      let (tag, radio) = pair
      let around = CourseAir(
        rig.courses[tag.zone], warmer: tag.warmer, wetter: tag.wetter)
      let made = SensorTag(
        TagModel(rawValue: tag.kind.name) ?? .cc2650, on: radio, in: around,
        seed: rig.seed &* 1_000_003 &+ UInt64(tagIndex))
      made.battery = UInt8(clamping: tag.battery)
      made.run(in: air)
      return made
    }
  }

  private static func address(of text: String) -> BLEAddress { BLEAddress(text) ?? BLEAddress(0) }

  /// Advances the virtual time, which the simulated radio medium keeps.
  func advance(to time: Int64) { air.advance(to: UInt64(max(time, 0))) }

  /// Starts the hub's radio bridge with a new listener.
  ///
  /// - Parameters:
  ///   - seed: The seed of the listener's retry delays.
  ///   - lost: The function that receives the address of a tag whose connection was lost.
  ///   - take: The function that receives each reading.
  func listen(
    seed: UInt64, lost: @escaping (String) -> Void, take: @escaping (TagReading) -> Void
  ) {
    stop()
    dongle.isOn = true
    var options = ListenerOptions(rig.times)
    (options.connections, options.stay) = (rig.roundRobin.connections, rig.roundRobin.stay)
    options.connecting = rig.roundRobin.connecting
    // The pressure sensor is enabled only if a limit needs it.
    options.onlyHumidity = !rig.policy.zones.contains { zone in
      zone.rules.contains { $0.cause.quantity == .pressure }
    }
    let listener = TagListener(
      rig.tags.map { WatchedTag($0.expected.address, period: $0.period) }, on: dongle,
      options: options,
      epoch: rig.start, seed: seed,
      report: { news in
        if case .lost(let tag, .disconnected) = news { lost(tag) }
      },
      take: { [weak self] reading in
        self?.heard += 1
        take(reading)
      })
    self.listener = listener
    listener.run(in: air)
  }

  /// Stops the radio bridge.
  ///
  /// Its connections end when the tags' supervision timeout elapses.
  func stop() {
    listener?.leave()
    listener = nil
    dongle.isOn = false
  }

  /// The number of notifications that the hub did not receive.
  var unheard: Int { max(tags.reduce(0) { $0 + $1.measurements } - heard, 0) }

  /// Starts or ends a fault.
  func set(_ fault: WarehouseRig.TagFault, isThere: Bool) {
    let (tag, radio) = (tags[fault.tag], radios[fault.tag])
    switch fault.kind {
    case .dead:
      radio.isOn = !isThere
      if isThere { tag.powerOff() } else { tag.powerOn() }
    case .off: tag.set(isThere ? .off : .none, at: air.nanoseconds)
    case .silent: tag.set(isThere ? .silent : .none, at: air.nanoseconds)
    case .battery(let percent):
      tag.battery = UInt8(clamping: isThere ? percent : rig.tags[fault.tag].battery)
    }
  }
}

/// The ambient air of a tag over time: the air of its zone plus constant differences.
final class CourseAir: AirSource {
  private let course: WarehouseRig.Course
  private let warmer, wetter: Double
  /// The pressure in Pa, which warehouse rigs cannot set.
  private static let pressure = 101_325.0

  init(_ course: WarehouseRig.Course, warmer: Double, wetter: Double) {
    (self.course, self.warmer, self.wetter) = (course, warmer, wetter)
  }

  func air(at time: UInt64) -> Air {
    let time = Int64(clamping: time)
    return Air(
      pressure: Self.pressure, temperature: course.temperature.value(at: time) + warmer,
      humidity: min(max(course.humidity.value(at: time) + wetter, 0), 100))
  }
}
