public import ArgumentParser

/// Something of which there are several, each with a name on the command line.
public protocol Named: CaseIterable, Sendable {
  /// The name, as rigs and messages spell it.
  var name: StaticString { get }
}

/// A choice by its name: never by the number that stands for it inside.
public struct NamedChoice<Value: Named>: ExpressibleByArgument {
  /// What is chosen.
  public let value: Value

  /// Creates a choice.
  public init(_ value: Value) { self.value = value }

  /// Finds what a name means.
  public init?(argument: String) {
    guard let value = Value.allCases.first(where: { "\($0.name)" == argument }) else { return nil }
    self.value = value
  }

  /// The names, for help and completions.
  public static var allValueStrings: [String] { Value.allCases.map { "\($0.name)" } }

  /// The names, for the completions of a shell.
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  /// The name for help.
  public var defaultValueDescription: String { "\(value.name)" }
}
