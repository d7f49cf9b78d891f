package import Glibc

/// Where a command writes, looked at before anything is touched.
///
/// Links are followed to their end. A regular file is replaced as a whole; an open descriptor, a device, a FIFO or
/// a socket is written through.
package struct OutputPlace {
  /// How the place takes its bytes.
  package enum Form {
    /// A regular file, or one that does not exist yet: a draft takes its place.
    case draft(replacing: stat?)
    /// A device, a FIFO, or a file in a folder that takes no draft: written in place.
    case through(emptied: Bool)
    /// An open descriptor of this program, as in /dev/stdout and /dev/fd/63.
    case descriptor(Int32)
    /// A socket with a name.
    case socket
  }

  /// The path as the user gave it, for messages.
  package let path: String
  /// The folder at the end of all links.
  package let folder: String
  /// The name in the folder.
  package let name: String
  package let form: Form
  /// What file it is; `nil` for what holds no data.
  package let identity: FileIdentity?

  /// The file at the end of all links.
  package var resolved: String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }

  /// Looks at a place.
  ///
  /// - Throws: ``Failure`` of kind input/output when nothing can be written there, of kind usage for `-`.
  package init(_ path: String) throws(Failure) {
    self.path = path
    guard path != "-" else {
      throw Failure(
        .usage,
        "-: an output is a file; /dev/stdout is the standard output, ./- a file of that name")
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

  /// Why nothing can be written at a path.
  package static func failure(_ path: String, _ number: Int32) -> Failure {
    Failure(.inputOutput, "\(path): cannot be written: \(String(cString: strerror(number)))")
  }

  /// The folder and the name at the end of all links; the last need not exist.
  package static func resolve(_ path: String) throws(Failure) -> (folder: String, name: String) {
    var next = path
    // As many links as the kernel follows.
    for _ in 0..<40 {
      guard let (parent, name) = split(next) else {
        throw failure(path, path.isEmpty ? ENOENT : EISDIR)
      }
      guard let folder = realpath(parent, nil) else { throw failure(path, errno) }
      defer { free(folder) }
      let place = String(cString: folder)
      guard descriptor(place, name) == nil, let target = link("\(place)/\(name)") else {
        return (place, name)
      }
      next = target.hasPrefix("/") ? target : "\(place)/\(target)"
    }
    throw failure(path, ELOOP)
  }

  /// The folder and the name in a path; `nil` where it names no file.
  private static func split(_ path: String) -> (parent: String, name: String)? {
    guard let slash = path.lastIndex(of: "/") else {
      return ["", ".", ".."].contains(path) ? nil : (".", path)
    }
    let name = String(path[path.index(after: slash)...])
    guard !["", ".", ".."].contains(name) else { return nil }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
  }

  /// Where a symbolic link leads; `nil` where there is none.
  private static func link(_ path: String) -> String? {
    var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count], as: UTF8.self)
  }

  /// The open descriptor of this program that a file in /proc stands for.
  private static func descriptor(_ folder: String, _ name: String) -> Int32? {
    guard folder == "/proc/\(getpid())/fd" || folder.hasPrefix("/proc/\(getpid())/task/"),
      folder.hasSuffix("/fd"), let number = Int32(name), fcntl(number, F_GETFD) >= 0
    else { return nil }
    return number
  }
}

// MARK: Inputs and outputs

extension OutputPlace {
  /// Checks that no output is also an input, nor two outputs the same file, whichever names lead to them.
  ///
  /// - Parameters:
  ///   - outputs: where is to be written; `nil` where something is not wanted.
  ///   - inputs: what is read; `-` is standard input.
  ///   - made: a folder that the command makes; what goes into it, while it is not there, is no older file.
  /// - Throws: ``Failure`` of kind usage; nothing has been touched then.
  /// - Returns: the places, in the order of `outputs`.
  @discardableResult
  package static func check(
    _ outputs: [String?], reading inputs: [String] = [], making made: String? = nil
  ) throws(Failure) -> [OutputPlace?] {
    var places: [OutputPlace?] = []
    var taken: [FileIdentity: String] = [:]
    for output in outputs {
      guard let output, !isNew(output, in: made) else {
        places.append(nil)
        continue
      }
      let place = try OutputPlace(output)
      places.append(place)
      guard let identity = place.identity else { continue }
      try refuse(place, identity, among: inputs)
      if let other = taken.updateValue(output, forKey: identity) {
        throw Failure(
          .usage, "\(output): two outputs would go to the same file (\(other)); choose two files")
      }
      guard case .draft = place.form else { continue }
      for (number, name) in [(STDOUT_FILENO, "standard output"), (STDERR_FILENO, "standard error")]
      where FileIdentity(descriptor: number) == identity {
        throw Failure(
          .usage, "\(output): \(name) already goes to this file; choose another one")
      }
    }
    return places
  }

  /// Checks that what is written here can be read again afterwards.
  ///
  /// - Throws: ``Failure`` of kind usage for a pipe or a device.
  package func checkCanBeReadBack() throws(Failure) {
    if case .draft = form { return }
    throw Failure(
      .usage, "\(path): --against and --report read the trace again; choose a regular file")
  }

  /// Checks that standard output does not grow a file that is being read.
  ///
  /// - Throws: ``Failure`` of kind usage.
  package static func checkStandardOutput(reading input: String) throws(Failure) {
    guard let identity = FileIdentity(descriptor: STDOUT_FILENO),
      FileIdentity(input: input) == identity
    else { return }
    throw Failure(
      .usage, "\(input): standard output goes to the file that is read; choose another file")
  }

  /// Whether a file goes into a folder that is still to be made.
  private static func isNew(_ output: String, in made: String?) -> Bool {
    guard let made, !TextFile.exists(made) else { return false }
    return FilePath.folder(of: FilePath.standardized(output)) == FilePath.standardized(made)
  }

  private static func refuse(
    _ place: OutputPlace, _ identity: FileIdentity, among inputs: [String]
  ) throws(Failure) {
    guard let input = inputs.first(where: { FileIdentity(input: $0) == identity }) else { return }
    let same =
      input == place.path ? "" : " (as \(input == "-" ? "standard input" : input))"
    throw Failure(
      .usage, "\(place.path): this file is also read\(same), and would be lost; choose another one")
  }
}
