/// The plan of a pressurised cabin: modules, hatches, a leak, and the operations of its crew.
public struct CabinPlan: Hashable, Sendable {
  /// A module.
  public struct Module: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The volume in m3.
    public var volume: Double

    /// Creates a module.
    public init(name: String, volume: Double) {
      self.name = name
      self.volume = volume
    }
  }

  /// A hatch between two modules, which are given by their indices.
  public struct Hatch: Hashable, Sendable {
    /// The indices of the modules.
    public var one: Int, other: Int
    /// Whether the hatch is open at the start.
    public var isOpen: Bool

    /// Creates a hatch.
    public init(_ one: Int, _ other: Int, isOpen: Bool = true) {
      self.one = one
      self.other = other
      self.isOpen = isOpen
    }
  }

  /// A hole to vacuum.
  public struct Leak: Hashable, Sendable {
    /// The index of the module with the hole.
    public var module: Int
    /// The diameter in m.
    public var diameter: Double
    /// The discharge coefficient.
    ///
    /// Default: 0.85.
    public var discharge: Double
    /// The start of the leak in nanoseconds.
    ///
    /// Default: 0.
    public var start: UInt64

    /// Creates a hole.
    public init(module: Int, diameter: Double, discharge: Double = 0.85, start: UInt64 = 0) {
      self.module = module
      self.diameter = diameter
      self.discharge = discharge
      self.start = start
    }

    /// The effective area in m2.
    var area: Double { discharge * 3.141592653589793 * diameter * diameter / 4 }
  }

  /// An action on the cabin.
  public enum Action: Hashable, Sendable {
    /// Closes the hatch with this index.
    case close(Int)
    /// Opens the hatch with this index; the pressures equalize at once.
    case open(Int)
    /// Mends the hole.
    case mend
    /// Adds air to this module and all modules joined with it, at `rate` Pa/s for `length`
    /// nanoseconds.
    case repressurise(module: Int, rate: Double, length: UInt64)
  }

  /// An action and its time.
  public struct Operation: Hashable, Sendable {
    /// The time in nanoseconds.
    public var time: UInt64
    /// The action.
    public var action: Action

    /// Creates an operation.
    public init(at time: UInt64, _ action: Action) {
      self.time = time
      self.action = action
    }
  }

  /// The thermodynamic process of the escaping air.
  public enum Process: String, Hashable, Sendable, CaseIterable {
    /// The remaining air stays at constant temperature, which is accurate for slow leaks.
    case isothermal
    /// The remaining air cools without heat exchange, which is accurate for fast leaks.
    case adiabatic
  }

  /// A port on a bus through which programs move the hatches.
  public struct Panel: Hashable, Sendable {
    /// The number of the bus.
    public var bus = 1
    /// The address on the bus, 7 bits.
    public var address = 0x20

    /// Creates a panel at address 0x20 on bus 1.
    public init() {}
  }

  /// A temperature change that is not caused by the leak, in K.
  public struct TemperatureDrift: Hashable, Sendable {
    /// The amplitude of a sine wave in K, and its period in nanoseconds.
    ///
    /// Default: amplitude 0, period 92 min.
    public var amplitude = 0.0, period: UInt64 = 5_520_000_000_000
    /// A linear warm-up: the rise in K, and the start and length in nanoseconds.
    ///
    /// Default: no rise.
    public var rise = 0.0, begin: UInt64 = 0, length: UInt64 = 1

    /// Creates a drift of zero, which is a constant temperature.
    public init() {}
  }

  /// The modules.
  public var modules: [Module]
  /// The hatches.
  public var hatches: [Hatch]
  /// The air at the start.
  public var air: Air
  /// The hole; `nil` for a cabin without a leak.
  public var leak: Leak?
  /// The thermodynamic process of the air while it escapes.
  ///
  /// Default: isothermal.
  public var process = Process.isothermal
  /// The operations in order of time.
  public var operations: [Operation] = []
  /// The temperature change that is not caused by the leak.
  public var temperatureDrift = TemperatureDrift()

  /// The port through which programs move the hatches; `nil` for none.
  public var panel: Panel?

  /// Creates a cabin without a leak.
  public init(modules: [Module], hatches: [Hatch] = [], air: Air) {
    self.modules = modules
    self.hatches = hatches
    self.air = air
  }

  /// Returns the state of each hatch at a time in nanoseconds: `true` if it is open.
  public func isOpen(at time: UInt64) -> [Bool] {
    var isOpen = hatches.map(\.isOpen)
    for operation in operations where operation.time <= time {
      switch operation.action {
      case .close(let hatch): isOpen[hatch] = false
      case .open(let hatch): isOpen[hatch] = true
      case .mend, .repressurise: break
      }
    }
    return isOpen
  }

  /// Returns the modules joined by open hatches.
  ///
  /// - Parameters:
  ///   - module: the index of a module.
  ///   - isOpen: the state of each hatch.
  /// - Returns: the indices of the joined modules, including `module`.
  public func joined(with module: Int, _ isOpen: [Bool]) -> Set<Int> {
    var found: Set = [module]
    var rest = [module]
    while let next = rest.popLast() {
      for (index, hatch) in hatches.enumerated() where isOpen[index] {
        for (here, there) in [(hatch.one, hatch.other), (hatch.other, hatch.one)]
        where here == next && found.insert(there).inserted {
          rest.append(there)
        }
      }
    }
    return found
  }
}
