import BluetoothLE
import Warehouse

/// What a listener keeps of a tag.
struct HeardTag {
  /// What is asked of it, or done with it, one after the other.
  enum Step: Hashable {
    case connect, discover, model, firmware, identify, battery, watchBattery, signal
    case subscribe(Int), period(Int), configure(Int), confirm(Int), rest(Int)

    /// What it is called where it fails.
    var title: String {
      switch self {
      case .connect: "connect"
      case .discover: "discover its services"
      case .model, .firmware, .identify: "read what it is"
      case .battery, .watchBattery: "read its battery"
      case .signal: "read the strength of its signal"
      case .subscribe: "subscribe"
      case .period: "write the period"
      case .configure: "switch a sensor on"
      case .confirm: "read the configuration"
      case .rest: "switch a sensor off"
      }
    }
  }

  /// A sensor of it, on this connection.
  struct Sensor {
    let channel: TagChannel
    /// The handles of data, configuration and period.
    let data, configuration: UInt16
    let period: UInt16?
    /// When it is switched on next, or when its data are late, in the radio's time.
    var due: UInt64
    /// When it is to be switched on next, where it rests between measurements.
    var next: UInt64
    /// Whether it measures.
    var isOn = false
    /// How often in a row its data were late.
    var late = 0
  }

  let period: Int64
  var contact: TagContact
  /// As it advertises; `nil` before it was heard, or since it was lost.
  var peer: BLEAddress?
  var connection: BLEConnection?
  var services: [GATTService] = []
  var model: String?
  var kind: TagKind?
  var sensors: [Sensor] = []
  /// The characteristic of its battery, where it is told of changes.
  var battery: UInt16?
  /// What is to be done on this connection, and what is under way.
  var steps: [Step] = []
  var current: (step: Step, command: Int)?
  /// When what is under way counts as failed.
  var deadline: UInt64 = .max
  /// Since when it is looked for.
  var soughtSince: UInt64 = 0
  /// Whether its last failure was that nothing of it was heard.
  var isUnheard = false
  /// When it is asked for its signal next.
  var signal: UInt64 = .max
  /// When it is looked after next; an earlier plan is void.
  var wake: UInt64 = .max
  var pause: BackOff

  init(_ tag: ListenedTag, _ plan: ListeningPlan) {
    contact = TagContact(tag.address)
    period = tag.period
    pause = BackOff(first: plan.firstWait, longest: plan.longestWait)
  }

  /// Whether a sensor is switched on for each measurement, since the tag cannot keep so long a period.
  var rests: Bool { period > ListeningPlan.longestPeriod }

  /// Its connection is over.
  mutating func leave() {
    connection = nil
    (steps, current, deadline, signal) = ([], nil, .max, .max)
    (sensors, battery) = ([], nil)
  }
}

/// The tag's own identifiers: F000xxxx-0451-4000-B000-000000000000.
enum TagIdentifier {
  private static let low: UInt64 = 0xB000_0000_0000_0000
  private static let high: UInt64 = 0xF000_0000_0451_4000

  /// The identifier of four digits.
  static func of(_ short: UInt16) -> BLEUUID {
    BLEUUID(high: high | UInt64(short) << 32, low: low)
  }

  /// The four digits of an identifier; `nil` where it is none of the tag's own.
  static func short(of uuid: BLEUUID) -> UInt16? {
    uuid.low == low && uuid.high & ~0xFFFF_0000_0000 == high
      ? UInt16(truncatingIfNeeded: uuid.high >> 32) : nil
  }
}
