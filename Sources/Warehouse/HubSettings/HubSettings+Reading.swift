import Files
import Findings
import Glibc
import Quantities
import Schema
import Text
import Warehouse

extension HubSettings {
  /// Reads the file of a hub.
  ///
  /// - Throws: ``HubSettingsError``, with every mistake and its place.
  public init(path: String) throws(HubSettingsError) {
    do throws(Failure) {
      let text = try TextFile.read(path, longest: Document.longest)
      try self.init(text: text, file: path)
    } catch {
      throw HubSettingsError(description: error.description, status: error.exitStatus)
    }
  }

  private init(text: String, file: String) throws(Failure) {
    let (value, checker): (CheckedValue, Checker)
    do throws(Mistake) {
      (value, checker) = try Document.read(
        text, file: file, as: HubFileShape.file, named: "the file of a hub")
    } catch {
      throw Failure(.badRig, [error])
    }
    guard checker.findings.isEmpty else {
      if let family = DocumentFamily(of: text), family != .hub {
        throw Failure(.badRig, [family.refusal("the file of a hub", file: file)])
      }
      throw Failure(.badRig, checker.findings)
    }
    var reader = HubFileReader(file: file)
    let settings = reader.settings(value)
    guard reader.mistakes.isEmpty else { throw Failure(.badRig, reader.mistakes) }
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
