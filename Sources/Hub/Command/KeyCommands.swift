import ArgumentParser
import HubSettings
import WarehouseRuns

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

/// Prints the schema of a hub's file, or of a rig that is a warehouse.
struct SchemaCommand: ParsableCommand {
  /// The files that have a schema.
  enum Document: String, CaseIterable, ExpressibleByArgument {
    case hub, warehouse
  }

  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of a hub's file or of a warehouse's rig, for editors.",
    discussion: """
      EXAMPLES
        aneroid hub schema > hub.schema.json
        aneroid hub schema --for warehouse > warehouse.schema.json

      An editor with the YAML language server finds it by the first line of the file:

        # yaml-language-server: $schema=hub.schema.json
      """)

  @Option(
    name: .customLong("for"),
    help: "hub: the file of 'aneroid hub serve'; warehouse: a rig with the key 'warehouse'.")
  var document = Document.hub

  func run() throws {
    let output = HubOutput()
    output.put(document == .hub ? HubSettings.schema : WarehouseProgram.schema)
    output.flush()
  }
}
