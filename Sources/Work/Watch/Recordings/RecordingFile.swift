package import Glibc
package import Quantities
package import Support

/// The open file of a recording, locked by one program at a time.
package final class RecordingFile {
  package let path: String
  package let descriptor: Int32

  /// Opens and locks a recording.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - isMade: `true` to create a missing file.
  /// - Throws: `Failure` of kind missing input, of kind unavailable while another program has the
  ///   file open, or of kind input/output.
  package init(_ path: String, isMade: Bool) throws(Failure) {
    self.path = path
    let flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | (isMade ? O_CREAT : 0)
    while true {
      let descriptor = open(path, flags, 0o644)
      guard descriptor >= 0 else { throw Self.failure(path) }
      var failure: Failure?
      var status = stat()
      if fstat(descriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG {
        failure = Failure(.badContent, "\(path): not a regular file")
      } else if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
        failure =
          errno == EWOULDBLOCK
          ? Failure(
            .unavailable,
            "\(path): in use by another program that records or exports; end that program first")
          : Self.failure(path)
      }
      if let failure {
        close(descriptor)
        throw failure
      }
      // Another program may have removed this recording between opening and locking.
      if Self.isNamed(status, path) {
        self.descriptor = descriptor
        return
      }
      close(descriptor)
    }
  }

  deinit { close(descriptor) }

  /// Reads the whole file.
  ///
  /// - Throws: `Failure` on a read error.
  package func bytes() throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(length))
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(path) }
      guard count > 0 else { break }
      offset += count
    }
    return Array(bytes[..<offset])
  }

  /// The length of the file in bytes.
  package var length: off_t {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_size : 0
  }

  /// `true` if the file was removed or replaced.
  package var isGone: Bool {
    var status = stat()
    return fstat(descriptor, &status) != 0 || !Self.isNamed(status, path)
  }

  /// Removes the recording, which is locked by this program.
  ///
  /// - Throws: `Failure` on an error.
  package func remove() throws(Failure) {
    guard unlink(path) == 0 else { throw Self.failure(path) }
    OutputFile.sync(folder: FilePath.folder(of: path))
  }

  package static func failure(_ path: String) -> Failure {
    Failure(
      errno == ENOENT ? .missingInput : .inputOutput,
      "\(path): \(errno == ENOENT ? "there is no recording" : String(cString: strerror(errno)))")
  }

  /// Returns `true` if a path still refers to the file whose `stat` result is given.
  private static func isNamed(_ status: stat, _ path: String) -> Bool {
    var named = stat()
    return stat(path, &named) == 0 && named.st_ino == status.st_ino
      && named.st_dev == status.st_dev
  }
}

/// Exports and discards recordings while they are locked.
package enum RecordingExport {
  /// The result of an export.
  package struct Result {
    /// The exported rows.
    package let rows: RecordedRows
    /// `true` if the table is a regular file, which can be verified, rather than a pipe.
    package let isFile: Bool
    /// The reason why the recording was kept although the user chose to end it; `nil` if it was
    /// removed, or if the user chose to continue it.
    package let stays: String?
    /// The SHA-256 of the whole table, as printed by `sha256sum`; `nil` for a pipe.
    package let digest: String?

    /// The result as text, without the name of the table.
    package var sentence: String {
      "\(RecordedRows.count(rows.lines.count)) of \(rows.name)" + rows.runsRemark
        + (digest.map { ", SHA-256 \($0)" } ?? "")
    }
  }

  /// Returns the default file name: the sensor and the time of the first row, with a number if a
  /// file of that name exists.
  package static func name(of rows: RecordedRows) -> String {
    let sensor = rows.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let moment = rows.lines.first?.prefix { $0 != "," }.filter { $0 != ":" && $0 != "-" } ?? "empty"
    let words = String(sensor).split(separator: "-").joined(separator: "-")
    let name = "\(words)-\(moment)"
    // Each export gets a new file.
    var number = 1
    while access(number == 1 ? "\(name).csv" : "\(name)-\(number).csv", F_OK) == 0 { number += 1 }
    return number == 1 ? "\(name).csv" : "\(name)-\(number).csv"
  }

  /// Writes the table.
  ///
  /// If the recording ends, verifies the table and then removes the recording.
  ///
  /// - Parameters:
  ///   - path: the recording.
  ///   - table: the table; must not exist. Default: named after the sensor and the first sample.
  ///   - unit: the crew's unit of pressure.
  ///   - ends: `true` to end the recording; otherwise it is kept and continues.
  /// - Throws: `Failure` of kind missing input, of kind unavailable while another program has the
  ///   recording open, or of kind input/output if the table cannot be written or already exists.
  /// - Returns: the name of the table, and the result.
  package static func export(
    _ path: String, to table: String?, in unit: PressureUnit, ends: Bool = true
  ) throws(Failure) -> (table: String, result: Result) {
    let (file, rows) = try opened(path)
    let table = table ?? name(of: rows)
    return (table, try export(rows, of: file, to: table, in: unit, ends: ends))
  }

  /// Writes the table of an open recording.
  package static func export(
    _ rows: RecordedRows, of file: RecordingFile, to table: String, in unit: PressureUnit,
    ends: Bool
  ) throws(Failure) -> Result {
    let place = try OutputDestination(table)
    try OutputDestination.check([table], reading: [file.path])
    var isFile = false
    if case .draft(let older) = place.form {
      guard older == nil else {
        throw Failure(.inputOutput, "\(table): already exists")
      }
      isFile = true
    }
    let side = RecordedTable.sealPath(of: table)
    if isFile, TextFile.exists(side) {
      throw Failure(.inputOutput, "\(side): already exists")
    }
    let output = try OutputFile(place)
    let text = rows.table(in: unit)
    output.write(Array(text.utf8))
    try output.finish()
    if isFile {
      let seal = RecordedTable.seal(of: text, at: table, damaged: rows.damagedLines.count)
      try OutputFile.write(seal, to: side)
    }
    guard isFile else {
      return Result(
        rows: rows, isFile: false,
        stays: ends ? "\(table) cannot be verified" : nil, digest: nil)
    }
    guard try RecordedRows.verify(table).isWhole else {
      throw Failure(
        .inputOutput, "\(table): verification failed after writing; the recording is kept")
    }
    let digest = SHA256.digits(text)
    if let damage = rows.damage {
      return Result(rows: rows, isFile: true, stays: damage, digest: digest)
    }
    if ends { try file.remove() }
    return Result(rows: rows, isFile: true, stays: nil, digest: digest)
  }

  /// Removes a recording.
  ///
  /// - Throws: `Failure` of kind missing input, of kind unavailable while another program has the
  ///   recording open, or of kind bad content.
  /// - Returns: the contents of the removed recording.
  package static func discard(_ path: String) throws(Failure) -> RecordedRows {
    let (file, rows) = try opened(path)
    try file.remove()
    return rows
  }

  private static func opened(_ path: String) throws(Failure) -> (RecordingFile, RecordedRows) {
    let file = try RecordingFile(path, isMade: false)
    return (file, try RecordedRows(file.bytes(), path))
  }
}
