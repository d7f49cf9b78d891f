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

  /// A hatch between two modules, by their indices.
  public struct Hatch: Hashable, Sendable {
    /// The indices of the modules.
    public var one: Int, other: Int
    /// Whether it is open at the start.
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

  /// An operation on the cabin.
  public enum Action: Hashable, Sendable {
    /// Closes a hatch, by its index.
    case close(Int)
    /// Opens a hatch, by its index; the pressures equalize at once.
    case open(Int)
    /// Mends the hole.
    case mend
    /// Adds air: Pa/s in all modules joined with this one, for a time in nanoseconds.
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
    /// Constant temperature: accurate for slow leaks.
    case isothermal
    /// Cooling without heat exchange: accurate for fast leaks.
    case adiabatic
  }

  /// A temperature change independent of the leak, in K.
  public struct TemperatureDrift: Hashable, Sendable {
    /// A sine wave: its amplitude, and its period in nanoseconds.
    ///
    /// Default: no amplitude, 92 min.
    public var amplitude = 0.0, period: UInt64 = 5_520_000_000_000
    /// A linear warm-up: the rise, and its start and length in nanoseconds.
    ///
    /// Default: none.
    public var rise = 0.0, begin: UInt64 = 0, length: UInt64 = 1

    /// Creates a constant temperature.
    public init() {}
  }

  /// The modules.
  public var modules: [Module]
  /// The hatches.
  public var hatches: [Hatch]
  /// The air at the start.
  public var air: Air
  /// The hole; `nil` for a tight cabin.
  public var leak: Leak?
  /// The process of the escaping air.
  ///
  /// Default: isothermal.
  public var process = Process.isothermal
  /// The operations in order of time.
  public var operations: [Operation] = []
  /// The temperature change.
  public var temperatureDrift = TemperatureDrift()

  /// Creates a tight cabin.
  public init(modules: [Module], hatches: [Hatch] = [], air: Air) {
    self.modules = modules
    self.hatches = hatches
    self.air = air
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
