/// A pressurised cabin: modules, the hatches between them, its leak, and what is done with it.
public struct CabinPlan: Hashable, Sendable {
  /// A room.
  public struct Module: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its volume in m3.
    public var volume: Double

    /// Creates a room.
    public init(name: String, volume: Double) {
      self.name = name
      self.volume = volume
    }
  }

  /// A hatch between two modules, by their indices.
  public struct Hatch: Hashable, Sendable {
    /// The modules.
    public var one: Int, other: Int
    /// Whether it is open at first.
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
    /// The module that has it.
    public var module: Int
    /// Its diameter in m.
    public var diameter: Double
    /// Its discharge coefficient.
    public var discharge: Double
    /// From when on, in nanoseconds.
    public var start: UInt64

    /// Creates a hole.
    public init(module: Int, diameter: Double, discharge: Double = 0.85, start: UInt64 = 0) {
      self.module = module
      self.diameter = diameter
      self.discharge = discharge
      self.start = start
    }

    /// Its effective area in m2.
    var area: Double { discharge * 3.141592653589793 * diameter * diameter / 4 }
  }

  /// Something that is done.
  public enum Action: Hashable, Sendable {
    /// A hatch, by its index, is closed.
    case close(Int)
    /// A hatch, by its index, is opened; pressures become equal at once.
    case open(Int)
    /// The hole is mended.
    case mend
    /// Air comes in: Pa/s in all that is joined with the module, for a time in nanoseconds.
    case repressurise(module: Int, rate: Double, length: UInt64)
  }

  /// An action and its time.
  public struct Operation: Hashable, Sendable {
    /// When, in nanoseconds.
    public var time: UInt64
    /// What is done.
    public var action: Action

    /// Creates an operation.
    public init(at time: UInt64, _ action: Action) {
      self.time = time
      self.action = action
    }
  }

  /// How the air behaves while it leaves.
  public enum Process: String, Hashable, Sendable, CaseIterable {
    /// It stays as warm as it was: right for slow leaks.
    case isothermal
    /// It cools: right for fast ones.
    case adiabatic
  }

  /// A change of temperature that has nothing to do with the leak, in K.
  public struct TemperatureDrift: Hashable, Sendable {
    /// A swing: half of its height, and its period in nanoseconds.
    public var amplitude = 0.0, period: UInt64 = 5_520_000_000_000
    /// A warm-up: by how much, from when and for how long in nanoseconds.
    public var rise = 0.0, begin: UInt64 = 0, length: UInt64 = 1

    /// Creates none.
    public init() {}
  }

  /// The rooms.
  public var modules: [Module]
  /// The hatches.
  public var hatches: [Hatch]
  /// The air at first.
  public var air: Air
  /// The hole, if there is one.
  public var leak: Leak?
  /// How the air behaves.
  public var process = Process.isothermal
  /// What is done, in order of time.
  public var operations: [Operation] = []
  /// How the temperature goes.
  public var temperatureDrift = TemperatureDrift()

  /// Creates a tight cabin.
  public init(modules: [Module], hatches: [Hatch] = [], air: Air) {
    self.modules = modules
    self.hatches = hatches
    self.air = air
  }

  /// The modules that open hatches join with one.
  ///
  /// - Parameters:
  ///   - module: its index.
  ///   - isOpen: which hatches are open.
  /// - Returns: indices, itself among them.
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
