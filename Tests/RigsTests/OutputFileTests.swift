import Foundation
import Glibc
import Support
import TestSupport
import Testing

/// Output files: non-regular files are written in place, regular files are replaced atomically.
struct OutputFileTests {
  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  static func status(_ path: String) -> stat {
    var status = stat()
    lstat(path, &status)
    return status
  }

  static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  @Test("a new file has the mode of the umask, and no temporary file is left")
  func new() throws {
    try RecordingTests.withFolder { folder in
      try OutputFile.write("text", to: "\(folder)/a")
      let control = open("\(folder)/b", O_WRONLY | O_CREAT, 0o666)
      close(control)
      #expect(try Self.text("\(folder)/a") == "text")
      #expect(Self.status("\(folder)/a").st_mode == Self.status("\(folder)/b").st_mode)
      #expect(try Self.names(folder) == ["a", "b"])
    }
  }

  @Test(
    "an older file keeps its mode and owner", arguments: [0o600, 0o640, 0o664, 0o755] as [mode_t])
  func keepsMode(_ mode: mode_t) throws {
    try RecordingTests.withFolder { folder in
      let path = "\(folder)/a"
      try "old and longer".write(toFile: path, atomically: false, encoding: .utf8)
      chmod(path, mode)
      if geteuid() == 0 { chown(path, 4321, 1234) }
      let before = Self.status(path)
      try OutputFile.write("new", to: path)
      let after = Self.status(path)
      #expect(try Self.text(path) == "new")
      #expect(after.st_mode == before.st_mode)
      #expect(after.st_uid == before.st_uid && after.st_gid == before.st_gid)
      #expect(after.st_ino != before.st_ino, "it is replaced as a whole")
      #expect(try Self.names(folder) == ["a"])
    }
  }

  @Test("a symbolic link is kept, and its target is written even if it does not exist yet")
  func links() throws {
    try RecordingTests.withFolder { folder in
      let files = FileManager.default
      try files.createDirectory(atPath: "\(folder)/other", withIntermediateDirectories: false)
      try "old".write(toFile: "\(folder)/other/a", atomically: false, encoding: .utf8)
      try files.createSymbolicLink(atPath: "\(folder)/two", withDestinationPath: "one")
      try files.createSymbolicLink(atPath: "\(folder)/one", withDestinationPath: "other/a")
      try files.createSymbolicLink(atPath: "\(folder)/new", withDestinationPath: "other/b")
      try OutputFile.write("text", to: "\(folder)/two")
      try OutputFile.write("text", to: "\(folder)/new")
      for name in ["one", "two", "new"] {
        #expect(Self.status("\(folder)/\(name)").st_mode & S_IFMT == S_IFLNK)
      }
      #expect(try Self.text("\(folder)/other/a") == "text")
      #expect(try Self.text("\(folder)/other/b") == "text")
      #expect(try Self.names(folder) == ["new", "one", "other", "two"])
      #expect(try Self.names("\(folder)/other") == ["a", "b"])
      try files.createSymbolicLink(atPath: "\(folder)/loop", withDestinationPath: "loop")
      #expect(throws: Failure.self) { try OutputFile.write("text", to: "\(folder)/loop") }
    }
  }

  @Test("FIFOs, sockets and open descriptors are written in place and not replaced")
  func through() throws {
    try RecordingTests.withFolder { folder in
      let fifo = "\(folder)/fifo"
      mkfifo(fifo, 0o600)
      let reader = open(fifo, O_RDONLY | O_NONBLOCK)
      try OutputFile.write("text", to: fifo)
      var bytes = [UInt8](repeating: 0, count: 16)
      #expect(read(reader, &bytes, 16) == 4)
      close(reader)
      #expect(Self.status(fifo).st_mode & S_IFMT == S_IFIFO)

      let path = "\(folder)/a"
      let descriptor = open(path, O_RDWR | O_CREAT, 0o644)
      try OutputFile.write("one ", to: "/dev/fd/\(descriptor)")
      try OutputFile.write("two", to: "/proc/self/fd/\(descriptor)")
      #expect(try Self.text(path) == "one two")
      #expect(lseek(descriptor, 0, SEEK_CUR) == 7, "further text is written after it")
      let blind = open(path, O_RDONLY)
      #expect(throws: Failure.self) { try OutputFile.write("no", to: "/dev/fd/\(blind)") }
      close(descriptor)
      close(blind)
      #expect(try Self.names(folder) == ["a", "fifo"])
    }
  }

  @Test("a named socket receives the text")
  func sockets() throws {
    // Socket paths have a short maximum length.
    let path = "/tmp/aneroid-\(getpid())-\(UInt32.random(in: .min ... .max))"
    defer { unlink(path) }
    let script = """
      import socket, sys
      server = socket.socket(socket.AF_UNIX)
      server.bind(sys.argv[1])
      server.listen()
      print("ready", flush=True)
      print(server.accept()[0].makefile().read(), flush=True)
      """
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", script, path]
    process.standardOutput = pipe
    try process.run()
    var said = Data()
    while !said.contains(10) { said += pipe.fileHandleForReading.availableData }
    try OutputFile.write("text", to: path)
    said += pipe.fileHandleForReading.readDataToEndOfFile()
    #expect(said == Data("ready\ntext\n".utf8))
    process.waitUntilExit()
    #expect(throws: Failure.self) { try OutputFile.write("text", to: path) }
    #expect(Self.status(path).st_mode & S_IFMT == S_IFSOCK)
  }

  @Test("device nodes are not replaced, and a full device is reported")
  func devices() throws {
    try RecordingTests.withFolder { folder in
      // Use private nodes if permitted: a broken writer must not replace those of the machine.
      var (null, full) = ("\(folder)/null", "\(folder)/full")
      let isOwn =
        mknod(null, S_IFCHR | 0o666, makedev(1, 3)) == 0
        && mknod(full, S_IFCHR | 0o666, makedev(1, 7)) == 0
        && access(null, W_OK) == 0 && close(open(null, O_WRONLY)) == 0
      if !isOwn { (null, full) = ("/dev/null", "/dev/full") }
      try OutputFile.write("text", to: null)
      let failure = #expect(throws: Failure.self) { try OutputFile.write("text", to: full) }
      #expect(failure?.kind == .inputOutput)
      #expect(failure?.messages.first?.contains("No space left on device") == true)
      for path in [null, full] { #expect(Self.status(path).st_mode & S_IFMT == S_IFCHR) }
    }
  }

  @Test("a failure to write is reported, and no file is left")
  func failures() throws {
    try RecordingTests.withFolder { folder in
      let path = "\(folder)/a"
      try "old".write(toFile: path, atomically: false, encoding: .utf8)
      for wrong in ["", folder, "\(folder)/", "\(folder)/..", "\(folder)/none/b", "\(path)/b"] {
        let failure = #expect(throws: Failure.self, "\(wrong)") {
          try OutputFile.write("text", to: wrong)
        }
        #expect(failure?.kind == .inputOutput)
      }
      #expect(try Self.text(path) == "old")
      #expect(try Self.names(folder) == ["a"])
    }
  }

  @Test(
    "the check of outputs changes no file, and rejects an output that is an input under any name")
  func sameFile() throws {
    try RecordingTests.withFolder { folder in
      let path = "\(folder)/a"
      try "old".write(toFile: path, atomically: false, encoding: .utf8)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/link", withDestinationPath: "a")
      try FileManager.default.linkItem(atPath: path, toPath: "\(folder)/hard")
      let descriptor = open(path, O_WRONLY | O_APPEND)
      defer { close(descriptor) }
      let names = [
        path, "\(folder)/../\((folder as NSString).lastPathComponent)/a", "\(folder)/link",
        "\(folder)/hard", "/dev/fd/\(descriptor)", "/proc/self/fd/\(descriptor)",
      ]
      for output in names {
        for input in names.prefix(4) {
          let failure = #expect(throws: Failure.self, "\(output) from \(input)") {
            try OutputDestination.check([nil, output], reading: ["/dev/null", input])
          }
          #expect(failure?.exitStatus == 64)
        }
      }
      try OutputDestination.check(["\(folder)/b", "/dev/null", nil], reading: [path, "/dev/null"])
      for pair in [["\(folder)/b", "\(folder)/./b"], [path, "\(folder)/link"]] {
        let failure = #expect(throws: Failure.self) { try OutputDestination.check(pair) }
        #expect(failure?.exitStatus == 64)
      }
      try OutputDestination.check(["/dev/null", "/dev/null"])
      #expect(try Self.text(path) == "old")
      #expect(try Self.names(folder) == ["a", "hard", "link"])
    }
  }

  private func makedev(_ major: Int, _ minor: Int) -> dev_t { dev_t(major << 8 | minor) }
}
