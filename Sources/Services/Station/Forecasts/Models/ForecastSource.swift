import CSample
import Glibc
import ServiceMachine
import Synchronization

/// A source of forecasts: either the user's files and folders, which are checked for changes, or
/// the embedded sample.
package final class ForecastSource: Sendable {
  /// The current forecasts and the files that they are from.
  private struct State {
    var set = ForecastSet([])
    /// The opened files, before those of one run are joined.
    var opened: [ModelFile] = []
    var versions: [String: FileVersion] = [:]
    var problems: [ForecastFileError] = []
    var day: Int?
    var generation = 0
    var isSlow = false
    var columns: [GeoPoint: PointForecast] = [:]
    var weight = 0
  }

  /// The maximum memory that cached columns may use, in bytes.
  private static let memory = 24_000_000

  private let paths: [String]
  private let state = Mutex(State())
  private let now: @Sendable () -> Int

  /// Opens all forecast files.
  ///
  /// - Parameters:
  ///   - paths: Files, and folders of `.nc` files. Default: the embedded sample.
  ///   - now: The current time in seconds since 1970.
  /// - Throws: The `ForecastFileError` of the first file if no file can be used; if only some
  ///   files cannot, `problems` contains their errors.
  package init(paths: [String], now: @escaping @Sendable () -> Int) throws(ForecastFileError) {
    (self.paths, self.now) = (paths, now)
    reload()
    if set.files.isEmpty {
      throw problems.first
        ?? ForecastFileError(
          file: paths.first ?? "the synthetic sample", reason: "it contains no .nc file")
    }
  }

  /// The current runs.
  package var set: ForecastSet { state.withLock { $0.set } }

  /// The errors of the files that could not be used at the last check.
  package var problems: [ForecastFileError] { state.withLock { $0.problems } }

  /// One line per kind of file, which lists its fields, its missing fields, and how its rain is
  /// accumulated.
  ///
  /// Files that differ only in their times share the line of the newest one.
  package var accounts: [String] {
    var kinds: [String] = []
    var files: [String: [ModelFile]] = [:]
    for file in set.files {
      if files[file.content] == nil { kinds.append(file.content) }
      files[file.content, default: []].append(file)
    }
    return kinds.compactMap { kind in
      guard let all = files[kind], let first = all.first else { return nil }
      let more = all.count > 1 ? " and \(all.count - 1) more" : ""
      return "\(first.name)\(more): \(first.account)"
    }
  }

  /// Advice on the files, as lines: files that are slow to read, runs in many files, and a place that no file covers.
  package func advice(for location: GeoPoint) -> [String] {
    let files = set.files
    var lines: [String] = []
    if let slow = files.first(where: { $0.slowness != nil }), let words = slow.slowness {
      lines.append(
        "\(slow.name): \(words): each new place takes long; 'aneroid station extract' makes a fast copy"
      )
    }
    let single = files.filter { $0.times.count == 1 }
    if single.count > 1 {
      lines.append(
        "\(single.count) files have one time each and are not parts of one run: there is no rain, and no value between two times"
      )
    }
    if !files.isEmpty, files.allSatisfy({ $0.grid.cell(around: location) == nil }) {
      lines.append(
        "no forecast covers the station's place, \(location.latitude), \(location.longitude): give --latitude, --longitude and --name; "
          + "\(files[0].file.name) has \(files[0].area)")
    }
    return lines
  }

  /// `true` if a file is slow to read, for the reason in its `slowness`.
  package var isSlow: Bool { state.withLock { $0.isSlow } }

  /// A counter that changes whenever the forecasts change.
  package var generation: Int { state.withLock { $0.generation } }

  /// Checks for replaced, new and removed files; all files are opened before any of them is used.
  ///
  /// If a file cannot be used, its previous content stays in use as long as it can be read;
  /// `problems` contains the reason.
  ///
  /// - Returns: `true` if anything changed.
  @discardableResult
  package func reload() -> Bool {
    let day = CivilTime.startOfDay(now())
    if paths.isEmpty {
      guard state.withLock({ $0.day }) != day else { return false }
      do throws(ForecastFileError) {
        swap(try Self.sample(day: day), [:], day, [])
      } catch {
        state.withLock { $0.problems = [error] }
      }
      return true
    }
    return reloadFiles(day)
  }

  private func reloadFiles(_ day: Int) -> Bool {
    var versions: [String: FileVersion] = [:]
    let wanted = Self.files(paths)
    for path in wanted { versions[path] = FileVersion(path: path) }
    let (known, old, knownProblems, hasLooked) = state.withLock {
      ($0.versions, $0.opened, $0.problems, $0.generation > 0)
    }
    guard versions != known || !hasLooked else { return false }
    var files: [ModelFile] = []
    var problems: [ForecastFileError] = []
    for path in wanted.sorted() {
      let before = old.first { $0.file.name == path }
      if let version = versions[path], known[path] == version {
        if let before { files.append(before) }
        problems += knownProblems.filter { $0.file == path }
        continue
      }
      do throws(ForecastFileError) {
        guard versions[path] != nil else {
          throw ForecastFileError(file: path, reason: "no such file or folder")
        }
        let file = try ModelFile(try NetCDFFile(path: path))
        // Stores the version that was opened, because the file may have been replaced in the
        // meantime.
        versions[path] = file.file.version
        files.append(file)
      } catch {
        problems.append(error)
        // If a file was replaced, its old data can still be read; if it was overwritten, they
        // cannot.
        if let before, !before.file.wasOverwritten { files.append(before) }
      }
    }
    do throws(ForecastFileError) {
      swap(ForecastSet(try ModelFile.joined(files)), versions, day, problems, opened: files)
    } catch {
      // A file changed after it was opened; the next look finds its new version.
      swap(ForecastSet(files), versions, day, problems + [error], opened: files)
    }
    return true
  }

  private func swap(
    _ set: ForecastSet, _ versions: [String: FileVersion], _ day: Int,
    _ problems: [ForecastFileError], opened: [ModelFile] = []
  ) {
    let isSlow = set.files.contains { $0.slowness != nil }
    state.withLock { state in
      (state.isSlow, state.opened) = (isSlow, opened)
      (state.set, state.versions, state.day) = (set, versions, day)
      state.problems = problems
      state.generation += 1
      (state.columns, state.weight) = ([:], 0)
    }
  }

  /// Returns the forecast for a point; `nil` if no grid has a cell around it.
  ///
  /// A file that is overwritten during the read is reopened once.
  package func forecast(at location: GeoPoint) throws(ForecastFileError) -> PointForecast? {
    do throws(ForecastFileError) {
      return try once(location)
    } catch {
      guard error.wasReplaced else { throw error }
      reload()
      return try once(location)
    }
  }

  private func once(_ location: GeoPoint) throws(ForecastFileError) -> PointForecast? {
    let (set, known, generation) = state.withLock {
      ($0.set, $0.columns[location], $0.generation)
    }
    if let known { return known.columns.isEmpty ? nil : known }
    var columns: [Column] = []
    for file in set.files {
      if let column = try file.column(at: location) { columns.append(column) }
    }
    let made = PointForecast(location: location, columns: columns)
    let weight = columns.reduce(500) { $0 + $1.weight }
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.weight + weight > Self.memory { (state.columns, state.weight) = ([:], 0) }
      if state.columns.updateValue(made, forKey: location) == nil { state.weight += weight }
    }
    return columns.isEmpty ? nil : made
  }

  /// Returns the embedded sample as if its runs had started today and on the two previous days; the
  /// weather of the sample repeats every week.
  private static func sample(day: Int) throws(ForecastFileError) -> ForecastSet {
    var files: [ModelFile] = []
    for (name, bytes, count) in [
      (
        "the synthetic sample of Portugal", station_sample_portugal_bytes(),
        station_sample_portugal_size
      ),
      ("the synthetic sample of Lisbon", station_sample_lisbon_bytes(), station_sample_lisbon_size),
    ] {
      guard let bytes else { continue }
      let file = try ModelFile(try NetCDFFile(name: name, memory: bytes, count: count))
      for back in 0...2 {
        if let run = file.repeated(from: day - back * 86400, every: 168 * 3600) {
          files.append(run)
        }
      }
    }
    return ForecastSet(files)
  }

  /// Returns the files at the paths; the files of a folder are in alphabetical order.
  private static func files(_ paths: [String]) -> [String] {
    var found: [String] = []
    for path in paths {
      guard let folder = opendir(path) else {
        found.append(path)
        continue
      }
      defer { closedir(folder) }
      var names: [String] = []
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name.hasSuffix(".nc"), !name.hasPrefix(".") { names.append(name) }
      }
      found += names.sorted().map { path + "/" + $0 }
    }
    return found
  }
}

/// The set of runs in use at one time, which is replaced only as a whole.
package struct ForecastSet: Sendable {
  /// All runs, newest first.
  package let files: [ModelFile]

  package init(_ files: [ModelFile]) {
    self.files = files.sorted { $0.reference > $1.reference }
  }

  /// `true` if all runs are synthetic.
  package var isSynthetic: Bool { !files.isEmpty && files.allSatisfy(\.isSynthetic) }
}

/// The combined forecast of all runs for a point.
///
/// For each time, the finest domain that covers it is used, with the newest run on that domain.
package struct PointForecast: Sendable {
  package let location: GeoPoint
  /// The columns, in order of precedence.
  package let columns: [Column]

  /// Creates a forecast from the columns of a point.
  package init(location: GeoPoint, columns: [Column]) {
    self.location = location
    // The cells of a domain vary in size, so sizes within 20 % count as one domain.
    self.columns = columns.sorted { one, other in
      if one.size < 0.8 * other.size { return true }
      if other.size < 0.8 * one.size { return false }
      return one.reference > other.reference
    }
  }

  /// Returns a quantity at a time in seconds since 1970; `nil` if no run covers it.
  package func value(_ quantity: Column.Quantity, at moment: Int) -> Double? {
    for column in columns {
      if let value = column.value(quantity, at: moment) { return value }
    }
    return nil
  }

  /// Returns the rain between two times in mm; `nil` unless a single run covers both.
  package func rain(from start: Int, to end: Int) -> Double? {
    for column in columns {
      if let sum = column.rain(from: start, to: end) { return sum }
    }
    return nil
  }

  /// Returns the column that applies at a time; `nil` if no run covers it.
  package func column(at moment: Int) -> Column? {
    columns.first { column in
      guard let first = column.times.first, let last = column.times.last else { return false }
      return moment >= first && moment <= last
    }
  }

  /// Returns the forecast as it was known at a time, using only runs that had started by then.
  package func known(at moment: Int) -> PointForecast {
    PointForecast(location: location, columns: columns.filter { $0.reference <= moment })
  }

  /// The latest time that any run covers; `nil` if there are no runs.
  package var end: Int? { columns.compactMap(\.times.last).max() }

  /// Returns the time at which the last run ended; `nil` if a run covers the given time or a later
  /// one.
  package func ended(by moment: Int) -> Int? { end.flatMap { $0 < moment ? $0 : nil } }

  /// The run that covers the latest time.
  package var lastColumn: Column? {
    columns.max { ($0.times.last ?? 0, $0.reference) < ($1.times.last ?? 0, $1.reference) }
  }

  /// Returns the latest end of the runs that have ended by a time; if no run has ended, the
  /// earliest start of the upcoming runs.
  package func nearest(to moment: Int) -> Int? {
    columns.compactMap(\.times.last).filter { $0 <= moment }.max()
      ?? columns.compactMap(\.times.first).filter { $0 > moment }.min()
  }
}
