public import Quantities
public import VirtualParts

/// How a virtual SHT21 deviates from the ideal part, and what it is fed with.
public struct SHT21Options: Hashable, Sendable {
  /// The noise on each result: the data sheet's repeatability, taken as three standard deviations.
  public var noise: PartNoise
  /// How long measurements take: as a rule, at most, or drawn once for a part.
  public var timing: PartTiming
  /// A constant error, in °C and % relative humidity.
  public var offset = PartDeviation()
  /// The change of the error in a year of 365 days.
  public var driftPerYear = PartDeviation()
  /// The supply in V: below 2.25 the chip tells the end of its battery.
  public var supply = SHT21Figures.usualSupply
  /// The serial number; `nil` draws it from the seed.
  public var serialNumber: SHT21SerialNumber?
  /// What is assumed where nobody knows.
  public var unknown = SHT21UnknownBehaviour()

  /// Creates options: no noise and typical times unless said.
  public init(noise: PartNoise = .off, timing: PartTiming = .typical) {
    self.noise = noise
    self.timing = timing
  }
}
