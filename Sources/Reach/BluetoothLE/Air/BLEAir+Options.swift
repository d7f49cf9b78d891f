import CMath
import VirtualI2C

/// Where a radio is, in m.
public struct BLEPlace: Hashable, Sendable {
  /// Along the hall, across it, and above its floor.
  public var x, y, z: Double

  /// Creates a place.
  public init(x: Double = 0, y: Double = 0, z: Double = 0) { (self.x, self.y, self.z) = (x, y, z) }

  /// How far away another place is, in m.
  public func distance(to other: BLEPlace) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return (dx * dx + dy * dy + dz * dz).squareRoot()
  }
}

extension BLEAir {
  /// How radio waves and connections behave.
  public struct Options: Hashable, Sendable {
    /// How many of all packets are lost however near the radios are, from 0 to 1.
    public var loss = 0.0
    /// How fast the signal weakens: it falls by ten times this many dB where the distance grows tenfold.
    ///
    /// 2 in free space, 2.5 unless
    /// given: an assumption for shelves.
    public var exponent = 2.5
    /// What is lost on the first metre, in dB: 40 at 2.4 GHz in free space.
    public var firstMetre = 40.0
    /// The standard deviation of the signal from packet to packet, in dB.
    public var fading = 0.0
    /// The weakest signal that is heard, in dBm.
    public var sensitivity = -94.0
    /// From one connection event to the next, in nanoseconds; 30 ms unless given.
    public var connectionInterval: UInt64 = 30_000_000
    /// How long a connection lives without a packet from the other side, in nanoseconds; 6 s unless given.
    public var supervisionTimeOut: UInt64 = 6_000_000_000
    /// How long a client waits for the answer to a request, in nanoseconds: 30 s (Core Specification, Vol 3, Part F, 3.3.3).
    public var requestTimeOut: UInt64 = 30_000_000_000

    /// Sets the sensitivity so that a radio of 0 dBm is heard up to a distance in m.
    public mutating func reach(_ metres: Double) {
      sensitivity = -firstMetre - 10 * exponent * log(max(metres, 0.1)) / 2.302_585_092_994_046
    }

    /// Creates the usual behaviour: nothing is lost within reach.
    public init() {}
  }

  /// How strongly a radio is heard at another on average, in dBm; `nil` where it is not.
  func signal(from sender: VirtualRadio, to receiver: VirtualRadio) -> Double? {
    guard sender.isOn, receiver.isOn else { return nil }
    let distance = max(sender.place.distance(to: receiver.place), 0.1)
    let strength =
      sender.capabilities.power - options.firstMetre
      - 10 * options.exponent * log(distance) / 2.302_585_092_994_046
    return strength >= options.sensitivity ? strength : nil
  }

  /// How many packets of a signal are lost: more and more in the last 10 dB above the sensitivity, up to a half.
  func loss(at signal: Double) -> Double {
    let margin = min(max(signal - options.sensitivity, 0), 10)
    return min(options.loss + (1 - options.loss) * (10 - margin) / 20, 1)
  }

  /// Whether a packet of a signal arrives.
  func arrives(at signal: Double) -> Bool {
    let loss = loss(at: signal)
    return loss <= 0 || chance.unit() >= loss
  }

  /// The strength of one packet of a signal, in whole dBm.
  func strength(of signal: Double) -> Int {
    let faded = options.fading > 0 ? signal + chance.gaussian() * options.fading : signal
    return Int(min(max(faded, -127), 20).rounded())
  }
}
