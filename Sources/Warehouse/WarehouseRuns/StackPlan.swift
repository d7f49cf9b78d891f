import Environment
import VirtualI2C
import Warehouse

/// The scheduled actions of a run over a Bluetooth stack, in addition to the changes of the air.
public struct StackPlan: Sendable {
  /// A scheduled action.
  public enum What: Hashable, Sendable {
    /// Sends a person's command, a JSON document.
    case command(String)
    /// Kills a program: `hub`, `bridge` or `broker`.
    case kill(String)
    /// Makes the broker unreachable for a number of nanoseconds.
    case away(Int64)
    /// Switches the power of a tag.
    case power(tag: Int, isOn: Bool)
    /// Switches the supply of a tag's sensors.
    case sensors(tag: Int, Sensors)
    /// Sets the battery level that a tag reports, in percent.
    case battery(tag: Int, UInt8)
  }

  /// The state of a tag's sensors.
  public enum Sensors: Hashable, Sendable {
    /// The sensors work.
    case working
    /// The sensors have no supply, and the tag notifies zeros.
    case off
    /// The sensors have no supply; the sensor test fails, and the tag does not notify.
    case silent
  }

  /// A simulated tag.
  public struct Tag: Sendable {
    /// The address, such as `A4:DA:32:00:00:01`.
    public let address: String
    /// The name of the kind of tag.
    public let kind: String
    /// The battery level in percent.
    public let battery: UInt8
    /// The seed of the noise and serial numbers of its parts.
    public let seed: UInt64
    /// The ambient air.
    public let air: StackAir
  }

  /// The tags.
  public let tags: [Tag]
  /// The actions in chronological order, with their times in nanoseconds since the start.
  public let schedule: [(time: Int64, what: What)]
  /// The duration in nanoseconds.
  public let duration: Int64

  init(_ rig: WarehouseRig) {
    var chance = SeededGenerator(seed: rig.seed, stream: 19)
    tags = rig.tags.map { tag in
      Tag(
        address: tag.expected.address, kind: tag.kind.name, battery: UInt8(tag.battery),
        seed: chance.next(),
        air: StackAir(course: rig.courses[tag.zone], warmer: tag.warmer, wetter: tag.wetter))
    }
    var schedule: [(time: Int64, what: What)] = rig.commands.map {
      ($0.time, .command($0.command.json))
    }
    for fault in rig.faults {
      let (begin, end) = Self.effects(of: fault, rig)
      schedule += [(fault.span.lowerBound, begin), (fault.span.upperBound, end)]
    }
    schedule += rig.away.map { ($0.lowerBound, .away($0.upperBound - $0.lowerBound)) }
    for _ in 0..<rig.kills.count {
      let program = rig.kills.of[Int(chance.unit() * Double(rig.kills.of.count))]
      schedule.append((Int64(chance.unit() * Double(rig.duration)), .kill(program.rawValue)))
    }
    self.schedule = schedule.filter { $0.time < rig.duration }.sorted { $0.time < $1.time }
    duration = rig.duration
  }

  /// Returns the actions at the beginning and end of a fault.
  private static func effects(
    of fault: WarehouseRig.TagFault, _ rig: WarehouseRig
  ) -> (begin: What, end: What) {
    let tag = fault.tag
    return switch fault.kind {
    case .battery(let percent):
      (
        .battery(tag: tag, UInt8(clamping: percent)),
        .battery(tag: tag, UInt8(clamping: rig.tags[tag].battery))
      )
    case .dead: (.power(tag: tag, isOn: false), .power(tag: tag, isOn: true))
    case .off: (.sensors(tag: tag, .off), .sensors(tag: tag, .working))
    case .silent: (.sensors(tag: tag, .silent), .sensors(tag: tag, .working))
    }
  }
}

extension StackPlan.Tag {
  /// Example tags, one of each kind, in air of 21 °C and 50 %.
  public static var examples: [StackPlan.Tag] {
    func constant(_ value: Double) -> Profile {
      Profile([Profile.Point(time: 0, value: value)], interpolation: .linear)
    }
    let air = StackAir(
      course: WarehouseRig.Course(temperature: constant(21), humidity: constant(50)), warmer: 0,
      wetter: 0)
    // Static random addresses: the two most significant bits are set.
    return TagCatalogue.all.enumerated().map { index, kind in
      StackPlan.Tag(
        address: "C4:BE:84:70:00:0\(index + 1)", kind: kind.name, battery: 100,
        seed: UInt64(index), air: air)
    }
  }
}
