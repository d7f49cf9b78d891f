import BluetoothLE
import Environment
import Quantities
import SensorTags
import TagListening
import VirtualI2C
import Warehouse

/// The tags of a rig and the hub's dongle in the air of this process, in virtual time: the run's time is the air's.
final class TagField {
  private let rig: WarehouseRig
  private let air: BLEAir
  private let dongle: VirtualRadio
  private let tags: [SensorTag]
  private let radios: [VirtualRadio]
  private var listener: TagListener?
  /// How many notifications listeners were given.
  private(set) var heard = 0

  init(_ rig: WarehouseRig) {
    self.rig = rig
    let air = BLEAir(seed: rig.seed, options: rig.air)
    self.air = air
    dongle = air.radio(
      Self.address(of: "C0:A0:E5:01:D0:00"), at: rig.place,
      BLECapabilities(maximumConnections: rig.rota.connections))
    radios = rig.tags.map { air.radio(Self.address(of: $0.expected.address), at: $0.place) }
    tags = zip(rig.tags, radios).enumerated().map { place, pair in
      let (tag, radio) = pair
      let around = CourseAir(
        rig.courses[tag.zone], warmer: tag.warmer, wetter: tag.wetter)
      let made = SensorTag(
        TagModel(rawValue: tag.kind.name) ?? .cc2650, on: radio, in: around,
        seed: rig.seed &* 1_000_003 &+ UInt64(place))
      made.battery = UInt8(clamping: tag.battery)
      made.run(in: air)
      return made
    }
  }

  private static func address(of text: String) -> BLEAddress { BLEAddress(text) ?? BLEAddress(0) }

  /// Lets the air move.
  func advance(to time: Int64) { air.advance(to: UInt64(max(time, 0))) }

  /// The hub's bridge to the radio is there, and listens anew.
  ///
  /// - Parameters:
  ///   - seed: what its waits come of.
  ///   - lost: is told the address of a tag whose connection was lost.
  ///   - take: is given each reading.
  func listen(
    seed: UInt64, lost: @escaping (String) -> Void, take: @escaping (TagReading) -> Void
  ) {
    stop()
    dongle.isOn = true
    var plan = ListeningPlan(rig.times)
    (plan.connections, plan.stay) = (rig.rota.connections, rig.rota.stay)
    plan.connecting = rig.rota.connecting
    // Nobody asks for a pressure that no limit is about.
    plan.onlyHumidity = !rig.policy.zones.contains { zone in
      zone.rules.contains { $0.cause.quantity == .pressure }
    }
    let listener = TagListener(
      rig.tags.map { ListenedTag($0.expected.address, period: $0.period) }, on: dongle, plan: plan,
      epoch: rig.start, seed: seed,
      tell: { news in
        if case .lost(let tag, .disconnected) = news { lost(tag) }
      },
      take: { [weak self] reading in
        self?.heard += 1
        take(reading)
      })
    self.listener = listener
    listener.run(in: air)
  }

  /// The bridge is gone; its connections end when the tags find out.
  func stop() {
    listener?.leave()
    listener = nil
    dongle.isOn = false
  }

  /// How many notifications of tags nobody heard.
  var unheard: Int { max(tags.reduce(0) { $0 + $1.measurements } - heard, 0) }

  /// A fault begins or is over.
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
