import Bridges
import DriverDefects
import Environment
import I2C
import Parts
import Quantities
package import Rigs
package import Text

extension RunEvent.Reading: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields
    + valueFields { $0.sample[$1] }
    + [
      outside { $0.outside },
      EventField("raw", "the codes of the part's converter under the datasheet's names") {
        $0.sample.codes.json
      },
      decimal("charge_uc", "the charge that the part has used since power came on, in µC") {
        $0.charge
      },
    ]
}

extension PlacedEvent {
  /// Which of the values are outside of what the part is made for.
  fileprivate static func outside(
    _ quantities: @escaping @Sendable (Self) -> [Quantity]
  ) -> EventField<Self> {
    EventField(
      "outside_specification",
      "the quantities for which the part is not specified there; left out where there is none"
    ) { event in
      let found = quantities(event)
      return found.isEmpty ? nil : .array(found.map { .string($0.rawValue) })
    }
  }
}

extension [Quantity] {
  /// What is told of values that are outside of what their sensor is specified for; nothing where there is none.
  package var outsideRemark: String {
    isEmpty ? "" : "outside the specification: " + map(\.rawValue).joined(separator: ", ")
  }
}

extension Sample.Codes {
  /// The codes that there are, under the names of the datasheets.
  package var json: JSONValue {
    let all = [("adc_T", temperature), ("adc_P", pressure), ("adc_H", humidity)]
    return .object(all.compactMap { key, code in code.map { (key, .integer($0)) } })
  }
}

extension RunEvent.Comparison: PlacedEvent {
  package var time: UInt64 { reading.time }
  package var place: Rig.SensorID { reading.place }

  package static let fields: [EventField<Self>] =
    headFields
    + valueFields { $0.shown?.values[$1] }
    + [
      EventField("would_trap", "whether the program's arithmetic would have ended a Swift program")
      {
        $0.shown.map { .bool($0.wouldTrap) }
      },
      decimal("board_temperature_c", "what the board's own thermometer shows, in °C") {
        $0.board
      },
    ]
}

extension RunEvent.SensorError: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("step", "what was being done") { .string($0.error.step) },
      EventField("error", "what happened, on the wire or with the data") {
        .string($0.error.cause)
      },
      EventField(
        "board",
        "why the board in between could not be reached: out-of-range, not-advertising or flat"
      ) { $0.absence.map { .string($0.name) } },
    ]
}

extension RunEvent.SaturatedReading: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("quantity", "pressure, temperature or humidity") {
        .string($0.channel.rawValue)
      },
      EventField("asked", "what the air was, in the unit") { .decimal($0.shortfall.asked) },
      EventField("nearest", "what the part can say, in the unit") {
        .decimal($0.shortfall.nearest)
      },
      EventField("unit", "the unit of both") { .string("\($0.channel.keptSymbol)") },
    ]
}

extension RunEvent.Average: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields
    + valueFields { $0.means[$1]?.measured }
    + [
      outside { $0.outside },
      EventField("samples", "how many samples it is made of") { .integer($0.samples) },
      decimal("beside_temperature_c", "what a program with defects would have shown, in °C") {
        $0.compared?.shown.temperature
      },
      decimal("beside_pressure_pa", "what a program with defects would have shown, in Pa") {
        $0.compared?.shown.pressure
      },
      decimal("board_temperature_c", "the mean of the board's own thermometer, in °C") {
        $0.compared?.board
      },
    ]
}

extension RunEvent.StandIn: PlacedEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("pressure_pa", "the pressure that is kept instead of the sensor's, in Pa") {
        .decimal($0.pascals)
      },
      decimal("offset_pa", "what of it is the sensor's last difference from the source, in Pa") {
        $0.offset
      },
      EventField("source", "the file or the address it comes from") { .string($0.source) },
    ]
}

extension RunEvent.StandIn {
  /// What of its pressure is the sensor's last difference from the source, in words.
  package var shift: String {
    guard let offset else { return "not shifted: the two were never known together" }
    return
      "shifted by the \(Decimal.signed(Quantity.pressure.shown(offset), 2)) hPa that the sensor last differed from it"
  }
}
