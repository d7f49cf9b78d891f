import Testing

/// The state of sensors for programs that start at once.
struct ExecPowerTests {
  @Test("a program that starts at once finds its sensors powered up", arguments: 1...10)
  func started(_ round: Int) throws {
    let result = try VirtualBusBench.exec(["i2cget", "-y", "1", "0x76", "0x88", "w"])
    #expect(result.output == "0x6e10\n")
  }

  @Test("a program reads zeros from a sensor that is still starting")
  func slow() throws {
    let rig = try ExecDriverTests.rig("unknown: {copy_time_power_on: 2s}")
    try CommandLineTool.withFile(rig) { rig in
      let script = "i2cget -y 1 0x76 0x88 w; sleep 3; i2cget -y 1 0x76 0x88 w"
      let result = try VirtualBusBench.shell(script, options: ["--rig", rig, "--clock", "virtual"])
      #expect(result.output == "0x0000\n0x6e10\n")
    }
  }

  @Test("starting an interpreter takes almost no virtual time, so a slow sensor is still starting")
  func start() throws {
    let program = """
      import asyncio, datetime, email, fcntl, http.client, json, logging, os, random, threading, time, unittest
      bus = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(bus, 0x703, 0x76)
      os.write(bus, bytes([0x88]))
      print(os.read(bus, 4).hex(), time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000)
      """
    // Power was switched on 10 ms earlier; the calibration is available 2 ms after the program's start.
    let rig = try ExecDriverTests.rig("unknown: {copy_time_power_on: 12ms}")
    try CommandLineTool.withFile(rig) { rig in
      let result = try ExecClockTests.exec(
        ["/usr/bin/python3", "-c", program], options: ["--rig", rig])
      let words = try #require(result.outputLines.first?.split(separator: " "), "\(result.errors)")
      #expect(words.first == "00000000")
      let microseconds = try #require(words.last.flatMap { Int($0) })
      #expect((100_010_000..<100_011_500).contains(microseconds))
    }
  }

  @Test("a slow start detects a reader that does not wait for the calibration")
  func audited() throws {
    let mutant = try #require(
      Mutants.of("reader.py").last { $0.classID == "B09" }, "no such defect")
    let path = try Mutants.written(mutant.source, name: "at-once.py")
    let result = try AuditTests.audit(
      KillRateTests.values + ["--scenario", "slow-power-on"], ["/usr/bin/python3", path])
    #expect(result.status == 1, "\(result.output)\(result.errors)")
    #expect(result.output.contains("B09"), "\(result.output)")
  }
}
