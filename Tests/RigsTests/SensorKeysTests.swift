import BME280Model
import Chips
import Foundation
import Quantities
import Rigs
import Runs
import Testing
import VirtualI2C

/// Every key of a device in a rig reaches the sensor.
struct SensorKeysTests {
  static func options(_ keys: String) throws -> SensorOptions {
    let text = SampleRig.changed(
      "        model: bme280\n", to: "        model: bme280\n        \(keys)\n")
    let rig = try Rig(text: text, file: SampleRig.file)
    let part = rig.buses.first?.devices.first?.part as? ConfiguredBME280
    return try #require(part?.options)
  }

  @Test("the keys 'noise' and 'timing' configure the sensor")
  func noiseAndTiming() throws {
    #expect(try Self.options("noise: off") == SensorOptions())
    #expect(try Self.options("noise: datasheet") == SensorOptions(noise: .datasheet))
    #expect(try Self.options("noise: 2.5") == SensorOptions(noise: .scaled(2.5)))
    #expect(try Self.options("timing: maximum") == SensorOptions(timing: .maximum))
    #expect(try Self.options("timing: drawn") == SensorOptions(timing: .drawn))
  }

  @Test("offset, drift and self-heating are configured with their signs and units")
  func deviations() throws {
    let options = try Self.options(
      """
      offset: {pressure: -0.5hPa, temperature: 0.9F}
              drift_per_year: {humidity: -0.5%}
              self_heating: {rise: 2C, time_constant: 10s}
      """)
    #expect(options.offset == .init(temperature: 0.5, pressure: -50))
    #expect(options.driftPerYear == .init(humidity: -0.5))
    #expect(options.selfHeating == .init(rise: 2, timeConstant: 10_000_000_000))
  }

  @Test("each switch of undocumented behavior is configured")
  func unknown() throws {
    let options = try Self.options(
      "unknown: {copy_time_power_on: 1ms, copy_time_reset: 2ms, measuring_delay: 0s, "
        + "calibration_during_copy: nack, oversampling_while_measuring: next, "
        + "config_in_normal_mode: taken, config_while_measuring: ignored, "
        + "filter_rounding: nearest, filter_start: reset, past_end: stay, "
        + "read_only_write: nack, status_bit_2: measured, burst_end: start, config_bit_1: kept, "
        + "calibration_before_conversion: unreadable, writes_during_start: hang, "
        + "id_during_start: ones, normal_mode_written_again: standby, "
        + "pointer_after_reset: zero, pointer_after_pair: next}")
    var expected = UndocumentedBehavior()
    (expected.powerOnCopyTime, expected.resetCopyTime) = (1_000_000, 2_000_000)
    expected.measuringDelay = 0
    expected.unreadable = .nack
    expected.oversamplingWrite = .next
    (expected.configInNormalMode, expected.configWhileMeasuring) = (.taken, .ignored)
    (expected.filterRounding, expected.filterStart) = (.nearest, .reset)
    (expected.pastEnd, expected.readOnlyWrite) = (.stay, .nack)
    (expected.hiddenBit, expected.burstEnd, expected.configBit) = (.measured, .start, .kept)
    expected.calibrationBeforeConversion = .unreadable
    (expected.writesDuringStart, expected.identityDuringStart) = (.hang, .ones)
    expected.pendingMode = .standby
    (expected.pointerAfterReset, expected.pointerAfterPair) = (.zero, .next)
    #expect(options.unknown == expected)
  }

  @Test("a part with an offset differs from the air by that offset")
  func offsetShows() throws {
    let text = SampleRig.changed(
      "        model: bme280\n", to: "        model: bme280\n        offset: {pressure: 1hPa}\n"
    ).replacingOccurrences(of: "of: environment", with: "of: 1006hPa")
    let verdict = try SampleRig.run(text).verdict
    #expect(verdict.passed)
  }
}
