import Foundation
import TestSupport
import Testing

/// Virtual time for programs: their sleeps take no real time.
struct ExecClockTests {
  /// Runs a program in virtual time, with a limit in real time.
  static func exec(
    _ program: [String], options: [String] = [], within seconds: Double = 60
  ) throws -> CommandLineTool.Result {
    let start = ContinuousClock.now
    let result = try VirtualBusBench.exec(program, options: ["--clock", "virtual"] + options)
    #expect(ContinuousClock.now - start < .seconds(seconds))
    return result
  }

  @Test("an hour of sleep advances every clock, from the start time of the rig")
  func sleep() throws {
    let script = "date -u +%FT%T; sleep 3600; date -u +%FT%T"
    let builtIn = try Self.exec(["sh", "-c", script])
    #expect(builtIn.output == "2000-01-01T00:00:00\n2000-01-01T01:00:00\n")
    let weather = try Self.exec(
      ["sh", "-c", script], options: ["--rig", "rigs/weather-station.yaml"])
    #expect(weather.output == "2013-01-01T06:00:00\n2013-01-01T07:00:00\n")
  }

  @Test("steps of the wall clock change the date, and neither the other clocks nor a sleep")
  func steps() throws {
    let rig = """
      name: steps
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      clock_steps: [{at: 3s, forward: 1h}, {at: 6s, back: 2h}]
      """
    let program = """
      import time
      for _ in range(8):
          print(round(time.time() - 946684800), round(time.monotonic() - 100))
          time.sleep(1)
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try Self.exec(["python3", "-c", program], options: ["--rig", path])
      let offsets = result.outputLines.map { line in
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        return numbers[0] - numbers[1]
      }
      #expect(offsets == [0, 0, 0, 3600, 3600, 3600, -3600, -3600], "\(result)")
      #expect(result.outputLines.last?.hasSuffix(" 7") == true)
    }
    try CommandLineTool.withFile(rig.replacing(", back: 2h", with: "")) { path in
      let result = try CommandLineTool.run("rig", "check", path)
      #expect(result.output.contains("forward") && result.status == 78, "\(result)")
    }
  }

  @Test(
    "a wait until a time of the wall clock ends when a step forward reaches it, and later after a step back"
  )
  func waitsAcrossSteps() throws {
    let rig = """
      name: steps
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      clock_steps: [{at: 3s, forward: 1h}, {at: 6s, back: 2h}]
      """
    let program = """
      import ctypes, time
      class Time(ctypes.Structure): _fields_ = [('seconds', ctypes.c_long), ('rest', ctypes.c_long)]
      def wait(clock):
          end = Time(int(time.clock_gettime(clock)) + 10, 0)
          ctypes.CDLL(None).clock_nanosleep(clock, 1, ctypes.byref(end), None)
          return round(time.monotonic() - 100)
      print(wait(time.CLOCK_REALTIME), wait(time.CLOCK_REALTIME), wait(time.CLOCK_MONOTONIC))
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try Self.exec(["python3", "-c", program], options: ["--rig", path])
      #expect(result.output == "3 7213 7223\n", "\(result)")
    }
  }

  @Test("a statically linked program measures the duration of the conversion")
  func conversion() throws {
    let result = try Self.exec([VirtualBusBench.client("clock")])
    #expect(result.output == "slept 10.0 s, converted 67 ms\n")
  }

  /// Reads each clock through the C library and through the kernel in turn.
  static let readings = """
    import ctypes, platform
    libc = ctypes.CDLL(None)
    libc.getauxval.restype = ctypes.c_ulong
    class Time(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_long), ("part", ctypes.c_long)]
    time = Time()
    def moment(unit=1): return time.seconds * 10**9 + time.part * unit
    def library(clock): libc.clock_gettime(clock, ctypes.byref(time)); return moment()
    def kernel(clock):
        libc.syscall(228 if platform.machine() == "x86_64" else 113, clock, ctypes.byref(time))
        return moment()
    print("no stop" if libc.getauxval(33) else "stops")
    for clock in (0, 1, 4, 5, 6, 7, 11):
        moments = [library(clock), kernel(clock), library(clock), library(clock), kernel(clock)]
        print([later - earlier for earlier, later in zip(moments, moments[1:])])
    day = library(0); libc.gettimeofday(ctypes.byref(time), None)
    print(moment(1000) - day // 1000 * 1000 in (0, 1000), libc.time(None) == day // 10**9)
    """

  private static let readingLines =
    Array(repeating: "[100, 100, 100, 100]", count: 7) + ["True True"]

  @Test("reading the clock needs no system call, and takes the same virtual time as with one")
  func readingsWithoutStops() throws {
    let result = try Self.exec(["/usr/bin/python3", "-c", Self.readings])
    #if arch(x86_64)
      #expect(result.outputLines.first == "no stop")
    #endif
    #expect(Array(result.outputLines.dropFirst()) == Self.readingLines)
    #expect(result.errors == "")
  }

  @Test(
    "in a program that cannot share memory, reading the clock is a system call",
    arguments: [
      ["bwrap", "--dev-bind", "/", "/", "--unshare-ipc"],
      ["bwrap", "--dev-bind", "/", "/", "--unshare-pid"],
    ])
  func readingsElsewhere(_ jail: [String]) throws {
    let result = try Self.exec(jail + ["/usr/bin/python3", "-c", Self.readings])
    #expect(result.outputLines == ["stops"] + Self.readingLines)
  }

  @Test("the goroutines of a Go program sleep concurrently")
  func go() throws {
    let result = try Self.exec([VirtualBusBench.client("sleeper")])
    #expect(result.output == "30s 1m30s\n")
  }

  @Test("three processes sleep concurrently and end in order")
  func processes() throws {
    let script = """
      for i in 3 1 2; do (sleep ${i}00; echo $i) & done; wait; date -u +%T
      (sleep 1; echo slow) | cat; date -u +%T
      """
    let result = try Self.exec(["sh", "-c", script])
    #expect(result.outputLines == ["1", "2", "3", "00:05:00", "slow", "00:05:01"])
  }

  @Test("timeouts of select, poll, epoll and locks elapse only if no event occurs")
  func timeouts() throws {
    let script = """
      import os, select, threading, time
      def spent(call):
          start = time.monotonic(); result = call(); return result, round(time.monotonic() - start, 3)
      empty, _ = os.pipe(); full, end = os.pipe(); os.write(end, b'x')
      poll = select.poll(); poll.register(empty, select.POLLIN)
      epoll = select.epoll(); epoll.register(empty, select.EPOLLIN)
      print(spent(lambda: select.select([empty], [], [], 5)))
      print(spent(lambda: [len(part) for part in select.select([empty, full], [], [], 5)]))
      print(spent(lambda: poll.poll(2500)), spent(lambda: epoll.poll(7.5)))
      poll.register(full, select.POLLIN); epoll.register(full, select.EPOLLIN)
      print(spent(lambda: len(poll.poll(2500))), spent(lambda: len(epoll.poll(7.5))))
      event = threading.Event()
      print(spent(lambda: event.wait(3)))
      threading.Thread(target=lambda: (time.sleep(1), event.set())).start()
      print(spent(lambda: event.wait(30)))
      late, write = os.pipe()
      threading.Thread(target=lambda: (time.sleep(2), os.write(write, b'x'))).start()
      print(spent(lambda: len(select.select([late], [], [], 60)[0])))
      """
    let result = try Self.exec(["/usr/bin/python3", "-c", script])
    #expect(result.errors.isEmpty)
    #expect(
      result.outputLines == [
        "(([], [], []), 5.0)", "([1, 0, 0], 0.0)", "([], 2.5) ([], 7.5)", "(1, 0.0) (1, 0.0)",
        "(False, 3.0)", "(True, 1.0)", "(1, 2.0)",
      ])
  }

  @Test("a loop that polls the clock until a given time terminates")
  func busyLoop() throws {
    let script = """
      import time
      start = time.perf_counter()
      while time.perf_counter() - start < 0.1: pass
      print('over')
      """
    #expect(try Self.exec(["/usr/bin/python3", "-c", script]).output == "over\n")
  }

  @Test("one of many threads that reads the clock 50,000 times while it works does not wait for it")
  func measuredWork() throws {
    let script = """
      import threading, time
      def work():
          start = time.perf_counter()
          for _ in range(50_000): time.perf_counter()
          print(time.perf_counter() - start < 0.03)
      event = threading.Event()
      threads = [threading.Thread(target=event.wait) for _ in range(15)]
      for thread in threads: thread.start()
      work()
      event.set()
      """
    #expect(try Self.exec(["/usr/bin/python3", "-c", script]).output == "True\n")
  }

  @Test(
    "a thread that polls the clock in a process of few or many threads waits to within 0.2 ms",
    arguments: [1, 15])
  func busyThread(_ count: Int) throws {
    let script = """
      import threading, time
      event = threading.Event()
      threads = [threading.Thread(target=event.wait) for _ in range(\(count))]
      for thread in threads: thread.start()
      start = time.perf_counter()
      while time.perf_counter() - start < 0.1: pass
      print(0.1 <= time.perf_counter() - start < 0.1002)
      event.set()
      """
    #expect(try Self.exec(["/usr/bin/python3", "-c", script]).output == "True\n")
  }

  @Test(
    "a loop that waits for a time with zero-length sleeps or polls terminates",
    arguments: [
      ("time.sleep(0)", 2100), ("time.sleep(1e-9)", 2100), ("select.select([], [], [], 0)", 13_000),
    ])
  func idleLoop(_ idle: String, _ most: Int) throws {
    let script = """
      import select, time
      start, turns = time.perf_counter(), 0
      while time.perf_counter() - start < 0.1:
          \(idle)
          turns += 1
      print(turns)
      """
    let result = try Self.exec(["/usr/bin/python3", "-c", script])
    let turns = try #require(Int(result.output.dropLast()), "\(result.errors)")
    #expect(turns > 100 && turns <= most)
  }

  @Test("sleeps are supported on the same clocks as on Linux")
  func sleeplessClocks() throws {
    let script = """
      import ctypes
      length = (ctypes.c_long * 2)(0, 1000)
      print([ctypes.CDLL(None).clock_nanosleep(clock, 0, length, None) for clock in (0, 1, 4, 5, 6, 7, 11)])
      """
    let arguments = ["/usr/bin/python3", "-c", script]
    let native = try CommandLineTool.run(URL(filePath: arguments[0]), Array(arguments[1...]))
    #expect(try Self.exec(arguments).output == native.output)
    #expect(native.output.contains("95"))
  }

  @Test("aneroid's own reader sleeps a day between readings, and two runs are identical")
  func reader() throws {
    let arguments = [
      CommandLineTool.path.path, "read", "--bus", "/dev/i2c-1", "--count", "3", "--every", "24h",
      "--format", "jsonl",
    ]
    let first = try Self.exec(arguments, options: ["--rig", "rigs/thesis.yaml"])
    #expect(first.outputLines.count == 3)
    #expect(first.outputLines.last?.contains("\"t\":172800.") == true, "\(first.output)")
    let second = try Self.exec(arguments, options: ["--rig", "rigs/thesis.yaml"])
    #expect(first.output == second.output)
  }

  @Test("a driver reads the correct temperature in virtual time")
  func driver() throws {
    let result = try VirtualBusBench.exec(
      ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", "rpi_bme280"],
      options: ["--clock", "virtual"],
      environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/rpi_bme280"])
    #expect(result.output.hasPrefix("{\"temperature\": 21.00"))
  }

  @Test("virtual time is rejected for a hardware bus")
  func realBus() throws {
    let result = try VirtualBusBench.exec(
      ["true"], options: ["--clock", "virtual", "--bus", "/dev/i2c-1"])
    #expect(result.status == 64)
  }
}
