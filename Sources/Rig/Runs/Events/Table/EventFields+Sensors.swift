import Bridges
import Diagnosis
import Environment
import I2C
import Parts
import Quantities
package import Rigs
package import Support

extension RunEvent.Reading: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields
    + valueFields { $0.sample[$1] }
    + [
      outside { $0.outside },
      EventField("raw", "the ADC codes of the part, by their names in the datasheet") {
        $0.sample.codes.json
      },
      decimal("charge_uc", "the charge that the part has used since power-on, in µC") {
        $0.charge
      },
    ]
}

extension SensorEvent {
  /// Creates the field that lists the quantities outside the specified range of the part.
  fileprivate static func outside(
    _ quantities: @escaping @Sendable (Self) -> [Quantity]
  ) -> EventField<Self> {
    EventField(
      "outside_specification",
      "the quantities outside the specified range of the part; omitted if none"
    ) { event in
      let found = quantities(event)
      return found.isEmpty ? nil : .array(found.map { .string($0.rawValue) })
    }
  }
}

extension [Quantity] {
  /// The note about values outside the specified range of their sensor; empty if there are none.
  package var outsideNote: String {
    isEmpty ? "" : "outside the specification: " + map(\.rawValue).joined(separator: ", ")
  }
}

extension Sample.Codes {
  /// The ADC codes as a JSON object, by their names in the datasheets.
  package var json: JSONValue {
    let all = [("adc_T", temperature), ("adc_P", pressure), ("adc_H", humidity)]
    return .object(all.compactMap { key, code in code.map { (key, .integer($0)) } })
  }
}

extension RunEvent.Comparison: SensorEvent {
  package var time: UInt64 { reading.time }
  package var sensorID: Rig.SensorID { reading.sensorID }

  package static let fields: [EventField<Self>] =
    headFields
    + valueFields { $0.shown?.values[$1] }
    + [
      EventField("would_trap", "whether the arithmetic of the program would trap in Swift") {
        $0.shown.map { .bool($0.wouldTrap) }
      },
      decimal("board_temperature_c", "the temperature of the board's own thermometer, in °C") {
        $0.board
      },
    ]
}

extension RunEvent.SensorError: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("step", "the step of the driver") { .string($0.error.step) },
      EventField("error", "the error, on the wire or in the data") {
        .string($0.error.cause)
      },
      EventField(
        "board",
        "the reason why the board in between could not be reached: out-of-range, not-advertising or flat"
      ) { $0.absence.map { .string($0.name) } },
    ]
}

extension RunEvent.SaturatedReading: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("quantity", "pressure, temperature or humidity") {
        .string($0.channel.rawValue)
      },
      EventField("asked", "the value of the air, in the unit") { .decimal($0.shortfall.requested) },
      EventField("nearest", "the nearest output of the part, in the unit") {
        .decimal($0.shortfall.nearest)
      },
      EventField("unit", "the unit of both") { .string("\($0.channel.keptSymbol)") },
    ]
}

extension RunEvent.Average: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields
    + valueFields { $0.means[$1]?.measured }
    + [
      outside { $0.outside },
      EventField("samples", "the number of samples") { .integer($0.samples) },
      decimal("beside_temperature_c", "the result of the program with defects, in °C") {
        $0.compared?.shown.temperature
      },
      decimal("beside_pressure_pa", "the result of the program with defects, in Pa") {
        $0.compared?.shown.pressure
      },
      decimal("board_temperature_c", "the mean of the board's own thermometer, in °C") {
        $0.compared?.board
      },
    ]
}

extension RunEvent.StandIn: SensorEvent {
  package static let fields: [EventField<Self>] =
    headFields + [
      EventField("pressure_pa", "the stored pressure of the backup source, in Pa") {
        .decimal($0.pascals)
      },
      decimal(
        "offset_pa", "the last difference between sensor and source, which it includes, in Pa"
      ) {
        $0.offset
      },
      EventField("source", "the file or URL of the source") { .string($0.source) },
    ]
}

extension RunEvent.StandIn {
  /// The offset between the sensor and the backup source, in words.
  package var shift: String {
    guard let offset else {
      return "without an offset: the two were never available at the same time"
    }
    return
      "with an offset of \(Decimal.signed(Quantity.pressure.shown(offset), 2)) hPa, the last difference to the sensor"
  }
}
