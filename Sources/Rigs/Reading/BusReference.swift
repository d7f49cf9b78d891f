/// A bus as the command line names it: `/dev/i2c-1`, the name of an adapter, or `rig:FILE#NUMBER`.
public enum BusReference: Hashable, Sendable {
  /// A real adapter, by its path or its name.
  case adapter(String)
  /// The bus of a rig; the pipeline's, else the only one, without a number.
  case rig(file: String, number: Int?)

  /// Reads a reference.
  ///
  /// - Throws: ``BenchFailure`` of kind unavailable for a scheme that is not known.
  public init(_ text: String) throws(BenchFailure) {
    guard text.hasPrefix("rig:") else {
      if text.hasPrefix("trace:") || text.isEmpty {
        throw BenchFailure(
          .unavailable,
          "bus '\(text)': not known here; say /dev/i2c-N, the name of an adapter or rig:FILE[#number]"
        )
      }
      self = .adapter(text)
      return
    }
    let rest = text.dropFirst(4)
    if let mark = rest.lastIndex(of: "#"), let number = Int(rest[rest.index(after: mark)...]) {
      self = .rig(file: String(rest[..<mark]), number: number)
    } else {
      self = .rig(file: String(rest), number: nil)
    }
  }
}

extension Bench {
  /// The bus of a bench that is meant: by its number, the pipeline's, or the only one.
  ///
  /// - Throws: ``BenchFailure`` of kind unavailable when there is none or a choice.
  func onlyBus(number: Int?) throws(BenchFailure) -> Bus {
    let numbers = buses.map(\.number)
    let list = numbers.map(String.init).joined(separator: ", ")
    let pipelineBuses = Set(rig.pipeline?.sensors.map(\.bus) ?? [])
    let wanted =
      number ?? (pipelineBuses.count == 1 ? pipelineBuses.first : nil)
      ?? (numbers.count == 1 ? numbers[0] : nil)
    guard let wanted else {
      throw BenchFailure(
        .unavailable, "\(rig.file): which bus? there are \(list); say rig:\(rig.file)#\(numbers[0])"
      )
    }
    if let bus = bus(wanted) { return bus }
    throw BenchFailure(.unavailable, "\(rig.file): there is no bus \(wanted) (there are \(list))")
  }
}
