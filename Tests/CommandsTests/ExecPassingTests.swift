import Foundation
import TestSupport
import Testing

/// Calls that cannot concern nodes are passed in succession, and no other event is missed while
/// they are passed.
struct ExecPassingTests {
  /// Runs Python in an empty directory, its first argument; `ask(path)` queries a path many times.
  private func run(
    _ script: String, alongside outsider: String? = nil
  ) throws -> CommandLineTool.Result {
    let folder = "/tmp/aneroid-passing-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    if let outsider {
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "cd \(folder); \(outsider)"]
      try process.run()
    }
    defer { if outsider != nil { process.terminate() } }
    let start = """
      import os, signal, stat, sys, time
      os.chdir(sys.argv[1]); path = sys.argv[1] + '/bus'
      def ask(path):
          for _ in range(20): os.stat(path)
      def is_node(path): return stat.S_ISCHR(os.stat(path).st_mode)
      def becomes_node(path):
          # A path that changes after it was looked at, and before the kernel looks, leads nowhere to the kernel.
          try: return is_node(path)
          except FileNotFoundError: return False

      """
    return try VirtualBusBench.exec(["/usr/bin/python3", "-c", start + script, folder])
  }

  @Test(
    "if a recently queried file is replaced by a link to a node, the link is followed",
    arguments: [
      "os.unlink(path); os.symlink('/dev/i2c-1', path)",
      "os.symlink('/dev/i2c-1', 'new'); os.rename('new', path)",
      "os.symlink('/dev/i2c-1', 'new'); ask(path); os.replace('new', path)",
      "os.symlink('/dev/i2c-1', 'new'); os.unlink(path); os.link('new', path, follow_symlinks=False); os.unlink('new')",
    ])
  func becomesLink(_ way: String) throws {
    let result = try run(
      """
      count = 0
      for _ in range(100):
          open(path, 'w').close(); ask(path)
          \(way)
          count += is_node(path)
          os.unlink(path)
      print(count)
      """)
    #expect(result.output == "100\n", "\(result.errors)")
  }

  @Test("if a directory is replaced just after a lookup, a link in the new directory is followed")
  func exchangedFolder() throws {
    let result = try run(
      """
      os.mkdir('plain'); open('plain/bus', 'w').close()
      os.mkdir('linked'); os.symlink('/dev/i2c-1', 'linked/bus')
      place, count = sys.argv[1] + '/place', 0
      for _ in range(100):
          os.rename('plain', place); ask(place + '/bus'); os.rename(place, 'plain')
          os.rename('linked', place); count += is_node(place + '/bus'); os.rename(place, 'linked')
      print(count)
      """)
    #expect(result.output == "100\n", "\(result.errors)")
  }

  @Test("a program sees the link that another program creates")
  func otherProgram() throws {
    let result = try run(
      """
      count = 0
      for _ in range(20):
          open(path, 'w').close()
          child = os.fork()
          if child == 0:
              while not becomes_node(path): pass
              os._exit(0)
          ask(path); os.symlink('/dev/i2c-1', 'new'); os.rename('new', path)
          count += is_node(path) and os.waitpid(child, 0)[1] == 0
          os.unlink(path)
      print(count)
      """)
    #expect(result.output == "20\n", "\(result.errors)")
  }

  @Test("a link created outside the bench is seen after a short delay")
  func outsider() throws {
    let result = try run(
      """
      open(path, 'w').close(); ask(path); open('ready', 'w').close()
      for _ in range(60_000):
          if becomes_node(path): break
          time.sleep(0.001)
      print(is_node(path))
      """,
      alongside: "while [ ! -e ready ]; do sleep 0.01; done; ln -s /dev/i2c-1 new; mv new bus")
    #expect(result.output == "True\n", "\(result.errors)")
  }

  @Test("signals are forwarded during calls passed to the kernel, and between calls")
  func signals() throws {
    let result = try run(
      """
      heard = []
      signal.signal(signal.SIGUSR1, lambda *_: heard.append(1)); signal.siginterrupt(signal.SIGUSR1, False)
      guard = open(f'/proc/{os.getppid()}/stat').read().rsplit(')')[1].split()
      for count in range(1, 301):
          ask('/etc/passwd'); os.kill(int(guard[1]), signal.SIGUSR1)
          while len(heard) < count:
              if count % 3 == 0: ask('/etc/passwd')
              elif count % 3 == 1: time.sleep(0.001)
              else: pass
      print(len(heard))
      """)
    #expect(result.output == "300\n", "\(result.errors)")
  }

  @Test("reads and writes through a low descriptor work between calls passed to the kernel")
  func lowDescriptor() throws {
    let result = try run(
      """
      import fcntl
      node = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(node, 0x703, 0x76); os.dup2(node, 9)
      count = 0
      for _ in range(300):
          ask('/etc/passwd'); os.write(9, b'\\xd0'); count += os.read(9, 1) == b'\\x60'
      print(count)
      """)
    #expect(result.output == "300\n", "\(result.errors)")
  }
}
