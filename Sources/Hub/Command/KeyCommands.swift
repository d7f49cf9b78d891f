import ArgumentParser
import HubSettings

/// Prints what the keys of a hub's file mean.
struct ReferenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reference", abstract: "Print every key of a hub's file, as a page in Markdown.",
    discussion: """
      EXAMPLES
        aneroid hub reference
      """)

  func run() throws {
    let output = HubOutput()
    output.put(HubSettings.reference)
    output.flush()
  }
}

/// Prints the schema of a hub's file.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON Schema of a hub's file, for editors.",
    discussion: """
      EXAMPLES
        aneroid hub schema > hub.schema.json

      An editor with the YAML language server finds it by the first line of the file:

        # yaml-language-server: $schema=hub.schema.json
      """)

  func run() throws {
    let output = HubOutput()
    output.put(HubSettings.schema)
    output.flush()
  }
}
