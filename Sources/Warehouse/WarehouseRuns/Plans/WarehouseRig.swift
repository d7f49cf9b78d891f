import BluetoothLE
import Environment
import Warehouse

/// What a rig that is a warehouse says.
package struct WarehouseRig: Sendable {
  /// A tag as it really is.
  struct Tag: Sendable {
    let expected: WarehousePolicy.ExpectedTag
    let kind: TagKind
    /// From one notification to the next, in nanoseconds; the hub expects it once a round where tags take turns.
    let period: Int64
    let battery: Int
    /// What its place adds to the air of its zone, in °C and %.
    let warmer, wetter: Double
    /// Where it is.
    let place: BLEPlace
    /// Where its zone stands in the list of them.
    let zone: Int
  }

  /// What goes wrong with a tag.
  struct TagFault: Sendable {
    enum Kind: Hashable, Sendable {
      case dead, off, silent
      case battery(Int)
    }

    let kind: Kind
    /// Where the tag stands in the list of them.
    let tag: Int
    /// From when to when, in nanoseconds since the start.
    let span: Range<Int64>
  }

  /// A program that can be killed.
  enum Program: String, CaseIterable, Sendable {
    case hub, bridge, broker
  }

  /// The course of a zone's air.
  struct Course: Sendable {
    let temperature, humidity: Profile
  }

  /// What the file says at its head.
  let summary: String
  /// The name for reports.
  package let name: String
  /// Where all chance comes from.
  package var seed: UInt64
  /// When it begins, in nanoseconds since 1970, and how long it lasts.
  var start: Int64
  let duration: Int64
  /// Whether it runs over a Bluetooth stack and on the wall clock.
  let isOnStack: Bool
  let policy: WarehousePolicy
  /// The air of each zone.
  let courses: [Course]
  let tags: [Tag]
  let rota: ConnectionRota
  /// How the hub's radio listens.
  let times: ListeningTimes
  /// How radio waves behave, and where the hub's radio is.
  let air: BLEAir.Options
  let place: BLEPlace
  let isConfirmedByReceiver: Bool
  /// When the broker cannot be reached, in nanoseconds since the start.
  let away: [Range<Int64>]
  /// What people do, and when.
  let commands: [(time: Int64, command: HubCommand)]
  let faults: [TagFault]
  /// How often a program is killed, and which.
  let kills: (count: Int, of: [Program])
  let expectations: [WarehouseExpectation]
}

/// What must be true of a run.
enum WarehouseExpectation: Sendable {
  /// An alarm; times in nanoseconds since the start.
  struct Wanted: Sendable {
    let key: AlarmKey
    let tagName: String
    let raised, within: Int64
    let lasts: Int64?
    let told: [String]?
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
