/// Which system calls of a client the supervisor is asked about.
public enum InterposerMode: String, Hashable, Sendable, CaseIterable {
  /// All that name a path: nodes can be found, listed and asked about; each costs some microseconds.
  case full
  /// Only opens for reading and writing: enough for programs that know the number of their bus.
  case fast
}
