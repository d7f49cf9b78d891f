import Environment
import I2C
import Parts
import Quantities
import Rigs
import Support
import VirtualI2C

/// A bench of a hunt: a part in changing air, with disturbances of its transfers and of its supply.
struct HuntBench: Sendable {
  /// A fault during the run, and when it occurs.
  struct Disturbance: Sendable, Hashable {
    /// The kinds of faults, by their names in rigs.
    enum Kind: String, CaseIterable, Sendable {
      case addressNACK = "nack-address"
      case dataNACK = "nack-data"
      case arbitrationLost = "arbitration-lost"
      case busError = "bus-error"
      case stuckSDA = "stuck-sda"
      case stuckSCL = "stuck-scl"
      case clockStretch = "clock-stretch"
      case powerLoss = "power-loss"
      case bitFlip = "bit-flip"
      case stuckBits = "stuck-bits"
      case shortRead = "short-read"

      /// `true` if the bus does not report the fault, so that no program can recognise wrong values meanwhile.
      var isSilent: Bool { [.bitFlip, .stuckBits, .shortRead].contains(self) }
      /// `true` if the fault holds the bus, so that transfers take up to 1 s.
      var isHolding: Bool { [.stuckSDA, .stuckSCL, .clockStretch].contains(self) }
      /// `true` if the fault has a length.
      var hasLength: Bool { [.stuckSCL, .clockStretch, .powerLoss].contains(self) }
      /// `true` if the fault concerns a byte.
      var hasByte: Bool { [.dataNACK, .bitFlip, .stuckBits].contains(self) }
    }

    var kind: Kind
    /// The time in intervals between readings, counted from the pause of the first event.
    var time: Double
    /// The number of transfers on the bus before it may fire; for programs with one reading.
    var transfers = 0
    /// The register that the affected messages access; `nil` for any.
    var register: UInt8?
    /// The direction of the affected messages; `nil` for both.
    var direction: String?
    var count = 1
    var byte = 0
    var mask: UInt8 = 1
    var milliseconds = 2

    /// The fault as keys of a rig.
    ///
    /// - Parameter isTimed: whether the program has several readings, so that its times are known.
    /// - Returns: the keys, separated by commas.
    func keys(isTimed: Bool) -> String {
      var keys = ["kind: \(kind.rawValue)"]
      keys.append(isTimed ? "at: {event+\(Decimal.shortest(time))}" : "after: \(transfers)")
      if let register { keys.append("register: 0x\(Hexadecimal.digits(register).uppercased())") }
      if let direction, !kind.isSilent { keys.append("direction: \(direction)") }
      if count > 1 { keys.append("count: \(count)") }
      if kind.hasLength { keys.append("for: \(milliseconds)ms") }
      if kind.hasByte, byte > 0 { keys.append("byte: \(byte)") }
      if kind == .bitFlip || kind == .stuckBits {
        keys.append("mask: 0x\(Hexadecimal.digits(mask).uppercased())")
      }
      if kind == .shortRead { keys.append("bytes: \(byte)") }
      return keys.joined(separator: ", ")
    }
  }

  /// The air from a pause between two readings on.
  struct Change: Sendable {
    var rest: Int
    var air: Air
    var inputs: [Double]
  }

  /// The part, its first air, its timing and its bus.
  var base: RandomBench
  var changes: [Change] = []
  var disturbances: [Disturbance] = []

  /// The latest pause in which something happens.
  private static let lastRest = 12

  /// The time of the last disturbance in intervals between readings; 0 without one.
  var lastDisturbance: Double { disturbances.map(\.time).max() ?? 0 }

  /// The time for which the disturbances can hold the bus or the supply, in seconds; a transfer on a held bus takes up to 1 s
  /// until it times out.
  private var disturbedSeconds: Double {
    disturbances.reduce(0) { sum, disturbance in
      let length = disturbance.kind.hasLength ? Double(disturbance.milliseconds) / 1000 : 0
      return sum + Double(disturbance.count) * (length + (disturbance.kind.isHolding ? 1 : 0))
    }
  }

  /// Returns an outcome without the readings that a fault may have made wrong.
  ///
  /// Such a fault is silent, or holds the bus, so that a mean is of measurements far apart. The readings are those displayed
  /// from its first firing until one and a half intervals after its last one.
  func withoutCorrupted(_ outcome: Outcome, pace: Double) -> Outcome {
    let kinds = Disturbance.Kind.allCases.filter { $0.isSilent || $0.isHolding }
    guard disturbances.contains(where: { kinds.contains($0.kind) }),
      outcome.times.count == outcome.readings.count
    else { return outcome }
    let spans = outcome.faults.compactMap { fault -> ClosedRange<Double>? in
      let firings = fault.evidence.firings
      guard let kind = kinds.first(where: { $0.rawValue == fault.evidence.name }),
        let first = firings.first, let last = firings.last
      else { return nil }
      let end = Double(last.time) / 1e9 + (kind.isHolding ? 1 : 0) + 1.5 * pace
      return Double(first.time) / 1e9 - 0.01...end
    }
    var clean = outcome
    let kept = outcome.times.indices.filter { index in
      let time = outcome.times[index]
      return !spans.contains { $0.lowerBound <= time.end && time.start <= $0.upperBound }
    }
    clean.readings = kept.map { outcome.readings[$0] }
    clean.times = kept.map { outcome.times[$0] }
    return clean
  }

  /// Returns the bench as a scenario.
  ///
  /// - Parameters:
  ///   - name: the name of the scenario.
  ///   - isTimed: whether the program has several readings.
  ///   - pace: the interval between its readings in seconds.
  /// - Returns: the scenario.
  func scenario(_ name: String, isTimed: Bool, pace: Double) -> Scenario {
    var bare = base
    (bare.fault, bare.laterAir, bare.name) = (nil, nil, name)
    bare.origin = "Bench of a hunt"
    let plain = bare.scenario
    let faults = disturbances.map { $0.keys(isTimed: isTimed) }
    let happenings =
      changes.map { "other air from reading \($0.rest + 3) on" } + disturbances.map(\.kind.rawValue)
    return plain.with {
      if isTimed {
        $0.phases += changes.sorted { $0.rest < $1.rest }.map {
          Scenario.Phase(start: .rest($0.rest), air: $0.air, inputs: $0.inputs)
        }
        $0.shown = 0..<$0.phases.count
        $0.isTimed = true
        let last = max(Double(changes.map(\.rest).max() ?? 0), lastDisturbance)
        // A program may need several attempts after a fault that holds the bus.
        // A fault may fire once in each reading.
        let firings = disturbances.reduce(0) { $0 + $1.count }
        $0.lastRest = Int(last + 2 * (disturbedSeconds / max(pace, 0.1)).rounded(.up)) + firings + 8
      }
      $0.faults = faults
      $0.mayNotHappen = true
      if !disturbances.isEmpty {
        $0.passes = isTimed
        $0.wanted = .valuesOrError
      }
      $0.summary += happenings.isEmpty ? "" : ", " + happenings.joined(separator: ", ")
    }
  }
}

extension HuntBench {
  /// What a hunt draws from.
  struct Source {
    let kind: RandomBench.Kind
    let real: [(words: Part, source: String)]
    /// `true` if the program has several readings.
    let isTimed: Bool
    /// The registers that the program accesses.
    var registers: [UInt8]

    /// The registers in whose contents wrong bits do no lasting harm to a correct program: not those of the calibration, which
    /// it reads once; `nil` means any.
    var corruptible: [UInt8?] {
      guard let part = kind.part else { return registers.filter { $0 == 0xF3 || $0 >= 0xF7 } }
      return part.hasChecksum ? [nil] : []
    }
  }

  /// Creates a bench with one disturbance or one change of air, or a plain one.
  init(_ number: Int, seed: UInt64, _ source: Source) {
    base = RandomBench(number, seed: seed, source.kind, real: source.real)
    (base.fault, base.laterAir, base.laterInputs) = (nil, nil, [])
    var chance = SeededGenerator(seed: seed, stream: UInt64(number) | 1 << 40)
    for _ in 0..<Int(1 + chance.next() % 2) { mutate(&chance, source) }
  }

  /// Returns the bench with one to three random changes.
  func mutated(_ chance: inout SeededGenerator, _ source: Source) -> HuntBench {
    var bench = self
    for _ in 0...chance.next() % 3 { bench.mutate(&chance, source) }
    return bench
  }

  private mutating func mutate(_ chance: inout SeededGenerator, _ source: Source) {
    defer { dropOlderChanges() }
    func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.next() % UInt64(elements.count))]
    }
    switch chance.next() % 8 {
    case 0:
      base.part = pick(source.real)
    case 1:
      base.timing = pick(["typical", "maximum", "drawn"])
      if !source.kind.isFirmware { base.frequency = pick([I2CBusFrequency.standard, 400_000]) }
    case 2:
      base.air = RandomBench.air(&chance, source.kind.part)
      if let part = source.kind.part, part.changesInputs {
        base.inputs = part.inputs(at: chance.unit())
      }
    case 3 where source.isTimed && changes.count < 4:
      changes.append(
        Change(
          rest: Int(chance.next() % UInt64(Self.lastRest)),
          air: Self.near(base.air, &chance, source),
          inputs: source.kind.part.map { $0.changesInputs ? $0.inputs(at: chance.unit()) : [] }
            ?? []))
    case 6 where source.isTimed && changes.isEmpty: ramp(&chance, source)
    case 4 where !changes.isEmpty:
      let index = Int(chance.next() % UInt64(changes.count))
      changes[index].air = Self.near(changes[index].air, &chance, source)
    case 5 where !disturbances.isEmpty:
      let index = Int(chance.next() % UInt64(disturbances.count))
      disturbances[index] = Self.changed(disturbances[index], &chance, source)
    default:
      guard disturbances.count < 3 else {
        disturbances.removeFirst()
        return
      }
      let kind = pick(
        Disturbance.Kind.allCases.filter {
          !$0.isSilent || source.isTimed && !source.corruptible.isEmpty
        })
      disturbances.append(
        Self.changed(Disturbance(kind: kind, time: 0.5), &chance, source))
    }
  }

  /// Keeps only the last of several changes in the same pause.
  private mutating func dropOlderChanges() {
    var rests: Set<Int> = []
    changes = changes.reversed().filter { rests.insert($0.rest).inserted }.reversed()
  }

  /// Adds air that keeps rising or falling in one quantity, from one reading to the next.
  private mutating func ramp(_ chance: inout SeededGenerator, _ source: Source) {
    let rest = Int(chance.next() % UInt64(Self.lastRest))
    let paths = [\Air.pressure, \Air.temperature, \Air.humidity]
    let path = paths[Int(chance.next() % 3)]
    let end = RandomBench.air(&chance, source.kind.part)[keyPath: path]
    let inputs = source.kind.part.map { $0.changesInputs ? $0.inputs(at: chance.unit()) : [] } ?? []
    for step in 1...3 {
      var air = base.air
      air[keyPath: path] += (end - air[keyPath: path]) * Double(step) / 3
      changes.append(Change(rest: rest + step - 1, air: air, inputs: inputs))
    }
  }

  /// Returns air that differs by a large step, by a small one, or in one quantity only.
  private static func near(
    _ air: Air, _ chance: inout SeededGenerator, _ source: Source
  ) -> Air {
    let other = RandomBench.air(&chance, source.kind.part)
    var air = air
    switch chance.next() % 5 {
    case 0: air.pressure = other.pressure
    case 1: air.temperature = other.temperature
    case 2: air.humidity = other.humidity
    case 3:
      let size = [0.01, 0.1, 1][Int(chance.next() % 3)]
      air.temperature += (chance.unit() - 0.5) * size
      air.pressure += (chance.unit() - 0.5) * 100 * size
      air.humidity = min(max(air.humidity + (chance.unit() - 0.5) * size, 0), 100)
    default: air = other
    }
    return air
  }

  /// Returns a disturbance with another time or other details.
  private static func changed(
    _ disturbance: Disturbance, _ chance: inout SeededGenerator, _ source: Source
  ) -> Disturbance {
    var other = disturbance
    // Half of the disturbances are between two readings; the others are at a moment of a reading.
    let rest = Double(chance.next() % UInt64(lastRest))
    let fraction = chance.next() % 2 == 0 ? 0 : 0.5 + (chance.unit() - 0.5) * 0.2
    other.time = ((rest + fraction) * 1e4).rounded() / 1e4
    other.transfers = Int(chance.next() % 30)
    let some = source.registers
    let harmless = source.corruptible
    other.register =
      other.kind.isSilent
      ? harmless.isEmpty ? nil : harmless[Int(chance.next() % UInt64(harmless.count))]
      : some.isEmpty || chance.next() % 2 == 0 ? nil : some[Int(chance.next() % UInt64(some.count))]
    other.direction = [nil, "read", "write"][Int(chance.next() % 3)]
    let counts = disturbance.kind == .stuckBits ? [5, 50, 50] : [1, 1, 1, 2, 3, 5]
    other.count = counts[Int(chance.next() % UInt64(counts.count))]
    other.byte = Int(chance.next() % 8)
    other.mask = chance.next() % 3 == 0 ? 0xFF : 1 << UInt8(chance.next() % 8)
    let lengths = disturbance.kind == .clockStretch ? [1, 3, 10] : [1, 5, 20, 200, 2000]
    other.milliseconds = lengths[Int(chance.next() % UInt64(lengths.count))]
    return other
  }

  /// Simpler benches, the simplest in each respect first.
  var simplifications: [HuntBench] {
    var all: [HuntBench] = []
    func add(_ change: (inout HuntBench) -> Void) {
      var simpler = self
      change(&simpler)
      all.append(simpler)
    }
    for index in disturbances.indices { add { $0.disturbances.remove(at: index) } }
    for index in changes.indices { add { $0.changes.remove(at: index) } }
    for bench in base.simplifications { add { $0.base = bench } }
    for (index, disturbance) in disturbances.enumerated() {
      if disturbance.count > 1 {
        add { $0.disturbances[index].count /= 2 }
        add { $0.disturbances[index].count -= 1 }
      }
      if disturbance.register != nil, !disturbance.kind.isSilent {
        add { $0.disturbances[index].register = nil }
      }
      if disturbance.direction != nil, !disturbance.kind.isSilent {
        add { $0.disturbances[index].direction = nil }
      }
      if disturbance.time >= 1 { add { $0.disturbances[index].time -= 1 } }
      if disturbance.transfers > 0 { add { $0.disturbances[index].transfers -= 1 } }
      if disturbance.time != disturbance.time.rounded(.down) {
        add { $0.disturbances[index].time.round(.down) }
      }
      if disturbance.milliseconds > 1, disturbance.kind.hasLength {
        add { $0.disturbances[index].milliseconds /= 2 }
      }
      if disturbance.mask.nonzeroBitCount > 1, disturbance.kind.isSilent {
        for bit in 0..<8 { add { $0.disturbances[index].mask = 1 << UInt8(bit) } }
      }
      if disturbance.byte > 0, disturbance.kind.hasByte { add { $0.disturbances[index].byte = 0 } }
    }
    for (index, change) in changes.enumerated() {
      if change.rest > 0, !changes.contains(where: { $0.rest == change.rest - 1 }) {
        add { $0.changes[index].rest -= 1 }
      }
      for path in [\Air.humidity, \Air.pressure, \Air.temperature]
      where change.air[keyPath: path] != base.air[keyPath: path] {
        add { $0.changes[index].air[keyPath: path] = base.air[keyPath: path] }
      }
    }
    return all
  }
}
