import Glibc
import Support

/// An SQLite database with the rows of a campaign.
///
/// The library is loaded when it is needed, because most commands do not need it; no other release file grows with it.
final class DatabaseFile {
  /// The functions of libsqlite3, in version 3 of its stable interface.
  private struct Library {
    typealias Handle = OpaquePointer
    typealias Open =
      @convention(c) (
        UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>, Int32, UnsafePointer<CChar>?
      ) -> Int32
    typealias Execute =
      @convention(c) (
        Handle?, UnsafePointer<CChar>, UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?
      ) -> Int32
    typealias Prepare =
      @convention(c) (
        Handle?, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Handle?>, UnsafeRawPointer?
      ) -> Int32
    typealias BindText =
      @convention(c) (Handle?, Int32, UnsafePointer<CChar>, Int32, Int) -> Int32
    typealias BindDouble = @convention(c) (Handle?, Int32, Double) -> Int32
    typealias BindInteger = @convention(c) (Handle?, Int32, Int64) -> Int32
    typealias BindNull = @convention(c) (Handle?, Int32) -> Int32
    typealias Plain = @convention(c) (Handle?) -> Int32
    typealias Message = @convention(c) (Handle?) -> UnsafePointer<CChar>?

    let open: Open, execute: Execute, prepare: Prepare
    let bindText: BindText, bindDouble: BindDouble, bindInteger: BindInteger, bindNull: BindNull
    let step: Plain, reset: Plain, finalize: Plain, close: Plain
    let message: Message

    /// Loads the library; `nil` if this machine lacks it.
    init?() {
      guard let library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
      func function<Function>(_ name: String, as _: Function.Type = Function.self) -> Function? {
        dlsym(library, "sqlite3_\(name)").map { unsafeBitCast($0, to: Function.self) }
      }
      guard let open: Open = function("open_v2"), let execute: Execute = function("exec"),
        let prepare: Prepare = function("prepare_v2"),
        let bindText: BindText = function("bind_text"),
        let bindDouble: BindDouble = function("bind_double"),
        let bindInteger: BindInteger = function("bind_int64"),
        let bindNull: BindNull = function("bind_null"), let step: Plain = function("step"),
        let reset: Plain = function("reset"), let finalize: Plain = function("finalize"),
        let close: Plain = function("close"), let message: Message = function("errmsg")
      else { return nil }
      (self.open, self.execute, self.prepare) = (open, execute, prepare)
      (self.bindText, self.bindDouble) = (bindText, bindDouble)
      (self.bindInteger, self.bindNull) = (bindInteger, bindNull)
      (self.step, self.reset, self.finalize, self.close) = (step, reset, finalize, close)
      self.message = message
    }
  }

  private let path: String, draft: String
  private let library: Library
  private let keys: Int
  private var database: OpaquePointer?
  private var insertion: OpaquePointer?

  // Constants of sqlite3.h.
  private static let readWriteCreate: Int32 = 6
  private static let done: Int32 = 101
  private static let transient = -1

  /// Creates a database with the table `runs`, which replaces an older one when it is complete.
  ///
  /// - Throws: `Failure` of kind unavailable without libsqlite3, of kind inputOutput if the file cannot be written.
  init(_ path: String, _ header: ShardHeader) throws(Failure) {
    guard let library = Library() else {
      throw Failure(
        .unavailable,
        "--sqlite needs libsqlite3, which this machine lacks: apt install libsqlite3-0")
    }
    (self.path, draft, self.library, keys) = (path, path + ".draft", library, header.keys)
    Drafts.add(draft)
    unlink(draft)
    guard library.open(draft, &database, Self.readWriteCreate, nil) == 0 else { throw failure() }
    let columns = header.columns.enumerated().map { index, name in
      let quoted = "\"" + name.replacing("\"", with: "\"\"") + "\""
      let kind =
        index == 0 ? "INTEGER PRIMARY KEY" : index == 1 ? "INTEGER" : Self.kind(index, header)
      return "\(quoted) \(kind)"
    }
    // The file is a draft, so a crash needs no journal.
    try execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
    try execute("CREATE TABLE runs (\(columns.joined(separator: ", "))); BEGIN;")
    let marks = header.columns.map { _ in "?" }.joined(separator: ",")
    guard library.prepare(database, "INSERT INTO runs VALUES (\(marks))", -1, &insertion, nil) == 0
    else { throw failure() }
  }

  /// Returns the type of a column: text for the outcome and the message, else numeric where possible.
  private static func kind(_ index: Int, _ header: ShardHeader) -> String {
    let isText = index == header.keys + 2 || index == header.columns.count - 1
    return isText ? "TEXT" : index < header.keys + 2 ? "NUMERIC" : "REAL"
  }

  /// Appends a row.
  ///
  /// - Throws: `Failure` of kind inputOutput.
  func append(_ fields: [String]) throws(Failure) {
    for (index, field) in fields.enumerated() {
      let column = Int32(index + 1)
      let isMeasure = index > keys + 2 && index < fields.count - 1
      let status =
        if index < 2 {
          library.bindInteger(insertion, column, Int64(field) ?? 0)
        } else if isMeasure {
          Double(field).map { library.bindDouble(insertion, column, $0) }
            ?? library.bindNull(insertion, column)
        } else {
          library.bindText(insertion, column, field, -1, Self.transient)
        }
      guard status == 0 else { throw failure() }
    }
    guard library.step(insertion) == Self.done, library.reset(insertion) == 0 else {
      throw failure()
    }
  }

  /// Completes the database and makes it visible under its name.
  ///
  /// - Throws: `Failure` of kind inputOutput.
  func finish() throws(Failure) {
    try execute("COMMIT;")
    close()
    guard rename(draft, path) == 0 else {
      throw Failure(.inputOutput, "\(path): \(String(cString: strerror(errno)))")
    }
    Drafts.unregister(draft)
  }

  private func execute(_ statements: String) throws(Failure) {
    guard library.execute(database, statements, nil, nil, nil) == 0 else { throw failure() }
  }

  private func failure() -> Failure {
    let reason = library.message(database).map { String(cString: $0) } ?? "cannot be written"
    return Failure(.inputOutput, "\(path): \(reason)")
  }

  private func close() {
    if let insertion { _ = library.finalize(insertion) }
    if let database { _ = library.close(database) }
    (insertion, database) = (nil, nil)
  }

  deinit {
    close()
    Drafts.remove(draft)
  }
}
