import Faults
package import Files
import Findings
import Schema

extension Rig {
  /// Plans another failure.
  ///
  /// - Parameter text: its keys as in a rig, `kind: power-loss, at: 1s`.
  /// - Throws: `Failure` with every mistake found.
  package mutating func plan(fault text: String) throws(Failure) {
    faults += try Fault.read(text) { reader in
      reader.places = buses.flatMap { bus in
        bus.devices.map { SensorID(bus: bus.number, address: $0.address) }
      }
      reader.foreignBuses = buses.filter { $0.source != .devices }.map(\.number)
      reader.bridgedBuses = buses.filter { $0.bridge != nil }.map(\.number)
    }
  }
}

extension Fault {
  /// Reads a failure that is planned on a bus without a rig: a real one, or that of a trace.
  ///
  /// - Parameters:
  ///   - text: its keys as in a rig, `kind: nack-address, at: 1s`.
  ///   - bus: the number of the bus.
  /// - Returns: the failure.
  /// - Throws: `Failure` with every mistake found; a fault within a virtual part is one.
  package static func planned(_ text: String, on bus: Int) throws(Failure) -> [Fault] {
    try read(text) { $0.foreignBuses = [bus] }
  }

  /// A list of the one failure whose keys a text holds, with or without braces around them.
  ///
  /// The text has lines of its own, so that its columns stay those of the user.
  private static func document(_ text: String) -> String {
    let isBraced = text.first { $0 != " " } == "{" && text.last { $0 != " " } == "}"
    return isBraced ? "faults: [\n\(text)\n]" : "faults: [{\n\(text)\n}]"
  }

  /// A finding in such a document at its line in the text alone.
  private static func inText(_ finding: Finding) -> Finding {
    var moved = finding
    if let line = finding.place?.line { moved.place?.line = max(line - 1, 1) }
    return moved
  }

  /// Reads the keys of a failure, once a reader knows the buses.
  fileprivate static func read(
    _ text: String, _ prepare: (inout RigReader) -> Void
  ) throws(Failure) -> [Fault] {
    let section = Section(
      "Planned failures.", [.required("faults", .list(FaultModel.shape), "the failures")])
    var reader: RigReader
    let value: CheckedValue
    do throws(Mistake) {
      let (found, checker) = try Document.read(
        document(text), file: "--fault", as: section, named: "the fault")
      value = found
      reader = RigReader(file: "--fault", checker: checker)
    } catch {
      throw Failure(.badRig, [inText(error)])
    }
    prepare(&reader)
    let faults = reader.faults(value["faults"], in: RigReader.Timeline())
    guard reader.checker.mistakes.isEmpty else {
      throw Failure(.badRig, reader.checker.findings.map(inText))
    }
    return faults
  }
}
