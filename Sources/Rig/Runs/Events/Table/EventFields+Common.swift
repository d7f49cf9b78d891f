import I2C
import Parts
package import Quantities
package import Rigs
import Text

/// An event that happens at a time.
package protocol TimedEvent: ToldEvent {
  /// When, in nanoseconds since the start of the run.
  var time: UInt64 { get }
}

/// An event that belongs to a sensor.
package protocol PlacedEvent: TimedEvent {
  /// Which sensor.
  var place: Rig.SensorID { get }
}

extension TimedEvent {
  /// When it happened.
  package static var timeField: EventField<Self> {
    EventField("t", "seconds since the start of the run") { .seconds($0.time) }
  }
}

extension PlacedEvent {
  /// When it happened and to which sensor.
  package static var headFields: [EventField<Self>] {
    [
      timeField, EventField("bus", "N of the bus in the rig") { .integer($0.place.bus) },
      EventField("address", "the address of the sensor, 7 bits") {
        .integer($0.place.address.rawValue)
      },
      EventField("part", "the name of the part in its fleet; left out where it is of none") {
        $0.place.part.map { .string($0) }
      },
    ]
  }

  /// The values of a sensor, those that there are.
  package static func valueFields(
    _ value: @escaping @Sendable (Self, Quantity) -> Double?
  ) -> [EventField<Self>] {
    [
      decimal("temperature_c", "the temperature in °C") { value($0, .temperature) },
      decimal("pressure_pa", "the pressure in Pa") { value($0, .pressure) },
      decimal("humidity_rh", "the relative humidity in %") { value($0, .humidity) },
    ]
  }
}

extension ToldEvent {
  /// A field with a number that an event may lack.
  package static func decimal(
    _ name: String, _ meaning: String, _ value: @escaping @Sendable (Self) -> Double?
  ) -> EventField<Self> {
    EventField(name, meaning) { value($0).map { .decimal($0) } }
  }
}
