import BME280
import Harness

// usage: BatchBenchmark TWIN_BY_GCC TWIN_BY_CLANG
// Measures compensation of arrays in double precision; built once for each instruction set.

let (gcc, clang) = Twin.fromArguments()
let (count, rounds) = (Sample.count, 20)
let (raws, triples) = (Sample.raws, Sample.triples)
var words = TwinWords(Sample.calibration)
var columns = CompensatedColumns()
var results = Array(repeating: TwinResult(), count: count)

let medians = Race.medians(
  operations: count * rounds,
  [
    {
      for _ in 0..<rounds {
        Sample.calibration.compensate(raws.span, variant: .datasheetDouble, into: &columns)
      }
    },
    { for _ in 0..<rounds { gcc.double(&words, triples, Int32(count), &results) } },
    { for _ in 0..<rounds { clang.double(&words, triples, Int32(count), &results) } },
  ])
for row in 0..<count {
  precondition(
    columns[row].pressure == results[row].pressure
      && columns[row].humidity == results[row].humidity, "the twins compute something else")
}
Report.race("T, P and H by datasheet-double, 10,000 rows", medians)
