import Foundation
import TestSupport
import Testing

/// Every call on a node, compared with the result of Linux for a character device.
///
/// The rows are those of the table in the documentation.
struct ExecCallTests {
  /// A call as a Python expression, with `f` for the descriptor of the device and `p` for its path.
  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let call: String
    /// The reference device of Linux; a terminal also has no file offsets.
    var model = "/dev/null"
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "open for reading and writing", call: "kept(os.open(p, os.O_RDWR))"),
    Row(name: "open with O_CREAT", call: "kept(os.open(p, os.O_RDWR | os.O_CREAT | os.O_TRUNC))"),
    Row(
      name: "open with O_CREAT and O_EXCL", call: "os.open(p, os.O_RDWR | os.O_CREAT | os.O_EXCL)"),
    Row(name: "open with O_DIRECTORY", call: "os.open(p, os.O_RDONLY | os.O_DIRECTORY)"),
    Row(name: "open with a slash behind", call: "os.open(p + '/', os.O_RDWR)"),
    Row(name: "open with O_PATH", call: "os.read(os.open(p, os.O_PATH), 1)"),
    Row(
      name: "open with O_PATH, then fstat",
      call: "stat.S_IFMT(os.fstat(os.open(p, os.O_PATH)).st_mode)"),
    Row(name: "read of one opened for writing", call: "os.read(os.open(p, os.O_WRONLY), 1)"),
    Row(name: "write of one opened for reading", call: "os.write(os.open(p, os.O_RDONLY), b'x')"),
    Row(name: "fstat", call: "stat.S_IFMT(os.fstat(f).st_mode)"),
    Row(name: "lseek", call: "os.lseek(f, 0, os.SEEK_CUR)", model: "terminal"),
    Row(name: "F_GETFL", call: "flags(os.open(p, os.O_RDWR | os.O_NONBLOCK))"),
    Row(name: "F_GETFL of one opened for reading", call: "flags(os.open(p, os.O_RDONLY))"),
    Row(name: "F_SETFL", call: "fcntl.fcntl(f, fcntl.F_SETFL, os.O_NONBLOCK), flags(f)"),
    Row(name: "F_GETFD", call: "fcntl.fcntl(f, fcntl.F_GETFD)"),
    Row(name: "dup", call: "flags(os.dup(f))"),
    Row(name: "dup2", call: "fcntl.fcntl(os.dup2(f, 50), fcntl.F_GETFD)"),
    Row(name: "F_DUPFD", call: "fcntl.fcntl(f, fcntl.F_DUPFD, 200)"),
    Row(name: "FIOCLEX", call: "fcntl.ioctl(f, 0x5451), fcntl.fcntl(f, fcntl.F_GETFD)"),
    Row(name: "TCGETS", call: "fcntl.ioctl(f, 0x5401, bytes(64))"),
    Row(name: "FIONREAD", call: "fcntl.ioctl(f, 0x541B, bytes(4))"),
    Row(name: "fsync", call: "os.fsync(f)"),
    Row(name: "fdatasync", call: "os.fdatasync(f)"),
    Row(name: "ftruncate", call: "os.ftruncate(f, 0)"),
    Row(name: "fallocate", call: "os.posix_fallocate(f, 0, 1)"),
    Row(name: "mmap shared", call: "mmap.mmap(f, 4096)"),
    Row(name: "mmap private", call: "mmap.mmap(f, 4096, mmap.MAP_PRIVATE)"),
    Row(name: "sendfile from it", call: "os.sendfile(pipe[1], f, None, 1)"),
    Row(name: "splice from it", call: "os.splice(f, pipe[1], 1)"),
    Row(name: "copy_file_range", call: "os.copy_file_range(f, plain, 1)"),
    Row(name: "epoll_ctl, to add it", call: "select.epoll().register(f, select.EPOLLIN)"),
    Row(name: "epoll_ctl, to change it", call: "select.epoll().modify(f, select.EPOLLIN)"),
    Row(name: "poll", call: "polled(f)"),
    Row(name: "select", call: "[len(each) for each in select.select([f], [f], [], 0)]"),
    Row(name: "getsockopt", call: "socket.socket(fileno=f).getsockopt(1, 3)"),
    Row(name: "send", call: "libc.send(f, b'x', 1, 0)"),
    Row(name: "recv", call: "libc.recv(f, bytes(1), 1, 0)"),
    Row(name: "getdents64", call: "os.listdir(f)"),
    Row(name: "fchdir", call: "os.fchdir(f)"),
    Row(name: "openat below it", call: "os.open('x', os.O_RDONLY, dir_fd=f)"),
    Row(name: "flock", call: "fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)"),
    Row(name: "isatty", call: "os.isatty(f)"),
  ]

  private static let program = """
    import ctypes, errno, fcntl, mmap, os, select, socket, stat, sys
    class libc:
        library = ctypes.CDLL(None, use_errno=True)
        def __getattr__(self, name):
            def call(*arguments):
                if getattr(libc.library, name)(*arguments) < 0: raise OSError(ctypes.get_errno(), '')
            return call
    libc = libc()
    path = {'terminal': lambda: os.ttyname(os.openpty()[1])}
    p = path.get(sys.argv[1], lambda: sys.argv[1])()
    def flags(f): return hex(fcntl.fcntl(f, fcntl.F_GETFL))
    def kept(f): return f > 2
    def polled(f):
        poll = select.poll(); poll.register(f, select.POLLIN | select.POLLOUT)
        return [event for _, event in poll.poll(0)]
    pipe = os.pipe(); plain = os.open('/dev/shm', os.O_TMPFILE | os.O_RDWR)
    for line in sys.argv[2:]:
        name, call = line.split('=', 1)
        f = os.open(p, os.O_RDWR | os.O_NOCTTY)
        try: answer = eval(call)
        except OSError as error: answer = errno.errorcode.get(error.errno, error)
        print(name, answer, sep='=', flush=True)
        try: os.close(f)
        except OSError: pass
    """

  private static func answers(_ output: String) -> [String: String] {
    Dictionary(
      output.split(separator: "\n").compactMap { line in
        line.firstIndex(of: "=").map {
          (String(line[..<$0]), String(line[line.index(after: $0)...]))
        }
      }, uniquingKeysWith: { _, last in last })
  }

  private static let lines = rows.map { "\($0.name)=\($0.call)" }
  /// The results of Linux for each reference device.
  private static let linux: [String: [String: String]] = Dictionary(
    uniqueKeysWithValues: Set(rows.map(\.model)).map { model in
      let result = try? CommandLineTool.run(
        URL(filePath: "/usr/bin/timeout"),
        ["20", "/usr/bin/python3", "-c", program, model]
          + rows.filter { $0.model == model }.map { "\($0.name)=\($0.call)" }, input: "")
      return (model, answers(result?.output ?? ""))
    })
  private static let served = ours(.served)
  private static let folder = ours(.folder)

  private static func ours(_ files: ExecDescriptorTests.Files) -> [String: String] {
    let result = try? ExecDescriptorTests.exec(
      ["timeout", "20", "/usr/bin/python3", "-c", program, "/dev/i2c-1"] + lines, files)
    return answers((result?.output ?? "") + (result?.errors ?? ""))
  }

  @Test("a virtual node answers each call as a Linux character device does", arguments: rows)
  func sameAsLinux(_ row: Row) throws {
    let expected = try #require(Self.linux[row.model]?[row.name])
    #expect(Self.served[row.name] == expected)
    #expect(Self.folder[row.name] == expected)
  }

  @Test("the documentation's table lists every intercepted call")
  func documented() throws {
    let page = try Fixtures.text("Sources/Reach/Interposer/Interposer.docc/Calls.md")
    let source = try Fixtures.text("Sources/Reach/CInterposer/syscalls.c")
    let calls = source.matches(of: /\[INTERPOSER_([A-Z0-9_]+)\]/).map { $0.1.lowercased() }
    #expect(calls.count > 50)
    for call in calls where call != "names" {
      #expect(page.contains("`\(call)`"), "\(call) is not in the table")
    }
  }

  @Test("io_uring is not available and libaio is rejected, so no transfer is lost")
  func asynchronous() throws {
    let script = """
      import ctypes, errno, os, struct
      libc = ctypes.CDLL(None, use_errno=True)
      def call(*arguments):
          done = libc.syscall(*arguments); return done if done >= 0 else errno.errorcode[ctypes.get_errno()]
      print(call(425, 8, ctypes.create_string_buffer(120)))
      bus = os.open('/dev/i2c-1', os.O_RDWR); context = ctypes.c_ulong(0)
      print(call(206, 8, ctypes.byref(context)))
      data = ctypes.create_string_buffer(b'\\xd0')
      block = ctypes.create_string_buffer(struct.pack('QIIHhIQQqQII', 0, 0, 0, 1, 0, bus, ctypes.addressof(data), 1, 0, 0, 0, 0))
      blocks = (ctypes.c_void_p * 1)(ctypes.addressof(block))
      print(call(209, context, ctypes.c_long(1), blocks))
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script])
    #expect(result.outputLines == ["ENOSYS", "0", "EINVAL"], "\(result.errors)")
  }

  @Test(
    "directories opened with O_PATH behave as on Linux",
    arguments: ["/dev", "/sys/class", "/sys/bus"])
  func named(_ path: String) throws {
    let script = """
      import os; f = os.open('\(path)', os.O_PATH | os.O_DIRECTORY); print(os.fstat(f).st_mode & 0o170000 == 0o040000, f < 64)
      os.open('null' if '\(path)' == '/dev' else '.', os.O_RDONLY, dir_fd=f)
      """
    let result = try VirtualBusBench.exec(["/usr/bin/python3", "-c", script])
    #expect(result.output == "True True\n", "\(result.errors)")
    #expect(result.errors.isEmpty)
  }
}
