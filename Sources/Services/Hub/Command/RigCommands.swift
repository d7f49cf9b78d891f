public import ArgumentParser
import Foundation
import HubCore
import HubQueue
import HubReports
import HubRuns
import HubService
import ServiceMachine
import Support
import Warehouse
public import WarehouseRuns

extension WarehouseFormat: @retroactive ExpressibleByArgument {}

/// Runs a warehouse rig.
struct WarehouseRunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run a warehouse rig and evaluate its expectations.",
    discussion: """
      EXAMPLES
        aneroid hub run rigs/warehouse/cold-room.yaml
        aneroid hub run rigs/warehouse/kills.yaml --seed 7
        aneroid hub run rigs/warehouse/cold-room.yaml --format jsonl | grep '"alarm"'

      The rig defines the zones and tags, the air over time, the faults to inject, \
      and the expected results. The same rig and seed always produce the same bytes. \
      'aneroid run' starts this command for a rig with the key 'warehouse'.

      A rig whose link uses bumble runs in real time, such as \
      rigs/warehouse.yaml: virtual tags advertise on the air of that Bluetooth stack, \
      and a hub, a mosquitto and a receiver run as separate programs. It needs \
      Python's bumble and Debian's mosquitto. A signal ends it and its programs.

      The exit status is 0 if all expectations were met, 1 if not, 78 for \
      an error in the rig, 65 or 66 if a file that it names is invalid or missing, and \
      69 if a program that a run in real time needs is missing.
      """)

  @Argument(
    help: "The rig file ('-' for standard input).", completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(
    help: ArgumentHelp(
      "Seed of all random choices; default: that of the rig.", valueName: "number"))
  var seed: UInt64?

  @Option(help: "Output format: text, json (one array) or jsonl (one object per line).")
  var format = WarehouseFormat.text

  func run() throws {
    let output = HubOutput()
    let status: Int32
    switch StackWarehouse.read(
      path: rig, seed: seed, format: format, write: output.put, complain: HubConsole.say)
    {
    case .failed(let found): status = found
    case .air(let warehouse): status = warehouse.run()
    case .stack(let warehouse):
      // In this format, events are written as they happen.
      output.isPrompt = true
      status = Self.run(warehouse)
    }
    output.flush()
    throw ExitCode(status)
  }

  /// Runs a warehouse over a Bluetooth stack in a temporary folder, which is removed if the run
  /// succeeds.
  private static func run(_ warehouse: StackWarehouse) -> Int32 {
    EndSign.listen()
    do {
      let folder = try RunFolder(in: FileManager.default.temporaryDirectory.path)
      do {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let passed = try StackRun(warehouse, program: program, folder: folder.path).run()
        guard !passed else {
          folder.remove()
          return 0
        }
        folder.keep()
        HubConsole.say("the files of the run are kept in \(folder.path)")
        return 1
      } catch {
        folder.remove()
        throw error
      }
    } catch {
      HubConsole.say("\(error)")
      return (error as? StackRunError)?.status ?? 69
    }
  }
}

/// Checks warehouse rigs.
struct WarehouseCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report all errors in warehouse rigs, and in the tables that they name.",
    discussion: """
      EXAMPLES
        aneroid hub check rigs/warehouse/*.yaml

      Errors have the form file:line:column: error: message. The exit status is 0 without errors, 78 for an error \
      in a rig, and 65 or 66 if only a file that a rig names is invalid or missing. To check a hub file, use \
      'aneroid hub serve FILE --check'.
      """)

  @Argument(help: "The rig files.", completion: .file(extensions: ["yaml"]))
  var rigs: [String]

  func run() throws {
    let output = HubOutput()
    let statuses = rigs.map { rig in
      WarehouseProgram.check(path: rig, write: output.put, complain: HubConsole.say)
    }
    output.flush()
    // The status for an error in a rig is higher than the status for a missing file, so it takes
    // precedence.
    throw ExitCode(statuses.max() ?? 0)
  }
}

/// Prints a mapping study of the recorded readings.
struct MapCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map", abstract: "Report hot and cold spots over a recorded period.",
    discussion: """
      EXAMPLES
        aneroid hub map hub.yaml
        aneroid hub map hub.yaml --days 30 --report map.html --readings readings.csv
        aneroid hub map hub.yaml --from 2026-01-01 --table locations.csv
        aneroid hub map hub.yaml --verify map.html

      It evaluates the records of the hub, whether the hub is running or not: the extremes \
      and the mean kinetic temperature of each location, compliance with the storage rules \
      and each excursion, and recommended monitor locations.

      A report states the SHA-256 digest of the readings that it evaluates; they are the bytes \
      that --readings writes, so that 'sha256sum' checks them. --verify checks that a report is \
      unchanged and that the hub still has the readings below it.

      Exit status: 0; 1 if there are no readings, or if a report could not be verified.
      """)

  @Argument(help: ArgumentHelp("The hub file.", valueName: "file"))
  var file: String

  @Option(
    parsing: .unconditional, help: "Number of days to evaluate, before the end; default: 7.")
  var days: Double?

  @Option(
    help: ArgumentHelp(
      "Start, in UTC unless it has a zone; default: --days before the end.", valueName: "time"))
  var from: String?

  @Option(help: ArgumentHelp("End, which is not included; default: now.", valueName: "time"))
  var to: String?

  @Option(
    help: ArgumentHelp("Write an HTML page with floor plans to this file.", valueName: "file.html"))
  var report: String?

  @Option(
    help: ArgumentHelp("Write the table of the locations to this file.", valueName: "file.csv"))
  var table: String?

  @Option(
    help: ArgumentHelp("Write the evaluated readings to this file.", valueName: "file.csv"))
  var readings: String?

  @Option(
    help: ArgumentHelp("Verify a report instead of writing one.", valueName: "file.html"))
  var verify: String?

  func validate() throws {
    guard days.map({ $0 > 0 && $0 <= 36_500 }) ?? true else {
      throw ValidationError("--days must be greater than 0 and at most 36500.")
    }
    guard days == nil || from == nil else {
      throw ValidationError("--days and --from exclude each other.")
    }
    guard verify == nil || (report == nil && table == nil && from == nil && to == nil) else {
      throw ValidationError(
        "--verify takes the period of the report: use it without --report, --table, --from and --to."
      )
    }
    guard try span(at: .max).count > 0 else {
      throw ValidationError("--from must be before --to.")
    }
  }

  /// Returns the period to evaluate, in nanoseconds since 1970.
  private func span(at now: Int64) throws -> Range<Int64> {
    let end = try to.map(HubTime.parse) ?? now
    let start = try from.map(HubTime.parse) ?? end - Int64((days ?? 7) * 86400e9)
    return start..<max(start, end)
  }

  func run() async throws {
    let settings = ServeCommand.settings(file)
    guard FileManager.default.fileExists(atPath: settings.storage.file) else {
      HubConsole.fail(
        "there is no queue \(settings.storage.file); the hub creates it when it runs", 66)
    }
    let seal = verify.map(Self.seal)
    let outputs = outputs(besides: settings)
    let queue = ServeCommand.queue(settings)
    // The wall clock is used, because reports cover calendar days.
    let span = try seal?.span ?? span(at: MachineClocks.system.wall())
    let study: WarehouseStudy
    do {
      study = try WarehouseStudy(
        of: queue, policy: settings.policy,
        locations: settings.positions.mapValues { ($0.x, $0.y) }, span: span,
        export: { outputs.readings?.add($0) })
    } catch {
      outputs.discard()
      HubConsole.fail("cannot read the queue \(settings.storage.file): \(error)", 74)
    }
    if study.count == 0 { outputs.discard() } else { outputs.readings?.close() }
    if let verify, let seal {
      guard seal == ReportSeal(study) else {
        HubConsole.fail(
          "\(verify): the hub's readings of its period have changed: \("reading".counted(seal.count)) in the report, \(study.count) now, SHA-256 \(study.digest)",
          1)
      }
      return HubConsole.put(
        "\(verify): unchanged, and so are its \("reading".counted(seal.count)) (SHA-256 \(seal.digest))\n"
      )
    }
    guard study.count > 0 else {
      let hint = from == nil && to == nil ? "; increase --days" : ""
      HubConsole.fail(
        "\(settings.storage.file): no reading from \(UTCTime.stamp(span.lowerBound)) to \(UTCTime.stamp(span.upperBound))\(hint)",
        1)
    }
    outputs.table?.add(study.table)
    outputs.table?.close()
    outputs.report?.add(StudyPage(study).html)
    outputs.report?.close()
    HubConsole.put(study.text)
  }

  /// Opens the files to write; exits with a message if one of them is another one, or a file of the hub.
  private func outputs(
    besides settings: HubSettings
  ) -> StudyOutputs {
    let queue = settings.storage.file
    var taken = [("the hub file", file), ("the token of the hub", settings.web.tokenFile)]
    taken += ["", "-wal", "-shm", "-journal"].map { ("the queue of the hub", queue + $0) }
    if let verify { taken.append(("the report to verify", verify)) }
    let given = [("--report", report), ("--table", table), ("--readings", readings)]
    for case (let option, let path?) in given {
      for (what, other) in taken where WrittenFile.isSame(path, other) {
        HubConsole.fail("\(option) \(path): that is \(what)", 64)
      }
      taken.append(("also another output", path))
    }
    var files: [String: WrittenFile] = [:]
    for case (let option, let path?) in given {
      guard let file = WrittenFile(path) else {
        let reason = String(cString: strerror(errno))
        for file in files.values { file.discard() }
        HubConsole.fail("cannot write \(path): \(reason)", 74)
      }
      files[option] = file
    }
    return StudyOutputs(
      report: files["--report"], table: files["--table"], readings: files["--readings"])
  }

  private static func seal(of path: String) -> ReportSeal {
    errno = 0
    guard let data = FileManager.default.contents(atPath: path) else {
      let reason = errno == 0 ? "it is no file" : String(cString: strerror(errno))
      HubConsole.fail("cannot read \(path): \(reason)", 66)
    }
    do throws(ReportSeal.Problem) {
      return try ReportSeal(reading: String(decoding: data, as: UTF8.self))
    } catch {
      HubConsole.fail("\(path): \(error)", 1)
    }
  }
}

/// The files that a mapping study writes.
private struct StudyOutputs {
  let report: WrittenFile?, table: WrittenFile?, readings: WrittenFile?

  /// Removes what was written.
  func discard() { for file in [report, table, readings] { file?.discard() } }
}

/// A file that is written in parts, and exists under its name only once it is complete; what is no regular file is written
/// directly.
private final class WrittenFile {
  private let path: String, temporary: String?
  private let file: UnsafeMutablePointer<FILE>
  /// The errno of the first part that could not be written; 0 if there is none.
  private var failure: Int32 = 0

  /// Creates the file; if that fails, returns `nil` and sets errno.
  init?(_ path: String) {
    var status = stat()
    let isSpecial = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    let temporary = isSpecial ? nil : path + ".new"
    guard let file = fopen(temporary ?? path, "w") else { return nil }
    (self.path, self.temporary, self.file) = (path, temporary, file)
  }

  func add(_ part: String) {
    if failure == 0, fputs(part, file) < 0 { failure = errno }
  }

  /// Completes the file; exits with a message if a part of it could not be written.
  func close() {
    if fclose(file) != 0, failure == 0 { failure = errno }
    if failure == 0, let temporary, rename(temporary, path) != 0 { failure = errno }
    guard failure != 0 else { return }
    if let temporary { unlink(temporary) }
    HubConsole.fail("cannot write \(path): \(String(cString: strerror(failure)))", 74)
  }

  /// Removes an incomplete file.
  func discard() {
    if let temporary { unlink(temporary) }
  }

  /// Returns `true` if two paths lead to the same file, which need not exist yet.
  static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    if stat(one, &first) == 0, stat(other, &second) == 0 {
      return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }
    func absolute(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
    return absolute(one) == absolute(other)
  }
}
