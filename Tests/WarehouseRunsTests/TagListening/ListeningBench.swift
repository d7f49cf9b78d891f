import BluetoothLE
import Environment
import SensorTags
import Warehouse
import WarehouseRuns

/// A dongle and some tags in simulated air, with a listener.
final class ListeningBench {
  static let epoch: Int64 = 1_767_225_600_000_000_000
  static let second: UInt64 = 1_000_000_000

  let air: BLEAir
  let dongle: VirtualRadio
  private(set) var tags: [SensorTag] = []
  private(set) var radios: [VirtualRadio] = []
  private(set) var listener: TagListener?
  private(set) var readings: [TagReading] = []
  private(set) var news: [ListenerEvent] = []

  init(
    _ models: [TagModel] = [.cc2650], connections: Int = 7, holds: Int? = nil, loss: Double = 0,
    seed: UInt64 = 7
  ) {
    var options = BLEAir.Options()
    options.loss = loss
    air = BLEAir(seed: seed, options: options)
    dongle = air.radio(
      BLEAddress(0xC000_0000_0001), BLECapabilities(maximumConnections: holds ?? connections))
    for (place, model) in models.enumerated() {
      let radio = air.radio(Self.address(place), at: BLEPosition(x: 2))
      let around = ScriptedAir(
        constant: Air(pressure: 100_653, temperature: 20 + Double(place), humidity: 60))
      let tag = SensorTag(model, on: radio, in: around, seed: seed &+ UInt64(place))
      tag.run(in: air)
      tags.append(tag)
      radios.append(radio)
    }
  }

  static func address(_ place: Int) -> BLEAddress { BLEAddress(0xA4DA_3200_0001 + UInt64(place)) }

  static func name(_ place: Int) -> String { address(place).description }

  /// Listens to all tags, and to `absent` additional tags that do not exist.
  func listen(
    period: Int64 = 1_000_000_000, connections: Int = 7, absent: Int = 0, stay: Int64? = nil,
    to count: Int? = nil
  ) {
    var options = ListenerOptions()
    options.connections = connections
    if let stay { options.stay = stay }
    let listener = TagListener(
      (0..<(count ?? tags.count) + absent).map { WatchedTag(Self.name($0), period: period) },
      on: dongle, options: options, epoch: Self.epoch, seed: 5,
      report: { [weak self] in self?.news.append($0) },
      take: { [weak self] in self?.readings.append($0) })
    self.listener = listener
    listener.run(in: air)
  }

  func wait(seconds: UInt64) { air.wait(nanoseconds: seconds * Self.second) }

  /// Returns the readings of a tag from one characteristic.
  func readings(of place: Int, _ characteristic: String = "AA21") -> [TagReading] {
    readings.filter { $0.tag == Self.name(place) && $0.characteristic == characteristic }
  }

  func forget() { (readings, news) = ([], []) }

  /// Powers a tag on or off.
  func setPower(_ isOn: Bool, of place: Int) {
    if isOn {
      radios[place].isOn = true
      tags[place].powerOn()
    } else {
      radios[place].isOn = false
      tags[place].powerOff()
    }
  }
}
