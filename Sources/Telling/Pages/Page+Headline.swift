import Text

extension Page {
  /// What a crew must know first: where the leak is, and whether to leave.
  var headline: String {
    var sentences: [String] = []
    if let module = record.leaking.first {
      sentences.append(
        record.leaking.count == 1
          ? "The leak is in \(module)."
          : "The leak is in one of \(record.leaking.joined(separator: ", ")).")
    }
    if let haven = record.haven {
      sentences.append("The safe haven was called at \(clock(Double(haven) / 1e9)).")
    }
    guard !sentences.isEmpty else { return "" }
    return "<p class=\"headline bad\">\(XML.escaped(sentences.joined(separator: " ")))</p>\n"
  }
}
