import HubSettings

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
    return [HubSettings.isWarehouseRig(path: first) ? "run" : "serve"] + words
  }
}
