import Machines

/// What the part takes in which state.
enum EnergyTable: Int {
  case running

  /// The figures and where they stand.
  ///
  /// Asleep it is not counted: what a sleep takes depends on the clocks that go on.
  static let states = [
    EnergyState(
      "core running, as time at 100 MHz", microamperes: 10_000,
      source: "DS10314, features: run 100 µA/MHz, peripherals off")
  ]
}
