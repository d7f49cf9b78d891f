import Text

/// The page of the documentation that tells all events and their fields, made of the table of events.
package enum EventPage {
  /// The page, in Markdown.
  package static var text: String {
    let kinds = RunEvent.Kind.allCases
    return """
      # Events

      What `aneroid run --format jsonl` and `aneroid exec --events FILE` tell, one object a line, in order of `t`.

      ## Overview

      Units stand in the names of the fields; numbers are the shortest decimals that read back equal. A field without a
      value is left out. Kinds of events and fields may be added; none is ever renamed. `aneroid run --format json` has one
      object with the same events in arrays.

      <!-- Made by 'aneroid rig reference --events'. -->

      \(kinds.map(section).joined(separator: "\n"))
      """
  }

  private static func section(_ kind: RunEvent.Kind) -> String {
    let place = kind.array.map { "; `\($0)` in JSON" } ?? ""
    let table = MarkdownTable(
      ["field", "meaning"], kind.fields.map { ["`\($0.name)`", $0.meaning] })
    return """
      ### \(kind.rawValue)

      Told \(kind.occasion)\(place).

      \(table.lines.joined(separator: "\n"))

      """
  }
}
