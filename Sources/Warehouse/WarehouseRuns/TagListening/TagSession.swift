import BluetoothLE
import Warehouse

/// The state of a listener's session with a tag.
struct TagSession {
  /// A step of the session, such as a request to the tag; only one is pending at a time.
  enum Step: Hashable {
    case connect, discover, model, firmware, identify, battery, watchBattery, signal
    case subscribe(Int), period(Int), configure(Int), confirm(Int), rest(Int)

    /// The name of the step, used in messages about its failure.
    var title: String {
      switch self {
      case .connect: "connect"
      case .discover: "discover the services"
      case .model, .firmware, .identify: "read the device information"
      case .battery, .watchBattery: "read the battery"
      case .signal: "read the signal strength"
      case .subscribe: "subscribe"
      case .period: "write the period"
      case .configure: "enable a sensor"
      case .confirm: "read the configuration"
      case .rest: "disable a sensor"
      }
    }
  }

  /// A sensor of the tag on the current connection.
  struct Sensor {
    let channel: TagChannel
    /// The handles of the data, configuration and period characteristics.
    let data, configuration: UInt16
    let period: UInt16?
    /// The time, on the radio's clock, at which the sensor is enabled next or, while it is enabled,
    /// at which its data becomes late.
    var due: UInt64
    /// The time of the next measurement, if the sensor is disabled between measurements.
    var next: UInt64
    /// `true` while the sensor is enabled.
    var isOn = false
    /// The number of consecutive times that the sensor's data was late.
    var late = 0
  }

  let period: Int64
  var contact: TagContact
  /// The address as advertised; `nil` before the first advertisement and after a lost connection.
  var peer: BLEAddress?
  var connection: BLEConnection?
  var services: [GATTService] = []
  var model: String?
  var kind: TagKind?
  var sensors: [Sensor] = []
  /// The handle of the battery characteristic; `nil` if it does not support subscriptions.
  var battery: UInt16?
  /// The queued steps.
  var steps: [Step] = []
  /// The pending step and the number of its radio command; `nil` if no step is pending.
  var current: (step: Step, command: Int)?
  /// The time at which the pending step times out.
  var deadline: UInt64 = .max
  /// The time since which the tag is being sought.
  var soughtSince: UInt64 = 0
  /// `true` if the tag's last failure was a missing advertisement.
  var isUnheard = false
  /// The time at which the signal strength is read next.
  var signal: UInt64 = .max
  /// The time of the tag's next check; checks scheduled for earlier times are ignored.
  var wake: UInt64 = .max
  var pause: BackOff

  init(_ tag: WatchedTag, _ options: ListenerOptions) {
    contact = TagContact(tag.address)
    period = tag.period
    pause = BackOff(first: options.firstWait, longest: options.longestWait)
  }

  /// `true` if the tag's sensors are enabled only for each measurement, because `period` is longer
  /// than the tag supports.
  var rests: Bool { period > ListenerOptions.longestPeriod }

  /// Resets the state that belongs to a connection that has closed.
  mutating func leave() {
    connection = nil
    (steps, current, deadline, signal) = ([], nil, .max, .max)
    (sensors, battery) = ([], nil)
  }
}

/// The UUIDs of the tag's own services: F000xxxx-0451-4000-B000-000000000000.
enum TagIdentifier {
  private static let low: UInt64 = 0xB000_0000_0000_0000
  private static let high: UInt64 = 0xF000_0000_0451_4000

  /// Returns the UUID that contains a 16-bit number.
  static func of(_ short: UInt16) -> BLEUUID {
    BLEUUID(high: high | UInt64(short) << 32, low: low)
  }

  /// Returns the 16-bit number in a UUID; `nil` if the UUID is not one of the tag's own.
  static func short(of uuid: BLEUUID) -> UInt16? {
    uuid.low == low && uuid.high & ~0xFFFF_0000_0000 == high
      ? UInt16(truncatingIfNeeded: uuid.high >> 32) : nil
  }
}

/// The status of a tag, as its listener reports it.
public struct TagContact: Hashable, Sendable {
  /// The phase of the session with the tag.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// The tag is not in the current slot.
    case resting
    /// The listener waits before it tries the tag again.
    case waiting
    /// The listener scans for the tag's advertisements.
    case seeking
    /// An advertisement was received, and the listener connects to the tag next.
    case ready
    /// A connection attempt is pending.
    case connecting
    /// The tag is being identified and its sensors enabled.
    case settling
    /// The sensors are enabled and send notifications.
    case listening
    /// The tag is being disconnected.
    case leaving
  }

  /// The address of the tag.
  public let address: String
  /// The current phase.
  public internal(set) var phase = Phase.seeking
  /// The name of the kind of tag; `nil` until the tag is identified.
  public internal(set) var kind: String?
  /// The firmware revision; `nil` if the tag does not report it.
  public internal(set) var firmware: String?
  /// The battery level in percent; `nil` if the tag does not report it.
  public internal(set) var battery: Int?
  /// The last received signal strength in dBm; `nil` before the first advertisement.
  public internal(set) var rssi: Int?
  /// The time of the last advertisement or notification, in nanoseconds since 1970; `nil` before
  /// the first.
  public internal(set) var lastSeen: Int64?
  /// The number of consecutive failures of the tag.
  public internal(set) var failures = 0

  init(_ address: String) { self.address = address }
}
