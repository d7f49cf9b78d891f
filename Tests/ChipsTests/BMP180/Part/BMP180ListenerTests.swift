import Chips
import I2C
import I2CTrace
import Parts
import Rigs
import Testing

/// Tests the detection of protocol errors with a BMP180.
struct BMP180ListenerTests {
  /// A step with its time in ms: a write, or a read from a register.
  enum Step {
    case write(Double, [UInt8])
    case read(Double, UInt8, [UInt8])
  }

  static func remark(_ steps: [Step]) -> PartWarning? {
    var listener = BMP180Listener()
    for step in steps {
      switch step {
      case .write(let time, let bytes):
        listener.take(transfer(time, [TracedMessage(.write(bytes.count, to: 0x77), bytes)]))
      case .read(let time, let register, let bytes):
        listener.take(
          transfer(
            time,
            [
              TracedMessage(.write(1, to: 0x77), [register]),
              TracedMessage(.read(bytes.count, from: 0x77), bytes),
            ]))
      }
    }
    return listener.warning()
  }

  static func transfer(_ time: Double, _ messages: [TracedMessage]) -> TracedTransfer {
    TracedTransfer(time: UInt64(time * 1e6), duration: 0, bus: 1, messages: messages)
  }

  @Test(
    "a result read before its conversion ends is reported with the elapsed and the maximum time")
  func early() throws {
    let warning = try #require(
      Self.remark([
        .write(0, [0xF4, 0xF4]), .read(10, 0xF6, [0, 0, 0]), .write(50, [0xF4, 0x2E]),
        .read(52, 0xF6, [0, 0]),
      ]))
    #expect(
      warning.sentence
        == "the result is read 10.0 ms after the start of its conversion, which takes up to 25.5 ms (2 times)"
    )
    #expect(warning.others == 0)
  }

  @Test("a program that waits the data sheet's time or polls the bit SCO causes no report")
  func right() {
    #expect(
      Self.remark([
        .write(0, [0xF4, 0x2E]), .read(4.5, 0xF6, [0x6C, 0xFA]), .write(6, [0xF4, 0x34]),
        .read(8, 0xF4, [0x14]), .read(8.2, 0xF6, [0x5D, 0x23, 0]), .read(9, 0xD0, [0x55]),
        .read(10, 0x00, Array(repeating: 0, count: 256)),
      ]) == nil)
    let early = Self.remark([
      .write(0, [0xF4, 0x2E]), .read(1, 0xF4, [0x2E]), .read(1.2, 0xF6, [0x80, 0]),
    ])
    #expect(early?.sentence.contains("1.2 ms") == true, "SCO is set: \(early as Any)")
  }

  @Test("reading a result without a conversion or starting a conversion during another is reported")
  func others() {
    #expect(Self.remark([.read(20, 0xF6, [0x80, 0])])?.sentence.contains("no conversion") == true)
    let hurried = Self.remark([
      .write(0, [0xF4, 0xF4]), .write(5, [0xF4, 0x2E]), .read(10, 0xF6, [0, 0]),
    ])
    #expect(hurried?.sentence == "a conversion is started while another one is running (once)")
  }

  @Test("a rig runs a BMP085 with the model of the BMP180")
  func predecessor() throws {
    let text = """
      name: predecessor
      duration: 1min
      buses: [{number: 1, devices: [{address: 0x77, model: bmp085}]}]
      environment: {constant: {pressure: 1005hPa, temperature: 21.3C}}
      pipeline: {samples: 1, cycle: 10s}
      expect: [{that: pressure, within: 3Pa, of: environment}]
      """
    let rig = try Rig(text: text, file: "predecessor.yaml")
    let device = try #require(rig.buses.first?.devices.first)
    #expect(device.part.model.name == "bmp085" && device.part.model.title == "BMP085")
    #expect(device.part.model.family == "bmp180")
    for finding in try PartCheck.findings(rig) { #expect(finding.passed, "\(finding.text)") }
  }
}
