package import I2C
package import Quantities

/// The driver interface that pipelines, `aneroid read` and `aneroid watch` use for every chip.
///
/// Errors describe the failed step and the cause in words; callers should base decisions only on
/// `SensorFailure/Kind`.
package protocol SensorDriver: AnyObject {
  /// The bus address of the sensor.
  var address: I2CAddress { get }

  /// Identifies and configures the sensor; called again to restart it after a loss of power.
  ///
  /// - Throws: ``SensorFailure``.
  func start() throws(SensorFailure)

  /// Makes one measurement, or reads the latest one in continuous mode.
  ///
  /// - Throws: ``SensorFailure``.
  func sample() throws(SensorFailure) -> Sample
}

/// A failure of a driver: the step that failed and the cause.
package struct SensorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failures that callers distinguish.
  package enum Kind: Hashable, Sendable {
    /// A transfer failed.
    case wire(I2CError)
    /// An unexpected device answers.
    case unexpectedDevice
    /// The part has not started, or its calibration is invalid.
    case unready
    /// The part has lost its settings and must be started again.
    case settingsLost
    /// Any other failure.
    case other
  }

  /// The kind of failure.
  package var kind: Kind
  /// The step of the driver that failed, in words.
  package var step: String
  /// The cause, in words.
  package var cause: String

  package init(_ kind: Kind, step: String, cause: String) {
    self.kind = kind
    self.step = step
    self.cause = cause
  }

  /// Step and cause, such as "reading the result: address not acknowledged (message 0, ENXIO)".
  package var description: String { "\(step): \(cause)" }
}

/// A cause for which a driver of the bench's parts fails, with the kind of failure.
package protocol SensorCause: DriverCause {
  /// The kind of failure that callers distinguish.
  var kind: SensorFailure.Kind { get }
}

extension SensorFailure {
  /// Converts an error of a chip's driver.
  package init<Cause: SensorCause>(_ error: DriverError<Cause>) {
    self.init(error.cause.kind, step: error.step.description, cause: error.cause.description)
  }

  /// Runs a step of a chip's driver and converts its error.
  package static func converting<Result, Cause: SensorCause>(
    _ body: () throws(DriverError<Cause>) -> Result
  ) throws(SensorFailure) -> Result {
    do throws(DriverError<Cause>) {
      return try body()
    } catch {
      throw SensorFailure(error)
    }
  }
}

/// The settings of a driver.
package protocol DriverSettings: Sendable {
  /// The longest time of one measurement in nanoseconds.
  var measurementTime: UInt64 { get }
  /// The largest age of a result that a correct driver reads, in nanoseconds. Default: `measurementTime`.
  var resultAge: UInt64 { get }
  /// `true` if temperature is measured. Default: `true`.
  var measuresTemperature: Bool { get }
  /// `true` if pressure is measured. Default: `false`.
  var measuresPressure: Bool { get }
  /// The coefficient of the IIR filter; 0 or 1 if it is off. Default: 0.
  var filterCoefficient: Int { get }
  /// `true` if the part measures continuously, without triggers. Default: `false`.
  var isContinuous: Bool { get }
}

/// Defaults for a part that measures temperature on request and has no filter.
extension DriverSettings {
  package var resultAge: UInt64 { measurementTime }
  package var measuresTemperature: Bool { true }

  package var measuresPressure: Bool { false }

  package var filterCoefficient: Int { 0 }

  package var isContinuous: Bool { false }
}

/// A clock that always reads 0, for a driver that only identifies a part and does not wait.
package final class StillClock: I2CClock {
  package init() {}

  /// Always 0.
  package var nanoseconds: UInt64 { 0 }

  /// Returns at once.
  package func wait(nanoseconds: UInt64) {}
}

/// One result of a sensor: the measured values and the ADC codes that they were computed from.
package struct Sample: Hashable, Sendable {
  /// The ADC codes before compensation; `nil` for a quantity that the part does not measure.
  package typealias Codes = PerQuantity<Int32?>

  /// The measured values.
  package var values: AirReading
  /// The ADC codes that the values were computed from.
  package var codes: Codes

  /// Creates a result.
  ///
  /// Default: no quantity was measured.
  package init(
    celsius: Double? = nil, pascals: Double? = nil, relativeHumidity: Double? = nil,
    codes: Codes = Codes()
  ) {
    values = AirReading(temperature: celsius, pressure: pascals, humidity: relativeHumidity)
    self.codes = codes
  }

  /// The temperature in °C; `nil` if it was not measured.
  package var celsius: Double? { values.temperature }
  /// The pressure in Pa; `nil` if it was not measured.
  package var pascals: Double? { values.pressure }
  /// The relative humidity in %; `nil` if it was not measured.
  package var relativeHumidity: Double? { values.humidity }

  /// Returns the value of a quantity in °C, Pa or %; `nil` if it was not measured.
  package subscript(_ quantity: Quantity) -> Double? { values[quantity] }
}

/// The specified range of each quantity, in °C, Pa and %; `nil` for a quantity that the part does not measure.
package typealias SampleRanges = PerQuantity<ClosedRange<Double>?>

extension SampleRanges {
  /// Returns whether all values of a result are within their ranges.
  package func contain(_ sample: Sample) -> Bool { outside(sample).isEmpty }

  /// Returns the quantities of a result that are outside their specified ranges.
  package func outside(_ sample: Sample) -> [Quantity] {
    Quantity.allCases.filter { quantity in
      guard let value = sample[quantity], let range = self[quantity] else { return false }
      return !range.contains(value)
    }
  }
}
