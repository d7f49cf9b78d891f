import CSample
import Glibc
import Synchronization

/// Where forecasts come from: files and folders that are looked at again and again, or the sample in the program.
package final class ForecastSource: Sendable {
  /// What is known now, and where it came from.
  private struct State {
    var set = ForecastSet([])
    var versions: [String: FileVersion] = [:]
    var problems: [ForecastFileError] = []
    var day: Int?
    var generation = 0
    var columns: [Place: PointForecast] = [:]
    var weight = 0
  }

  /// How much memory the columns of places may take, in bytes.
  private static let memory = 24_000_000

  private let paths: [String]
  private let state = Mutex(State())
  private let now: @Sendable () -> Int

  /// Opens what there is.
  ///
  /// - Parameters:
  ///   - paths: files, and folders whose files end in `.nc`; the embedded sample where there are none.
  ///   - now: the time, in seconds since 1970.
  /// - Throws: ``ForecastFileError`` of the first file that cannot be used, where none can; ``problems`` has those of
  ///   single files.
  package init(paths: [String], now: @escaping @Sendable () -> Int) throws(ForecastFileError) {
    (self.paths, self.now) = (paths, now)
    reload()
    if set.files.isEmpty {
      throw problems.first
        ?? ForecastFileError(
          file: paths.first ?? "the synthetic sample", reason: "it holds no file that ends in .nc")
    }
  }

  /// The runs that are known.
  package var set: ForecastSet { state.withLock { $0.set } }

  /// What was wrong with files when they were last looked at.
  package var problems: [ForecastFileError] { state.withLock { $0.problems } }

  /// A line for each kind of file: what it has, what it lacks, how its rain is counted.
  ///
  /// Files that differ in their times alone are named together by the newest.
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
      return "\(first.file.name)\(more): \(first.account)"
    }
  }

  /// How often what is known has changed.
  package var generation: Int { state.withLock { $0.generation } }

  /// Looks whether a file was replaced, came or went; all files are opened before any is used.
  ///
  /// Of a file that cannot be used what was known before stays, as long as that can be read; ``problems`` says why.
  ///
  /// - Returns: whether anything changed.
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
    let (known, old, told, hasLooked) = state.withLock {
      ($0.versions, $0.set, $0.problems, $0.generation > 0)
    }
    guard versions != known || !hasLooked else { return false }
    var files: [ModelFile] = []
    var problems: [ForecastFileError] = []
    for path in wanted.sorted() {
      let before = old.files.first { $0.file.name == path }
      if let version = versions[path], known[path] == version {
        if let before { files.append(before) }
        problems += told.filter { $0.file == path }
        continue
      }
      do throws(ForecastFileError) {
        guard versions[path] != nil else {
          throw ForecastFileError(file: path, reason: "there is no such file or folder")
        }
        let file = try ModelFile(try NetCDFFile(path: path))
        // What was opened is what is remembered, were it replaced in between.
        versions[path] = file.file.version
        files.append(file)
      } catch {
        problems.append(error)
        // The bytes of a file that was replaced are still there; those of one that was written over are not.
        if let before, !before.file.wasOverwritten { files.append(before) }
      }
    }
    swap(ForecastSet(files), versions, day, problems)
    return true
  }

  private func swap(
    _ set: ForecastSet, _ versions: [String: FileVersion], _ day: Int,
    _ problems: [ForecastFileError]
  ) {
    state.withLock { state in
      (state.set, state.versions, state.day) = (set, versions, day)
      state.problems = problems
      state.generation += 1
      (state.columns, state.weight) = ([:], 0)
    }
  }

  /// What is foretold for a place; `nil` where no grid has a cell around it.
  ///
  /// A file that is written to in between is opened anew, once.
  package func forecast(at place: Place) throws(ForecastFileError) -> PointForecast? {
    do throws(ForecastFileError) {
      return try once(place)
    } catch {
      guard error.wasReplaced else { throw error }
      reload()
      return try once(place)
    }
  }

  private func once(_ place: Place) throws(ForecastFileError) -> PointForecast? {
    let (set, known, generation) = state.withLock {
      ($0.set, $0.columns[place], $0.generation)
    }
    if let known { return known.columns.isEmpty ? nil : known }
    var columns: [Column] = []
    for file in set.files {
      if let column = try file.column(at: place) { columns.append(column) }
    }
    let made = PointForecast(place: place, columns: columns)
    let weight = columns.reduce(500) { $0 + $1.weight }
    state.withLock { state in
      guard state.generation == generation else { return }
      if state.weight + weight > Self.memory { (state.columns, state.weight) = ([:], 0) }
      if state.columns.updateValue(made, forKey: place) == nil { state.weight += weight }
    }
    return columns.isEmpty ? nil : made
  }

  /// The sample as runs of a day and the two before, for the weather in it comes again each week.
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

  /// The files of paths, those of folders in order.
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
