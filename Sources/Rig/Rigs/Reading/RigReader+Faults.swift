import Parts
import I2C
package import Schema
import Text
import VirtualI2C
import VirtualParts

extension RigReader {
  /// Makes the planned failures of a rig.
  package mutating func faults(_ value: CheckedValue?) -> [Fault] {
    var faults: [Fault] = []
    for value in value?.list ?? [] where value.isSound {
      guard let name = value["kind"]?.text, let bus = faultBus(value) else { continue }
      let kind = kind(name, value)
      var trigger = PlannedFault.Trigger()
      trigger.start = UInt64(value["at"]?.nanoseconds ?? 0)
      trigger.transfers = value["after"]?.integer ?? 0
      trigger.register = value["register"]?.integer.map { UInt8($0) }
      trigger.direction = value["direction"]?.text.map { $0 == "read" ? .read : .write }
      trigger.probability = value["probability"]?.number ?? 1
      let plan = PlannedFault(
        kind: kind, trigger: trigger,
        address: value["address"]?.integer.flatMap { I2CAddress(rawValue: UInt16($0)) },
        count: value["count"]?.integer ?? (lasts(kind) ? PlannedFault.unlimited : 1))
      if plan.isOfBridge, !bridgedBuses.contains(bus) {
        checker.note("there is no bridge on bus \(bus)", at: value.position)
        continue
      }
      faults.append(Fault(name: name, bus: bus, plan: plan))
    }
    return faults
  }

  private func kind(_ name: String, _ value: CheckedValue) -> PlannedFault.Kind {
    func integer(_ key: String, _ otherwise: Int) -> Int { value[key]?.integer ?? otherwise }
    let length = UInt64(value["for"]?.nanoseconds ?? 10_000_000)
    let byte = integer("byte", 0)
    let mask = UInt8(integer("mask", 1))
    switch name {
    case "nack-data": return .dataNack(byte: byte)
    case "arbitration-lost": return .arbitrationLost
    case "bus-error": return .busError
    case "clock-stretch": return .clockStretch(length)
    case "stuck-sda": return .dataStuck
    case "stuck-scl": return .clockStuck(length)
    case "bit-flip": return .bitFlip(byte: byte, mask: mask)
    case "short-read": return .shortRead(bytes: integer("bytes", 1))
    case "wrong-device": return .otherTarget(reads: UInt8(integer("reads", 0xFF)))
    case "power-loss": return .powerLoss(length)
    case "bridge-late": return .frameLate(length)
    case "bridge-lost": return .frameLost
    case "bridge-repeated": return .frameRepeated
    case "brown-out": return .condition(.partialMemory(kept: integer("kept", 12)))
    case "wrong-calibration": return .condition(.wrongMemory(byte: byte, mask: mask))
    case "frozen": return .condition(.frozen)
    case "slow-conversion": return .condition(.slow)
    case "offset":
      let error = PartDeviation(value)
      return .condition(
        .offset(
          pressure: error.pressure, temperature: error.temperature, humidity: error.humidity))
    case "drift":
      let error = PartDeviation(value)
      return .condition(
        .drift(pressure: error.pressure, temperature: error.temperature, humidity: error.humidity))
    default: return .addressNack
    }
  }

  /// Whether a fault lasts until the end unless it is counted.
  private func lasts(_ kind: PlannedFault.Kind) -> Bool {
    switch kind {
    case .condition(.partialMemory), .condition(.wrongMemory): false
    case .condition: true
    default: false
    }
  }

  private mutating func faultBus(_ value: CheckedValue) -> Int? {
    let numbers = Set(places.map(\.bus)).sorted()
    if let bus = value["bus"] {
      if let number = bus.integer, foreignBuses.contains(number) {
        checker.note("faults are for buses with devices of the rig", at: bus.position)
        return nil
      }
      if let number = bus.integer, numbers.contains(number) || !knowsAllPlaces { return number }
      checker.note("there is no such bus", at: bus.position)
      return nil
    }
    if numbers.count == 1 { return numbers[0] }
    checker.note(
      "on which bus? there are \(numbers.lazy.map(String.init).shortened)",
      at: value.position)
    return nil
  }
}
