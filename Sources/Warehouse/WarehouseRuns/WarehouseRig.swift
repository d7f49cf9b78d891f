import BluetoothLE
import Environment
import Warehouse

/// A warehouse rig, parsed from its file.
package struct WarehouseRig: Sendable {
  /// A simulated tag.
  struct Tag: Sendable {
    let expected: WarehousePolicy.ExpectedTag
    let kind: TagKind
    /// The time between two notifications in nanoseconds; if tags take turns because the hub cannot
    /// connect to all of them at once, the hub expects only one reading per round of turns.
    let period: Int64
    let battery: Int
    /// The differences between the tag's air and its zone's air, in °C and %.
    let warmer, wetter: Double
    let position: BLEPosition
    /// The index of the tag's zone.
    let zone: Int
  }

  struct TagFault: Sendable {
    enum Kind: Hashable, Sendable {
      case dead, off, silent
      case battery(Int)
    }

    let kind: Kind
    /// The index of the tag that has the fault.
    let tag: Int
    /// The start and the end of the fault, in nanoseconds since the start of the run.
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

  /// The comment at the start of the rig's file.
  let summary: String
  /// The name of the rig in reports.
  package let name: String
  /// The seed of all random choices.
  package var seed: UInt64
  /// The start of the run in nanoseconds since 1970.
  var start: Int64
  /// The duration of the run in nanoseconds.
  let duration: Int64
  /// `true` if the run uses a Bluetooth stack in real time.
  let isOnStack: Bool
  let policy: WarehousePolicy
  /// The air of each zone.
  let courses: [Course]
  let tags: [Tag]
  let roundRobin: RoundRobin
  /// The radio timings of the hub's listener.
  let times: ListenerTimings
  /// The options of the radio propagation between the tags and the hub.
  let air: BLEAir.Options
  /// The position of the hub's radio.
  let position: BLEPosition
  let isConfirmedByReceiver: Bool
  /// The periods in which the broker is unreachable, in nanoseconds since the start of the run.
  let away: [Range<Int64>]
  /// The commands of people, with their times.
  let commands: [(time: Int64, command: HubCommand)]
  let faults: [TagFault]
  /// The number of kills, and the programs from which each kill picks one.
  let kills: (count: Int, of: [Program])
  let expectations: [WarehouseExpectation]
}

/// An expected result of a run.
enum WarehouseExpectation: Sendable {
  /// An expected alarm; its times are in nanoseconds since the start of the run.
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
