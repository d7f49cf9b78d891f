import Chips
import Environment
import TestSupport
import Testing
import VirtualI2C

/// Tests the model against a public capture of a real SHT21.
struct SHT21CaptureTests {
  /// A transfer: the bytes written and read, and its duration in samples of 125 ns.
  struct Row {
    let written, read: [UInt8]
    let samples: UInt64
  }

  static let rows: [Row] = {
    let text = (try? Fixtures.text("fixtures/captures/sht21.csv")) ?? ""
    return text.split(separator: "\n").dropFirst().map { line in
      let fields = line.split(separator: ",")
      return Row(
        written: bytes(fields[2]), read: bytes(fields[3]),
        samples: (UInt64(fields[1]) ?? 0) - (UInt64(fields[0]) ?? 0))
    }
  }()

  @Test("the model reproduces a real SHT21's user register, serial number, codes and times")
  func replayed() throws {
    // The part's serial number; its second memory address was not read.
    var options = SHT21Options()
    options.serialNumber = SHT21SerialNumber(high: 0, middle: 0x0122_D208, low: 0)
    let (temperature, humidity) = (Double(0x66F0), Double(0x742C))
    let air = Air(
      pressure: 101_325, temperature: -46.85 + 175.72 * temperature / 65_536,
      humidity: -6 + 125 * humidity / 65_536)
    let bench = try SHT21Bench(ScriptedAir(constant: air), options: options, frequency: 100_000)
    #expect(Self.rows.count == 6)
    for row in Self.rows {
      let start = bench.clock.nanoseconds
      let read = try bench.exchange(row.written, row.read.count)
      let isMeasured = row.written == [0xE3] || row.written == [0xE5]
      // Codes may differ by the rounding of the air to half a step.
      let tolerance = isMeasured ? 4 : 0
      #expect(abs(Self.code(read) - Self.code(row.read)) <= tolerance, "\(row.written)")
      if isMeasured {
        #expect(read[2] == SHT21Checksum(of: UInt16(Self.code(read))).value)
        #expect(row.read[2] == SHT21Checksum(of: UInt16(Self.code(row.read))).value)
        let took = Double(bench.clock.nanoseconds - start)
        let captured = Double(row.samples * 125)
        #expect(abs(took - captured) < 0.025 * captured, "\(took) ns, captured \(captured) ns")
      } else {
        #expect(read == row.read)
      }
    }
  }

  private static func code(_ bytes: [UInt8]) -> Int {
    bytes.count < 2 ? Int(bytes[0]) : Int(bytes[0]) << 8 | Int(bytes[1])
  }
}
