import Glibc

/// Runs work on a stack of a known size, whatever stack the caller was given.
package enum KnownStack {
  /// The size in bytes; memory is taken only as far as it is used.
  private static let size = 16 << 20

  /// The work, for a thread of its own.
  private final class Work {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Runs the work and waits for its end; `false` where the system has no memory for a stack.
  package static func run(_ body: () -> Void) -> Bool {
    withoutActuallyEscaping(body) { body in
      let work = Unmanaged.passRetained(Work(body))
      var thread: pthread_t = 0
      let failure = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) {
        attributes in
        guard let attributes = attributes.baseAddress else { return ENOMEM }
        pthread_attr_init(attributes)
        defer { pthread_attr_destroy(attributes) }
        pthread_attr_setstacksize(attributes, size)
        return pthread_create(
          &thread, attributes,
          { work in
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
            return nil
          }, work.toOpaque())
      }
      guard failure == 0 else {
        work.release()
        return false
      }
      pthread_join(thread, nil)
      return true
    }
  }
}
