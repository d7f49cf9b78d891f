import Files
import Findings
import Glibc
import Quantities
import Schema
import Text
import Warehouse

extension HubSettings {
  /// Which of the things that a file names are looked for when it is read.
  public enum Search: Sendable {
    /// Nothing: who speaks to a hub, or reads what it recorded, needs none of them.
    case nothing
    /// The files that the hub reads.
    case inputs
    /// Also the folders in which it writes, which need not be there before it starts.
    case all
  }

  /// Reads the file of a hub.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - search: what is looked for; what of it cannot be found is a mistake.
  /// - Throws: ``HubSettingsError``, with every mistake and its place.
  public init(path: String, search: Search = .nothing) throws(HubSettingsError) {
    do throws(Failure) {
      let text = try TextFile.read(path, longest: Document.longest)
      try self.init(text: text, file: path, search)
    } catch {
      throw HubSettingsError(description: error.description, status: error.exitStatus)
    }
  }

  private init(text: String, file: String, _ search: Search) throws(Failure) {
    let (value, checker): (CheckedValue, Checker)
    do throws(Mistake) {
      (value, checker) = try Document.read(
        text, file: file, as: HubFileShape.file, named: "the file of a hub")
    } catch {
      throw Failure(.badRig, [error])
    }
    if !checker.mistakes.isEmpty, let family = DocumentFamily(of: text), family != .hub {
      throw Failure(.badRig, [family.refusal("the file of a hub", file: file)])
    }
    var reader = HubFileReader(file: file, checker: checker, search: search)
    let settings = reader.settings(value)
    let found = reader.checker.findings
    guard found.isEmpty else {
      throw Failure(found.count == reader.missing ? .missingInput : .badRig, found)
    }
    self = settings
  }

  /// Whether a file is a rig that is a warehouse, which is run, and not the file of a hub, which is served.
  ///
  /// - Parameter path: the file; one that cannot be read is none, nor is a named pipe, which can be read only once.
  /// - Returns: whether its top level has the key `warehouse`.
  public static func isWarehouseRig(path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let text = try? TextFile.read(path, longest: Document.longest)
    else { return false }
    return DocumentFamily(of: text) == .warehouse
  }
}
