import Foundation

/// What may stand in place of a subcommand: a file, or `--config` with one.
enum HubWords {
  /// The words with the subcommand that they mean.
  static func expanded(_ words: [String]) -> [String] {
    guard let first = words.first else { return words }
    if first == "--config" { return ["serve"] + words.dropFirst() }
    let option = "--config="
    if first.hasPrefix(option) {
      return ["serve", String(first.dropFirst(option.count))] + words.dropFirst()
    }
    let isFile = first.contains("/") || first.hasSuffix(".yaml") || first.hasSuffix(".yml")
    guard isFile, !first.hasPrefix("-") else { return words }
    return [isRig(first) ? "run" : "serve"] + words
  }

  /// Whether a file has the key `warehouse` at its top level, as rigs have and files of hubs have not.
  private static func isRig(_ path: String) -> Bool {
    guard let data = FileManager.default.contents(atPath: path) else { return false }
    return data.split(separator: UInt8(ascii: "\n")).contains { line in
      ["warehouse:", "\"warehouse\":", "'warehouse':"].contains { line.starts(with: $0.utf8) }
    }
  }
}
