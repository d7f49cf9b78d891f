import BluetoothLE
import Warehouse

/// The state of a listener's session with a tag.
struct TagSession {
  /// A request or action; one is pending at a time.
  enum Step: Hashable {
    case connect, discover, model, firmware, identify, battery, watchBattery, signal
    case subscribe(Int), period(Int), configure(Int), confirm(Int), rest(Int)

    /// The name of the step in messages about its failure.
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
    /// The time at which the sensor is enabled next, or at which its data are late, in the radio's time.
    var due: UInt64
    /// The time of the next measurement if the sensor rests between measurements.
    var next: UInt64
    /// Whether the sensor is enabled.
    var isOn = false
    /// The number of consecutive times that data were late.
    var late = 0
  }

  let period: Int64
  var contact: TagContact
  /// The advertised address; `nil` before the first advertisement, and after a loss.
  var peer: BLEAddress?
  var connection: BLEConnection?
  var services: [GATTService] = []
  var model: String?
  var kind: TagKind?
  var sensors: [Sensor] = []
  /// The handle of the battery characteristic if it can be subscribed to.
  var battery: UInt16?
  /// The queued steps and the pending one.
  var steps: [Step] = []
  var current: (step: Step, command: Int)?
  /// The timeout of the pending step.
  var deadline: UInt64 = .max
  /// The time since which the tag is being sought.
  var soughtSince: UInt64 = 0
  /// Whether the last failure was a missing advertisement.
  var isUnheard = false
  /// The time of the next reading of the signal strength.
  var signal: UInt64 = .max
  /// The time of the next check; earlier ones are void.
  var wake: UInt64 = .max
  var pause: BackOff

  init(_ tag: WatchedTag, _ options: ListenerOptions) {
    contact = TagContact(tag.address)
    period = tag.period
    pause = BackOff(first: options.firstWait, longest: options.longestWait)
  }

  /// Whether the sensor is enabled for each measurement, because the tag does not support so long a period.
  var rests: Bool { period > ListenerOptions.longestPeriod }

  /// Resets the state of a closed connection.
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

  /// Returns the UUID with a 16-bit part.
  static func of(_ short: UInt16) -> BLEUUID {
    BLEUUID(high: high | UInt64(short) << 32, low: low)
  }

  /// Returns the 16-bit part of a UUID; `nil` if it is not one of the tag's own.
  static func short(of uuid: BLEUUID) -> UInt16? {
    uuid.low == low && uuid.high & ~0xFFFF_0000_0000 == high
      ? UInt16(truncatingIfNeeded: uuid.high >> 32) : nil
  }
}

/// The status of a tag at its listener.
public struct TagContact: Hashable, Sendable {
  /// The phase of the session with a tag.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// The tag is not scheduled in the current slot.
    case resting
    /// The listener waits before it retries.
    case waiting
    /// The listener scans for advertisements.
    case seeking
    /// An advertisement was received; the tag is connected next.
    case ready
    /// A connection attempt is pending.
    case connecting
    /// The tag is being identified and its sensors enabled.
    case settling
    /// The sensors are enabled and notify.
    case listening
    /// The tag is being disconnected.
    case leaving
  }

  /// The address of the tag.
  public let address: String
  /// The current phase.
  public internal(set) var phase = Phase.seeking
  /// The name of the kind of tag; `nil` before identification.
  public internal(set) var kind: String?
  /// The firmware revision, if the tag reports it.
  public internal(set) var firmware: String?
  /// The battery level in percent, if the tag reports it.
  public internal(set) var battery: Int?
  /// The last received signal strength in dBm.
  public internal(set) var rssi: Int?
  /// The time of the last advertisement or notification, in nanoseconds since 1970; `nil` for never.
  public internal(set) var lastSeen: Int64?
  /// The number of consecutive failures.
  public internal(set) var failures = 0

  init(_ address: String) { self.address = address }
}
