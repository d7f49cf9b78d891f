import ArgumentParser
import Audit
import BuiltIn
import Chips
import Glibc
import Parts
import Text
import VirtualI2C

/// What a shell offers where files and built-in names may stand.
enum Completions {
  /// Rigs: files and built-in names.
  static let rigs = completion(["yaml", "yml"], [.rig])
  /// Buses: rigs, traces and adapters.
  static let buses = completion(["yaml", "yml", "i2ctrace"], [.rig], folders: ["/dev/i2c-"])
  /// Calibrations: files and built-in names.
  static let calibrations = completion(["yaml", "yml", "txt", "i2ctrace"], [.calibration])
  /// Tables of weather: files and built-in names.
  static let weather = completion(["csv"], [.weather])

  /// The scenarios of an audit.
  static let scenarios = words { Scenario.all.map(\.name) }
  /// What a page of `doctor` can be about: parts and personalities of adapters.
  static let pages = words { Catalogue.models.map(\.name) + personalities }
  /// The personalities of adapters, and the other names that some go by.
  static let personalities = Personality.all.map(\.name) + Personality.aliases.keys.inOrder()

  private static func words(_ all: @escaping @Sendable () -> [String]) -> CompletionKind {
    .custom { _, _, begun in all().filter { $0.hasPrefix(begun) } }
  }

  private static func completion(
    _ endings: [String], _ kinds: [BuiltInFile.Kind], folders: [String] = []
  ) -> CompletionKind {
    .custom { _, _, begun in
      let names = kinds.flatMap(BuiltInFile.names)
      let files = [begun] + (begun.isEmpty ? folders : [])
      return (names + files.flatMap { paths(from: $0, endings, folders) })
        .filter { $0.hasPrefix(begun) }
    }
  }

  /// The folders, and the files with certain endings, whose paths begin with a text.
  private static func paths(
    from begun: String, _ endings: [String], _ nodes: [String]
  ) -> [String] {
    let folder = begun.lastIndex(of: "/").map { String(begun[...$0]) } ?? ""
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(stream) }
    var found: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = folder + name
      if entry.pointee.d_type == UInt8(DT_DIR) {
        found.append(path + "/")
      } else if endings.contains(where: { name.hasSuffix("." + $0) })
        || nodes.contains(where: path.hasPrefix)
      {
        found.append(path)
      }
    }
    return found.inOrder()
  }
}
