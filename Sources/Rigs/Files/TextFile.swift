import Foundation

/// Reads whole files, with failures that name them.
package enum TextFile {
  /// The text of a file.
  ///
  /// - Throws: `BenchFailure`: missing input, not readable, or not UTF-8.
  package static func read(_ path: String) throws(BenchFailure) -> String {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw BenchFailure(.badContent, "\(path): the file is not UTF-8 text")
    }
    return text
  }

  /// The bytes of a file.
  ///
  /// - Throws: `BenchFailure`: missing input or not readable.
  static func bytes(_ path: String) throws(BenchFailure) -> Data {
    do {
      return try Data(contentsOf: URL(filePath: path))
    } catch {
      let reason = Self.reason(error)
      if reason.isMissing {
        throw BenchFailure(.missingInput, "\(path): no such file")
      }
      throw BenchFailure(.inputOutput, "\(path): cannot be read: \(reason.text)")
    }
  }

  /// A path that stands in a file, relative to the folder of that file.
  static func resolve(_ path: String, beside file: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    let folder = (file as NSString).deletingLastPathComponent
    return folder.isEmpty ? path : (folder as NSString).appendingPathComponent(path)
  }

  private static func reason(_ error: any Error) -> (isMissing: Bool, text: String) {
    let error = error as NSError
    let missing = [NSFileReadNoSuchFileError, NSFileNoSuchFileError].contains(error.code)
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    return (missing, underlying?.localizedDescription ?? error.localizedDescription)
  }
}
