/// A bus as the command line names it: `rig:FILE` or `rig:FILE#NUMBER`.
public struct BusReference: Hashable, Sendable {
  /// The rig that holds the bus.
  public let rig: String
  /// The number of the bus; the pipeline's, else the only one, when nothing.
  public let number: Int?

  /// Reads a reference.
  ///
  /// - Throws: ``BenchFailure`` of kind unavailable for anything but a rig.
  public init(_ text: String) throws(BenchFailure) {
    guard text.hasPrefix("rig:") else {
      throw BenchFailure(
        .unavailable, "bus '\(text)': not known here; this version reads rig:FILE[#number]")
    }
    let rest = text.dropFirst(4)
    if let mark = rest.lastIndex(of: "#"), let number = Int(rest[rest.index(after: mark)...]) {
      rig = String(rest[..<mark])
      self.number = number
    } else {
      rig = String(rest)
      number = nil
    }
  }

  /// The bus of a bench that is meant.
  ///
  /// - Throws: ``BenchFailure`` of kind unavailable when there is none or a choice.
  func bus(of bench: Bench) throws(BenchFailure) -> Bench.Bus {
    let numbers = bench.buses.map(\.number)
    let list = numbers.map(String.init).joined(separator: ", ")
    let pipelineBuses = Set(bench.rig.pipeline?.sensors.map(\.bus) ?? [])
    let wanted =
      number ?? (pipelineBuses.count == 1 ? pipelineBuses.first : nil)
      ?? (numbers.count == 1 ? numbers[0] : nil)
    guard let wanted else {
      throw BenchFailure(
        .unavailable, "\(rig): which bus? there are \(list); say rig:\(rig)#\(numbers[0])")
    }
    if let bus = bench.bus(wanted) { return bus }
    throw BenchFailure(.unavailable, "\(rig): there is no bus \(wanted) (there are \(list))")
  }
}
