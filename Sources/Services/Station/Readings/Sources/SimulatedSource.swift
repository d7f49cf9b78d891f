import BME280
import BME280Model
import Environment
import Foundation
import I2C
import VirtualI2C

/// A source of readings in simulated air, which starts with the readings of the past two and a
/// quarter days.
package struct SimulatedSource: ReadingSource {
  /// The duration of the initial past in seconds.
  ///
  /// This period covers today and yesterday, plus the time before yesterday that is needed to make
  /// the forecasts for yesterday's first hour, because scoring starts with that hour.
  package static let past = 2 * 86400 + max(StationState.memory, Score.lead + 3600)

  package let kind = "simulated"
  package var staleAfter: Int { 3 * interval }

  private let interval: Int
  private let start: Int?
  private let now: @Sendable () -> Int
  private let air: @Sendable (Int) -> AirNow

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - interval: The interval between readings in seconds.
  ///   - last: The time of the last stored reading in seconds since 1970; `nil` if none is stored.
  ///   - now: The function that returns the current time in seconds since 1970.
  ///   - air: The function that returns the air at a time.
  package init(
    interval: Int = 10, last: Int?, now: @escaping @Sendable () -> Int,
    air: @escaping @Sendable (Int) -> AirNow
  ) {
    (self.interval, start, self.now, self.air) = (interval, last, now, air)
  }

  package func run(_ take: @Sendable ([Reading]) async throws -> Void) async throws {
    try await take(try past())
    while !Task.isCancelled {
      let moment = now()
      if let reading = try read([moment]).first { try await take([reading]) }
      try await Task.sleep(for: .seconds(interval - moment % interval))
    }
  }

  /// Returns readings for the time in which the station was not running: one every minute for the
  /// last six hours, and one every five minutes before.
  func past() throws -> [Reading] {
    let end = now()
    let begin = max(end - Self.past, (start ?? 0) + 1)
    var moments: [Int] = []
    var moment = begin + 299 - (begin + 299) % 300
    while moment < end {
      moments.append(moment)
      moment += moment < end - 6 * 3600 ? 300 : 60
    }
    return try read(moments)
  }

  private func read(_ moments: [Int]) throws -> [Reading] {
    let sensor = try SimulatedSensor()
    return try moments.map { try sensor.read(air($0), at: $0) }
  }
}

/// The air at a time in °C, % and Pa.
package struct AirNow: Sendable {
  /// The temperature in °C.
  package let celsius: Double
  /// The relative humidity in %.
  package let humidity: Double
  /// The pressure in Pa.
  package let pascals: Double

  package init(celsius: Double, humidity: Double, pascals: Double) {
    (self.celsius, self.humidity, self.pascals) = (celsius, humidity, pascals)
  }
}

/// A virtual BME280 on a virtual bus, read by the same driver as a physical one.
///
/// The sensor's calibration is synthetic.
final class SimulatedSensor {
  /// The air in which the sensor measures.
  private final class Room: AirSource {
    var air = Air.standard

    func air(at time: UInt64) -> Air { air }
  }

  private static let calibration = Calibration(
    t1: 28009, t2: 25654, t3: 50, p1: 39145, p2: -10750, p3: 3024, p4: 5667, p5: -120, p6: -7,
    p7: 15500, p8: -14600, p9: 6000, h1: 75, h2: 370, h3: 0, h4: 320, h5: 50, h6: 30)

  private let room = Room()
  private let clock = VirtualClock()
  private let driver: BME280Driver

  init() throws {
    let adapter = VirtualAdapter(clock: clock)
    try adapter.attach(
      VirtualBME280(chip: .bme280, nvm: Self.calibration.bytes, address: 0x76, air: room))
    driver = BME280Driver(adapter: adapter, clock: clock)
    try driver.start()
  }

  /// Reads the sensor in the given air.
  func read(_ air: AirNow, at time: Int) throws -> Reading {
    room.air = Air(
      pressure: air.pascals, temperature: air.celsius, humidity: min(100, max(0, air.humidity)))
    clock.wait(nanoseconds: 1_000_000_000)
    let measurement = try driver.measure()
    return Reading(
      time: time, celsius: measurement.celsius, humidity: measurement.relativeHumidity,
      pascals: measurement.pascals)
  }
}

/// The duration of a trace, determined from its end without reading the rest.
enum TraceLength {
  private struct Transfer: Decodable { let t: Int64 }

  /// The number of bytes read from the end of the file, which is more than the line of any
  /// transfer.
  private static let tail: UInt64 = 1 << 20

  /// Returns the whole seconds from the start to the last transfer; `nil` if the file cannot be
  /// read or has no transfer.
  static func seconds(of path: String) -> Int? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let size = try? file.seekToEnd(),
      (try? file.seek(toOffset: size > tail ? size - tail : 0)) != nil,
      let bytes = try? file.readToEnd()
    else { return nil }
    let decoder = JSONDecoder()
    for line in bytes.split(separator: UInt8(ascii: "\n")).reversed() {
      if let last = try? decoder.decode(Transfer.self, from: Data(line)) {
        return Int(last.t / 1_000_000_000)
      }
    }
    return nil
  }
}
