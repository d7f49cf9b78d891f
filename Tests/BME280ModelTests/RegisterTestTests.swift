import BME280
import BME280Model
import TestSupport
import Testing

/// Tests against a published register test of real parts, which writes each field and reads it back.
struct RegisterTestTests {
  /// A step of a transcript.
  struct Step {
    let register, mask: UInt8
    /// The value written to the field; `nil` if the register is only read.
    let written: UInt8?
    /// `same` or `other` relative to the value written, or the value.
    let reads: String
  }

  /// A transcript of one part.
  struct Transcript: CustomTestStringConvertible {
    let host: String
    let chip: Chip
    let steps: [Step]
    /// The time between two steps, in ms.
    ///
    /// One host prints to a shell, the other to a serial line; no figure is published.
    var pause: Double { host == "raspberry-pi" ? 0.05 : 150 }

    var testDescription: String { "\(chip.name) on \(host)" }
  }

  static let transcripts: [Transcript] = {
    let text = (try? Fixtures.text("fixtures/captures/register-tests.csv")) ?? ""
    let rows = text.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    func byte(_ text: Substring) -> UInt8? { UInt8(text.dropFirst(2), radix: 16) }
    return ["raspberry-pi", "stm32f407"].flatMap { host in
      Chip.allCases.map { chip in
        let steps = rows.filter { $0[0] == host && $0[1] == "\(chip.name)" }.map {
          Step(
            register: byte($0[2]) ?? 0, mask: byte($0[3]) ?? 0, written: byte($0[4]),
            reads: String($0[5]))
        }
        return Transcript(host: host, chip: chip, steps: steps)
      }
    }
  }()

  /// Performs the steps on a virtual part; returns those with a result other than in the transcript.
  static func differences(_ transcript: Transcript) throws -> [Step] {
    let probe = try Probe(chip: transcript.chip, frequency: 100_000)
    try probe.write(0xE0, 0xB6)
    probe.wait(milliseconds: 5)
    return try transcript.steps.filter { step in
      probe.wait(milliseconds: transcript.pause)
      guard let written = step.written else {
        return "0x" + String(try probe.read(step.register), radix: 16, uppercase: true).leftPadded
          != step.reads
      }
      try probe.write(step.register, try probe.read(step.register) & ~step.mask | written)
      probe.wait(milliseconds: transcript.pause)
      let isSame = try probe.read(step.register) & step.mask == written
      return isSame != (step.reads == "same")
    }
  }

  @Test("each register reads back the same value as on the real part", arguments: transcripts)
  func replayed(_ transcript: Transcript) throws {
    #expect(transcript.steps.count == (transcript.chip == .bme280 ? 34 : 28))
    let differences = try Self.differences(transcript)
    if transcript.host == "raspberry-pi", transcript.chip == .bmp280 {
      // The one deviation: over SPI, standby times from 500 ms did not read back. Over I2C (stm32f407) they did.
      #expect(differences.map(\.register) == [0xF5, 0xF5, 0xF5, 0xF5])
      #expect(differences.map(\.written) == [0x80, 0xA0, 0xC0, 0xE0])
    } else {
      #expect(differences.isEmpty, "\(differences)")
    }
  }

  @Test("a real BME280's transcript shows that config written in normal mode takes effect")
  func configInNormalMode() throws {
    let transcript = try #require(
      Self.transcripts.first { $0.host == "raspberry-pi" && $0.chip == .bme280 })
    #expect(transcript.steps.filter { $0.register == 0xF5 && $0.reads == "same" }.count == 13)
    #expect(transcript.steps.contains { $0.register == 0xF4 && $0.reads == "other" })
  }
}

extension String {
  /// Two digits of a byte.
  fileprivate var leftPadded: String { count < 2 ? "0\(self)" : self }
}
