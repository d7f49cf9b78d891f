import Chips
import I2C
import I2CTrace
import Parts
import Testing

/// Tests of busy parts that do not acknowledge: a single early read is reported, polling is not.
struct UnansweredReadTests {
  /// A step with its time in ms: a write, a successful read, or an unacknowledged read.
  enum Step {
    case write(Double, [UInt8])
    case read(Double)
    case refused(Double)
  }

  static func sentence(_ listener: any PartListener, _ steps: [Step]) -> String? {
    var listener = listener
    for step in steps {
      switch step {
      case .write(let time, let bytes):
        listener.take(transfer(time, TracedMessage(.write(bytes.count, to: 0x40), bytes)))
      case .read(let time):
        listener.take(transfer(time, TracedMessage(.read(2, from: 0x40), [0, 0])))
      case .refused(let time):
        listener.take(
          transfer(
            time, TracedMessage(.read(2, from: 0x40), []), I2CError(.addressNack, errno: .enxio)))
      }
    }
    return listener.warning()?.sentence
  }

  private static func transfer(
    _ time: Double, _ message: TracedMessage, _ error: I2CError? = nil
  ) -> TracedTransfer {
    TracedTransfer(
      time: UInt64(time * 1e6), duration: 0, bus: 1, messages: [message], error: error)
  }

  @Test("an HDC1000 read 0.15 ms too early is reported with the elapsed and the required time")
  func early() {
    #expect(
      Self.sentence(HDC1000Listener(), [.write(0, [0x00]), .refused(12.70)])
        == "a read is not acknowledged 12.70 ms after the start of the measurement, which takes 12.85 ms "
        + "(once)")
    let configured: [Step] = [.write(0, [0x02, 0x04, 0x00]), .write(1, [0x00]), .refused(4.5)]
    #expect(
      Self.sentence(HDC1000Listener(), configured)
        == "a read is not acknowledged 3.50 ms after the start of the measurement, which takes 3.65 ms "
        + "(once)")
  }

  @Test("polling, a sufficient wait, and reads of a missing part are not reported")
  func right() {
    let polling: [Step] = [.write(0, [0xF3]), .refused(20), .refused(40), .read(70)]
    #expect(Self.sentence(SHT21Listener(), polling) == nil)
    #expect(Self.sentence(SHT21Listener(), Array(polling.dropLast())) == nil)
    #expect(Self.sentence(HDC1000Listener(), [.write(0, [0x00]), .read(13)]) == nil)
    #expect(Self.sentence(HDC1000Listener(), [.write(0, [0x00]), .refused(500)]) == nil)
    #expect(Self.sentence(BMP180Listener(), [.refused(1)]) == nil)
  }

  @Test("each early read that is followed by a new measurement is counted")
  func again() {
    let steps: [Step] = [
      .write(0, [0xF5]), .refused(20), .write(100, [0xF5]), .refused(120), .write(200, [0xF5]),
      .read(300),
    ]
    #expect(
      Self.sentence(SHT21Listener(), steps)
        == "a read is not acknowledged 20.00 ms after the start of the measurement, which takes up to 29.00 ms "
        + "(2 times)")
  }

  @Test(
    "a read during a reset is reported",
    arguments: [
      ("sht21", [0xFE], "5.00 ms after the reset, which takes up to 15.00 ms"),
      (
        "hdc1000", [0x02, 0x80, 0x00],
        "5.00 ms after the reset, which takes up to 15.00 ms"
      ),
      ("bmp180", [0xE0, 0xB6], "5.00 ms after the reset, which takes up to 10.00 ms"),
    ] as [(String, [UInt8], String)])
  func reset(_ model: String, _ command: [UInt8], _ expected: String) throws {
    let listener = try #require(Catalogue.model(named: model)?.listener(longestRead: 32))
    #expect(
      Self.sentence(listener, [.write(0, command), .refused(5)])
        == "a read is not acknowledged \(expected) (once)")
  }
}
