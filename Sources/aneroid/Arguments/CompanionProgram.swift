import Files
import Glibc

/// A program of its own that this one starts in its place: it lies next to it, or in a checkout where its package builds it.
struct CompanionProgram {
  /// What it is called: `aneroid-station`.
  let name: String
  /// What it does, for messages: `the station`.
  let noun: String
  /// The folder of its package in a checkout.
  let package: String

  static let station = CompanionProgram(
    name: "aneroid-station", noun: "the station", package: "Sources/Station")
  static let hub = CompanionProgram(name: "aneroid-hub", noun: "the hub", package: "Sources/Hub")

  /// Starts it in place of this program, and does not return.
  ///
  /// - Parameters:
  ///   - words: what it is given.
  ///   - reason: why it is needed, where this was not asked for by its name, for messages.
  ///   - help: what is tried where it is not there, such as showing the little that is known of it.
  /// - Throws: the exit where it cannot be started.
  func start(
    _ words: [String], because reason: String? = nil, orElse help: () throws -> Void = {}
  ) throws {
    guard let own = Self.own else {
      throw StandardError.exit(Failure(.unavailable, "cannot find where this program lies"))
    }
    guard let program = places(own).first(where: { access($0, X_OK) == 0 }) else {
      try help()
      throw StandardError.exit(
        Failure(
          .unavailable,
          "\(reason ?? "cannot start \(noun)"): there is no program \(name) beside \(own); build it "
            + "with swift build -c release --package-path \(package), in a checkout"))
    }
    setenv("ANEROID_PROGRAM", own, 1)
    var arguments = ([program] + words).map { strdup($0) }
    arguments.append(nil)
    execv(program, arguments)
    throw StandardError.exit(
      Failure(.unavailable, "cannot start \(program): \(String(cString: strerror(errno)))"))
  }

  /// The file of this program.
  private static var own: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &bytes, Int(PATH_MAX))
    guard count > 0 else { return nil }
    return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Next to this program; in a checkout, where its package builds it.
  private func places(_ own: String) -> [String] {
    let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
    var places = [(folder + [name]).joined(separator: "/")]
    // .build/<triple>/release/aneroid lies three folders below the checkout, by its link two.
    for up in 2...3 where folder.count > up {
      let root = folder.dropLast(up).joined(separator: "/")
      places.append(root + "/\(package)/.build/release/\(name)")
    }
    return places
  }
}
