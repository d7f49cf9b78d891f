import Foundation
import TestSupport
import Testing

/// Locks of nodes: kernel locks, as on one device inode.
struct ExecLockTests {
  typealias Files = ExecDescriptorTests.Files

  /// A program in which two processes lock a file.
  ///
  /// The results of Linux come from the same program on its own terminal, a character device.
  static let program = """
    import errno, fcntl, os, signal, struct, sys, time
    path = sys.argv[1]
    if path == 'terminal': main, other = os.openpty(); path = os.ttyname(other)
    def failure(call, *arguments):
        try: call(*arguments); return 'done'
        except OSError as error: return errno.errorcode[error.errno]
    def elsewhere(call):
        end, start = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(start, call().encode()); os._exit(0)
        os.close(start); text = os.read(end, 100).decode(); os.waitpid(child, 0); os.close(end)
        return text
    def lock(kind, length=0): return struct.pack('hhqqi4x', kind, 0, 0, length, 0)
    def open_again(): return os.open(path, os.O_RDWR | os.O_NOCTTY)
    # The caller of the tests may have blocked it.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])
    one, two = open_again(), open_again()
    now = fcntl.LOCK_NB
    print('flock excludes', failure(fcntl.flock, one, fcntl.LOCK_EX | now), failure(fcntl.flock, two, fcntl.LOCK_EX | now))
    print('copy', failure(fcntl.flock, os.dup(one), fcntl.LOCK_EX | now))
    print('child', elsewhere(lambda: failure(fcntl.flock, one, fcntl.LOCK_EX | now)))
    print('child that opens', elsewhere(lambda: failure(fcntl.flock, open_again(), fcntl.LOCK_EX | now)))
    print('shared', failure(fcntl.flock, one, fcntl.LOCK_SH | now), failure(fcntl.flock, two, fcntl.LOCK_SH | now),
          failure(fcntl.flock, open_again(), fcntl.LOCK_EX | now))
    print('unlock', failure(fcntl.flock, one, fcntl.LOCK_UN), failure(fcntl.flock, two, fcntl.LOCK_EX | now))
    print('none', failure(fcntl.flock, one, 0))
    os.close(two); print('closed', failure(fcntl.flock, one, fcntl.LOCK_EX | now))
    fcntl.flock(one, fcntl.LOCK_UN)

    print('process', failure(fcntl.fcntl, one, fcntl.F_SETLK, lock(fcntl.F_WRLCK)),
          failure(fcntl.fcntl, open_again(), fcntl.F_SETLK, lock(fcntl.F_WRLCK)))
    def ask():
        answer = fcntl.fcntl(open_again(), fcntl.F_GETLK, lock(fcntl.F_WRLCK))
        kind, _, _, _, owner = struct.unpack('hhqqi4x', answer)
        return str((kind == fcntl.F_WRLCK, owner == os.getppid()))
    print('child asks', elsewhere(ask))
    print('child', elsewhere(lambda: failure(fcntl.fcntl, one, fcntl.F_SETLK, lock(fcntl.F_WRLCK))))
    os.close(open_again())
    print('closed any', elsewhere(lambda: failure(fcntl.fcntl, one, fcntl.F_SETLK, lock(fcntl.F_WRLCK))))
    print('exited', failure(fcntl.fcntl, one, fcntl.F_SETLK, lock(fcntl.F_WRLCK)))
    fcntl.fcntl(one, fcntl.F_SETLK, lock(fcntl.F_UNLCK))
    reader = os.open(path, os.O_RDONLY | os.O_NOCTTY)
    print('not open for it', failure(fcntl.fcntl, reader, fcntl.F_SETLK, lock(fcntl.F_WRLCK)))

    three = open_again()
    print('open file', failure(fcntl.fcntl, one, fcntl.F_OFD_SETLK, lock(fcntl.F_WRLCK, 1)),
          failure(fcntl.fcntl, three, fcntl.F_OFD_SETLK, lock(fcntl.F_WRLCK, 1)))
    os.close(one); print('closed', failure(fcntl.fcntl, three, fcntl.F_OFD_SETLK, lock(fcntl.F_WRLCK, 1)))

    def interrupted(number, frame): raise InterruptedError(errno.EINTR, 'signal')
    def waits(call):
        signal.signal(signal.SIGUSR1, interrupted)
        return failure(call)
    # It receives the signal after it has reported ready; by then it usually waits for the lock.
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        print('waiter', waits(lambda: (os.write(writer, b'x'), fcntl.fcntl(open_again(), fcntl.F_OFD_SETLKW, lock(fcntl.F_WRLCK, 1)))), flush=True)
        os._exit(0)
    os.read(reader, 1); time.sleep(0.3)
    os.kill(child, signal.SIGUSR1); os.waitpid(child, 0)
    child = os.fork()
    if child == 0:
        print('waiter', failure(fcntl.flock, open_again(), fcntl.LOCK_EX), flush=True); os._exit(0)
    os.close(three); os.waitpid(child, 0)
    """

  @Test(
    "flock, fcntl and open file description locks answer as on a kernel device",
    arguments: Files.allCases)
  func sameAsLinux(_ files: Files) throws {
    let python = "/usr/bin/python3"
    let linux = try CommandLineTool.run(
      URL(filePath: "/usr/bin/timeout"),
      ["--signal=KILL", "100", python, "-c", Self.program, "terminal"], input: "")
    let ours = try ExecDescriptorTests.exec(
      ["timeout", "--signal=KILL", "100", python, "-c", Self.program, "/dev/i2c-1"], files)
    #expect(linux.outputLines.count == 18, "\(linux.errors)")
    #expect(linux.output.contains("flock excludes done EAGAIN\n"))
    #expect(ours.output == linux.output)
    #expect(ours.errors.isEmpty)
  }

  @Test("a lock taken by a shell redirection and one taken by a program exclude each other")
  func mixed() throws {
    let script = """
      exec 9<>/dev/i2c-1
      flock -n 9 && echo ours
      flock -n /dev/i2c-1 true || echo busy
      flock -u 9; flock -n /dev/i2c-1 echo free
      exec 8< <(flock 9; echo held; sleep 0.3; echo first >&2; flock -u 9)
      read -u 8 held; flock /dev/i2c-1 sh -c 'echo second >&2'; wait
      """
    let result = try VirtualBusBench.exec(["bash", "-c", script])
    #expect(result.outputLines == ["ours", "busy", "free"])
    #expect(result.errors == "first\nsecond\n")
  }

  @Test("virtual time advances while a program waits for a lock")
  func virtualTime() throws {
    let script = """
      exec 9<>/dev/i2c-1
      (flock 9; sleep 600; echo first; flock -u 9) & sleep 1
      flock /dev/i2c-1 date -u +%T; wait
      """
    let result = try VirtualBusBench.exec(
      ["bash", "-c", script], options: ["--clock", "virtual"])
    #expect(result.outputLines.first == "first")
    #expect(result.outputLines.last?.hasPrefix("00:10:0") == true)
  }
}
