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

    fileprivate var place: Place { self == .asIs || geteuid() != 0 ? .own : .foreign }
  }

  /// How a command is run as some user, and where that user finds the repository.
  fileprivate struct Place {
    var prefix: [String] = []
    var root = Fixtures.root.path

    static let own = Place()

    /// A user whom nobody knows.
    ///
    /// Where the repository lies in a folder that only its owner may enter, it is shown at another place.
    static let foreign: Place = {
      let user = [
        "/usr/bin/setpriv", "--reuid=51789", "--regid=51789", "--clear-groups", "--no-new-privs",
      ]
      let test = user.dropFirst() + ["/usr/bin/test", "-x", CommandLineTool.path.path]
      let seen = try? CommandLineTool.run(URL(filePath: user[0]), Array(test), input: "")
      if seen?.status == 0 { return Place(prefix: user) }
      let show = [
        "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
        "mount --bind \"$0\" /mnt && cd /mnt && exec \"$@\"", Fixtures.root.path,
      ]
      return Place(prefix: show + user, root: "/mnt")
    }()

    /// A word of a command, with the repository where this user finds it.
    func seen(_ word: String) -> String {
      word.replacingOccurrences(of: Fixtures.root.path, with: root)
    }
  }

  static let peers = Fixtures.root.appending(path: ".build-peers").path

  /// A client that the test script built.
  static func client(_ name: String) -> String { "\(peers)/clients/\(name)" }

  /// Runs `aneroid exec [options] -- program` and gives what it printed.
  static func exec(
    _ program: [String], options: [String] = [], as user: User = .asIs,
    environment: [String: String] = [:], seconds: Int = 120
  ) throws -> CommandLineTool.Result {
    try run(
      ["exec"] + options + ["--"] + program, as: user, environment: environment, seconds: seconds)
  }

  /// Runs a shell script on the built-in rig.
  static func shell(
    _ script: String, options: [String] = [], as user: User = .asIs
  ) throws -> CommandLineTool.Result {
    try exec(["/bin/sh", "-c", script], options: options, as: user)
  }

  /// Runs `aneroid` as a user, for two minutes at most unless said: a busy machine is no mistake.
  static func run(
    _ arguments: [String], as user: User = .asIs, environment: [String: String] = [:],
    seconds: Int = 120
  ) throws -> CommandLineTool.Result {
    let variables = environment.map { "\($0)=\($1)" }
    let place = user.place
    let command =
      place.prefix + ["/usr/bin/timeout", "--signal=KILL", "\(seconds)", "/usr/bin/env"] + variables
      + [CommandLineTool.path.path] + arguments
    let words = command.enumerated().map { $0 < place.prefix.count ? $1 : place.seen($1) }
    return try CommandLineTool.run(URL(filePath: words[0]), Array(words.dropFirst()), input: "")
  }
}
