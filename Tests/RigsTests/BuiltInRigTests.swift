import BME280
import Chips
import Rigs
import Testing

/// The default rig exists twice: as text, and as code.
@Suite("the rig without a file")
struct BuiltInRigTests {
  private static func shown(_ rig: Rig) -> String {
    var text = ""
    dump(rig, to: &text)
    return text
  }

  private static func calibration(of rig: Rig) throws -> [UInt8] {
    let part = try #require(rig.buses[0].devices[0].part as? ConfiguredBME280)
    return (0..<33).map { part.memory.nvm[$0] }
  }

  @Test("the default rig, which is built in code, equals the rig parsed from its text")
  func sameAsText() throws {
    let (made, read) = (Rig.builtIn(), try Rig(text: Rig.builtInText(), file: "built-in rig"))
    #expect(Self.shown(made) == Self.shown(read))
    #expect(try Self.calibration(of: made) == Self.calibration(of: read))
    #expect(made.digest == read.digest)
    #expect(made.buses[0].line == 3)
  }
}
