import ArgumentParser

extension ArgumentHelp {
  /// Help that says what kind of value an option takes: `--trace <file>`.
  static func value(_ name: String, _ text: String) -> ArgumentHelp {
    ArgumentHelp("\(text)", valueName: name)
  }
}
