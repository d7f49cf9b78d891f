/// What is wrong with an image, without the name of its file.
struct ImageProblem: Error, Hashable {
  let message: String

  init(_ message: String) { self.message = message }
}
