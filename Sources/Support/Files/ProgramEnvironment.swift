import Glibc

/// The variables of the environment that this program was given.
package enum ProgramEnvironment {
  /// The value of a variable; nothing where it is not set.
  package static subscript(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// All variables; of one that is there twice the first, as the C library has it.
  package static var variables: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil {
        variables[String(parts[0])] = String(parts[1])
      }
      next += 1
    }
    return variables
  }

  /// How many processors this machine has at work.
  package static var processors: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
}
