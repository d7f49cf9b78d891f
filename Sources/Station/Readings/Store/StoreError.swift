import GRDB
import Glibc

/// Why a store cannot be used.
package enum StoreError: Error, CustomStringConvertible {
  /// A newer version of the program has changed its tables.
  case newer
  /// It is the database of another program.
  case foreign
  /// Another program writes it.
  case busy
  /// It holds what another station has read.
  case other(StoreOwner, than: StoreOwner)
  /// The system's reason why the file cannot be used.
  case unusable(String)

  package var description: String {
    switch self {
    case .newer: "a newer aneroid-station has written it; use that one, or another file"
    case .foreign: "it is another program's database; name another file, which is made if need be"
    case .busy: "another aneroid-station is writing it; end that one, or use another file"
    case .other(let known, let new):
      "it holds \(known), and this station has \(new); use another file, or say --adopt-store if they "
        + "are the same station's all the same"
    case .unusable(let reason): reason
    }
  }

  /// What an error says of the store to the one who named it; `nil` for an error of something else.
  package static func words(for error: any Error) -> String? {
    if let error = error as? StoreError { return error.description }
    guard let error = error as? DatabaseError else { return nil }
    switch error.resultCode {
    case .SQLITE_NOTADB:
      return "it is no database of SQLite; name another file, which is made if need be"
    case .SQLITE_CORRUPT:
      return "it is damaged; keep a copy, and begin anew with another file"
    case .SQLITE_FULL: return "its disk is full; make room, or name a file on another one"
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
      return "it cannot be written; let this user write it and its folder, or name another file"
    default: return error.message ?? "\(error.resultCode)"
    }
  }

  /// What is wrong with a file that cannot be opened, and what to try.
  ///
  /// - Parameter number: the system's reason.
  /// - Returns: the error.
  static func unopened(_ number: CInt) -> StoreError {
    switch number {
    case ENOENT: .unusable("there is no such folder; make it, or name a file in another one")
    case EISDIR: .unusable("it is a folder; name a file in it")
    case EACCES, EROFS, EPERM:
      .unusable("it cannot be written; let this user write it and its folder, or name another file")
    default: .unusable(String(cString: strerror(number)))
    }
  }
}
