/// What a microcontroller can measure: voltages and the temperature of its die.
package final class AnalogInputs {
  /// The supply in volts, at a time in nanoseconds.
  package var supply: (UInt64) -> Double = { _ in 3.0 }
  /// The temperature of the die in degrees Celsius, at a time in nanoseconds.
  package var temperature: (UInt64) -> Double = { _ in 25.0 }
  /// The voltage at an input, by its number, at a time in nanoseconds.
  package var input: (_ number: Int, _ time: UInt64) -> Double = { _, _ in 0 }

  /// Creates inputs at 0 V on a supply of 3.0 V and at 25 °C.
  package init() {}
}
