extension Collection where Element == String {
  /// The words with commas between them, of many the first few and how many there are more.
  package var shortened: String {
    let most = 12
    let text = prefix(most).joined(separator: ", ")
    return count <= most ? text : "\(text) and \(count - most) more"
  }
}
