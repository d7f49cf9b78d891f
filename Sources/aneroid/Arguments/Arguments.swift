import CProcess

/// The arguments of this process.
enum Arguments {
  /// Those behind the program's name, also where there is no /proc, from which Swift has them.
  static var own: [String] {
    let count = process_argument_count()
    guard count > 0 else { return Array(CommandLine.arguments.dropFirst()) }
    return (1..<max(count, 1)).compactMap { process_argument($0).map { String(cString: $0) } }
  }
}
