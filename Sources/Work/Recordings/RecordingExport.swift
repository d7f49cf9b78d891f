package import Files

/// What ends a recording; nobody can add to it meanwhile.
package enum RecordingExport {
  /// What became of an export.
  package struct Result {
    /// What was exported.
    package let rows: RecordedRows
    /// Whether the table is a file, which can be verified; no pipe.
    package let isFile: Bool
    /// Why the recording stays; `nil` where it was removed.
    package let stays: String?
  }

  /// Writes the table; the recording goes once everything in it is known to be in the table.
  ///
  /// - Parameters:
  ///   - path: the recording.
  ///   - table: where the table goes; no older file is replaced.
  /// - Throws: `Failure`: missing input; unavailable while another program holds it; input/output when
  ///   the table cannot be written or is there already.
  /// - Returns: what was exported, and whether the recording stays.
  package static func export(_ path: String, to table: String) throws(Failure) -> Result {
    let (file, rows) = try opened(path)
    let place = try OutputPlace(table)
    try OutputPlace.check([table], reading: [path])
    var isFile = false
    if case .draft(let older) = place.form {
      guard older == nil else {
        throw Failure(.inputOutput, "\(table): there is such a file already")
      }
      isFile = true
    }
    let output = try OutputFile(place)
    output.write(Array(rows.table.utf8))
    try output.finish()
    guard isFile else {
      return Result(
        rows: rows, isFile: false, stays: "what went into \(table) cannot be verified")
    }
    guard try RecordedRows.verify(table).isWhole else {
      throw Failure(
        .inputOutput, "\(table): was not written as it should be; the recording stays")
    }
    if let damage = rows.damage { return Result(rows: rows, isFile: true, stays: damage) }
    try file.remove()
    return Result(rows: rows, isFile: true, stays: nil)
  }

  /// Removes a recording.
  ///
  /// - Throws: `Failure`: missing input; unavailable while another program holds it; bad content.
  /// - Returns: what was in it.
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
