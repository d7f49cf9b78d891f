import CInterposer
import Glibc
import I2C

/// The files behind the /dev/i2c-N nodes that clients have open; created when the first node is opened.
///
/// All open nodes of a bus share one inode: in a FUSE file system that this process serves or, where FUSE is
/// unavailable, in a temporary directory. The kernel therefore handles copies, flags and locks.
final class NodeFiles {
  /// An event of an open node that arrives through its file, not through the seccomp filter.
  enum Event {
    /// A pending read of `count` bytes.
    case read(Request, count: Int)
    /// A pending write.
    case write(Request, [UInt8])
    case opened(file: UInt64)
    case closed(file: UInt64)
    /// A write that did not reach the bus.
    case lost(file: UInt64)
  }

  /// A read or write that waits for its answer.
  struct Request {
    fileprivate let event: interposer_event
    /// The number of the open file.
    var file: UInt64 { event.file }
  }

  private let files: OpaquePointer
  private var lastFile: UInt64 = 0

  /// `true` with FUSE, through which reads and writes arrive whatever the descriptor number and the system call are.
  let isServed: Bool

  /// Creates the files; returns `nil` and sets the errno if that fails.
  init?(_ errno: inout Int32) {
    guard let files = interposer_files_create(&errno) else { return nil }
    self.files = files
    isServed = interposer_files_serve(files)
  }

  deinit { interposer_files_destroy(files) }

  /// The descriptor of the temporary directory; -1 with FUSE.
  var folder: Int32 { interposer_files_directory(files) }

  /// A descriptor that is readable when events are pending.
  var descriptor: Int32 { interposer_files_descriptor(files) }

  /// `true` if no read or write waits for an answer.
  var isIdle: Bool { interposer_files_idle(files) }

  /// Returns a new file number.
  func number() -> UInt64 {
    lastFile += 1
    return lastFile
  }

  /// Opens a node with a file number.
  ///
  /// - Returns: the descriptor, or -errno.
  func open(bus: Int, file: UInt64, flags: Int32) -> Int32 {
    interposer_files_open(files, UInt32(bus), file, flags)
  }

  /// Returns the oldest event, or `nil`.
  func next() -> Event? {
    var event = interposer_event()
    var exists = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(INTERPOSER_NODE_BYTES)) {
      exists = interposer_files_next(files, &event, $0.baseAddress)
      $1 = exists && event.kind == INTERPOSER_NODE_WRITE ? Int(event.count) : 0
    }
    guard exists else { return nil }
    return switch event.kind {
    case INTERPOSER_NODE_READ: .read(Request(event: event), count: Int(event.count))
    case INTERPOSER_NODE_WRITE: .write(Request(event: event), bytes)
    case INTERPOSER_NODE_OPENED: .opened(file: event.file)
    case INTERPOSER_NODE_CLOSED: .closed(file: event.file)
    default: .lost(file: event.file)
    }
  }

  /// Answers a read with bytes.
  ///
  /// Thread-safe.
  func answer(_ request: Request, _ bytes: [UInt8]) { reply(request, bytes, bytes.count, 0) }

  /// Answers a write with the number of written bytes.
  ///
  /// Thread-safe.
  func answer(_ request: Request, count: Int) { reply(request, [], count, 0) }

  /// Answers with an errno.
  ///
  /// Thread-safe.
  func answer(_ request: Request, errno: Int32) { reply(request, [], 0, errno) }

  private func reply(_ request: Request, _ bytes: [UInt8], _ count: Int, _ errno: Int32) {
    withUnsafePointer(to: request.event) { event in
      bytes.withUnsafeBytes {
        interposer_files_reply(files, event, $0.baseAddress, count, errno)
      }
    }
  }
}

/// The changeable metadata of a node: owner, mode and times.
struct NodeMetadata {
  var mode: UInt32 = 0o660
  var user = UInt32(geteuid())
  var group = UInt32(getegid())
  /// The access, modification and change times, in nanoseconds since 1970.
  var times: (read: Int64, written: Int64, changed: Int64)
  /// `true` after a client has set the mode or owner; until then every client may use the node.
  var hasRestrictedAccess = false

  init(moment: Int64) { times = (moment, moment, moment) }

  /// Returns `true` if a client may read (4) or write (2) the node, by Linux's rules.
  func allows(_ access: UInt32, _ client: interposer_credentials) -> Bool {
    guard hasRestrictedAccess, !client.may(.overrideAccess) else { return true }
    let bits =
      client.user == user ? mode >> 6 : client.isIn(group: group) ? mode >> 3 : mode
    return access & bits == access
  }
}

extension interposer_credentials {
  /// The Linux capabilities that are checked, by number.
  enum Capability: UInt64 {
    case changeOwner = 0
    case overrideAccess = 1
    case actAsOwner = 3
    case administer = 21
    case makeNodes = 27
  }

  /// Returns `true` if the client has a capability.
  func may(_ capability: Capability) -> Bool { capabilities >> capability.rawValue & 1 == 1 }

  /// Returns `true` if the client is a member of a group.
  func isIn(group wanted: UInt32) -> Bool {
    if group == wanted { return true }
    return withUnsafeBytes(of: groups) {
      $0.bindMemory(to: UInt32.self).prefix(Int(group_count)).contains(wanted)
    }
  }
}

/// The data of a read or write through FUSE, addressed from 0.
final class RequestMemory: I2CCallerMemory {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isWaiting: Bool { true }

  func read(
    _ address: UInt64, count: Int, into target: inout MutableSpan<UInt8>, at offset: Int
  ) -> Bool {
    guard address <= UInt64(bytes.count), count <= bytes.count - Int(address) else { return false }
    for index in 0..<count { target[offset + index] = bytes[Int(address) + index] }
    return true
  }

  func write(_ source: Span<UInt8>, to address: UInt64) -> Bool {
    guard address <= UInt64(bytes.count), source.count <= bytes.count - Int(address) else {
      return false
    }
    for index in source.indices { bytes[Int(address) + index] = source[index] }
    return true
  }
}
