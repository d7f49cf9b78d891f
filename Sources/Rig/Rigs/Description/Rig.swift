public import Bridges
package import Findings
public import I2C
package import Parts
public import TraceTools
public import VirtualI2C

/// What a rig file says: what is on the bench, what reads it, and what must come out.
public struct Rig: Sendable {
  /// How time passes on the bench.
  public enum ClockKind: String, Hashable, Sendable, CaseIterable {
    /// It stands still unless somebody waits; a run takes no longer than it must.
    case virtual
    /// It follows the wall clock.
    case real
  }

  /// The path of the file, as the user gave it.
  public let file: String
  /// The other files that it names and that are read, in its order.
  public internal(set) var namedFiles: [String] = []
  /// Keys that it calls by their former names.
  package internal(set) var notes: [Finding] = []
  /// The SHA-256 of the file, in hexadecimal.
  public let digest: String
  /// What the rig shows: the comment at the head of the file.
  public let summary: String
  /// The name for reports.
  public let name: String
  /// Where all chance comes from.
  public var seed: UInt64
  /// How time passes.
  public package(set) var clock: ClockKind
  /// How long a run lasts, in nanoseconds.
  public let duration: UInt64?
  /// The buses, in the order of the file; those of the fleet come last.
  public let buses: [Bus]
  /// Many parts that are alike, on the last buses; `nil` where there are none.
  public let fleet: Fleet?
  /// The air.
  public let environment: EnvironmentPlan
  /// Who reads the sensors.
  public let pipeline: Pipeline?
  /// The planned failures, in the order of the file.
  public internal(set) var faults: [Fault]
  /// Whom to tell.
  public let notifications: [Notification]
  /// What must be true of the run.
  public let expectations: [Expectation]

  /// What answers on a bus.
  public enum Source: Hashable, Sendable {
    /// The devices of the rig.
    case devices
    /// A real adapter, by its path or its name.
    case physical(String)
    /// A trace, replayed; its bus of that number, or its only one.
    case trace(String, ReplayOptions)
  }

  /// What an adapter can do.
  public struct Adapter: Hashable, Sendable {
    /// The bus frequency in Hz.
    public let frequency: UInt64
    /// What the adapter can do.
    public let functionality: I2CFunctionality
    /// The errno that it gives for each failure.
    public let errnoPolicy: ErrnoPolicy
    /// The limits of the adapter.
    public let quirks: I2CQuirks
    /// The longest clock stretch in nanoseconds.
    public let stretchLimit: UInt64
  }

  /// An I2C bus.
  public struct Bus: Sendable {
    /// N in /dev/i2c-N.
    public let number: Int
    /// What answers on it.
    public let source: Source
    /// Its line in the rig file.
    public let line: Int
    /// The adapter.
    public let adapter: Adapter
    /// The devices.
    public let devices: [Device]
    /// The board between the adapter and the program, if there is one.
    public let bridge: Bridge?
  }

  /// An Automat between an adapter and a program.
  public struct Bridge: Hashable, Sendable {
    /// How its connection behaves.
    public var link = SimulatedGATTLink.Options()
    /// How many bytes it reads at most.
    public var limit = 18
    /// What happens to longer reads.
    public var pastLimit = AutomatAdapter.PastLimit.silent
    /// Whether drivers can ask for the limit.
    public var tellsLimit = true
    /// How long an answer is waited for, in nanoseconds.
    public var timeOut: UInt64 = 2_000_000_000
  }

  /// A sensor on a bus.
  public struct Device: Sendable {
    /// Where it answers.
    public let address: I2CAddress
    /// Which part it is, and what the rig says of it.
    package let part: any ConfiguredPart
    /// Whether a kernel driver owns its address: programs find it busy.
    public let isBound: Bool
    /// In which module of a cabin it is; the first when nothing.
    public let module: String?
  }

  /// The place of a sensor.
  public struct SensorID: Hashable, Sendable {
    /// The number of the bus.
    public let bus: Int
    /// The address on it.
    public let address: I2CAddress

    /// Creates a place.
    public init(bus: Int, address: I2CAddress) {
      self.bus = bus
      self.address = address
    }
  }

  /// A program to run when something happens.
  public struct Notification: Hashable, Sendable {
    /// What happens: `forecast-change`.
    public let event: String
    /// The program and its arguments.
    public let command: [String]
  }
}
