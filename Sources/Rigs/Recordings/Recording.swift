import Foundation
import Glibc

/// The samples of a watch in a file that survives a crash: each is on the disk before the next is taken.
///
/// A line is `2026-11-21T12:00:00Z,101325.00,22.00,45.0,mark,3f9a12c4`: the moment, Pa, C, %, whatever was marked, and the
/// first eight digits of the SHA-256 of what stands before. A line that a crash has torn is recognised and cut off.
public final class Recording {
  /// One sample.
  public struct Row: Hashable, Sendable {
    /// Nanoseconds since 1970.
    public let moment: Int64
    /// Pa, C and %.
    public let pascals: Double, celsius: Double, humidity: Double?
    /// What was marked; nothing as a rule.
    public let mark: String

    /// Makes a row.
    public init(
      moment: Int64, pascals: Double, celsius: Double, humidity: Double?, mark: String = ""
    ) {
      self.moment = moment
      self.pascals = pascals
      self.celsius = celsius
      self.humidity = humidity
      self.mark = mark
    }

    /// Its fields, in order.
    var fields: String {
      "\(Moment.stamp(moment)),\(Decimal.fixed(pascals, 2)),\(Decimal.fixed(celsius, 2)),"
        + "\(humidity.map { Decimal.fixed($0, 2) } ?? ""),\(mark)"
    }
  }

  /// The first line of a file: what it is, and of which sensor.
  private static let head = "# aneroid recording of "

  /// Where the recording of a user lies: below XDG_STATE_HOME, else below ~/.local/state.
  public static func path(_ environment: [String: String]) -> String? {
    let base = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { "\($0)/.local/state" }
    return base.map { "\($0)/aneroid/recording" }
  }

  /// How many rows it has.
  public private(set) var rows: Int
  /// Why the youngest rows may not be on the disk yet; those that could not be written are kept and tried again.
  public private(set) var failure: String?

  private let descriptor: Int32
  private var unwritten: [UInt8] = []

  /// Begins a recording, or goes on with one of the same sensor.
  ///
  /// - Parameters:
  ///   - path: its file.
  ///   - name: the sensor.
  /// - Throws: `BenchFailure`: unavailable while the recording of another sensor is neither exported nor discarded;
  ///   input/output when it cannot be written.
  public init(_ path: String, of name: String) throws(BenchFailure) {
    let folder = (path as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let kept = FileManager.default.fileExists(atPath: path) ? try RecordedRows(path) : nil
    if let kept, kept.name != name {
      throw BenchFailure(
        .unavailable, "\(path): there is a recording of \(kept.name) with \(kept.lines.count) rows",
        "'aneroid recording export FILE.csv' or 'aneroid recording discard' first")
    }
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure(path) }
    rows = kept?.lines.count ?? 0
    if let kept {
      // What a crash has torn goes; the next row begins a line of its own.
      guard ftruncate(descriptor, kept.length) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
        throw Self.failure(path)
      }
    } else {
      guard WholeWrite.write(Array("\(Self.head)\(name)\n".utf8), to: descriptor) == 0 else {
        throw Self.failure(path)
      }
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func failure(_ path: String) -> BenchFailure {
    BenchFailure(.inputOutput, "\(path): \(String(cString: strerror(errno)))")
  }

  /// Records a row; it is on the disk when this returns, or ``failure`` says why not.
  public func take(_ row: Row) {
    rows += 1
    unwritten += Self.line(row.fields).utf8
    let end = lseek(descriptor, 0, SEEK_CUR)
    let reason = WholeWrite.write(unwritten, to: descriptor)
    if reason != 0 {
      // Half a line must not stay: everything is tried again with the next row.
      ftruncate(descriptor, end)
      lseek(descriptor, end, SEEK_SET)
      failure = String(cString: strerror(reason))
      return
    }
    unwritten = []
    failure = fdatasync(descriptor) == 0 ? nil : String(cString: strerror(errno))
  }

  /// A line of the file.
  static func line(_ fields: String) -> String { "\(fields),\(digest(fields))\n" }

  /// The first eight digits of the SHA-256 of a line.
  static func digest(_ fields: String) -> String {
    String(SHA256.digits(fields).prefix(8))
  }

  /// The name in a first line, if it is one.
  static func name(in line: Substring) -> String? {
    line.hasPrefix(head) ? String(line.dropFirst(head.count)) : nil
  }
}
