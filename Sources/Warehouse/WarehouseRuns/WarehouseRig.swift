import BluetoothLE
import Environment
import Warehouse

/// A parsed warehouse rig.
package struct WarehouseRig: Sendable {
  /// A simulated tag.
  struct Tag: Sendable {
    let expected: WarehousePolicy.ExpectedTag
    let kind: TagKind
    /// The time between two notifications in nanoseconds; the hub expects one per round if tags share connections.
    let period: Int64
    let battery: Int
    /// The difference of its air to that of its zone, in °C and %.
    let warmer, wetter: Double
    /// The position.
    let position: BLEPosition
    /// The index of its zone.
    let zone: Int
  }

  /// A fault of a tag.
  struct TagFault: Sendable {
    enum Kind: Hashable, Sendable {
      case dead, off, silent
      case battery(Int)
    }

    let kind: Kind
    /// The index of the tag.
    let tag: Int
    /// The start and end in nanoseconds since the start of the run.
    let span: Range<Int64>
  }

  /// A program that can be killed.
  enum Program: String, CaseIterable, Sendable {
    case hub, bridge, broker
  }

  /// The air of a zone over time.
  struct Course: Sendable {
    let temperature, humidity: Profile
  }

  /// The comment at the start of the file.
  let summary: String
  /// The name for reports.
  package let name: String
  /// The seed of all random choices.
  package var seed: UInt64
  /// The start in nanoseconds since 1970, and the duration in nanoseconds.
  var start: Int64
  let duration: Int64
  /// Whether the run uses a Bluetooth stack in real time.
  let isOnStack: Bool
  let policy: WarehousePolicy
  /// The air of each zone.
  let courses: [Course]
  let tags: [Tag]
  let roundRobin: RoundRobin
  /// The radio timings of the hub.
  let times: ListenerTimings
  /// The radio propagation, and the position of the hub's radio.
  let air: BLEAir.Options
  let position: BLEPosition
  let isConfirmedByReceiver: Bool
  /// The times at which the broker is unreachable, in nanoseconds since the start.
  let away: [Range<Int64>]
  /// The commands of people, with their times.
  let commands: [(time: Int64, command: HubCommand)]
  let faults: [TagFault]
  /// The number of kills, and the programs to kill.
  let kills: (count: Int, of: [Program])
  let expectations: [WarehouseExpectation]
}

/// An expected result of a run.
enum WarehouseExpectation: Sendable {
  /// An alarm; times in nanoseconds since the start.
  struct Wanted: Sendable {
    let key: AlarmKey
    let tagName: String
    let raised, within: Int64
    let lasts: Int64?
    let notifications: [String]?
    let phase: ZoneAlarm.Phase?
  }

  case alarm(Wanted)
  case alarms(Int, AlarmCause?)
  case delivery(isOnce: Bool)
  case readings(Int)
  case heldBack(Int)
  case article(falseAlarms: Int, missed: Int)
  case hears(tags: Int, until: Int64?, within: Int64)
  case copies(value: Int, taken: Int)
  case trips(tag: Int, limit: Double, right: Double, within: Double)
  case shown(tag: Int, at: Int64, right: Double, shown: Double)
  case storage(zone: String, isKept: Bool)
  case kineticMean(tag: Int, celsius: Double, within: Double)
  case monitor(MappingStudy.Reason, tagName: String)
}
