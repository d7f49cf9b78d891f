import BuiltIn
package import Files
import LinuxI2C
import Rigs
import Text

/// A bus as the command line names it: `/dev/i2c-1`, the name of an adapter, a rig (a file or a built-in name) or a
/// trace; `rig:` and `trace:` may stand before these, `#NUMBER` behind.
package enum BusReference: Hashable, Sendable {
  /// A real adapter, by its path or its name.
  case adapter(String)
  /// The bus of a rig; the pipeline's, else the only one, without a number.
  case rig(file: String, number: Int?)
  /// The bus of a trace, replayed; the only one without a number.
  case trace(file: String, number: Int?)

  /// Reads a reference.
  package init(_ text: String) {
    func parts(behind scheme: String) -> (file: String, number: Int?)? {
      guard text.hasPrefix(scheme) else { return nil }
      let rest = text.dropFirst(scheme.count)
      if let mark = rest.lastIndex(of: "#"), let number = Int(rest[rest.index(after: mark)...]) {
        return (String(rest[..<mark]), number)
      }
      return (String(rest), nil)
    }
    if let (file, number) = parts(behind: "rig:") {
      self = .rig(file: file, number: number)
    } else if let (file, number) = parts(behind: "trace:") {
      self = .trace(file: file, number: number)
    } else if let (file, number) = parts(behind: ""), let isTrace = Self.isTrace(file) {
      self = isTrace ? .trace(file: file, number: number) : .rig(file: file, number: number)
    } else {
      self = .adapter(text)
    }
  }

  /// Whether a word without a scheme means a trace; `false` where it means a rig, `nil` where it is neither.
  ///
  /// A file wins over a built-in rig, and either over the name of an adapter.
  private static func isTrace(_ word: String) -> Bool? {
    if word.hasSuffix(".i2ctrace") { return true }
    let isRig =
      word.hasSuffix(".yaml") || word.hasSuffix(".yml") || BuiltInFile.named(word, .rig) != nil
    return isRig ? false : nil
  }

  /// Why a word that was taken for the name of an adapter names nothing; `nil` where it is one, or a path.
  package static func unknown(_ word: String) -> Failure? {
    let adapters = LinuxI2CNode.all()
    guard !word.hasPrefix("/"), !adapters.contains(where: { $0.name == word }) else { return nil }
    let known = adapters.map { "\($0.path) '\($0.name ?? "?")'" }.joined(separator: ", ")
    let list = "adapters: \(known.isEmpty ? "none" : known); 'aneroid rig list' lists the rigs"
    if TextFile.exists(word) {
      return Failure(
        .unavailable,
        "\(word): a file of this name is there; is it a rig (rig:\(word)) or a trace (trace:\(word))?"
      )
    }
    return Failure(
      .unavailable,
      "\(word): no built-in rig and no adapter has this name"
        + NearestWord.hint(word, among: BuiltInFile.names(.rig)) + " (\(list))")
  }
}

extension Bench {
  /// The bus of a bench that is meant: by its number, the pipeline's, or the only one.
  ///
  /// - Throws: `Failure` of kind unavailable when there is none or a choice.
  package func onlyBus(number: Int?) throws(Failure) -> Bus {
    let numbers = buses.map(\.number)
    let list = numbers.lazy.map(String.init).shortened
    let pipelineBuses = Set(rig.pipeline?.sensors.map(\.bus) ?? [])
    let wanted =
      number ?? (pipelineBuses.count == 1 ? pipelineBuses.first : nil)
      ?? (numbers.count == 1 ? numbers[0] : nil)
    guard let wanted else {
      throw Failure(
        .unavailable, "\(rig.file): which bus? there are \(list); say rig:\(rig.file)#\(numbers[0])"
      )
    }
    if let bus = bus(wanted) { return bus }
    throw Failure(.unavailable, "\(rig.file): there is no bus \(wanted) (there are \(list))")
  }
}
