import Foundation
import TestSupport
import Testing

/// Other programs on virtual buses, run as their users run them.
enum VirtualBusBench {
  /// Who runs a program: both, where the tests run as root.
  enum User: String, CaseIterable, CustomTestStringConvertible {
    /// Whoever runs the tests.
    case asIs = "as the user of the tests"
    /// A user whom this machine does not know, without any way to new privileges.
    case unprivileged = "as an unprivileged user"

    var testDescription: String { rawValue }

    fileprivate var prefix: [String] {
      self == .asIs || geteuid() != 0
        ? []
        : [
          "/usr/bin/setpriv", "--reuid=51789", "--regid=51789", "--clear-groups", "--no-new-privs",
        ]
    }
  }

  static let peers = Fixtures.root.appending(path: ".build-peers").path

  /// A client that the test script built.
  static func client(_ name: String) -> String { "\(peers)/clients/\(name)" }

  /// Runs `aneroid exec [options] -- program` and gives what it printed.
  static func exec(
    _ program: [String], options: [String] = [], as user: User = .asIs,
    environment: [String: String] = [:]
  ) throws -> CommandLineTool.Result {
    try run(["exec"] + options + ["--"] + program, as: user, environment: environment)
  }

  /// Runs a shell script on the built-in rig.
  static func shell(
    _ script: String, options: [String] = [], as user: User = .asIs
  ) throws -> CommandLineTool.Result {
    try exec(["/bin/sh", "-c", script], options: options, as: user)
  }

  /// Runs `aneroid` as a user, for half a minute at most unless said.
  static func run(
    _ arguments: [String], as user: User = .asIs, environment: [String: String] = [:],
    seconds: Int = 30
  ) throws -> CommandLineTool.Result {
    let variables = environment.map { "\($0)=\($1)" }
    let command =
      user.prefix + ["/usr/bin/timeout", "--signal=KILL", "\(seconds)", "/usr/bin/env"] + variables
      + [CommandLineTool.path.path] + arguments
    return try CommandLineTool.run(URL(filePath: command[0]), Array(command.dropFirst()), input: "")
  }
}
