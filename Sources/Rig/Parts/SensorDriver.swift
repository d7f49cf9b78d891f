package import I2C

/// A driver as a pipeline, a reading and a watch use it, whatever the chip is.
///
/// Its errors say in words what it was doing and what it met; only what a program decides by is a value.
package protocol SensorDriver: AnyObject {
  /// Where its sensor answers.
  var address: I2CAddress { get }

  /// Identifies the sensor and sets it up, also after a loss of power.
  ///
  /// - Throws: ``SensorFailure``.
  func start() throws(SensorFailure)

  /// Makes one measurement, or takes the latest where the sensor measures by itself.
  ///
  /// - Throws: ``SensorFailure``.
  func sample() throws(SensorFailure) -> Sample
}

/// What a driver was doing when it failed, and what it met.
package struct SensorFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What a program may decide by.
  package enum Kind: Hashable, Sendable {
    /// A transfer failed.
    case wire(I2CError)
    /// Another chip answers.
    case stranger
    /// The part has not started, or holds no sound calibration.
    case unready
    /// The part has lost its settings: it must be started again.
    case settingsLost
    /// Anything else.
    case other
  }

  /// What a program may decide by.
  package var kind: Kind
  /// What the driver was doing, in words.
  package var step: String
  /// What it met, in words.
  package var cause: String

  /// Creates a failure.
  package init(_ kind: Kind, step: String, cause: String) {
    self.kind = kind
    self.step = step
    self.cause = cause
  }

  /// A sentence such as "reading the data: address not acknowledged (message 0, ENXIO)".
  package var description: String { "\(step): \(cause)" }
}
