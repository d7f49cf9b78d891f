import Glibc

/// Programs of this machine, started without Foundation, so that tests can use them on every architecture.
public enum Tool {
  /// A program that cannot be started, or that fails.
  public struct Failed: Error {
    /// The program and its arguments.
    public let command: [String]
    /// The status of its end as returned by `waitpid`; -1 if it was not started.
    public let status: Int32
  }

  /// Runs a program, looked up in PATH, to its end.
  ///
  /// - Parameters:
  ///   - name: the program's name or path.
  ///   - arguments: its arguments.
  /// - Returns: its standard output.
  /// - Throws: `Failed` if it cannot be started or ends with a status other than 0.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String]) throws -> String {
    let command = [name] + arguments
    var ends: [Int32] = [0, 0]
    // A socket, because Swift's Glibc has no pipe that is closed in the programs of other tests.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failed(command: command, status: -1)
    }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let isStarted = posix_spawnp(&process, name, &actions, nil, &words, environ) == 0
    close(ends[1])
    guard isStarted else { throw Failed(command: command, status: -1) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(ends[0], &chunk, chunk.count), count > 0 {
      output += chunk[..<count]
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw Failed(command: command, status: status) }
    return String(decoding: output, as: UTF8.self)
  }
}

/// A temporary folder, which is removed with its last reference.
public final class TestFolder {
  /// A file that cannot be written or read.
  public struct Unusable: Error {
    /// The path of the file.
    public let path: String
  }

  /// The path of the folder.
  public let path: String

  /// Creates a folder with a name of its own.
  ///
  /// - Throws: `Unusable` if it cannot be created.
  public init() throws {
    var template = Array("/tmp/aneroid-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Unusable(path: "/tmp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = try? Tool.run("rm", ["-rf", path]) }

  /// Returns the path of a file in the folder.
  public subscript(name: String) -> String { path + "/" + name }

  /// Writes a file.
  ///
  /// - Throws: `Unusable` if it cannot be written whole.
  public func write(_ bytes: [UInt8], to name: String) throws {
    guard let file = fopen(self[name], "wb") else { throw Unusable(path: self[name]) }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else { throw Unusable(path: self[name]) }
  }

  /// Returns the bytes of a file.
  ///
  /// - Throws: `Unusable` if it cannot be opened.
  public func bytes(of name: String) throws -> [UInt8] {
    guard let file = fopen(self[name], "rb") else { throw Unusable(path: self[name]) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }
}
