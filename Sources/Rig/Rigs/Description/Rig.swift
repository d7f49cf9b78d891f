package import Bridges
package import Findings
package import I2C
package import Parts
package import TraceTools
package import VirtualI2C

/// What a rig file says: what is on the bench, what reads it, and what must come out.
package struct Rig: Sendable {
  /// How time passes on the bench.
  package enum ClockKind: String, Hashable, Sendable, CaseIterable {
    /// It stands still unless somebody waits; a run takes no longer than it must.
    case virtual
    /// It follows the wall clock.
    case real
  }

  /// The path of the file, as the user gave it.
  package let file: String
  /// The other files that it names and that are read, in its order.
  package internal(set) var namedFiles: [String] = []
  /// Keys that it calls by their former names.
  package internal(set) var notes: [Finding] = []
  /// The SHA-256 of the file, in hexadecimal.
  package let digest: String
  /// What the rig shows: the comment at the head of the file.
  package let summary: String
  /// The name for reports.
  package let name: String
  /// Where all chance comes from.
  package var seed: UInt64
  /// How time passes.
  package var clock: ClockKind
  /// How long a run lasts, in nanoseconds.
  package var duration: UInt64?
  /// The buses, in the order of the file; those of the fleet come last.
  package internal(set) var buses: [Bus]
  /// Many parts that are alike, on the last buses; `nil` where there are none.
  package let fleet: Fleet?
  /// The air.
  package let environment: EnvironmentPlan
  /// Who reads the sensors.
  package let pipeline: Pipeline?
  /// The firmware that uses the buses instead.
  package let firmware: FirmwarePlan?
  /// The planned failures, in the order of the file.
  package internal(set) var faults: [Fault]
  /// Whom to tell.
  package let notifications: [Notification]
  /// What must be true of the run.
  package let expectations: [Expectation]

  /// What answers on a bus.
  package enum Source: Hashable, Sendable {
    /// The devices of the rig.
    case devices
    /// A real adapter, by its path or its name.
    case physical(String)
    /// A trace, replayed; its bus of that number, or its only one.
    case trace(String, ReplayOptions)
  }

  /// What an adapter can do.
  package struct Adapter: Hashable, Sendable {
    /// The bus frequency in Hz.
    package internal(set) var frequency: UInt64
    /// What the adapter can do.
    package let functionality: I2CFunctionality
    /// The errno that it gives for each failure.
    package let errnoPolicy: ErrnoPolicy
    /// The limits of the adapter.
    package let quirks: I2CQuirks
    /// The longest clock stretch in nanoseconds.
    package let stretchLimit: UInt64
  }

  /// An I2C bus.
  package struct Bus: Sendable {
    /// N in /dev/i2c-N.
    package let number: Int
    /// What answers on it.
    package let source: Source
    /// Its line in the rig file.
    package let line: Int
    /// The adapter.
    package internal(set) var adapter: Adapter
    /// The devices.
    package let devices: [Device]
    /// The board between the adapter and the program, if there is one.
    package let bridge: Bridge?
  }

  /// A board between an adapter and a program.
  package struct Bridge: Hashable, Sendable {
    /// Which board.
    package let model: BoardModel
    /// How its connection behaves.
    package var link = SimulatedGATTLink.Options()
    /// How it and its client treat reads.
    package var settings: BoardSettings
    /// The radios of a connection over real Bluetooth LE frames; `nil` where there are none.
    package var radios: BoardRadios?

    /// Creates a bridge that does what its board does by itself.
    package init(_ model: BoardModel) {
      self.model = model
      settings = BoardSettings(limit: model.limit)
    }
  }

  /// A sensor on a bus.
  package struct Device: Sendable {
    /// Where it answers.
    package let address: I2CAddress
    /// Which part it is, and what the rig says of it.
    package let part: any ConfiguredPart
    /// Whether a kernel driver owns its address: programs find it busy.
    package let isBound: Bool
    /// In which module of a cabin it is; the first when `nil`.
    package let module: String?
  }

  /// The place of a sensor; the same wherever bus and address are.
  package struct SensorID: Hashable, Sendable {
    /// The number of the bus.
    package let bus: Int
    /// The address on it.
    package let address: I2CAddress
    /// The name of the part in its fleet, such as `part-7`; `nil` where it is of none.
    package let part: String?

    /// Creates a place.
    package init(bus: Int, address: I2CAddress, part: String? = nil) {
      self.bus = bus
      self.address = address
      self.part = part
    }

    /// It in words, such as `part-7, 0x76 on bus 1`.
    package var words: String { (part.map { "\($0), " } ?? "") + "\(address) on bus \(bus)" }

    package static func == (one: SensorID, other: SensorID) -> Bool {
      one.bus == other.bus && one.address == other.address
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(bus)
      hasher.combine(address)
    }
  }

  /// A program to run when something happens.
  package struct Notification: Hashable, Sendable {
    /// What happens: `forecast-change` or `alarm`.
    package let event: String
    /// The program and its arguments.
    package let command: [String]
  }
}

extension Rig {
  /// Sets the frequency of every bus that has devices; replayed and real buses keep theirs.
  ///
  /// - Parameter frequency: in Hz.
  package mutating func setFrequency(_ frequency: UInt64) {
    for index in buses.indices where buses[index].source == .devices {
      buses[index].adapter.frequency = frequency
    }
  }
}
