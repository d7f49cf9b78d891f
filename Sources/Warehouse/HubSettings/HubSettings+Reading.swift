import Files
import Findings
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
    guard checker.findings.isEmpty else { throw Failure(.badRig, checker.findings) }
    var reader = HubFileReader(file: file)
    let settings = reader.settings(value)
    let more = settings.policy.mistakes.map { message in
      Mistake(file: file, position: value.position, message: message)
    }
    guard (reader.mistakes + more).isEmpty else {
      throw Failure(.badRig, reader.mistakes + more)
    }
    self = settings
  }
}
