import Parts
package import Schema
package import Support
import VirtualI2C

extension RigReader {
  /// Creates the faults of a rig.
  ///
  /// - Parameters:
  ///   - value: the list of faults; invalid ones are skipped.
  ///   - timeline: start and length of the run; the times of the faults must be within the run.
  /// - Returns: the valid faults.
  package mutating func faults(_ value: CheckedValue?, in timeline: Timeline) -> [Fault] {
    var faults: [Fault] = []
    for value in value?.list ?? [] where value.isSound {
      guard let model = value["kind"]?.text.flatMap(FaultModel.named), let bus = faultBus(value),
        canHappen(model, on: bus, value), let start = start(of: value, in: timeline)
      else { continue }
      let plan = model.planned(value, from: start, &checker)
      faults.append(Fault(name: model.name, bus: bus, plan: plan))
    }
    return faults
  }

  /// Reads the time from which a fault may fire, in nanoseconds since the start of the run.
  ///
  /// - Returns: the time; `nil`, with the error noted, if the fault could never fire.
  private mutating func start(of value: CheckedValue, in timeline: Timeline) -> UInt64? {
    guard let at = value["at"] else { return 0 }
    let time: Int64
    if let moment = at.integer {
      guard let start = timeline.start else {
        checker.note(
          "the rig has no dates: 'at' must be a duration such as 10s, unless the air is a 'series' "
            + "with a 'start'", at: at.position)
        return nil
      }
      let (difference, overflow) = Int64(moment).subtractingReportingOverflow(start)
      guard !overflow, difference >= 0 else {
        checker.note(
          "the time is before the start of the run, \(UTCTime.text(start))", at: at.position)
        return nil
      }
      time = difference
    } else {
      time = at.nanoseconds ?? 0
    }
    guard timeline.duration.map({ time < $0 }) ?? true else {
      checker.note("the time is after the end of the run", at: at.position)
      return nil
    }
    return UInt64(time)
  }

  /// Start and length of a run.
  package struct Timeline {
    /// The date at the start of the run, in nanoseconds since 1970; `nil` if the rig has no dates.
    package var start: Int64?
    /// The length of the run in nanoseconds; `nil` if it has no end.
    package var duration: Int64?
  }

  /// Checks whether a fault can act on a bus; if not, notes an error.
  private mutating func canHappen(
    _ model: FaultModel, on bus: Int, _ value: CheckedValue
  ) -> Bool {
    switch model.reach {
    case .wire: return true
    case .adapter where !channelBuses.contains(bus): return true
    case .adapter:
      checker.note(
        "bus \(bus) is a channel of a multiplexer: unplug the adapter of the bus above it",
        at: value.position)
    case .bridge where bridgedBuses.contains(bus): return true
    case .bridge:
      checker.note("bus \(bus) has no bridge", at: value.position)
    case .target where !foreignBuses.contains(bus): return true
    case .target:
      let others = FaultModel.all.filter { $0.reach == .wire }.map(\.name).joined(separator: ", ")
      checker.note(
        "'\(model.name)' acts on a virtual part, but bus \(bus) has none "
          + "(accepted: \(others))", at: value.position)
    }
    return false
  }

  private mutating func faultBus(_ value: CheckedValue) -> Int? {
    let numbers = Set(sensorIDs.map(\.bus) + multiplexedBuses).inOrder()
    if let bus = value["bus"] {
      if let number = bus.integer,
        numbers.contains(number) || foreignBuses.contains(number) || !knowsAllSensors
      {
        return number
      }
      checker.note("unknown bus '\(bus.integer ?? 0)'", at: bus.position)
      return nil
    }
    if numbers.count == 1 { return numbers[0] }
    if numbers.isEmpty, foreignBuses.count == 1 { return foreignBuses[0] }
    // The errors in the buses have already been reported.
    if numbers.isEmpty, foreignBuses.isEmpty, !knowsAllSensors { return nil }
    checker.note(
      "'bus' is missing (accepted: \((numbers + foreignBuses).inOrder().lazy.map(String.init).shortened))",
      at: value.position)
    return nil
  }
}

extension Rig {
  /// Adds a fault.
  ///
  /// - Parameter text: the keys of the fault as in a rig, such as `kind: power-loss, at: 1s`.
  /// - Throws: `Failure` with all errors.
  package mutating func plan(fault text: String) throws(Failure) {
    faults += try Fault.read(text) { reader in
      reader.sensorIDs = buses.flatMap { bus in
        bus.devices.map { SensorID(bus: bus.number, address: $0.address) }
      }
      reader.noteKinds(of: buses)
    }
  }
}

extension Fault {
  /// Reads a fault for a bus that belongs to no rig: a real bus or the bus of a trace.
  ///
  /// - Parameters:
  ///   - text: the keys of the fault as in a rig, such as `kind: nack-address, at: 1s`.
  ///   - bus: the number of the bus.
  /// - Returns: a list that contains the fault.
  /// - Throws: `Failure` with all errors, such as a fault that needs a virtual part.
  package static func planned(_ text: String, on bus: Int) throws(Failure) -> [Fault] {
    try read(text) { $0.foreignBuses = [bus] }
  }

  /// Reads the keys of a fault; `prepare` sets the buses of the reader.
  fileprivate static func read(
    _ text: String, _ prepare: (inout RigReader) -> Void
  ) throws(Failure) -> [Fault] {
    let list = OptionList(key: "faults", option: "--fault", noun: "the fault")
    return try list.read(text, .list(FaultModel.shape)) { reader, value in
      prepare(&reader)
      return reader.faults(value, in: RigReader.Timeline())
    }
  }
}

/// A value of an option that is an element of a list in a rig, such as a fault.
struct OptionList {
  /// The key of the list.
  let key: String
  /// The option, which messages name instead of a file.
  let option: String
  /// The element in messages, such as `the fault`.
  let noun: String

  /// Reads the keys of an element, which may be in braces.
  ///
  /// - Parameters:
  ///   - text: the keys.
  ///   - shape: the shape of the list.
  ///   - convert: returns the elements of the checked list, and notes errors in the reader.
  /// - Returns: the elements.
  /// - Throws: `Failure` with all errors.
  func read<Element>(
    _ text: String, _ shape: Shape, _ convert: (inout RigReader, CheckedValue?) -> [Element]
  ) throws(Failure) -> [Element] {
    let section = Section("The elements to add.", [.required(key, shape, "the elements")])
    var reader: RigReader
    let value: CheckedValue
    do throws(DocumentError) {
      let (found, checker) = try Document.read(
        document(text), file: option, as: section, named: noun)
      value = found
      reader = RigReader(file: option, checker: checker)
    } catch {
      throw Failure(.badRig, [Self.inText(error)])
    }
    let elements = convert(&reader, value[key])
    guard reader.checker.errors.isEmpty else {
      throw Failure(.badRig, reader.checker.findings.map(Self.inText))
    }
    return elements
  }

  /// Creates a document with a list of one element.
  ///
  /// The text is on its own lines, so that columns in messages match the user's text.
  private func document(_ text: String) -> String {
    let isBraced = text.first { $0 != " " } == "{" && text.last { $0 != " " } == "}"
    return isBraced ? "\(key): [\n\(text)\n]" : "\(key): [{\n\(text)\n}]"
  }

  /// Converts the line number of a finding in the document to that in the user's text.
  private static func inText(_ finding: Finding) -> Finding {
    var moved = finding
    if let line = finding.location?.line { moved.location?.line = max(line - 1, 1) }
    return moved
  }
}
