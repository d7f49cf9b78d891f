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

  @Test("a charge that millicoulombs would round to nothing has a smaller unit")
  func small() {
    let charges = [500.0, 0.4996, 0.0123, 0.000_04]
    let parts = charges.map {
      RunEvent.Consumption(
        time: 0, consumer: "a", duration: nil, microcoulombs: $0, share: 1, source: "sheet")
    }
    let lines = EnergyText.lines(parts, seconds: 1)
    let shown = zip(lines.dropFirst(), ["0.500 mC", "0.500 µC", "0.012 µC", "0.040 nC"])
    #expect(shown.allSatisfy { $0.contains($1) }, "\(lines)")
  }

  @Test("what took no charge at all has no row and is named in a line")
  func zero() {
    let parts = [("CPU", 10.0), ("radio", 0), ("ADC", 0)].map {
      RunEvent.Consumption(
        time: 0, consumer: $0.0, duration: 0, microcoulombs: $0.1, share: $0.1 / 10,
        source: "sheet of \($0.0)")
    }
    let lines = EnergyText.lines(parts, seconds: 1)
    #expect(lines.contains("no charge: radio, ADC"), "\(lines)")
    #expect(!lines.contains { $0.contains("0.000 nC") || $0.contains("sheet of ADC") }, "\(lines)")
    #expect(lines.count { $0.hasPrefix("CPU") } == 1)
  }

  @Test("figures for different supplies are said to be mixed")
  func supplies() {
    func lines(_ sources: [String]) -> [String] {
      EnergyText.lines(
        sources.map {
          RunEvent.Consumption(
            time: 0, consumer: "a", duration: nil, microcoulombs: 1, share: 0.5, source: $0)
        }, seconds: 1)
    }
    let mixed = "the figures hold for different supplies, 3 V and 5 V, "
    #expect(lines(["sheet, VCC 5 V", "sheet, VCC 3 V"]).contains { $0.hasPrefix(mixed) })
    #expect(!lines(["sheet, VCC 3 V", "sheet, 3 V"]).contains { $0.contains("supplies") })
  }

  @Test("nothing lasts for ever, and nothing is divided by 0")
  func nothing() {
    #expect(EnergyText.lines([], seconds: 0) == ["nothing took any current"])
  }
}
