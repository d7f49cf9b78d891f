import CInterposer
import Glibc

/// The files that clients hold as open nodes, made when somebody first opens one.
///
/// All nodes of a bus are one inode of a file system that this process serves, or of a folder where that
/// is not possible: the kernel itself knows their copies, flags and locks.
final class NodeFiles {
  /// What happened to a node without a call that a filter has seen.
  enum Event {
    /// A read of some bytes waits.
    case read(Request, count: Int)
    /// A write of some bytes waits.
    case write(Request, [UInt8])
    case opened(file: UInt64)
    case closed(file: UInt64)
    /// A write has been lost.
    case lost(file: UInt64)
  }

  /// A read or a write that waits for its answer.
  struct Request {
    fileprivate let event: interposer_event
    /// The open file.
    var file: UInt64 { event.file }
  }

  private let files: OpaquePointer
  private var lastFile: UInt64 = 0

  /// Whether reads and writes arrive under any number and by any call.
  let isServed: Bool

  /// Creates the files; nothing, and the errno, where that is not possible.
  init?(_ errno: inout Int32) {
    guard let files = interposer_files_create(&errno) else { return nil }
    self.files = files
    isServed = interposer_files_serve(files)
  }

  deinit { interposer_files_destroy(files) }

  /// The folder in which they lie, -1 where they are served.
  var folder: Int32 { interposer_files_folder(files) }

  /// Becomes readable with events.
  var descriptor: Int32 { interposer_files_descriptor(files) }

  /// Whether nobody waits for an answer.
  var isIdle: Bool { interposer_files_idle(files) }

  /// A number for an open file.
  func number() -> UInt64 {
    lastFile += 1
    return lastFile
  }

  /// Opens a node under the number of an open file; a descriptor, or -errno.
  func open(bus: Int, file: UInt64, flags: Int32) -> Int32 {
    interposer_files_open(files, UInt32(bus), file, flags)
  }

  /// The oldest event, or `nil`.
  func next() -> Event? {
    var event = interposer_event()
    var isThere = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(INTERPOSER_NODE_BYTES)) {
      isThere = interposer_files_next(files, &event, $0.baseAddress)
      $1 = isThere && event.kind == INTERPOSER_NODE_WRITE ? Int(event.count) : 0
    }
    guard isThere else { return nil }
    return switch event.kind {
    case INTERPOSER_NODE_READ: .read(Request(event: event), count: Int(event.count))
    case INTERPOSER_NODE_WRITE: .write(Request(event: event), bytes)
    case INTERPOSER_NODE_OPENED: .opened(file: event.file)
    case INTERPOSER_NODE_CLOSED: .closed(file: event.file)
    default: .lost(file: event.file)
    }
  }

  /// Answers a read with bytes, safe on any thread.
  func answer(_ request: Request, _ bytes: [UInt8]) { give(request, bytes, bytes.count, 0) }

  /// Answers a write with the number of its bytes, safe on any thread.
  func answer(_ request: Request, count: Int) { give(request, [], count, 0) }

  /// Answers with an errno, safe on any thread.
  func answer(_ request: Request, errno: Int32) { give(request, [], 0, errno) }

  private func give(_ request: Request, _ bytes: [UInt8], _ count: Int, _ errno: Int32) {
    withUnsafePointer(to: request.event) { event in
      bytes.withUnsafeBytes {
        interposer_files_reply(files, event, $0.baseAddress, count, errno)
      }
    }
  }
}
