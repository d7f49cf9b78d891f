package import BME280Model
import Parts

extension VirtualBME280: VirtualPart {
  package func chargeUsed(at time: UInt64) -> Double? { charge(at: time).total }
}
