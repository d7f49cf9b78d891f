public import Quantities
public import VirtualParts

/// How a virtual BMP180 deviates from the ideal part, and what it is calibrated with.
public struct BMP180Options: Hashable, Sendable {
  /// The calibration; that of the data sheet's example unless given.
  public var calibration = BMP180Calibration.example
  /// The noise on each pressure: the data sheet's figures.
  public var noise: PartNoise
  /// How long conversions take: as a rule, at most, or drawn once for a part.
  public var timing: PartTiming
  /// A constant error, in Pa and °C.
  public var offset = PartDeviation()
  /// The change of the error in a year of 365 days.
  public var driftPerYear = PartDeviation()
  /// What is assumed where nobody knows.
  public var unknown = BMP180UnknownBehaviour()

  /// Creates options: no noise and typical times unless said.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}
