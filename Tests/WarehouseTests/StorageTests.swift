import Foundation
import Quantities
import TestSupport
import Testing
import Warehouse

/// Mean kinetic temperature and storage rules, compared with independent arithmetic.
struct StorageTests {
  static let hour: Int64 = 3_600_000_000_000

  @Test(
    "the kinetic mean of a constant temperature is that temperature", arguments: [-20.0, 2, 25, 40])
  func constant(_ celsius: Double) throws {
    var mean = MeanKineticTemperature()
    mean.add(celsius, for: Self.hour)
    #expect(abs(try #require(mean.celsius) - celsius) < 1e-9)
  }

  @Test("temperatures are weighted by their durations, as checked with Python's decimal arithmetic")
  func oracle() throws {
    var chance = Seeded("mean kinetic temperature")
    for _ in 0..<20 {
      let parts = (0..<50).map { _ in
        (Double.random(in: -30...45, using: &chance), Int64.random(in: 1...100, using: &chance))
      }
      var mean = MeanKineticTemperature()
      for (celsius, hours) in parts { mean.add(celsius, for: hours * Self.hour) }
      // The expected value is computed with 50 digits from the formula in USP <1079.2>, with
      // separate ΔH and R.
      let expected = try Self.python(
        """
        from decimal import Decimal as D, getcontext
        getcontext().prec = 50
        parts = [(D(repr(t)), D(h)) for t, h in \(parts.map { "(\($0.0), \($0.1))" }.description
          .replacing("\"", with: ""))]
        dh, r = D("83.144"), D("0.0083144")
        s = sum(h * (-dh / (r * (t + D("273.15")))).exp() for t, h in parts) / sum(h for _, h in parts)
        print(float(dh / r / -s.ln() - D("273.15")))
        """)
      #expect(abs(try #require(mean.celsius) - expected) < 1e-9, "\(chance.seed)")
    }
  }

  private static func python(_ program: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", program]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return try #require(Double(text), "python3 printed: \(text)")
  }

  /// A record with one value per hour.
  private static func record(_ rule: StorageRule, _ values: [Double]) -> StorageRecord {
    var record = StorageRecord(rule, longestGap: 2 * hour)
    for (index, value) in values.enumerated() { record.add(value, at: Int64(index) * hour) }
    record.finish(at: Int64(values.count) * hour)
    return record
  }

  @Test("a warm afternoon is an allowed excursion in a controlled room")
  func allowed() {
    let record = Self.record(.controlledRoom, [22, 23, 26, 29, 26, 22, 21, 21])
    #expect(record.excursions.map { $0.until - $0.from } == [3 * Self.hour])
    #expect(record.excursions.first?.worst == 29)
    #expect(record.isKept == true)
  }

  @Test("a spike to 39 °C may last 24 hours, not 25, and 41 °C is not allowed")
  func spikes() {
    let room = [Double](repeating: 21, count: 600)
    func kept(_ spike: [Double]) -> Bool? {
      Self.record(.controlledRoom, room + spike + room).isKept
    }
    #expect(kept([Double](repeating: 39, count: 24)) == true)
    #expect(kept([Double](repeating: 39, count: 25)) == false)
    #expect(kept([41]) == false)
    #expect(kept([14]) == false)
  }

  @Test(
    "a room at a constant 25.5 °C has only allowed excursions, but its kinetic mean is too high")
  func mean() {
    let record = Self.record(.controlledRoom, [Double](repeating: 25.5, count: 48))
    #expect(record.excursions.allSatisfy(record.isAllowed))
    #expect(record.keepsMean == false)
    #expect(record.isKept == false)
  }

  @Test("the cold chain allows no excursion, and dry storage is evaluated by humidity")
  func others() {
    #expect(Self.record(.coldChain, [4, 8, 2, 5]).isKept == true)
    #expect(Self.record(.coldChain, [4, 8.1, 5]).isKept == false)
    #expect(Self.record(.dryPlace, [60, 40]).isKept == true)
    #expect(Self.record(.dryPlace, [60.1, 40]).isKept == false)
    #expect(StorageRecord(.coldChain, longestGap: 1).isKept == nil)
  }

  @Test("a gap between readings counts as covered only up to the longest permitted gap")
  func gap() {
    var record = StorageRecord(.coldChain, longestGap: Self.hour)
    record.add(5, at: 0)
    record.add(5, at: 10 * Self.hour)
    #expect(record.covered == Self.hour)
    #expect(record.uncovered == 9 * Self.hour)
  }
}
