import CBuiltIn

/// A file of the repository that the command carries with it, found the same inside and outside a checkout.
package struct BuiltInFile: Sendable {
  /// What the files are good for, each with a folder of its own.
  package enum Kind: String, CaseIterable, Sendable {
    case rig, calibration, weather, trace, beginning

    /// Where the files lie, from the top of the repository.
    package var folder: String {
      switch self {
      case .rig: "rigs"
      case .calibration: "fixtures/calibrations"
      case .weather: "fixtures/weather"
      case .trace: "fixtures/traces"
      case .beginning: "fixtures/new"
      }
    }

    /// What messages call one of them.
    var noun: String {
      switch self {
      case .weather: "weather table"
      default: rawValue
      }
    }

    /// What prints the names of all of them, where a command does.
    var list: String? {
      switch self {
      case .rig: "aneroid rig list"
      case .calibration: "aneroid calibration"
      case .weather, .trace, .beginning: nil
      }
    }
  }

  /// What it is good for.
  package let kind: Kind
  /// Its name without folder and ending: `weather-station`.
  package let name: String
  /// Its place in the list of all files.
  private let index: Int

  /// All files, in the order of their paths.
  package static let all: [BuiltInFile] = (0..<built_in_file_count()).compactMap(BuiltInFile.init)

  private init?(index: Int) {
    guard let file = built_in_file_at(index) else { return nil }
    let path = String(cString: file.pointee.path)
    guard let slash = path.lastIndex(of: "/"),
      let kind = Kind.allCases.first(where: { $0.folder == path[..<slash] })
    else { return nil }
    let last = path[path.index(after: slash)...]
    self.kind = kind
    name = String(last.lastIndex(of: ".").map { last[..<$0] } ?? last)
    self.index = index
  }

  /// Its path from the top of the repository.
  package var path: String {
    built_in_file_at(index).map { String(cString: $0.pointee.path) } ?? ""
  }

  /// Its bytes.
  package var bytes: [UInt8] {
    guard let file = built_in_file_at(index) else { return [] }
    return Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count))
  }

  /// Its text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Finds a file by its name, which may have the ending of the file.
  package static func named(_ name: String, _ kind: Kind) -> BuiltInFile? {
    all.first { $0.kind == kind && ($0.name == name || $0.path == "\(kind.folder)/\(name)") }
  }

  /// The names of one kind, in order.
  package static func names(_ kind: Kind) -> [String] {
    all.filter { $0.kind == kind }.map(\.name)
  }
}
