package import I2C
package import Schema

/// A kind of part that can stand on a bench.
///
/// Everything that knows the chip stands in its folder below Chips; the catalogue names it, and nothing else does.
package protocol PartModel: PartExtras {
  /// The word for it in rigs and on the command line: `bme280`.
  var name: String { get }
  /// Relatives that one driver reads, and tells apart itself, have one family.
  var family: String { get }
  /// The addresses at which it can answer, the usual one first.
  var addresses: [I2CAddress] { get }
  /// How its pins choose among them: "0x76 (SDO low) or 0x77 (SDO high)".
  var addressSummary: String { get }
  /// How long it may take to answer after power-on, in nanoseconds.
  var startTime: UInt64 { get }
  /// What it measures, and in which range.
  var ranges: SampleRanges { get }
  /// The keys of such a device in a rig, beyond those of every device.
  var keys: [Section.Field] { get }
  /// The keys of a pipeline that its driver takes.
  var driverKeys: [Section.Field] { get }

  /// Reads the keys of a device.
  ///
  /// - Returns: what the rig says of the part, or `nil` where that is wrong; the mistakes have been noted.
  func configured(_ value: CheckedValue, _ reader: inout PartReader) -> (any ConfiguredPart)?

  /// Reads the keys of a pipeline.
  ///
  /// - Parameters:
  ///   - value: the pipeline.
  ///   - checker: takes what is wrong.
  /// - Returns: how the driver measures; what it does by itself where a key is wrong or not there.
  func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings

  /// How a single reading measures.
  var usualSettings: any DriverSettings { get }
  /// How a watch measures: as finely as the part can, without its filter.
  var finestSettings: any DriverSettings { get }

  /// Creates a driver that has not touched the bus yet.
  func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver

  /// Asks who answers at an address, by the part's own way to tell itself.
  ///
  /// - Throws: `I2CError` where nobody answers.
  func identify(_ adapter: any I2CAdapter, at address: I2CAddress) throws(I2CError)
    -> PartIdentity

  /// What the transfers to it mean; a new one for each part of a trace.
  var text: any TransferText { get }

  /// Why a result that came without an error can be no measurement; `nil` where it can.
  func shortcoming(of sample: Sample) -> String?

  /// The page that says what its virtual part does as the chip does, assumes and leaves out.
  var fidelity: String { get }
}

extension PartModel {
  /// It has no relatives.
  package var family: String { name }

  /// Its driver has no finer way to measure.
  package var finestSettings: any DriverSettings { usualSettings }

  /// Every result can be a measurement.
  package func shortcoming(of sample: Sample) -> String? { nil }

  /// It answers at once, or as soon as any program asks.
  package var startTime: UInt64 { 0 }

  /// How its name is written for people: `BME280`.
  package var title: String { name.uppercased() }

  /// The same behind its article, as it is spoken: `a BME280`, `an SHT21`.
  package var titleWithArticle: String {
    let isVowel = title.first.map { "AEFHILMNORSX".contains($0) } ?? false
    return (isVowel ? "an " : "a ") + title
  }
}
