public import Files
import Schema

extension Rig {
  /// Plans another failure.
  ///
  /// - Parameter text: its keys as in a rig, `kind: power-loss, at: 1s`.
  /// - Throws: `BenchFailure` with every mistake found.
  public mutating func plan(fault text: String) throws(BenchFailure) {
    var reader: RigReader
    let value: CheckedValue
    do throws(Mistake) {
      let (found, checker) = try Document.read(
        "faults: [{\(text)}]", file: "--fault", as: RigSchema.plannedFaults, named: "the fault")
      value = found
      reader = RigReader(file: "--fault", checker: checker)
    } catch {
      throw BenchFailure(.badRig, error.description)
    }
    reader.places = buses.flatMap { bus in
      bus.devices.map { SensorPlace(bus: bus.number, address: $0.address) }
    }
    reader.foreignBuses = buses.filter { $0.source != .devices }.map(\.number)
    reader.bridgedBuses = buses.filter { $0.bridge != nil }.map(\.number)
    let found = reader.faults(value["faults"])
    guard reader.checker.mistakes.isEmpty else {
      throw BenchFailure(.badRig, reader.checker.messages)
    }
    faults += found
  }
}
