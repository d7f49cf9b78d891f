import Foundation
import TestSupport
import Testing

/// The descriptors of open nodes: their numbers, their limit and their copies.
struct ExecDescriptorTests {
  /// The kind of node files: FUSE, or a temporary directory.
  enum Files: CaseIterable {
    case served
    case folder
  }

  /// Runs a program with a kind of node files; without /dev/fuse the temporary directory is used.
  static func exec(
    _ program: [String], _ files: Files = .served, options: [String] = []
  ) throws -> CommandLineTool.Result {
    let command = [CommandLineTool.path.path, "exec"] + options + ["--"] + program
    guard files == .folder else {
      return try VirtualBusBench.exec(program, options: options)
    }
    let hide = "mount --bind /dev/null /dev/fuse && exec \"$@\""
    let own = geteuid() == 0 ? ["--mount"] : ["--mount", "--map-root-user"]
    return try CommandLineTool.run(
      URL(filePath: "/usr/bin/unshare"), own + ["/bin/sh", "-c", hide, "sh"] + command, input: "")
  }

  static func python(
    _ script: String, _ files: Files = .served, options: [String] = []
  ) throws -> CommandLineTool.Result {
    let beginning = """
      import array, errno, fcntl, os, socket, struct, subprocess, sys, time
      def node(flags=os.O_RDWR): return os.open('/dev/i2c-1', flags)
      def failure(call):
          try: call()
          except OSError as error: return errno.errorcode[error.errno]
      def identity(bus): os.write(bus, bytes([0xD0])); return os.read(bus, 1).hex()

      """
    return try exec(["/usr/bin/python3", "-c", beginning + script], files, options: options)
  }

  @Test("a driver that keeps its descriptor in a signed byte works", arguments: Files.allCases)
  func signedByte(_ files: Files) throws {
    let result = try Self.exec([VirtualBusBench.client("signed")], files)
    #expect(result.output == "60 106e\n")
    #expect(result.status == 0)
  }

  @Test("descriptor numbers of nodes start at 64, or at half the program's limit if that is less")
  func numbers() throws {
    for (limit, first) in [(1024, 64), (128, 64), (100, 50), (16, 8)] {
      let tool = CommandLineTool.path.path
      // Descriptors that concurrent tests have open may have been inherited.
      let close = "for n in $(seq 3 200); do eval \"exec $n>&-\"; done;"
      let script = """
        \(close)
        ulimit -n \(limit)
        exec \(tool) exec -- sh -c 'exec </dev/i2c-1; ls -l /proc/self/fd/0 | grep -c /dev/i2c-1'
        """
      let result = try CommandLineTool.run(URL(filePath: "/bin/bash"), ["-c", script])
      #expect(result.output == "1\n", "\(limit): \(result.errors)")
      let python = "import os; print(os.open('/dev/i2c-1', os.O_RDWR))"
      let number = try CommandLineTool.run(
        URL(filePath: "/bin/bash"),
        [
          "-c",
          "\(close) ulimit -n \(limit); exec \(tool) exec -- /usr/bin/python3 -c \"\(python)\"",
        ])
      #expect(number.output == "\(first)\n", "\(limit): \(number.errors)")
    }
  }

  @Test("fstat returns the node for every descriptor number, whichever call the C library uses")
  func status() throws {
    let script = """
      import ctypes
      libc = ctypes.CDLL(None, use_errno=True); raw = ctypes.create_string_buffer(144)
      bus = node()
      for number in (bus, 0, 5):
          if number != bus: os.dup2(bus, number)
          assert os.fstat(number).st_rdev == os.makedev(89, 1)
          # The call itself, as Go and musl make it; st_mode is at byte 24, st_rdev at byte 40.
          assert libc.syscall(5, number, raw) == 0
          print(oct(struct.unpack_from('I', raw, 24)[0]), struct.unpack_from('Q', raw, 40)[0] == os.makedev(89, 1))
      """
    #if arch(x86_64)
      let result = try Self.python(script)
      #expect(
        result.outputLines == Array(repeating: "0o20660 True", count: 3), "\(result.errors)")
    #endif
  }

  @Test("a scan with one descriptor per address finds the sensor", arguments: Files.allCases)
  func scanner(_ files: Files) throws {
    let result = try Self.exec([VirtualBusBench.client("scanner"), "10"], files)
    #expect(result.output == "76\nopened: 1170, refused: 0\n")
    #expect(result.errors.isEmpty)
  }

  @Test("seventy programs have the bus open concurrently", arguments: Files.allCases)
  func workers(_ files: Files) throws {
    let script = """
      workers = [subprocess.Popen([sys.executable, '-S', '-c', '''
      import fcntl, os, sys
      bus = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(bus, 0x0703, 0x76)
      print('open', flush=True); sys.stdin.readline()
      os.write(bus, bytes([0xD0])); print(os.read(bus, 1).hex())
      '''], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(70)]
      opened = sum(worker.stdout.readline() == 'open\\n' for worker in workers)
      read = [worker.communicate('\\n')[0] for worker in workers]
      print(opened, read.count('60\\n'))
      """
    #expect(try Self.python(script, files).output == "70 70\n")
  }

  @Test(
    "beyond the program's limit, open fails with EMFILE, which is reported; after a close it succeeds"
  )
  func exhaustion() throws {
    let script = """
      opened = []
      try:
          while True: opened.append(node())
      except OSError as error:
          print(errno.errorcode[error.errno], 290 < len(opened) < 298)
      for bus in opened: os.close(bus)
      for round in range(500): os.close(node()); os.listdir('/dev')
      print('again', node())
      """
    let tool = CommandLineTool.path.path
    let beginning = "import errno, os\ndef node(): return os.open('/dev/i2c-1', os.O_RDWR)\n"
    try CommandLineTool.withFile(beginning + script, suffix: ".py") { path in
      let result = try CommandLineTool.run(
        URL(filePath: "/bin/bash"),
        ["-c", "ulimit -n 300; exec \(tool) exec -- /usr/bin/python3 \(path)"])
      #expect(result.output == "EMFILE True\nagain 64\n")
      #expect(result.errors.contains("has reached its limit of open files (ulimit -n)"))
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test("a program with a limit below 64 files can open the bus")
  func lowered() throws {
    let lowered = try VirtualBusBench.shell("ulimit -n 32; i2cget -y 1 0x76 0xd0")
    #expect(lowered.output == "0x60\n")
    #expect(lowered.errors.isEmpty)
  }

  // MARK: Copies

  @Test("a shell redirection can read and write the bus, with the errors of hardware")
  func redirection() throws {
    let script = """
      exec 3<>/dev/i2c-1
      /usr/bin/python3 -c 'import fcntl; fcntl.ioctl(3, 0x0703, 0x76)'
      printf '\\210' >&3; head -c2 <&3 | od -An -tx1
      printf '\\320' >&3; dd bs=1 count=1 status=none <&3 | od -An -tx1
      /usr/bin/python3 -c 'import fcntl; fcntl.ioctl(3, 0x0703, 0x77)'
      printf '\\320' >&3 || echo refused
      """
    let result = try VirtualBusBench.exec(["bash", "-c", script])
    #expect(result.outputLines == [" 10 6e", " 60", "refused"])
    #expect(result.errors.contains("No such device or address"))
    #expect(!result.errors.contains("aneroid:"))
    let dd = try VirtualBusBench.exec(["dd", "if=/dev/i2c-1", "bs=1", "count=1"])
    // No address was set, so it is 0, at which there is no device.
    #expect(dd.errors.contains("error reading '/dev/i2c-1': No such device or address"))
    #expect(dd.status == 1)
  }

  @Test("descriptor copies by dup2, sockets and pidfd_getfd can read and write")
  func copies() throws {
    let script = """
      bus = node(); fcntl.ioctl(bus, 0x0703, 0x76)
      os.dup2(bus, 5); print('dup2', identity(5))
      print('dup', os.dup(bus) < 64, identity(os.dup(bus)), fcntl.fcntl(bus, fcntl.F_DUPFD, 70) >= 70)
      here, there = socket.socketpair()
      socket.send_fds(here, [b'x'], [bus])
      sent = socket.recv_fds(there, 1, 1)[1][0]; print('sent', sent < 64, identity(sent))
      import ctypes
      libc = ctypes.CDLL(None, use_errno=True)
      taken = libc.syscall(438, os.pidfd_open(os.getpid()), bus, 0); print('taken', taken < 64, identity(taken))
      fcntl.ioctl(taken, 0x0703, 0x77)
      print(failure(lambda: os.read(sent, 1)), failure(lambda: os.write(5, bytes([1]))))
      """
    let result = try Self.python(script)
    #expect(
      result.outputLines == [
        "dup2 60", "dup True 60 True", "sent True 60", "taken True 60", "ENXIO ENXIO",
      ])
    #expect(result.errors.isEmpty)
  }

  @Test("a descriptor copy gets the lowest free number that is not below the requested one")
  func lowest() throws {
    let script = """
      bus = node(); fcntl.ioctl(bus, 0x0703, 0x76)
      os.close(0); copies = [os.dup(bus)]  # Python closes it on exec.
      copies += [fcntl.fcntl(bus, command, 20) for command in [fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC]]
      copies.append(fcntl.fcntl(bus, fcntl.F_DUPFD, bus))
      print(bus, copies, [fcntl.fcntl(copy, fcntl.F_GETFD) for copy in copies], [identity(copy) for copy in copies])
      print(failure(lambda: os.lseek(0, 0, 1)), os.fstat(20).st_rdev == os.makedev(89, 1))
      """
    let result = try Self.python(script)
    #expect(
      result.outputLines == [
        "64 [0, 20, 21, 65] [1, 0, 1, 0] ['60', '60', '60', '60']", "ESPIPE True",
      ], "\(result.errors)")
  }

  @Test("without FUSE, a descriptor copy below 64 rejects reads and writes with a message")
  func refusedCopies() throws {
    let script = """
      bus = node(); fcntl.ioctl(bus, 0x0703, 0x76)
      os.dup2(bus, 5); os.dup2(bus, 6)
      fcntl.ioctl(5, 0x0703, 0x76); print(failure(lambda: os.write(5, b'x')), failure(lambda: os.read(5, 1)))
      print(identity(os.dup(bus)))
      """
    let result = try Self.python(script, .folder)
    #expect(result.outputLines == ["EBADF EBADF", "60"])
    #expect(result.errors.contains("descriptor 5 is a copy of /dev/i2c-1"))
  }

  @Test("killing a process that reads a descriptor copy below 64 leaves the bus usable")
  func killedReader() throws {
    let script = """
      exec 3<>/dev/i2c-1; python3 -c 'import fcntl; fcntl.ioctl(3, 0x0703, 0x76)'
      (exec /usr/bin/python3 -c 'while True: open(3, "rb", 0, closefd=False).read(200)') & p=$!
      sleep 0.5; kill -KILL $p; wait $p
      printf '\\320' >&3; head -c1 <&3 | od -An -tx1
      """
    #expect(try VirtualBusBench.exec(["bash", "-c", script]).output == " 60\n")
  }
}
