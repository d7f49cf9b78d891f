import Foundation
import TestSupport
import Testing

/// Programs on virtual buses, run as users run them.
enum VirtualBusBench {
  /// The user that runs a program; both if the tests run as root.
  enum User: String, CaseIterable, CustomTestStringConvertible {
    /// The user that runs the tests.
    case asIs = "as the user of the tests"
    /// A user without an account and without new privileges.
    case unprivileged = "as an unprivileged user"

    var testDescription: String { rawValue }

    fileprivate var place: Place { self == .asIs || geteuid() != 0 ? .own : .foreign }
  }

  /// The command prefix of a user, and the path of the repository for that user.
  fileprivate struct Place {
    var prefix: [String] = []
    var root = Fixtures.root.path

    static let own = Place()

    /// A user without an account.
    ///
    /// If the repository is in a folder that only its owner can enter, it is mounted at another
    /// path.
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

    /// A word of a command, with the path of the repository for this user.
    func seen(_ word: String) -> String {
      word.replacingOccurrences(of: Fixtures.root.path, with: root)
    }
  }

  static let peers = Fixtures.root.appending(path: ".build-peers").path

  /// A client built by the test script.
  static func client(_ name: String) -> String { "\(peers)/clients/\(name)" }

  /// Runs `aneroid exec [options] -- program` and returns its output.
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

  /// Runs `aneroid` as a user, with a generous timeout for loaded machines; default: two minutes.
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
