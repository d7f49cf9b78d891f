package import Glibc

/// The destination of an output file, which is inspected before anything is changed.
///
/// Symbolic links are resolved. A regular file is replaced as a whole. An open descriptor, a
/// device, a FIFO or a socket is written directly.
package struct OutputDestination {
  /// The way in which the destination is written.
  package enum Form {
    /// A regular file, existing or new: the output is written to a temporary draft, which replaces
    /// the file at the end.
    case draft(replacing: stat?)
    /// A device, a FIFO, or a file in a read-only folder, which is written in place; `emptied` is
    /// `true` if its old content is removed first.
    case through(emptied: Bool)
    /// An open descriptor of this process, such as /dev/stdout or /dev/fd/63.
    case descriptor(Int32)
    /// A named socket.
    case socket
  }

  /// The path as the user wrote it, for messages.
  package let path: String
  /// The folder after resolving all links.
  package let folder: String
  /// The name of the file in the folder.
  package let name: String
  package let form: Form
  /// The identity of the file; `nil` if the destination stores no data, such as a terminal or a
  /// pipe.
  package let identity: FileIdentity?

  /// The path after resolving all links.
  package var resolved: String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }

  /// Inspects a destination.
  ///
  /// - Throws: `Failure` of kind `inputOutput` if the destination is not writable, or of kind
  ///   `usage` for `-`.
  package init(_ path: String) throws(Failure) {
    self.path = path
    guard path != "-" else {
      throw Failure(
        .usage,
        "-: an output must be a file; use /dev/stdout for standard output, ./- for a file of that name"
      )
    }
    (folder, name) = try Self.resolve(path)
    if let number = Self.descriptor(folder, name) {
      guard fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY else { throw Self.failure(path, EBADF) }
      form = .descriptor(number)
      identity = FileIdentity(descriptor: number)
      return
    }
    let file = "\(folder)/\(name)"
    var status = stat()
    guard stat(file, &status) == 0 else {
      guard errno == ENOENT else { throw Self.failure(path, errno) }
      guard access(folder, W_OK | X_OK) == 0 else { throw Self.failure(path, errno) }
      form = .draft(replacing: nil)
      identity = FileIdentity(newFile: name, in: folder)
      return
    }
    identity = FileIdentity(status)
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw Self.failure(path, EISDIR)
    case S_IFSOCK: form = .socket
    case S_IFREG:
      guard access(file, W_OK) == 0 else { throw Self.failure(path, errno) }
      let takesDraft = access(folder, W_OK | X_OK) == 0
      form = takesDraft ? .draft(replacing: status) : .through(emptied: true)
    default:
      guard access(file, W_OK) == 0 else { throw Self.failure(path, errno) }
      form = .through(emptied: false)
    }
  }

  /// Returns the failure for a path that is not writable.
  package static func failure(_ path: String, _ number: Int32) -> Failure {
    Failure(.inputOutput, "\(path): cannot be written: \(String(cString: strerror(number)))")
  }

  /// Returns the folder and the file name after resolving all links.
  ///
  /// The file need not exist.
  package static func resolve(_ path: String) throws(Failure) -> (folder: String, name: String) {
    var next = path
    // The kernel also follows at most 40 links.
    for _ in 0..<40 {
      guard let (parent, name) = split(next) else {
        throw failure(path, path.isEmpty ? ENOENT : EISDIR)
      }
      guard let folder = realpath(parent, nil) else { throw failure(path, errno) }
      defer { free(folder) }
      let resolved = String(cString: folder)
      guard descriptor(resolved, name) == nil, let target = link("\(resolved)/\(name)") else {
        return (resolved, name)
      }
      next = target.hasPrefix("/") ? target : "\(resolved)/\(target)"
    }
    throw failure(path, ELOOP)
  }

  /// Splits a path into folder and file name; returns `nil` if the path does not name a file.
  private static func split(_ path: String) -> (parent: String, name: String)? {
    guard let slash = path.lastIndex(of: "/") else {
      return ["", ".", ".."].contains(path) ? nil : (".", path)
    }
    let name = String(path[path.index(after: slash)...])
    guard !["", ".", ".."].contains(name) else { return nil }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// Returns the target of a symbolic link; `nil` if the path is not a symbolic link.
  private static func link(_ path: String) -> String? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count], as: UTF8.self)
  }

  /// Returns the open descriptor of this process to which a path in /proc refers; `nil` for other
  /// paths.
  private static func descriptor(_ folder: String, _ name: String) -> Int32? {
    guard folder == "/proc/\(getpid())/fd" || folder.hasPrefix("/proc/\(getpid())/task/"),
      folder.hasSuffix("/fd"), let number = Int32(name), fcntl(number, F_GETFD) >= 0
    else { return nil }
    return number
  }
}

// MARK: Inputs and outputs

extension OutputDestination {
  /// Checks that no output is also an input and that no two outputs are the same file, even under
  /// different names.
  ///
  /// - Parameters:
  ///   - outputs: the paths of the outputs; `nil` for an output that was not requested.
  ///   - inputs: the paths of the inputs; `-` is standard input.
  ///   - made: a folder that the command creates. If it does not exist yet, outputs in it are not
  ///     checked, because they replace nothing.
  /// - Throws: `Failure` of kind `usage`, before anything is changed.
  /// - Returns: the destinations, in the order of `outputs`; `nil` for an output that was not
  ///   checked.
  @discardableResult
  package static func check(
    _ outputs: [String?], reading inputs: [String] = [], making made: String? = nil
  ) throws(Failure) -> [OutputDestination?] {
    var destinations: [OutputDestination?] = []
    var taken: [FileIdentity: String] = [:]
    for output in outputs {
      guard let output, !isNew(output, in: made) else {
        destinations.append(nil)
        continue
      }
      let destination = try OutputDestination(output)
      destinations.append(destination)
      guard let identity = destination.identity else { continue }
      try checkNotRead(destination, identity, inputs)
      if let other = taken.updateValue(output, forKey: identity) {
        throw Failure(
          .usage, "\(output): two outputs would go to the same file (\(other)); choose two files")
      }
      guard case .draft = destination.form else { continue }
      for (number, name) in [(STDOUT_FILENO, "standard output"), (STDERR_FILENO, "standard error")]
      where FileIdentity(descriptor: number) == identity {
        throw Failure(
          .usage, "\(output): \(name) already goes to this file; choose another one")
      }
    }
    return destinations
  }

  /// Checks that the output can be read again after it was written.
  ///
  /// - Throws: `Failure` of kind `usage` for a pipe or a device.
  package func checkCanBeReadBack() throws(Failure) {
    if case .draft = form { return }
    throw Failure(
      .usage, "\(path): --against and --report read the trace again; choose a regular file")
  }

  /// Checks that standard output does not append to a file that is being read.
  ///
  /// - Throws: `Failure` of kind `usage`.
  package static func checkStandardOutput(reading input: String) throws(Failure) {
    guard let identity = FileIdentity(descriptor: STDOUT_FILENO),
      FileIdentity(input: input) == identity
    else { return }
    throw Failure(
      .usage, "\(input): standard output goes to this input file; choose another file")
  }

  /// Returns whether a file is in a folder that does not exist yet.
  private static func isNew(_ output: String, in made: String?) -> Bool {
    guard let made, !TextFile.exists(made) else { return false }
    return FilePath.folder(of: FilePath.standardized(output)) == FilePath.standardized(made)
  }

  private static func checkNotRead(
    _ destination: OutputDestination, _ identity: FileIdentity, _ inputs: [String]
  ) throws(Failure) {
    guard let input = inputs.first(where: { FileIdentity(input: $0) == identity }) else { return }
    let same =
      input == destination.path ? "" : " (as \(input == "-" ? "standard input" : input))"
    throw Failure(
      .usage,
      "\(destination.path): this file is also read\(same) and would be overwritten; choose another one"
    )
  }
}

/// The identity of a file, whatever its name: its device and inode, or the location of a file that
/// does not exist yet.
///
/// Only files that store data have an identity: regular files and disks, but not terminals, pipes
/// or /dev/null.
package struct FileIdentity: Hashable {
  private let device: dev_t
  private let inode: ino_t
  /// The name of a file that does not exist yet, in the folder identified by device and inode.
  private let name: String?

  /// Creates the identity of an existing file; returns `nil` if it stores no data.
  package init?(_ status: stat) {
    guard [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT) else { return nil }
    (device, inode, name) = (status.st_dev, status.st_ino, nil)
  }

  /// Creates the identity of an open file; returns `nil` if it stores no data.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Creates the identity of an input, where `-` is standard input; returns `nil` if it does not
  /// exist or stores no data.
  package init?(input: String) {
    guard input != "-" else {
      self.init(descriptor: STDIN_FILENO)
      return
    }
    var status = stat()
    guard stat(input, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Creates the identity of a file that does not exist yet; returns `nil` if its folder does not
  /// exist.
  package init?(newFile name: String, in folder: String) {
    var status = stat()
    guard stat(folder, &status) == 0 else { return nil }
    (device, inode, self.name) = (status.st_dev, status.st_ino, name)
  }
}
