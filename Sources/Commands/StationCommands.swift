import ArgumentParser
import Barometry
import BusServers
import Environment
import Glibc
import Quantities
import Rigs
import Runs
import Schema
import Support

/// `aneroid ask`: requests a forecast from a running station.
struct AskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask",
    abstract: "Request a forecast now from a running 'aneroid run' or 'aneroid watch'.",
    discussion: """
      EXAMPLES
        aneroid ask
        aneroid ask my-station --format json

      The station takes its samples at once and answers at the end of that cycle. A request during a \
      cycle is answered by that cycle. Signal SIGUSR1 and, in 'watch', the key 'a' do the same. The \
      station must run in real time under the same user.

      Exit status: 0 with a forecast; 1 if no forecaster has enough data yet; 69 without a running \
      station.
      """)

  /// The output format.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Argument(
    help: """
      The station: the name of its rig, or the path of its socket. Default: the only running station.
      """)
  var station: String?

  @Option(help: "Output format: text or json (one object).")
  var format: Format = .text

  func run() throws {
    try TraceCommand.finish { output throws(Failure) in
      let path = try socket()
      guard let descriptor = SocketListener.connect(to: path) else {
        throw Failure(.unavailable, "\(path): \(String(cString: strerror(errno)))")
      }
      defer { close(descriptor) }
      let answer = try answer(from: descriptor, path)
      switch format {
      case .text: output.write(answer.lines.map { $0.visible + "\n" }.joined())
      case .json: output.write(answer.json.compact + "\n")
      }
      return answer.hasForecast
    }
  }

  /// Returns the socket of the station.
  private func socket() throws(Failure) -> String {
    if let station, station.contains("/") { return station }
    let running = try StationSocket.all()
    func name(_ path: String) -> String {
      String((path.split(separator: "/").last ?? "").dropLast(".socket".count))
    }
    let names = running.map(name)
    guard let station else {
      if running.count == 1 { return running[0] }
      throw running.isEmpty
        ? Failure(.unavailable, "no station is running; start one with 'aneroid run RIG'")
        : Failure(
          .usage, "several stations are running; name one of: \(names.joined(separator: ", "))")
    }
    guard let index = names.firstIndex(of: station) else {
      throw Failure(
        .unavailable,
        "no running station '\(station.visible)'\(NearestWord.hint(station, among: names))"
          + (names.isEmpty ? "" : " (running: \(names.joined(separator: ", ")))"))
    }
    return running[index]
  }

  /// Sends the request and waits for the answer.
  private func answer(from descriptor: Int32, _ path: String) throws(Failure) -> ForecastAnswer {
    if let reason = SocketListener.send(StationSocket.request, to: descriptor) {
      throw Failure(.unavailable, "\(path): \(reason)")
    }
    // The station polls its requests several times a second.
    var end = MachineTime.monotonic() + 30_000_000_000
    var received: [UInt8] = []
    while true {
      while let index = received.firstIndex(of: 10) {
        guard let json = JSONValue(reading: received[..<index]) else {
          throw Failure(.unavailable, "\(path): not the socket of a station")
        }
        received.removeSubrange(...index)
        if let answer = ForecastAnswer(json) { return answer }
        guard let seconds = json["answer_in_s"]?.double, (0...1e6).contains(seconds) else {
          throw Failure(.unavailable, "\(path): not the socket of a station")
        }
        if isatty(STDERR_FILENO) == 1 {
          StandardError.say(
            "the station measures; its answer comes in \(Decimal.fixed(seconds, 0)) s")
        }
        end = MachineTime.monotonic() + UInt64((seconds + 60) * 1e9)
      }
      received += try bytes(from: descriptor, until: end, path)
    }
  }

  private func bytes(
    from descriptor: Int32, until end: UInt64, _ path: String
  ) throws(Failure) -> [UInt8] {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let now = MachineTime.monotonic()
    guard now < end, poll(&state, 1, Int32((end - now) / 1_000_000 + 1)) != 0 else {
      throw Failure(.unavailable, "\(path): the station does not answer")
    }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes {
      recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return [] }
    guard count > 0 else {
      throw Failure(.unavailable, "\(path): the station ended before its answer")
    }
    return Array(buffer[..<count])
  }
}

/// `aneroid history`: works on the stored pressures of a station.
struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "Show, extend, export or repair the stored pressures of a station.",
    subcommands: [Show.self, Add.self, Export.self, Repair.self])

  /// The history file, which is named directly or by a rig.
  struct Source: ParsableArguments {
    @Argument(
      help: "The history file, or the rig whose key 'history' names it.",
      completion: Completions.rigs)
    var source: String

    /// Returns the path of the history file.
    ///
    /// - Throws: `Failure` if the rig is bad or has no history.
    func path() throws(Failure) -> String {
      let isRig = source.hasSuffix(".yaml") || source.hasSuffix(".yml")
      guard isRig || !TextFile.exists(source) && !source.contains("/") && !source.contains(".")
      else { return source }
      let rig = try Rig(path: source)
      guard let history = rig.pipeline?.history else {
        throw Failure(
          .usage, "\(source): the rig stores no history; add 'history: FILE' to its pipeline")
      }
      return history
    }
  }

  /// The output formats of stored pressures.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, csv
  }

  /// `aneroid history show`: prints the stored pressures.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print the stored pressures in the order of the file, and their origin.",
      discussion: """
        EXAMPLES
          aneroid history show my-station.yaml
          aneroid history show pressures.bin --format json

        Each line has the time in UTC, the pressure that the forecasters use, and its origin: the \
        sensor, the backup source, or a user. The file may be in use. Exit status: 1 if it is damaged.
        """)

    @OptionGroup var source: Source

    @Option(help: "Output format: text, json (one object) or csv.")
    var format: Format = .text

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try source.path()
        let stored = try StoredHistory(path)
        output.write(text(of: stored, path))
        if case .damaged(let offset) = stored.condition {
          StandardError.say(
            "\(path): damaged at byte \(offset); 'aneroid history repair' keeps the "
              + "valid record".counted(stored.records.count))
          return false
        }
        if stored.condition == .torn {
          StandardError.say("\(path): the last record was truncated; the station will remove it")
        }
        return true
      }
    }

    private func text(of stored: StoredHistory, _ path: String) -> String {
      switch format {
      case .text:
        let rows = stored.records.map { record in
          "\(UTCTime.stamp(record.point.time))  "
            + "\(Decimal.fixed(record.point.pascals / 100, 2)) hPa  \(record.origin.word)\n"
        }
        return rows.joined() + "stored pressure".counted(stored.records.count) + "\n"
      case .csv: return stored.table
      case .json:
        let points = stored.records.map { record in
          JSONValue.object([
            ("time", .string(UTCTime.stamp(record.point.time))),
            ("pressure_pa", .decimal(record.point.pascals)),
            ("origin", .string(record.origin.word)),
          ])
        }
        return JSONValue.object([("history", .string(path)), ("points", .array(points))]).compact
          + "\n"
      }
    }
  }

  /// `aneroid history add`: adds a pressure by hand.
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a pressure by hand, for trials of the forecast.",
      discussion: """
        EXAMPLES
          aneroid history add my-station.yaml 1016.2hPa --ago 35min
          aneroid history add pressures.bin 762mmHg --at 2026-11-27T09:00:00Z

        The pressure is stored in order of time and marked as added by hand; a run that uses it says \
        so. It is the pressure that the forecasters use: with 'altitude' in the rig, the one at sea \
        level. A missing file is created. The station must not be running.
        """)

    @OptionGroup var source: Source

    @Argument(help: .value("pressure", "The pressure, such as 1016.2hPa or 762mmHg."))
    var pressure: String

    @Option(
      help: .value("time", "The time in UTC, such as 2026-11-27T09:00:00Z."))
    var at: String?

    @Option(help: .value("duration", "The time before now, such as 35min."))
    var ago: Interval?

    func validate() throws {
      guard (at == nil) != (ago == nil) else {
        throw ValidationError("exactly one of --at and --ago is required")
      }
      _ = try point()
    }

    private func point() throws -> PressurePoint {
      let pascals: Double
      do throws(QuantityKind.FormatError) {
        pascals = try QuantityKind.pressure.parse(pressure)
      } catch {
        throw ValidationError(error.message)
      }
      guard (1000...200_000).contains(pascals) else {
        throw ValidationError("'\(pressure)' is out of range (accepted: 10hPa to 2000hPa)")
      }
      guard let at else {
        let time = MachineTime.sinceEpoch - Int64(clamping: ago?.nanoseconds ?? 0)
        return PressurePoint(time: time, pascals: pascals)
      }
      guard let time = UTCTime.parseLoosely(at) else {
        throw ValidationError(
          "--at: '\(at)' is not a valid time (accepted: such as 2026-11-27T09:00:00Z)")
      }
      guard time <= MachineTime.sinceEpoch else {
        throw ValidationError("--at: '\(at)' is in the future")
      }
      return PressurePoint(time: time, pascals: pascals)
    }

    func run() throws {
      let point = try point()
      try TraceCommand.finish { output throws(Failure) in
        let path = try source.path()
        let lock = try HistoryLock(path, creates: true)
        var stored = try StoredHistory(path)
        try stored.add(point, to: path, lock)
        output.write(
          "\(path): \("stored pressure".counted(stored.records.count)), one more by hand at "
            + "\(UTCTime.stamp(point.time))\n")
        return true
      }
    }
  }

  /// `aneroid history export`: writes the stored pressures as a table.
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Write the stored pressures as a table (CSV).",
      discussion: """
        EXAMPLES
          aneroid history export my-station.yaml pressures.csv

        Columns: time_utc, pressure_pa and origin. An existing table is replaced. Exit status: 1 if the \
        history is damaged and only its valid records were exported.
        """)

    @OptionGroup var source: Source

    @Argument(help: "The table.", completion: .file(extensions: ["csv"]))
    var table: String

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try source.path()
        try OutputDestination.check([table], reading: [path])
        let stored = try StoredHistory(path)
        try OutputFile.write(stored.table, to: table)
        output.write("\(table): \("stored pressure".counted(stored.records.count))\n")
        guard case .damaged(let offset) = stored.condition else { return true }
        StandardError.say(
          "\(path): damaged at byte \(offset); only the valid records were exported")
        return false
      }
    }
  }

  /// `aneroid history repair`: keeps the valid records of a damaged file.
  struct Repair: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "repair",
      abstract:
        "Keep the valid records of a damaged file, and the damaged file under another name.",
      discussion: """
        EXAMPLES
          aneroid history repair my-station.yaml

        A station does the same when it starts. The station must not be running.
        """)

    @OptionGroup var source: Source

    func run() throws {
      try TraceCommand.finish { output throws(Failure) in
        let path = try source.path()
        let lock = try HistoryLock(path, creates: false)
        var stored = try StoredHistory(path)
        let sentence = try stored.repair(path, lock)
        output.write(
          (sentence ?? "\(path): complete, \("valid record".counted(stored.records.count))") + "\n")
        return true
      }
    }
  }
}

extension HistoryRecord.Origin {
  /// The origin in reports.
  fileprivate var word: String {
    switch self {
    case .sensor: "sensor"
    case .backup: "backup"
    case .hand: "hand"
    }
  }
}

extension StoredHistory {
  /// The records as CSV.
  fileprivate var table: String {
    "time_utc,pressure_pa,origin\n"
      + records.map { record in
        "\(UTCTime.stamp(record.point.time)),\(Decimal.shortest(record.point.pascals)),"
          + "\(record.origin.word)\n"
      }.joined()
  }
}
