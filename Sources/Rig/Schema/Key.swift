import Support

/// A key of a file, declared once: its name, its values, its meaning, and the property of `Value` that it sets.
///
/// The check of files, the JSON Schema, the reference page, the printed default and the assignment to the property are
/// all derived from this declaration.
package struct Key<Value: Sendable>: Sendable {
  /// The key without its default.
  private var field: Section.Field
  /// Returns the text of the default of the key in a value; `nil` if the key has none.
  private let standard: (@Sendable (Value) -> String?)?
  /// Sets the property from the value of the key in a file.
  private let assign: @Sendable (inout Value, CheckedValue, inout Checker) -> Void

  /// Declares an optional key whose default is the value of the property.
  ///
  /// - Parameters:
  ///   - name: the key.
  ///   - path: the property that it sets.
  ///   - format: the values of the key.
  ///   - summary: the meaning of the key, without the default.
  ///   - usual: the text of the default. Default: the value of the property, in the format of the key.
  package init<Property: Sendable>(
    _ name: String,
    _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Value, Property> & Sendable,
    _ format: KeyFormat<Property>, _ summary: String, default usual: KeyDefault = .value
  ) {
    field = .optional(name, format.shape, summary)
    standard = { value in
      switch usual {
      case .value: format.defaultText(value[keyPath: path()])
      case .remarked(let remark): format.defaultText(value[keyPath: path()]).map { $0 + remark }
      case .text(let text): text
      case .none: nil
      }
    }
    assign = { value, given, checker in
      let path = path()
      if let property = format.convert(given, value[keyPath: path], &checker) {
        value[keyPath: path] = property
      }
    }
  }

  /// Declares an optional key for a property that is `nil` by default.
  ///
  /// - Parameters:
  ///   - name: the key.
  ///   - path: the property that it sets.
  ///   - format: the values of the key.
  ///   - summary: the meaning of the key, without the default.
  ///   - absence: the text of the default, which describes what happens without the key; `nil` for none.
  package init<Property: Sendable>(
    _ name: String,
    _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Value, Property?> & Sendable,
    _ format: KeyFormat<Property>, _ summary: String, absent absence: String?
  ) {
    field = .optional(name, format.shape, summary)
    standard = { _ in absence }
    assign = { value, given, checker in
      let path = path()
      if let property = format.convert(given, value[keyPath: path], &checker) {
        value[keyPath: path] = property
      }
    }
  }

  /// Declares a required key.
  package static func required<Property: Sendable>(
    _ name: String,
    _ path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Value, Property> & Sendable,
    _ format: KeyFormat<Property>, _ summary: String
  ) -> Key {
    var key = Key(name, path(), format, summary)
    key.field = .required(name, format.shape, summary)
    return key
  }

  /// Declares an optional key that sets several properties.
  ///
  /// - Parameters:
  ///   - name: the key.
  ///   - format: the values of the key.
  ///   - summary: the meaning of the key, without the default.
  ///   - absence: the text of the default, which describes what happens without the key; `nil` for none.
  ///   - set: sets the properties.
  package init<Property: Sendable>(
    _ name: String, _ format: KeyFormat<Property>, _ summary: String, absent absence: String?,
    set: @escaping @Sendable (inout Value, Property) -> Void
  ) {
    field = .optional(name, format.shape, summary)
    standard = { _ in absence }
    assign = { value, given, checker in
      if let property = format.convert(given, nil, &checker) { set(&value, property) }
    }
  }

  /// Declares an optional key whose value is read and set by closures.
  ///
  /// - Parameters:
  ///   - name: the key.
  ///   - format: the values of the key.
  ///   - summary: the meaning of the key, without the default.
  ///   - get: returns the property, whose text is the default.
  ///   - set: sets the property.
  package init<Property: Sendable>(
    _ name: String, _ format: KeyFormat<Property>, _ summary: String,
    get: @escaping @Sendable (Value) -> Property,
    set: @escaping @Sendable (inout Value, Property) -> Void
  ) {
    field = .optional(name, format.shape, summary)
    standard = { format.defaultText(get($0)) }
    assign = { value, given, checker in
      if let property = format.convert(given, get(value), &checker) { set(&value, property) }
    }
  }

  /// Declares a key that sets no property: the reader of the file uses its value.
  package init(_ field: Section.Field) {
    self.field = field
    standard = nil
    assign = { _, _, _ in }
  }

  /// The name of the key.
  package var name: String { field.name }

  /// Returns the key for a value that contains this one at a path.
  ///
  /// - Parameters:
  ///   - path: the path of the value.
  ///   - usual: the text of the default; `nil` for that of this key.
  /// - Returns: the key.
  fileprivate func moved<Outer: Sendable>(
    to path: @escaping @Sendable () -> any WritableKeyPath<Outer, Value> & Sendable,
    default usual: String?
  ) -> Key<Outer> {
    var text: (@Sendable (Outer) -> String?)?
    if let standard { text = { outer in usual ?? standard(outer[keyPath: path()]) } }
    let assign = assign
    return Key<Outer>(field: field, standard: text) { outer, given, checker in
      let path = path()
      assign(&outer[keyPath: path], given, &checker)
    }
  }

  fileprivate init(
    field: Section.Field, standard: (@Sendable (Value) -> String?)?,
    assign: @escaping @Sendable (inout Value, CheckedValue, inout Checker) -> Void
  ) {
    (self.field, self.standard, self.assign) = (field, standard, assign)
  }

  /// Returns the field that describes the key, with its default in the value that `make` creates.
  fileprivate func field(in make: @escaping @Sendable () -> Value) -> Section.Field {
    guard let standard, !field.isRequired else { return field }
    return field.describing { standard(make()) }
  }

  /// Sets the property from the value of the key in a file.
  fileprivate func set(_ value: inout Value, to given: CheckedValue, _ checker: inout Checker) {
    assign(&value, given, &checker)
  }
}

extension Key {
  /// Adds an example value, on one line.
  package func example(_ text: String) -> Key { changing { $0.example(text) } }

  /// Adds common wrong names; the error for a wrong name suggests this key.
  package func alsoSpelled(_ words: String...) -> Key { changing { $0.alsoSpelled(words) } }

  private func changing(_ change: (Section.Field) -> Section.Field) -> Key {
    var key = self
    key.field = change(field)
    return key
  }
}

/// The text of the default of a key in the reference and the schema.
package enum KeyDefault: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// The value of the property, in the format of the key.
  case value
  /// The value of the property, followed by a text.
  case remarked(String)
  /// A text, for a default that is more than one value.
  case text(String)
  /// No text, because the meaning of the key says it.
  case none

  package init(stringLiteral text: String) { self = .text(text) }
}

/// The keys of a group of values in a file, and the value that they set.
package struct KeyGroup<Value: Sendable>: Sendable {
  /// The description of the group, from which the check, the schema and the reference are derived.
  package let section: Section
  private let keys: LazyList<Key<Value>>
  private let makeStandard: @Sendable () -> Value

  /// Declares a group.
  ///
  /// - Parameters:
  ///   - summary: the description of the group.
  ///   - standard: the value without any key, which has the defaults.
  ///   - alternatives: names of keys, at least one of which must be given. Default: none.
  ///   - example: an example in YAML on one line. Default: derived from the keys.
  ///   - keys: the keys in the order of the documentation, which is also the order in which they are read; created on
  ///     first use.
  package init(
    _ summary: String, _ standard: @autoclosure @escaping @Sendable () -> Value,
    needing alternatives: [String] = [], example: String? = nil,
    _ keys: @escaping @Sendable () -> [Key<Value>]
  ) {
    let list = LazyList(keys)
    self.keys = list
    makeStandard = standard
    var section = Section(
      summary,
      list.elements.map { $0.field(in: standard) })
    section.alternatives = alternatives
    section.example = example
    self.section = section
  }

  /// The fields of the group, to combine with those of others.
  package var fields: [Section.Field] { section.fields }

  /// Returns the keys of the group for a value that contains the group's value, to declare them next to other keys.
  ///
  /// - Parameters:
  ///   - path: the path of the group's value.
  ///   - usual: the text of each default. Default: that of the key in the group.
  /// - Returns: the keys.
  package func keys<Outer: Sendable>(
    in path: @autoclosure @escaping @Sendable () -> any WritableKeyPath<Outer, Value> & Sendable,
    default usual: String? = nil
  ) -> [Key<Outer>] {
    keys.elements.map { $0.moved(to: path, default: usual) }
  }

  /// The value without any key.
  package var standard: Value { makeStandard() }

  /// Sets the properties of a value from the keys that a file gives.
  ///
  /// - Parameters:
  ///   - given: the group in the file; `nil` changes nothing.
  ///   - value: the value, which keeps the properties whose keys are missing or invalid.
  ///   - checker: collects the errors that only the format of a key detects.
  package func read(_ given: CheckedValue?, into value: inout Value, _ checker: inout Checker) {
    guard let given else { return }
    for key in keys.elements {
      if let property = given[key.name] { key.set(&value, to: property, &checker) }
    }
  }

  /// Returns the value that the keys of a file set, starting from the defaults; `nil`, with the errors noted, if the
  /// format of a key does not accept its value.
  package func value(_ given: CheckedValue?, _ checker: inout Checker) -> Value? {
    let before = checker.count
    var value = standard
    read(given, into: &value, &checker)
    return checker.count == before ? value : nil
  }
}

/// The reference for the keys of a kind of file, generated from the schema that checks such files.
package struct KeyReference {
  /// The heading of the outermost group of keys.
  private let root: String
  /// Returns an example of a key with its value, on one line; the key is given by the heading of
  /// its group and its name.
  private let example: (_ heading: String, _ key: String) -> String?
  /// Returns an example of a group, in YAML.
  private let file: (_ heading: String, _ section: Section) -> String?

  package init(
    root: String, example: @escaping (_ heading: String, _ key: String) -> String?,
    file: @escaping (_ heading: String, _ section: Section) -> String?
  ) {
    (self.root, self.example, self.file) = (root, example, file)
  }

  /// Returns the lines of a Markdown page with a section for each group of keys.
  package func lines(_ section: Section) -> [String] {
    var lines: [String] = []
    describe(root, section, in: &lines)
    lines.removeLast()
    return lines
  }

  /// Writes the description of a section, followed by those of the sections nested in its values.
  private func describe(_ title: String, _ section: Section, in lines: inout [String]) {
    lines += ["## \(title)", "", section.summary]
    if section.isChoice { lines[lines.count - 1] += " Exactly one of these must be given." }
    let rows = section.fields.map { field in
      let mark = field.isRequired ? "*required*: " : ""
      let noun = field.describedAt.map { "keys as in \($0)" } ?? Self.noun(field.shape)
      let given = self.example(title, field.name) ?? field.example.map { "\(field.name): \($0)" }
      let example = given.map { "`\($0)`" } ?? ""
      return ["`\(field.name)`", noun, mark + field.summary, example]
    }
    lines += [""] + MarkdownTable(["key", "value", "meaning", "example"], rows).lines + [""]
    if let example = file(title, section) {
      lines += ["```yaml", example, "```", ""]
    }
    for field in section.fields where field.describedAt == nil {
      let inner = title == root ? field.name : "\(title): \(field.name)"
      describe(inner, field.shape, in: &lines)
    }
  }

  private func describe(_ title: String, _ shape: Shape, in lines: inout [String]) {
    switch shape {
    case .section(let section): describe(title, section, in: &lines)
    case .list(let element), .listOrNone(let element): describe(title, element, in: &lines)
    case .either(let shapes): for shape in shapes { describe(title, shape, in: &lines) }
    case .variants(let discriminator, let sections):
      for words in Section.alike(sections) {
        guard let section = sections[words[0]] else { continue }
        describe(
          "\(title), \(discriminator): \(words.joined(separator: ", "))",
          section.variant(words, of: discriminator), in: &lines)
      }
    default: break
    }
  }

  /// Returns a noun for a shape that is short enough for a table.
  private static func noun(_ shape: Shape) -> String {
    switch shape {
    case .list(let element): "a list of \(plural(element))"
    case .listOrNone(let element): "a list of \(plural(element)), or `[]`"
    case .variants(let discriminator, _): "keys that depend on `\(discriminator)`"
    case .section: "keys"
    case .either(let shapes): shapes.map(noun).joined(separator: " or ")
    case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    default: shape.noun
    }
  }

  private static func plural(_ shape: Shape) -> String {
    switch shape {
    case .text: "texts"
    case .address: "addresses"
    case .word(let words): "words (\(words.joined(separator: ", ")))"
    case .either(let shapes): "values, each \(shapes.map(noun).joined(separator: " or "))"
    case .section, .variants, .list, .listOrNone: "groups of keys"
    default: "values, each \(shape.noun)"
    }
  }
}
