import Runs
import Testing

@testable import FirmwareRuns

/// The account of a battery.
struct EnergyTextTests {
  @Test("a mean current of 10 µA is 0.24 mA h a day, and a coin cell lasts 938 days")
  func daily() {
    let part = RunEvent.Consumption(
      time: 0, consumer: "a", duration: 100_000_000_000, microcoulombs: 1000, share: 1,
      source: "sheet")
    let lines = EnergyText.lines([part], seconds: 100)
    #expect(lines[1] == "a          100.000 s   1.000 mC   100.0 %")
    #expect(
      lines[2]
        == "10.00 µA in the mean: 0.240 mA h a day, and a battery of 225 mA h lasts 938 days")
    #expect(lines.last == "source: sheet")
  }

  @Test("days below ten are told to a tenth")
  func short() {
    let part = RunEvent.Consumption(
      time: 0, consumer: "a", duration: 1_000_000_000, microcoulombs: 7000, share: 1,
      source: "sheet")
    let lines = EnergyText.lines([part], seconds: 1)
    #expect(
      lines[2]
        == "7000.00 µA in the mean: 168.000 mA h a day, and a battery of 225 mA h lasts 1.3 days")
  }

  @Test("nothing lasts for ever, and nothing is divided by 0")
  func nothing() {
    #expect(EnergyText.lines([], seconds: 0) == ["nothing took any current"])
  }
}
