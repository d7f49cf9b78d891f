import Environment
import VirtualI2C
import Warehouse

/// The tags of a run over a Bluetooth stack, and its scheduled actions, such as commands, kills and
/// faults; changes of the ambient air are not among these actions.
public struct StackPlan: Sendable {
  /// A scheduled action.
  public enum What: Hashable, Sendable {
    /// Sends a person's command, given as a JSON document.
    case command(String)
    /// Kills a program: `hub`, `bridge` or `broker`.
    case kill(String)
    /// Makes the broker unreachable for a duration in nanoseconds.
    case away(Int64)
    /// Powers a tag on or off.
    case power(tag: Int, isOn: Bool)
    /// Puts the sensors of a tag into a condition.
    case sensors(tag: Int, Sensors)
    /// Sets the battery level that a tag reports, in percent.
    case battery(tag: Int, UInt8)
  }

  /// The condition of a tag's sensors.
  public enum Sensors: Hashable, Sendable {
    /// The sensors work.
    case working
    /// The sensors have no supply, and the tag notifies zeros.
    case off
    /// The sensors have no supply; the sensor test fails, and the tag sends no notifications.
    case silent
  }

  /// A simulated tag of the run.
  public struct Tag: Sendable {
    /// The address, such as `A4:DA:32:00:00:01`.
    public let address: String
    /// The name of the kind of tag.
    public let kind: String
    /// The battery level in percent.
    public let battery: UInt8
    /// The seed of the sensors' noise and serial numbers.
    public let seed: UInt64
    /// The ambient air of the tag.
    public let air: StackAir
  }

  /// The tags.
  public let tags: [Tag]
  /// The actions in chronological order, with their times in nanoseconds since the start.
  public let schedule: [(time: Int64, what: What)]
  /// The duration of the run in nanoseconds.
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

  /// Returns the actions at the start and at the end of a fault.
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
  /// The tags of the example, one of each kind, in air of 21 °C and 50 % relative humidity.
  public static var examples: [StackPlan.Tag] {
    func constant(_ value: Double) -> Profile {
      Profile([Profile.Point(time: 0, value: value)], interpolation: .linear)
    }
    let air = StackAir(
      course: WarehouseRig.Course(temperature: constant(21), humidity: constant(50)), warmer: 0,
      wetter: 0)
    // In static random addresses, the two most significant bits are set.
    return TagCatalogue.all.enumerated().map { index, kind in
      StackPlan.Tag(
        address: "C4:BE:84:70:00:0\(index + 1)", kind: kind.name, battery: 100,
        seed: UInt64(index), air: air)
    }
  }
}
