import Parts
package import Schema
package import Support

/// The text of a rig file, from which rigs with other values of its keys can be read.
package struct RigSource: Sendable {
  /// A key to set to another value than that of the file.
  package struct Change: Sendable {
    package let address: KeyAddress
    package let value: DocumentValue

    package init(_ address: KeyAddress, _ value: DocumentValue) {
      self.address = address
      self.value = value
    }

    /// Parses `KEY=VALUE`, such as `buses[0].devices[0].noise=off`; the value is YAML on one line.
    ///
    /// - Throws: `Failure` of kind usage for another form.
    package init(_ text: String) throws(Failure) {
      guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
        throw Failure(
          .usage,
          "--set: '\(text.clipped)' is not KEY=VALUE, such as buses[0].devices[0].noise=off")
      }
      do throws(KeyAddress.FormatError) {
        address = try KeyAddress(String(text[..<mark]))
      } catch {
        throw Failure(.usage, "--set: \(error.message)")
      }
      do throws(DocumentError) {
        value = try DocumentValue(yaml: String(text[text.index(after: mark)...]), file: "--set")
      } catch {
        throw Failure(.usage, "--set \(address.text): \(error.message)")
      }
    }

    /// The change as `KEY=VALUE`.
    package var text: String { "\(address.text)=\(value.yaml)" }
  }

  /// The text of the file.
  package let text: String
  /// The path, for messages and for the folder of referenced files.
  package let file: String
  /// `true` if the rig and the files that it references are built-in.
  package let isBuiltIn: Bool
  /// The document; `nil` until `parse()`.
  private var parsed: DocumentText?

  /// Reads the text of a rig.
  ///
  /// - Parameter path: the path of a file or the name of a built-in rig, with an optional prefix `rig:`.
  /// - Throws: `Failure` if the file cannot be read.
  package init(path: String) throws(Failure) {
    let hasScheme = path.hasPrefix("rig:") && !TextFile.exists(path)
    let word = hasScheme ? String(path.dropFirst(4)) : path
    let input = try NamedInput(word, .rig)
    try self.init(
      TextFile.read(NamedInput.open(input.path), longest: Document.longest), file: word,
      isBuiltIn: input.isBuiltIn)
  }

  package init(_ text: String, file: String, isBuiltIn: Bool = false) {
    (self.text, self.file, self.isBuiltIn) = (text, file, isBuiltIn)
  }

  /// Parses the document, so that reading many rigs from it parses it only once.
  ///
  /// - Throws: `Failure` of kind badRig if the text is not valid YAML.
  package mutating func parse() throws(Failure) {
    do throws(DocumentError) {
      parsed = try DocumentText(text, file: file)
    } catch {
      throw Failure(.badRig, [error])
    }
  }

  /// Returns the document with changes.
  ///
  /// - Throws: `Failure` of kind badRig if the text is not valid YAML, or has no place for a change.
  package func document(_ changes: [Change]) throws(Failure) -> DocumentText {
    var text = self
    if text.parsed == nil { try text.parse() }
    guard var document = text.parsed else { throw Failure(.badRig, "\(file): not parsed") }
    for change in changes {
      do throws(KeyAddress.FormatError) {
        try document.set(change.address, to: change.value)
      } catch {
        throw Failure(.badRig, "\(file): \(error.message)")
      }
    }
    return document
  }

  /// Checks the document with changes against the keys of a rig.
  ///
  /// - Throws: `Failure` of kind badRig if the text is not valid YAML, or not a rig.
  func checked(_ changes: [Change]) throws(Failure) -> (value: CheckedValue, checker: Checker) {
    let parsed = changes.isEmpty ? parsed : try document(changes)
    do throws(DocumentError) {
      guard let parsed else {
        return try Document.read(
          text, file: file, as: RigSchema.rig, named: "the rig", kind: .rig)
      }
      return try Document.read(
        parsed, file: file, as: RigSchema.rig, named: "the rig", kind: .rig)
    } catch {
      throw Failure(.badRig, [error])
    }
  }
}
