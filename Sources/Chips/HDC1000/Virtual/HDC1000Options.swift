public import Quantities
public import VirtualParts

/// How a virtual HDC1000 deviates from the ideal part, and what it is fed with.
public struct HDC1000Options: Hashable, Sendable {
  /// The noise on each result: the data sheet's repeatability, taken as three standard deviations.
  public var noise: PartNoise
  /// How long measurements take: as a rule, at most, or drawn once for a part.
  public var timing: PartTiming
  /// A constant error, in °C and % relative humidity.
  public var offset = PartDeviation()
  /// The change of the error in a year of 365 days.
  public var driftPerYear = PartDeviation()
  /// The supply in V: below 2.8 the chip tells that its battery is low.
  public var supply = HDC1000Figures.usualSupply
  /// The serial number; `nil` draws it from the seed.
  public var serialNumber: HDC1000SerialNumber?
  /// What is assumed where nobody knows.
  public var unknown = HDC1000UnknownBehaviour()

  /// Creates options: no noise and typical times unless said.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}
