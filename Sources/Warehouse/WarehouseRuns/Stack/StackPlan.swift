import VirtualI2C
import Warehouse

/// What is to happen in a run over a stack besides what the air does.
public struct StackPlan: Sendable {
  /// Something that happens.
  public enum What: Hashable, Sendable {
    /// A person sends a command, which is a document in JSON.
    case command(String)
    /// A program is killed: `hub`, `bridge` or `broker`.
    case kill(String)
    /// The broker cannot be reached for so many nanoseconds.
    case away(Int64)
    /// A tag is without power, or has it again.
    case power(tag: Int, isOn: Bool)
    /// The sensors of a tag are without supply, or have it again.
    case sensors(tag: Int, Sensors)
    /// A tag tells another charge of its battery in percent.
    case battery(tag: Int, UInt8)
  }

  /// What the sensors of a tag are.
  public enum Sensors: Hashable, Sendable {
    /// There.
    case working
    /// Without supply: the tag tells zeros.
    case off
    /// Without supply: the tag's test fails, and it tells nothing.
    case silent
  }

  /// A tag as it really is.
  public struct Tag: Sendable {
    /// Its address, `A4:DA:32:00:00:01`.
    public let address: String
    /// The name of its kind.
    public let kind: String
    /// The charge of its battery in percent.
    public let battery: UInt8
    /// What its parts draw their noise and numbers from.
    public let seed: UInt64
    /// The air at its place.
    public let air: StackAir
  }

  /// The tags.
  public let tags: [Tag]
  /// What happens, in order of its time in nanoseconds since the start.
  public let agenda: [(time: Int64, what: What)]
  /// How long it lasts, in nanoseconds.
  public let duration: Int64

  init(_ rig: WarehouseRig) {
    var chance = SeededGenerator(seed: rig.seed, stream: 19)
    tags = rig.tags.map { tag in
      Tag(
        address: tag.expected.address, kind: tag.kind.name, battery: UInt8(tag.battery),
        seed: chance.next(),
        air: StackAir(course: rig.courses[tag.zone], warmer: tag.warmer, wetter: tag.wetter))
    }
    var agenda: [(time: Int64, what: What)] = rig.commands.map {
      ($0.time, .command($0.command.json))
    }
    for fault in rig.faults {
      let (begin, end) = Self.effects(of: fault, rig)
      agenda += [(fault.span.lowerBound, begin), (fault.span.upperBound, end)]
    }
    agenda += rig.away.map { ($0.lowerBound, .away($0.upperBound - $0.lowerBound)) }
    for _ in 0..<rig.kills.count {
      let program = rig.kills.of[Int(chance.unit() * Double(rig.kills.of.count))]
      agenda.append((Int64(chance.unit() * Double(rig.duration)), .kill(program.rawValue)))
    }
    self.agenda = agenda.filter { $0.time < rig.duration }.sorted { $0.time < $1.time }
    duration = rig.duration
  }

  /// What happens where a fault begins and where it is over.
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
