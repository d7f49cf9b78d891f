import BME280
import Harness

/// One measurement after the other by the integer formulas.
func measureCompensation() {
  let (gcc, clang) = Twin.fromArguments()
  let (calibration, raws, triples) = (Sample.calibration, Sample.raws, Sample.triples)
  let rounds = 20
  var words = TwinWords(calibration)
  var sums: [UInt64] = [0, 0, 0]
  let medians = Race.medians(
    operations: Sample.count * rounds,
    [
      {
        var sum: UInt64 = 0
        for _ in 0..<rounds {
          for raw in raws {
            let result = calibration.compensate(raw, variant: .datasheetInt64)
            sum &+= UInt64(UInt32(truncatingIfNeeded: Int64(result.temperature)))
            sum &+= UInt64(result.pressure) &+ UInt64(result.humidity)
          }
        }
        sums[0] = sum
      },
      { for _ in 0..<rounds { sums[1] &+= gcc.int64(&words, triples, Int32(Sample.count)) } },
      { for _ in 0..<rounds { sums[2] &+= clang.int64(&words, triples, Int32(Sample.count)) } },
    ])
  // The twins ran sixteen times; one run must give the sum that Swift's last run gave.
  precondition(
    sums[1] == sums[2] && sums[1] == sums[0] &* 16, "the twins compute something else")
  Report.race("T, P and H by datasheet-int64", medians)
}
