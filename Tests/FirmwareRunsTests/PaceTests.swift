import TestSupport
import Testing

@testable import FirmwareRuns

/// How far a run goes between two looks at the world.
struct PaceTests {
  @Test("where time is real a look is never far, however little happens")
  func real() {
    var (real, free) = (Pace(isReal: true), Pace(isReal: false))
    for _ in 0..<30 {
      real.adapt()
      free.adapt()
    }
    #expect(real.length <= 20_000_000)
    #expect(free.length > 1_000_000_000)
  }

  @Test("a program that does next to nothing takes as long as it would")
  func sleeper() throws {
    let image = try FirmwareBuild.arm("wrong", flags: ["-DKIND=19", "-DWAKES"])
    let clock = ContinuousClock()
    let took = try clock.measure {
      let outcome = try Firmware.run(image) { ($0.duration, $0.isReal) = (4_000_000_000, true) }
      #expect(outcome.ending?.cause == .time)
    }
    #expect(took >= .seconds(4))
  }
}
